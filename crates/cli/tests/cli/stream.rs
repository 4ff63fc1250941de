//! `groat stream` as a program: between pipes, interrupted, resumed, fed with bad rows.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use super::running::{Lines, Running, wait_for};
use assert_cmd::cargo::cargo_bin_cmd;
use groat::data::{Column, Table, write_table};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

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

/// Lines of an uninterrupted stream, lines of one in parts, and its state.
fn files(folder: &Path) -> [String; 3] {
    ["whole.csv", "parts.csv", "state.json"].map(|name| path(folder, name))
}

/// A running stream.
fn spawn(arguments: &[&str]) -> Running {
    Running::groat(Path::new("."), [&["stream"], arguments].concat())
}

#[test]
fn each_row_is_answered_before_the_next_is_written() {
    let mut stream = spawn(&["-", "--target", "y", "--width", "0.5"]);
    let output = Lines::of(stream.stdout.take().unwrap());
    stream.write("u,y\n");
    for (i, (u, y)) in series(30).into_iter().enumerate() {
        stream.write(&format!("{u},{y}\n"));
        if i == 0 {
            assert_eq!(output.next().unwrap(), "step,prediction,error,size,row,low,high,drift");
        }
        let answer = output.next().unwrap();
        assert!(answer.starts_with(&format!("{},", i + 1)), "{answer}");
    }
    stream.stdin = None;
    assert!(stream.wait().success());
}

