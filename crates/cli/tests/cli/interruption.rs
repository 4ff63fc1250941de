//! Ctrl-C leaves nothing half-written.
#![cfg(unix)]

use super::common::{Folder, waves};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts the command, interrupts it after a while, and returns its exit code.
fn interrupted(f: &Folder, line: &str, after: Duration) -> Option<i32> {
    let bin = assert_cmd::cargo::cargo_bin("groat");
    let mut child = Command::new(bin)
        .current_dir(f.path())
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().filter(|_| killed.success());
        }
        assert!(Instant::now() < deadline, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_fit_that_is_stopped_leaves_no_file() {
    let f = Folder::new();
    f.put("long.csv", waves(6000));
    let code = interrupted(&f, "fit long.csv -t y --report r.html", Duration::from_millis(300));
    assert_eq!(code, Some(1));
    assert_eq!(f.names(), ["long.csv"]);
}

#[test]
fn a_prediction_that_is_stopped_leaves_the_old_file() {
    let f = Folder::new();
    f.put("d.csv", waves(400));
    f.run("fit d.csv -t y -o m.safetensors");
    f.put("long.csv", waves(600_000));
    f.put("p.csv", "old");
    let code = interrupted(&f, "predict m.safetensors long.csv -o p.csv", Duration::from_millis(150));
    assert_eq!(code, Some(1));
    assert_eq!(f.names(), ["d.csv", "long.csv", "m.safetensors", "p.csv"]);
    assert_eq!(f.read("p.csv"), "old");
}
