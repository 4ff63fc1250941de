//! Ctrl-C leaves nothing half-written, and ends a selection with the model so far.
#![cfg(unix)]

use super::common::{Folder, waves};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts the command, interrupts it so many times, first after a while, and returns its exit code and what it
/// wrote to standard output and standard error.
fn interrupted(f: &Folder, line: &str, after: Duration, times: usize) -> (Option<i32>, String, String) {
    let bin = assert_cmd::cargo::cargo_bin("groat");
    let mut child = Command::new(bin)
        .current_dir(f.path())
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    for _ in 0..times {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(20));
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it does not stop");
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

/// A selection that would go on for minutes: the kernel is narrow and noise asks for every candidate.
const LONG: &str =
    "fit long.csv -t y --kernel gaussian:width=0.02 --max-terms 4000 --stop 4000 -o m.safetensors";

#[test]
fn a_selection_that_is_stopped_writes_the_model_so_far() {
    let f = Folder::new();
    f.put("long.csv", waves(6000));
    let line = format!("{LONG} --report r.html --json");
    let (code, out, err) = interrupted(&f, &line, Duration::from_secs(3), 1);
    assert_eq!(code, Some(130), "{err}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let terms = answer["vectors"].as_u64().unwrap();
    assert!(answer["interrupted"] == true && terms > 0 && terms < 4000, "{answer}");
    assert!(err.contains(&format!("interrupted after {terms} vector")), "{err}");
    assert!(err.contains("m.safetensors"), "{err}");
    assert!(f.read("r.html").contains("The fit was interrupted after"));
    assert_eq!(f.names(), ["long.csv", "m.safetensors", "r.html"]);
    let shown = f.json("inspect m.safetensors");
    assert_eq!(shown["vectors"].as_u64(), Some(terms));
    assert_eq!(shown["terms"].as_array().unwrap().len() as u64, terms);
}

#[test]
fn a_second_interruption_ends_at_once_and_writes_nothing() {
    let f = Folder::new();
    f.put("long.csv", waves(6000));
    f.put("m.safetensors", "old");
    // The width of the Parzen estimate is found in one go, which takes longer than the two signals.
    let line = "fit long.csv --task density --drop y -o m.safetensors";
    let (code, out, _) = interrupted(&f, line, Duration::from_secs(1), 2);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(f.names(), ["long.csv", "m.safetensors"]);
    assert_eq!(f.read("m.safetensors"), "old");
}

#[test]
fn a_prediction_that_is_stopped_leaves_the_old_file() {
    let f = Folder::new();
    f.put("d.csv", waves(400));
    f.run("fit d.csv -t y -o m.safetensors");
    f.put("long.csv", waves(600_000));
    f.put("p.csv", "old");
    let line = "predict m.safetensors long.csv -o p.csv";
    let (code, _, _) = interrupted(&f, line, Duration::from_millis(150), 1);
    assert_eq!(code, Some(1));
    assert_eq!(f.names(), ["d.csv", "long.csv", "m.safetensors", "p.csv"]);
    assert_eq!(f.read("p.csv"), "old");
}
