//! Where tests find the data sets and reference numbers that are kept outside the repository.

use std::path::{Path, PathBuf};

/// The folder with shared data: the environment variable `GROAT_DATA`, else a folder `shared` beside one of the
/// folders above this crate.
pub fn shared_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("GROAT_DATA") {
        return Some(PathBuf::from(folder)).filter(|f| f.is_dir());
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared")).find(|f| f.is_dir())
}

/// A file in the shared folder; says on standard error that a test is skipped when there is none.
pub fn shared(name: &str) -> Option<PathBuf> {
    let found = shared_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: {name} is not at hand (set GROAT_DATA to the folder with the shared data)");
    }
    found
}
