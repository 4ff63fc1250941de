//! Files that belong to a running process: half-written ones, and locks.
//!
//! Each is held by a lock of the operating system, which ends with the process however that ends. So whoever comes by later
//! can tell a file in use from one that a killed process left, and removes the latter.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};

/// How the names of such files begin and end.
const BEGINNING: &str = ".groat-";
const PART: &str = ".part";
const LOCK: &str = ".lock";

/// How often a lock is asked for before it is taken as that of another process, and the time between.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// A new file beside others, held until it is dropped, then removed unless it has got another name.
#[derive(Debug)]
pub(super) struct Part {
    pub file: File,
    pub path: PathBuf,
}

impl Part {
    /// Makes a file with a name of its own in a folder.
    pub fn create(folder: &Path) -> io::Result<Self> {
        remove_left_behind(folder);
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(BEGINNING).suffix(PART);
            // Temporary files are private by default; this one becomes a usual file, with what the user's mask allows.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            // Of a folder that is not there the system's own word is plainer than that about a temporary name in it.
            let made = builder.tempfile_in(folder).map_err(|e| folder.metadata().err().unwrap_or(e))?;
            let (file, path) = made.keep().map_err(|e| e.error)?;
            let part = Self { file, path };
            if held(&part.file, &part.path)? == Held::Here {
                note(&part.path);
                return Ok(part);
            }
        }
    }

    /// Gives the file its name, in place of the one that has it.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After a renaming there is nothing to remove. Otherwise it is named no more when it is no longer held.
        let _ = fs::remove_file(&self.path);
        forget(&self.path);
    }
}

/// The right to write a file again and again, which one process at a time has.
///
/// The lock is a hidden file beside it, because the file itself is replaced by every write.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("state.json");
/// let mine = groat::persist::Claim::of(&path)?;
/// assert!(groat::persist::Claim::of(&path).is_err());
/// drop(mine);
/// assert!(groat::persist::Claim::of(&path).is_ok());
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Debug)]
pub struct Claim {
    _file: File,
    path: PathBuf,
}

impl Claim {
    /// Claims a file, be it there or not; an error if another process has it.
    pub fn of(path: &Path) -> Result<Self> {
        let lock = beside(path);
        let attempt = || -> io::Result<Option<Self>> {
            let mut refused = 0;
            loop {
                let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock)?;
                match held(&file, &lock)? {
                    Held::Here => {
                        note(&lock);
                        return Ok(Some(Self { _file: file, path: lock.clone() }));
                    }
                    // A process that looks for what others left holds it for a moment.
                    Held::Elsewhere if refused < ATTEMPTS => {
                        refused += 1;
                        std::thread::sleep(PAUSE);
                    }
                    Held::Elsewhere => return Ok(None),
                    Held::Lost => {}
                }
            }
        };
        let found = attempt().map_err(|e| Error::io(path, e))?;
        let taken =
            || io::Error::other("another groat is saving to it; wait for its end or save to another file");
        found.ok_or_else(|| Error::io(path, taken()))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Removed while it is held, so that nobody holds a file that has no name.
        let _ = fs::remove_file(&self.path);
        forget(&self.path);
    }
}

/// The name of the lock of a file.
fn beside(path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{BEGINNING}{name}{LOCK}"))
}

/// Who holds a file.
#[derive(Debug, PartialEq)]
enum Held {
    Here,
    Elsewhere,
    /// Somebody has removed it before it could be held.
    Lost,
}

/// Takes hold of a file. Where the system knows no locks it is taken as held.
fn held(file: &File, path: &Path) -> io::Result<Held> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(if is_named(file, path) { Held::Elsewhere } else { Held::Lost }),
        Err(TryLockError::Error(e)) if e.kind() != io::ErrorKind::Unsupported => Err(e),
        _ if is_named(file, path) => Ok(Held::Here),
        _ => Ok(Held::Lost),
    }
}

/// Whether a file is still the one of this name.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(path.metadata().ok()).is_some_and(|(a, b)| same(a, b))
}

/// Where an open file keeps its name.
#[cfg(not(unix))]
fn is_named(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Files that are being written, and locks.
static UNFINISHED: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

fn note(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
}

fn forget(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

/// Removes the temporary files of writes that are under way, and locks, for a program that is about to end without
/// finishing them.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // Whatever the reason that it cannot be removed, there is nobody left to tell.
        let _ = fs::remove_file(path);
    }
}

/// Removes what killed processes left in a folder; once a folder, since it may hold many files.
fn remove_left_behind(folder: &Path) {
    static SEEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    if SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        // A folder that cannot be listed can still be written to.
        let _ = sweep(folder);
    }
}

fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| {
            name.starts_with(BEGINNING) && (name.ends_with(PART) || name.ends_with(LOCK))
        });
        if ours
            && entry.file_type()?.is_file()
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".groat-dead.part", ".groat-s.json.lock", ".groat-notes", "mine.part"] {
            fs::write(at(name), "x").unwrap();
        }
        let used = File::create(at(".groat-used.part")).unwrap();
        used.lock().unwrap();
        let claim = Claim::of(&at("t.json")).unwrap();
        let part = Part::create(folder.path()).unwrap();
        let left = |name: &str| at(name).exists();
        assert!(!left(".groat-dead.part") && !left(".groat-s.json.lock"));
        assert!(left(".groat-notes") && left("mine.part") && left(".groat-used.part"));
        assert!(left(".groat-t.json.lock") && part.path.exists());
        drop((claim, part));
        assert!(!left(".groat-t.json.lock"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_claim_that_a_killed_process_had_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        fs::write(beside(&path), "").unwrap();
        let claim = Claim::of(&path).unwrap();
        let refused = Claim::of(&folder.path().join("./s.json")).unwrap_err().to_string();
        assert!(refused.contains("another groat is saving to it"), "{refused}");
        drop(claim);
        assert!(!beside(&path).exists());
    }
}
