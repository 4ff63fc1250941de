//! Files that are either whole or not there.

use crate::error::{Error, Result};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Writes a file under a temporary name in the same folder, forces it to disk and renames it over `path`.
/// If anything fails, the temporary file is removed and what stood at `path` is untouched.
///
/// A symbolic link is followed, so that the file it points to is replaced and not the link. What is not a
/// file (a device, a pipe) is written to directly.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("numbers.txt");
/// groat::persist::write_atomically(&path, |out| out.write_all(b"1 2 3"))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"1 2 3");
/// # Ok::<(), groat::Error>(())
/// ```
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    // A path that does not exist yet is taken as it stands.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let special = place.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    let attempt = if special { write_through(&place, write) } else { replace(&place, write) };
    attempt.map_err(|e| Error::io(path, e))
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".groat-").suffix(".part");
    // Temporary files are private by default; this one becomes a usual file, with what the user's mask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // Of a folder that is not there the system's own word is plainer than that about a temporary name in it.
    let mut file = builder.tempfile_in(folder).map_err(|e| folder.metadata().err().unwrap_or(e))?;
    let _unfinished = Unfinished::new(file.path());
    let mut out = BufWriter::with_capacity(1 << 20, file.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is being written, known as such until it is renamed or removed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of writes that are under way, for a program that is about to end without
/// finishing them.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // Whatever the reason that it cannot be removed, there is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
}

fn write_through(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::OpenOptions::new().write(true).open(path)?);
    write(&mut out)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::{UNFINISHED, write_atomically};
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
    fn a_write_under_way_is_known_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let known = || UNFINISHED.lock().unwrap().iter().filter(|p| p.starts_with(folder.path())).count();
        let write = |_: &mut dyn Write| {
            assert_eq!(known(), 1);
            Ok(())
        };
        write_atomically(&folder.path().join("out.txt"), write).unwrap();
        assert_eq!(known(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_stay_devices() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        write_atomically("/dev/null".as_ref(), |out| out.write_all(b"gone")).unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
