//! Ctrl-C leaves nothing half-written, ends a selection with the model so far, and is heard while a command waits.
#![cfg(unix)]

use super::common::{Folder, noise, waves};
use super::running::{Lines, Running, wait_for};
use std::io::{Read, Write};

fn start(f: &Folder, line: &str) -> Running {
    Running::groat(f.path(), line.split_whitespace())
}

/// A selection that would go on for minutes: the kernel is narrow and noise asks for every candidate.
const LONG: &str = "fit long.csv -t y --method ols --kernel gaussian:width=0.02 --max-terms 4000 --stop 4000 -o m.safetensors --progress";

#[test]
fn a_selection_that_is_stopped_writes_the_model_so_far() {
    let f = Folder::new();
    f.put("long.csv", waves(6000));
    let mut fit = start(&f, &format!("{LONG} --report r.html --json"));
    let (out, err) = (Lines::of(fit.stdout.take().unwrap()), Lines::of(fit.stderr.take().unwrap()));
    err.find("selecting terms: 1 term,");
    fit.interrupt();
    let (out, err) = (out.rest(), err.rest());
    assert_eq!(fit.wait().code(), Some(130), "{err}");
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

/// Searches that would go on for minutes, or hours with a thousand classes: they are broken off inside a trial, and what
/// they have found so far becomes a model.
#[test]
fn a_search_that_is_stopped_writes_a_model() {
    let f = Folder::new();
    f.put("long.csv", waves(3000));
    f.put("classes.csv", classes(6000, 1000));
    f.put("some.csv", classes(4000, 60));
    let density = "--task density --drop y";
    let widths = (1..2000).map(|i| format!("{}", f64::from(i) / 100.0)).collect::<Vec<_>>().join(",");
    for (line, stage, signal) in [
        ("fit long.csv -t y --method ols --loo l.csv", "choosing the width", "INT"),
        ("fit long.csv -t y --method ols --per-feature", "choosing the width", "TERM"),
        ("fit classes.csv -t class --method ols", "choosing the width", "HUP"),
        ("fit long.csv -t y --method svr --selection-rows 3000", "looking for the width", "INT"),
        ("fit some.csv -t class --method svc --selection-rows 4000", "looking for the width", "TERM"),
        (&format!("fit long.csv -t y --method krr --width {widths}"), "choosing the width", "INT"),
        (&format!("fit long.csv -t y --method lssvm --width {widths}"), "choosing the width", "TERM"),
        (&format!("fit long.csv {density}"), "choosing the Parzen width", "INT"),
        (&format!("fit long.csv {density} --parzen-width 0.1"), "growing the mixture", "TERM"),
        (&format!("fit long.csv {density} --method ols --parzen-width 0.1"), "choosing the width", "TERM"),
    ] {
        let mut fit = start(&f, &format!("{line} -o m.safetensors --progress"));
        let err = Lines::of(fit.stderr.take().unwrap());
        err.find(stage);
        fit.signal(signal);
        let said = err.rest();
        assert_eq!(fit.wait().code(), Some(130), "{line}: {said}");
        assert!(said.contains("interrupted after"), "{line}: {said}");
        let shown = f.json("inspect m.safetensors");
        assert!(shown["vectors"].as_u64() > Some(0), "{line}");
        std::fs::remove_file(f.file("m.safetensors")).unwrap();
        assert_eq!(f.names(), ["classes.csv", "long.csv", "some.csv"], "{line}");
    }
}

/// Two features and many classes, in strips.
fn classes(rows: usize, count: usize) -> String {
    let mut text = "a,b,class\n".to_owned();
    for i in 0..rows {
        let (a, b) = (noise(i), noise(31 * i + 11));
        text += &format!("{a},{b},c{}\n", (a * count as f64) as usize);
    }
    text
}

/// The reader of the pipe takes the first answers and then sleeps. All of them are one batch and more than a pipe holds:
/// the command waits in the middle of writing and cannot look at the first request.
#[test]
fn a_second_interruption_ends_at_once() {
    let f = fitted();
    f.put("long.csv", waves(60_000));
    assert!(std::process::Command::new("mkfifo").arg(f.file("pipe.csv")).status().unwrap().success());
    let names = f.names();
    let mut predict = start(&f, "predict m.safetensors long.csv -o pipe.csv");
    let err = Lines::of(predict.stderr.take().unwrap());
    let mut pipe = std::fs::File::open(f.file("pipe.csv")).unwrap();
    pipe.read_exact(&mut [0; 10]).unwrap();
    predict.interrupt();
    err.find("a second Ctrl-C ends at once");
    predict.interrupt();
    assert_eq!(predict.wait().code(), Some(1));
    assert_eq!(f.names(), names);
}

/// A folder with a model, and an older file where predictions shall go.
fn fitted() -> Folder {
    let f = Folder::new();
    f.put("d.csv", waves(400));
    f.run("fit d.csv -t y -o m.safetensors");
    f.put("p.csv", "old");
    f
}

#[test]
fn a_prediction_that_is_stopped_leaves_the_old_file() {
    let f = fitted();
    let mut predict = start(&f, "predict m.safetensors - -o p.csv");
    let err = Lines::of(predict.stderr.take().unwrap());
    // Rows without end: nothing but the signal ends the work.
    let mut input = predict.stdin.take().unwrap();
    let (head, rows) =
        waves(10_000).split_once('\n').map(|(head, rows)| (format!("{head}\n"), rows.to_owned())).unwrap();
    let writer = std::thread::spawn(move || {
        let begun = input.write_all(head.as_bytes());
        begun.and_then(|()| {
            loop {
                input.write_all(rows.as_bytes())?
            }
        })
    });
    wait_for("the first predictions", || f.has_begun());
    predict.interrupt();
    assert_eq!(predict.wait().code(), Some(1));
    let stopped: std::io::Result<()> = writer.join().unwrap();
    assert_eq!(stopped.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    assert!(err.rest().contains("stopped on request"));
    assert_eq!(f.names(), ["d.csv", "m.safetensors", "p.csv"]);
    assert_eq!(f.read("p.csv"), "old");
}

/// Standard input stays open and silent: at the start, within a line, after many rows. Who waits for it hears
/// Ctrl-C all the same.
#[test]
fn commands_that_wait_for_input_are_stopped_by_one_interruption() {
    let f = fitted();
    let (names, many) = (f.names(), waves(20_000));
    for line in [
        "predict m.safetensors - -o p.csv",
        "predict m.safetensors - --append -o q.parquet",
        "evaluate m.safetensors - --report r.html",
        "fit - -t y -o n.safetensors --report r.html",
        "pca - -o n.safetensors",
        "tune-support - --report r.html",
    ] {
        for text in ["", "x1,x", &many] {
            let mut command = start(&f, &format!("{line} --progress"));
            let err = Lines::of(command.stderr.take().unwrap());
            // Its first word on how far it is: from now on it listens.
            err.find("groat: ");
            command.write(text);
            command.interrupt();
            assert_eq!(command.wait().code(), Some(1), "{line}");
            assert!(err.rest().contains("stopped on request before there was a result"), "{line}");
            assert_eq!(f.names(), names, "{line}");
            assert_eq!(f.read("p.csv"), "old");
        }
    }
}

#[test]
fn a_second_interruption_ends_a_command_whose_reader_sleeps() {
    let f = fitted();
    f.put("long.csv", waves(60_000));
    let mut predict = start(&f, "predict m.safetensors long.csv");
    let err = Lines::of(predict.stderr.take().unwrap());
    // The first answers are there, and as nobody takes the others the command waits to write them.
    predict.stdout.as_mut().unwrap().read_exact(&mut [0; 10]).unwrap();
    predict.interrupt();
    err.find("a second Ctrl-C ends at once");
    predict.interrupt();
    assert_eq!(predict.wait().code(), Some(1));
}