#[test]
fn a_resumed_stream_is_the_uninterrupted_one_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts, state] = files(folder.path());
    let rows = series(300);
    for algorithm in ["klms-coherence", "krls-ald", "krls-tracker", "spl-coherence", "fklms-reduce", "lms"] {
        let method = ["-", "--target", "y", "--algorithm", algorithm, "--embed", "3", "-q"];
        let width: &[&str] = if algorithm == "lms" { &[] } else { &["--width", "0.5"] };
        let with = |more: &[&'static str]| [&method[..], width, more].concat();
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
    let [whole, parts, state] = files(folder.path());
    let rows = series(200);
    let method = ["-", "--target", "y", "--width", "0.5", "--algorithm", "krls-ald", "--embed", "2"];
    assert!(groat(&[&method[..], &["--out", &whole]].concat(), &csv(&rows)).0);
    let saving = ["--out", &parts, "--save", &state, "--checkpoint-every", "25"];
    let mut stream = spawn(&[&method[..], &saving].concat());
    stream.write(&csv(&rows[..110]));
    // The state after row 100 must be there although the stream still waits for more.
    wait_for("a checkpoint", || fs::read_to_string(&state).is_ok_and(|text| text.contains("\"rows\":100")));
    stream.kill();
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
    assert!(ok && lines.lines().last().unwrap().split(',').nth(3) == Some("3"), "{lines}");
    for wrong in [["--cost", "kapa"], ["--algorithm", "klmz"], ["--set", "eta"], ["--set", "etta=1"]] {
        let outcome =
            cargo_bin_cmd!("groat").args(["stream", "-", "-t", "y"]).args(wrong).write_stdin(&*rows).output();
        assert_eq!(outcome.unwrap().status.code(), Some(2), "{wrong:?}");
    }
    let (ok, list, _) = groat(&["--algorithm", "list", "--all"], "");
    assert!(ok && list.contains("spl-coherence") && list.contains("mu0=0.75"));
}

#[test]
fn the_report_shows_course_function_and_dictionary() {
    let folder = tempfile::tempdir().unwrap();
    let (report, model) = (path(folder.path(), "r.html"), path(folder.path(), "m.safetensors"));
    let rows = csv(&series(200));
    let arguments = ["-", "-t", "y", "-a", "krls-ald", "--report", &report, "--model", &model, "-q"];
    assert!(groat(&arguments, &rows).0);
    let html = fs::read_to_string(report).unwrap();
    for series in [
        "target",
        "prediction",
        "90 % interval",
        "squared error",
        "last value",
        "linear RLS",
        "size",
        "model",
        "kept vectors",
    ] {
        assert!(html.contains(&format!("data-series=\"{series}\"")), "{series}");
    }
    cargo_bin_cmd!("groat").args(["inspect", &model]).assert().success();
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_waiting_stream_with_all_it_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts, state] = files(folder.path());
    let rows = series(60);
    let method = ["-", "--target", "y", "--width", "0.5", "--algorithm", "krls-ald"];
    assert!(groat(&[&method[..], &["--output", &whole]].concat(), &csv(&rows)).0);
    let mut stream = spawn(&[&method[..], &["--out", &parts, "--save", &state]].concat());
    stream.write(&csv(&rows[..40]));
    wait_for("40 answers", || fs::read_to_string(&parts).is_ok_and(|text| text.lines().count() == 41));
    // The input stays open: nothing but the signal ends the stream.
    stream.interrupt();
    assert_eq!(stream.wait().code(), Some(130), "a stopped command is no finished one");
    let mut said = String::new();
    stream.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    // On a busy machine the end may take so long that it is announced before.
    let said = said.trim_start_matches("groat: stopping; a second Ctrl-C ends at once\n");
    assert_eq!(said, format!("groat: stopped after row 40; --resume {state} goes on at row 41\n"));
    let (ok, _, remark) = groat(&["-", "--resume", &state, "--out", &parts], &csv(&rows[40..]));
    assert!(ok && remark.contains("row 41"), "{remark}");
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&parts).unwrap());
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_stream_before_its_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let (out, state) = (path(folder.path(), "o.csv"), path(folder.path(), "s.json"));
    for text in ["", "u,"] {
        let mut stream = spawn(&["-", "--target", "y", "--out", &out, "--save", &state, "--progress"]);
        let err = Lines::of(stream.stderr.take().unwrap());
        err.find("waiting for the first row");
        stream.write(text);
        stream.interrupt();
        assert_eq!(stream.wait().code(), Some(1));
        assert!(err.rest().contains("stopped on request before there was a result"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut stream = spawn(&["-", "--target", "y"]);
    let err = Lines::of(stream.stderr.take().unwrap());
    let mut output = BufReader::new(stream.stdout.take().unwrap());
    let table = csv(&series(2000));
    let (seen, rest) = table.split_at(table.match_indices('\n').nth(5).unwrap().0 + 1);
    stream.write(seen);
    let mut header = String::new();
    output.read_line(&mut header).unwrap();
    assert_eq!(header, "step,prediction,error,size,row,low,high,drift\n");
    drop(output);
    // The program may be gone before all rows are written.
    let _ = stream.stdin.take().unwrap().write_all(rest.as_bytes());
    assert!(stream.wait().success());
    assert!(!err.rest().contains("panicked"));
}

#[test]
fn parquet_gives_the_same_lines_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["s.csv", "s.parquet"].map(|name| path(folder.path(), name));
    let lines = files.each_ref().map(|file| {
        cargo_bin_cmd!("groat").args(["generate", "sinc", "-n", "300", "--out", file]).assert().success();
        let (ok, lines, error) = groat(&[file, "--target", "y", "--width", "0.5"], "");
        assert!(ok, "{error}");
        lines
    });
    assert_eq!(lines[0].lines().count(), 301);
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn a_bad_row_of_a_file_without_lines_is_named_as_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), "s.parquet");
    let numbers = |last: f64| Column::Numeric(vec![1.0, 2.0, last]);
    let table = Table::new(["x", "y"], vec![numbers(f64::NAN), numbers(3.0)]).unwrap();
    write_table(&file, &table).unwrap();
    let (ok, _, error) = groat(&[&file, "--target", "y", "--width", "0.5"], "");
    assert!(!ok && error.contains("s.parquet, row 3, column x"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_one_line_of_progress() {
    // `script` of util-linux gives a program a terminal of its own.
    if Command::new("script").arg("--version").output().is_err() {
        return groat::testing::skip("there is no `script`");
    }
    let folder = tempfile::tempdir().unwrap();
    let (pipe, out) = (path(folder.path(), "rows"), path(folder.path(), "o.csv"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let program = assert_cmd::cargo::cargo_bin!("groat").display().to_string();
    let call = format!("'{program}' stream - --target y --width 0.5 --out '{out}' <'{pipe}'");
    let mut command = Command::new("script");
    command.args(["-qec", &call, "/dev/null"]).env("TERM", "xterm").env("SHELL", "/bin/sh");
    let mut script = Running::start(command);
    let drawn = Lines::split(script.stdout.take().unwrap(), b'\r');
    // Rows are written until their progress was seen, whenever that is; then the input ends.
    let (seen, end) = mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        let mut rows = fs::OpenOptions::new().write(true).open(pipe).unwrap();
        rows.write_all(b"u,y\n").unwrap();
        for (u, y) in series(1000).into_iter().cycle() {
            rows.write_all(format!("{u},{y}\n").as_bytes()).unwrap();
            if end.recv_timeout(Duration::from_millis(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    });
    let line = drawn.find("running MSE");
    assert!(line.contains("/s, size"), "{line}");
    drop(seen);
    writer.join().unwrap();
    assert!(script.wait().success(), "{}", drawn.rest());
}

#[test]
fn the_report_draws_two_features_too() {
    let folder = tempfile::tempdir().unwrap();
    let report = path(folder.path(), "r.html");
    let rows: String =
        series(200).iter().enumerate().map(|(i, (u, y))| format!("{u},{},{y}\n", i % 7)).collect();
    let arguments = ["-", "-t", "y", "--algorithm", "knlms", "--report", &report, "-q", "--keep-going"];
    assert!(groat(&arguments, &format!("u,v,y\n{rows}")).0);
    let html = fs::read_to_string(report).unwrap();
    for series in ["squared error", "size", "kept vectors"] {
        assert!(html.contains(&format!("data-series=\"{series}\"")), "{series}");
    }
}

#[test]
fn numbers_are_refused_with_their_range_and_settings_given_twice_are_named() {
    let rows = csv(&series(10));
    for (wrong, words) in [
        (&["--width", "-1"][..], "above 0"),
        (&["--embed", "-3"], "-3 is not in 1..=100000"),
        (&["--set", "eta=0.1", "--set", "eta=0.2"], "given before, as 0.1"),
        (&["--set", "cost=kappa", "--cost", "magnitude"], "given before, as kappa"),
        (&["--algorithm", "lms", "--kernel", "gaussian"], "takes no kernel"),
        (&["--algorithm", "nlms", "--width", "2"], "takes no kernel"),
        (&["--algorithm", "rff-klms", "--set", "features=3,frequencies=1,2,phases=0,1"], "features"),
    ] {
        let arguments = [&["stream", "-", "-t", "y"], wrong].concat();
        let outcome = cargo_bin_cmd!("groat").args(arguments).write_stdin(&*rows).output().unwrap();
        let text = String::from_utf8(outcome.stderr).unwrap();
        assert!(outcome.status.code() == Some(2) && text.contains(words), "{wrong:?}: {text}");
    }
    for right in ["widths=1,2,4", "widths=1;2;4", "widths=1,2,4,eta=0.3,budget=unlimited"] {
        let (ok, _, error) = groat(&["-", "-t", "y", "--algorithm", "mxklms", "--set", right], &rows);
        assert!(ok, "{right}: {error}");
    }
}

#[test]
fn the_list_shows_one_algorithm_and_every_parameter() {
    let (ok, one, _) = groat(&["--algorithm", "list=kapsm"], "");
    assert!(
        ok && one.starts_with("kapsm\n") && one.contains("loss=squared") && one.contains("Slavakis"),
        "{one}"
    );
    assert!(!one.contains("klms-coherence"));
    let (_, all, _) = groat(&["--algorithm", "list", "--all"], "");
    assert!(all.contains(&one), "the list holds the same text");
    let (_, short, _) = groat(&["--algorithm", "list"], "");
    assert!(
        short.lines().count() < 40 && short.contains("tracks changes") && short.contains("m^2"),
        "{short}"
    );
    assert!(groat(&["--algorithm", "list=krlst"], "").1.contains("in KAFBOX: krlst (M is budget)"));
    let (ok, json, _) = groat(&["--algorithm", "list=krls-ald", "--json"], "");
    let entry: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(ok && entry["name"] == "krls-ald" && entry["parameters"].as_array().unwrap().len() > 3);
    assert!(groat(&["--algorithm", "list=nonsense"], "").2.contains("known are"));
    let (_, help, _) = groat(&["--help"], "");
    assert!(help.contains("std") && help.contains("JSON objects"), "{help}");
}

#[test]
fn the_model_of_a_classifier_is_one_and_knows_how_it_came_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.safetensors");
    let lines = series(100).into_iter().map(|(u, y)| format!("{u},{}\n", if y > 0.3 { 1 } else { -1 }));
    let rows: String = std::iter::once("u,y\n".to_owned()).chain(lines).collect();
    let arguments = ["-", "-t", "y", "--loss", "hinge", "--width", "0.5", "--model", &model, "-q"];
    let (ok, _, error) = groat(&arguments, &rows);
    assert!(ok, "{error}");
    let model = groat::Model::load(model).unwrap();
    assert_eq!(*model.task(), groat::model::Task::classification(vec!["-1".into(), "1".into()]));
    assert_eq!((model.record().method.as_str(), model.record().rows), ("klms-coherence", 100));
    assert_eq!(model.record().settings["mu0"], "0.5");
}

#[test]
fn a_state_without_columns_is_told_which_they_are_and_an_old_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let state = path(folder.path(), "state.json");
    let settings = groat::online::Settings::new();
    let learner = groat::online::Learner::new("krls-ald", None, 1, &settings).unwrap();
    let mut session = groat::online::Session::new(learner).unwrap();
    let rows = series(60);
    for (u, y) in &rows[..40] {
        session.learn_one(&[*u], *y).unwrap();
    }
    session.save(&state).unwrap();
    let (ok, _, error) = groat(&["-", "--resume", &state], &csv(&rows[40..]));
    assert!(!ok && error.contains("--target"), "{error}");
    let (ok, lines, error) =
        groat(&["-", "--resume", &state, "-t", "y", "--save", &state], &csv(&rows[40..]));
    assert!(ok, "{error}");
    for (line, (i, (u, y))) in lines.lines().skip(1).zip(rows.iter().enumerate().skip(40)) {
        let step = session.learn_one(&[*u], *y).unwrap();
        assert!(line.starts_with(&format!("{},{:?},", i + 1, step.prediction)), "{line}");
    }
    let (ok, _, error) = groat(&["-", "--resume", &state, "-t", "y"], &csv(&rows));
    assert!(!ok && error.contains("knows its columns"), "{error}");
    fs::write(&state, "{\"version\":1,\"learner\":{}}").unwrap();
    let (ok, _, error) = groat(&["-", "--resume", &state], &csv(&rows));
    assert!(!ok && error.contains("learn anew from the data"), "{error}");
}
