//! A folder to work in, and the command to run there.

use super::running::FOREVER;
use assert_cmd::Command;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that disappears after the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.file(name), content).unwrap();
        self.file(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// Names of all files, hidden ones too, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Whether something is already in a file that has no name yet.
    pub fn has_begun(&self) -> bool {
        let unfinished = self.names().into_iter().find(|name| name.ends_with(".part"));
        unfinished.is_some_and(|name| self.file(&name).metadata().is_ok_and(|file| file.len() > 0))
    }

    /// The command, to be run in this folder. The line is split at blanks.
    pub fn groat(&self, line: &str) -> Command {
        let mut command = Command::cargo_bin("groat").unwrap();
        command.current_dir(self.path()).args(line.split_whitespace());
        command.timeout(FOREVER);
        command
    }

    /// Runs the command, expects success, and returns what it printed.
    pub fn run(&self, line: &str) -> String {
        let out = self.groat(line).assert().success().get_output().stdout.clone();
        String::from_utf8(out).unwrap()
    }

    /// Runs the command with `--json` and returns the answer.
    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.run(&format!("{line} --json"))).unwrap()
    }

    /// Runs the command, expects failure with this code, and returns the message.
    pub fn fails(&self, line: &str, code: i32) -> String {
        let output = self.groat(line).assert().code(code).get_output().clone();
        assert!(
            output.stdout.is_empty(),
            "a failed command printed {:?}",
            String::from_utf8_lossy(&output.stdout)
        );
        String::from_utf8(output.stderr).unwrap()
    }
}

/// Pseudo-random numbers between 0 and 1, the same each time.
pub fn noise(i: usize) -> f64 {
    ((i as f64 + 0.5) * 0.754_877_666_246_693).fract()
}

/// `y = sin(3 x1) + x2`, with names.
pub fn waves(rows: usize) -> String {
    let mut text = "x1,x2,y\n".to_owned();
    for i in 0..rows {
        let (a, b) = (4.0 * noise(i) - 2.0, noise(7 * i + 3));
        writeln!(text, "{a},{b},{}", (3.0 * a).sin() + b).unwrap();
    }
    text
}

/// A disc within a ring.
pub fn disc(rows: usize) -> String {
    let mut text = "a,b,class\n".to_owned();
    for i in 0..rows {
        let (a, b) = (4.0 * noise(i) - 2.0, 4.0 * noise(31 * i + 11) - 2.0);
        writeln!(text, "{a},{b},{}", if a * a + b * b < 1.5 { "inside" } else { "outside" }).unwrap();
    }
    text
}
