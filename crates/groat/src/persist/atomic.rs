//! Files that are either whole or not there.

use crate::error::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file under a temporary name in the same folder, forces it to disk and renames it over `path`.
/// If anything fails, the temporary file is removed and what stood at `path` is untouched.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("numbers.txt");
/// groat::persist::write_atomically(&path, |out| out.write_all(b"1 2 3"))?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"1 2 3");
/// # Ok::<(), groat::Error>(())
/// ```
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let attempt = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".groat-").suffix(".part").tempfile_in(folder)?;
        let mut out = BufWriter::with_capacity(1 << 20, file.as_file_mut());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.as_file().sync_all()?;
        make_readable(file.as_file())?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    attempt().map_err(|e| Error::io(path, e))
}

/// Temporary files are private; the finished one gets the permissions a new file usually has.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
