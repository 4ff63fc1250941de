//! Output goes where it should, whole or not at all.

use super::common::{Folder, waves};
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn inputs_are_never_overwritten() {
    let f = Folder::new();
    f.put("d.csv", waves(30));
    f.run("fit d.csv -t y -o m.safetensors");
    let (data, model) = (f.read("d.csv"), std::fs::read(f.file("m.safetensors")).unwrap());
    for line in [
        "fit d.csv -t y -o d.csv",
        "fit d.csv -t y -o ./d.csv",
        "fit d.csv -t y --report d.csv",
        "predict m.safetensors d.csv -o d.csv",
        "predict m.safetensors d.csv -o m.safetensors",
        "evaluate m.safetensors d.csv --report m.safetensors",
    ] {
        assert!(f.fails(line, 2).contains("would be overwritten"), "{line}");
    }
    assert_eq!(f.read("d.csv"), data);
    assert_eq!(std::fs::read(f.file("m.safetensors")).unwrap(), model);
}

#[test]
fn places_that_cannot_be_written() {
    let f = Folder::new();
    f.put("d.csv", waves(30));
    for place in ["d.csv/m.safetensors", "no/such/folder/m.safetensors"] {
        let message = f.fails(&format!("fit d.csv -t y -o {place}"), 1);
        assert!(message.contains(place) && message.contains("folder"), "{message}");
    }
    assert!(f.fails("fit d.csv -t y -o .", 2).contains("folder"));
    assert_eq!(f.names(), ["d.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_devices_stay_devices() {
    use std::os::unix::fs::FileTypeExt;
    let f = Folder::new();
    f.put("d.csv", waves(30));
    f.run("fit d.csv -t y -o m.safetensors");
    let lines = [
        "fit d.csv -t y -o /dev/full",
        "fit d.csv -t y -o n.safetensors --report /dev/full",
        "predict m.safetensors d.csv -o /dev/full",
    ];
    for line in lines {
        let message = f.fails(line, 1);
        assert!(message.contains("/dev/full") && message.contains("No space left"), "{message}");
    }
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let bin = assert_cmd::cargo::cargo_bin("groat");
    let out = Command::new(bin)
        .current_dir(f.path())
        .args(["predict", "m.safetensors", "d.csv"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("standard output"));
}

/// A reader that has seen enough is no failure.
#[test]
fn broken_pipes_are_no_error() {
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.run("fit d.csv -t y -o m.safetensors");
    f.put("long.csv", waves(60_000));
    let bin = assert_cmd::cargo::cargo_bin("groat");
    let mut child = Command::new(bin)
        .current_dir(f.path())
        .args(["predict", "m.safetensors", "long.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut first = [0; 10];
    out.read_exact(&mut first).unwrap();
    drop(out);
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{errors}");
    assert_eq!(errors, "");
    assert_eq!(&first, b"prediction");
}

#[test]
fn an_older_file_is_replaced_whole() {
    let f = Folder::new();
    f.put("d.csv", waves(30));
    f.put("p.csv", "old");
    f.run("fit d.csv -t y -o m.safetensors");
    f.put("bad.csv", "x1,x2,y\n1,2,3\n1,oops,3\n");
    f.fails("predict m.safetensors bad.csv -o p.csv", 1);
    assert_eq!(f.read("p.csv"), "old", "a failure leaves the old file");
    f.run("predict m.safetensors d.csv -o p.csv");
    assert!(f.read("p.csv").starts_with("prediction\n"));
}
