//! `groat stream` as a program: between pipes, interrupted, resumed, fed with bad rows.
#![allow(missing_docs, clippy::unwrap_used)]

use assert_cmd::cargo::cargo_bin_cmd;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A driven series; `u` and `y` by row.
fn series(rows: usize) -> Vec<(f64, f64)> {
    let mut y = 0.1;
    let next = |i: usize| {
        let u = (i as f64 * 0.3).sin();
        y = 0.5 * y + 0.4 * u * u;
        (u, y)
    };
    (0..rows).map(next).collect()
}

fn csv(rows: &[(f64, f64)]) -> String {
    let lines = rows.iter().map(|(u, y)| format!("{u},{y}\n"));
    std::iter::once("u,y\n".to_owned()).chain(lines).collect()
}

fn groat(arguments: &[&str], input: &str) -> (bool, String, String) {
    let output = cargo_bin_cmd!("groat").arg("stream").args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// A running stream on two pipes.
fn spawn(arguments: &[&str]) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("groat"))
        .arg("stream")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, input, BufReader::new(output))
}

fn line(output: &mut impl BufRead) -> String {
    let mut text = String::new();
    output.read_line(&mut text).unwrap();
    text
}

#[test]
fn each_row_is_answered_before_the_next_is_written() {
    let (mut child, mut input, mut output) = spawn(&["-", "--target", "y", "--width", "0.5"]);
    writeln!(input, "u,y").unwrap();
    for (i, (u, y)) in series(30).into_iter().enumerate() {
        writeln!(input, "{u},{y}").unwrap();
        input.flush().unwrap();
        if i == 0 {
            assert_eq!(line(&mut output), "step,prediction,error,size\n");
        }
        let answer = line(&mut output);
        assert!(answer.starts_with(&format!("{},", i + 1)), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_resumed_stream_is_the_uninterrupted_one_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts, state) = (
        path(folder.path(), "whole.csv"),
        path(folder.path(), "parts.csv"),
        path(folder.path(), "state.json"),
    );
    let rows = series(300);
    for algorithm in ["klms-coherence", "krls-ald", "krls-tracker", "spl-coherence", "fklms-reduce", "lms"] {
        let method = ["-", "--target", "y", "--width", "0.5", "--algorithm", algorithm, "--embed", "3", "-q"];
        let with = |more: &[&'static str]| [&method[..], more].concat();
        assert!(groat(&[&with(&[])[..], &["--out", &whole]].concat(), &csv(&rows)).0);
        let save: &[&str] = &["--out", &parts, "--save", &state];
        assert!(groat(&[&with(&[])[..], save].concat(), &csv(&rows[..120])).0);
        let (ok, _, remark) = groat(&["-", "--resume", &state, "--out", &parts], &csv(&rows[120..]));
        assert!(ok && remark.contains("row 121"), "{remark}");
        assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&parts).unwrap(), "{algorithm}");
    }
}

#[test]
fn a_killed_stream_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts, state) = (
        path(folder.path(), "whole.csv"),
        path(folder.path(), "parts.csv"),
        path(folder.path(), "state.json"),
    );
    let rows = series(200);
    let method = ["-", "--target", "y", "--width", "0.5", "--algorithm", "krls-ald", "--embed", "2"];
    assert!(groat(&[&method[..], &["--out", &whole]].concat(), &csv(&rows)).0);
    let saving = ["--out", &parts, "--save", &state, "--checkpoint-every", "25"];
    let (mut child, mut input, _output) = spawn(&[&method[..], &saving].concat());
    input.write_all(csv(&rows[..110]).as_bytes()).unwrap();
    input.flush().unwrap();
    // The state after row 100 must be there although the stream still waits for more.
    let saved = || fs::read_to_string(&state).is_ok_and(|text| text.contains("\"rows\":100"));
    let waited = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        saved()
    });
    assert!(waited, "no checkpoint");
    child.kill().unwrap();
    child.wait().unwrap();
    let (ok, _, remark) = groat(&["-", "--resume", &state, "--replay", "--out", &parts], &csv(&rows));
    assert!(ok && remark.contains("row 101"), "{remark}");
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&parts).unwrap());
}

#[test]
fn bad_rows_are_named_or_counted() {
    let rows = "x,y\n1,2\nnan,3\n4\n5,oops\n5,6\n";
    let (ok, _, error) = groat(&["-", "--target", "y"], rows);
    assert!(!ok && error.contains("line 3"), "{error}");
    let (ok, lines, remark) = groat(&["-", "--target", "y", "--on-bad-row", "skip"], rows);
    assert!(ok && remark.contains("3 skipped") && lines.lines().count() == 3, "{remark}{lines}");
}

#[test]
fn ndjson_features_json_and_variance() {
    let rows: String =
        series(20).iter().map(|(u, y)| format!("{{\"u\":{u},\"junk\":0,\"y\":{y}}}\n")).collect();
    let arguments = ["-", "--target", "y", "--features", "u", "--algorithm", "krls-tracker", "--json"];
    let (ok, lines, _) = groat(&arguments, &rows);
    assert!(ok && lines.lines().count() == 20);
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last["std"].as_f64().unwrap() > 0.0 && last["step"] == 20);
}

#[test]
fn parts_can_be_exchanged_and_wrong_names_are_wrong_calls() {
    let rows = csv(&series(100));
    let mix = ["-", "-t", "y", "--cost", "kappa-alpha", "--projection", "orthogonal", "--strategy", "budget"];
    let (ok, lines, _) = groat(&[&mix[..], &["--set", "budget=3", "--novelty", "distinct"]].concat(), &rows);
    assert!(ok && lines.lines().last().unwrap().ends_with(",3"), "{lines}");
    for wrong in [["--cost", "kapa"], ["--algorithm", "klmz"], ["--set", "eta"], ["--set", "etta=1"]] {
        let outcome =
            cargo_bin_cmd!("groat").args(["stream", "-", "-t", "y"]).args(wrong).write_stdin(&*rows).output();
        assert_eq!(outcome.unwrap().status.code(), Some(2), "{wrong:?}");
    }
    let (ok, list, _) = groat(&["--algorithm", "list"], "");
    assert!(ok && list.contains("spl-coherence") && list.contains("mu0=0.75"));
}

#[test]
fn the_report_shows_course_function_and_dictionary() {
    let folder = tempfile::tempdir().unwrap();
    let (report, model) = (path(folder.path(), "r.html"), path(folder.path(), "m.safetensors"));
    let rows = csv(&series(200));
    let arguments = ["-", "-t", "y", "--width", "0.3", "--report", &report, "--model", &model, "-q"];
    assert!(groat(&arguments, &rows).0);
    let html = fs::read_to_string(report).unwrap();
    for series in ["squared error", "size", "model", "kept vectors"] {
        assert!(html.contains(&format!("data-series=\"{series}\"")), "{series}");
    }
    cargo_bin_cmd!("groat").args(["inspect", &model]).assert().success();
}
