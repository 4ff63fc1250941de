//! Where tests find the data sets and reference numbers that are kept outside the repository, and what becomes of
//! tests that do not find them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder with shared data: the environment variable `GROAT_DATA`, else a folder `shared` beside one of the
/// folders above this crate.
pub fn shared_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("GROAT_DATA") {
        return Some(PathBuf::from(folder)).filter(|f| f.is_dir());
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared")).find(|f| f.is_dir())
}

/// A file in the shared folder; where there is none, the test is [skipped](skip).
///
/// # Panics
/// When the file is missing and `GROAT_REQUIRE_DATA` is 1.
pub fn shared(name: &str) -> Option<PathBuf> {
    let found = shared_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if found.is_none() {
        skip(&format!("{name} is not at hand (set GROAT_DATA to the folder with the shared data)"));
    }
    found
}

/// Says that the running test is skipped, and why: on standard error, and as a line of the file that `GROAT_SKIPPED`
/// names, from which `./test` counts.
///
/// # Panics
/// When `GROAT_REQUIRE_DATA` is 1: then no test may be skipped.
pub fn skip(reason: &str) {
    let required = std::env::var("GROAT_REQUIRE_DATA").is_ok_and(|value| value == "1");
    assert!(!required, "GROAT_REQUIRE_DATA forbids to skip this test: {reason}");
    eprintln!("skipped: {reason}");
    if let Some(file) = std::env::var_os("GROAT_SKIPPED")
        && let Err(error) = note(Path::new(&file), reason)
    {
        eprintln!("{}: {error}", Path::new(&file).display());
    }
}

/// Appends `test<TAB>reason`. A test that lacks several files has several lines, with the same text before the tab:
/// tests differ in their process or, within one, in the name of their thread.
fn note(file: &Path, reason: &str) -> io::Result<()> {
    let thread = std::thread::current();
    let line = format!("{} {}\t{reason}\n", std::process::id(), thread.name().unwrap_or_default());
    // In one piece, because several programs may write at a time.
    OpenOptions::new().append(true).create(true).open(file)?.write_all(line.as_bytes())
}
