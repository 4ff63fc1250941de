//! Files that are either whole or not there.

use super::claim::Part;
use super::destination::{Destination, parent};
use crate::error::{Error, Result};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

/// Writes a file under a temporary name in the same folder, forces it to disk and renames it over `path`.
/// If anything fails, the temporary file is removed and what stood at `path` is untouched. What a process that was killed
/// left of such a file goes with the next write to its folder.
///
/// A symbolic link is followed, so that the file it points to is replaced and not the link; a link to nothing is an error.
/// What is not a file (a device, a pipe, `/dev/stdout`) is written to directly.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("numbers.txt");
/// groat::persist::write_atomically(&path, |out| out.write_all(b"1 2 3"))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"1 2 3");
/// # Ok::<(), groat::Error>(())
/// ```
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let attempt = Destination::of(path).and_then(|destination| match destination.file() {
        Some(file) => replace(file, write),
        None => write_to(destination.open()?, write),
    });
    attempt.map_err(|e| Error::io(path, e))
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let part = Part::create(parent(path))?;
    write_to(&part.file, write)?;
    part.file.sync_all()?;
    part.persist(path)
}

fn write_to(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    write(&mut out)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::write_atomically;
    use std::io::{self, Write};

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        std::fs::write(&path, "old").unwrap();
        let failing = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        };
        assert!(write_atomically(&path, failing).unwrap_err().to_string().contains("disk full"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_atomically(&folder.path().join("no/such/folder.txt"), |_| Ok(())).is_err());
    }

    #[test]
    fn a_write_under_way_has_a_file_that_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let count = || std::fs::read_dir(folder.path()).unwrap().count();
        let write = |_: &mut dyn Write| {
            assert_eq!(count(), 1);
            Ok(())
        };
        write_atomically(&folder.path().join("out.txt"), write).unwrap();
        assert_eq!(count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_stay_devices() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        write_atomically("/dev/null".as_ref(), |out| out.write_all(b"gone")).unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        std::fs::remove_file(&file).unwrap();
        assert!(write_atomically(&link, |out| out.write_all(b"new")).is_err());
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }
}
