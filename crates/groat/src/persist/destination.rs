//! What stands where a file is to be written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Links that are followed before a circle is suspected, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// Where output goes.
///
/// A file is replaced when its successor is complete. All else (a device, a pipe, a descriptor such as `/dev/stdout`) is
/// written to as it is and never replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file, links followed, or the name of one that is not there yet.
    File(PathBuf),
    /// A device or a pipe.
    Special(PathBuf),
    /// An open descriptor of this process.
    Descriptor(PathBuf),
}

impl Destination {
    /// What stands at a path. A link to nothing is an error: what it should point to may be there again tomorrow.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut place = path.to_owned();
        for _ in 0..MOST_LINKS {
            if is_descriptor(&place) {
                return Ok(Self::Descriptor(place));
            }
            let Ok(found) = place.symlink_metadata() else {
                return if place == path { Ok(Self::File(place)) } else { Err(dangling(&place)) };
            };
            if !found.is_symlink() {
                let special = !found.is_file() && !found.is_dir();
                return Ok(if special { Self::Special(place) } else { Self::File(place) });
            }
            let target = fs::read_link(&place)?;
            place = parent(&place).join(target);
        }
        Err(io::Error::other("links lead in a circle"))
    }

    /// The file that is replaced, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }

    /// Opens it for lines that shall be seen as they are written: a file starts anew, all else goes on as it is.
    pub fn open(&self) -> io::Result<Box<dyn Write + Send>> {
        match self {
            Self::File(path) => Ok(Box::new(File::create(path)?)),
            Self::Special(path) => Ok(Box::new(OpenOptions::new().write(true).open(path)?)),
            // The process's own handles share their place in a file with whoever opened it; a descriptor that is opened
            // again begins at the start, and so must be told to go on at the end.
            Self::Descriptor(path) => match path.file_name().and_then(|name| name.to_str()) {
                Some("1") => Ok(Box::new(io::stdout())),
                Some("2") => Ok(Box::new(io::stderr())),
                _ => Ok(Box::new(OpenOptions::new().append(true).open(path)?)),
            },
        }
    }
}

fn dangling(place: &Path) -> io::Error {
    let reason =
        format!("is a link to {}, which is not there; remove the link or make that file", place.display());
    io::Error::new(io::ErrorKind::NotFound, reason)
}

/// The folder that a path stands in.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a path names an open descriptor: `/proc/self/fd/1`, under whatever name `/dev` gives to it.
fn is_descriptor(path: &Path) -> bool {
    let Ok(folder) = parent(path).canonicalize() else { return false };
    folder.starts_with("/proc") && folder.file_name().is_some_and(|name| name == "fd")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_devices_and_descriptors_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        symlink("file", at("link")).unwrap();
        symlink(at("link"), at("chain")).unwrap();
        symlink("nothing", at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        symlink("/dev/stdout", at("out")).unwrap();
        assert_eq!(Destination::of(&at("new")).unwrap(), Destination::File(at("new")));
        for name in ["file", "link", "chain"] {
            assert_eq!(Destination::of(&at(name)).unwrap().file(), Some(&*at("file")));
        }
        assert_eq!(
            Destination::of(Path::new("/dev/full")).unwrap(),
            Destination::Special("/dev/full".into())
        );
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", at("out").to_str().unwrap()] {
            assert!(
                matches!(Destination::of(Path::new(name)).unwrap(), Destination::Descriptor(_)),
                "{name}"
            );
        }
        let message = |name: &str| Destination::of(&at(name)).unwrap_err().to_string();
        assert!(message("dangling").contains("nothing, which is not there"));
        assert!(message("circle").contains("circle"));
    }
}
