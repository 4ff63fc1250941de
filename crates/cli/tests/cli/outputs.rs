//! Nothing is lost: outputs that are one file, links, devices and descriptors, a reader that goes away, a full disk, two
//! processes with one state, what a killed process left.

use super::common::{Folder, waves};

/// The outputs of a command that are one file, under whatever names.
#[cfg(unix)]
#[test]
fn two_outputs_are_never_one_file() {
    use std::os::unix::fs::symlink;
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.put("old", "old");
    symlink("old", f.file("link")).unwrap();
    std::fs::hard_link(f.file("old"), f.file("twin")).unwrap();
    symlink(".", f.file("here")).unwrap();
    f.run("stream d.csv -t y -o o.csv --save k.json --quiet");
    let before = f.names();
    let contents = |names: &[String]| names.iter().map(|n| std::fs::read(f.file(n)).ok()).collect::<Vec<_>>();
    let (was, stream) = (contents(&before), "stream d.csv -t y");
    for line in [
        format!("{stream} -o s --save s"),
        format!("{stream} --save s --model ./s"),
        format!("{stream} -o q --report here/q"),
        format!("{stream} -o old --save link"),
        format!("{stream} --model twin --report link"),
        "stream d.csv --resume k.json --out k.json".into(),
        "stream d.csv --resume k.json --model k.json".into(),
        "stream d.csv --resume here/k.json --report k.json".into(),
        "fit d.csv -t y -o m --report ./m".into(),
        "fit d.csv -t y -o link --loo twin.csv --report twin".into(),
        "pca d.csv -o p --report here/p".into(),
        "pca d.csv --scores d.csv".into(),
        "tune-support d.csv --report here/d.csv".into(),
    ] {
        let message = f.fails(&line, 2);
        let said = message.contains("must name different files") || message.contains("would be overwritten");
        assert!(said, "{line}: {message}");
    }
    assert_eq!(f.names(), before);
    assert_eq!(contents(&before), was);
    // A state goes on in its own file, and devices may be shared.
    f.run("stream d.csv --resume k.json --save k.json -o /dev/null --report /dev/null --quiet");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_file_is_written_to_and_stays_what_it_is() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::{Command, Stdio};
    let f = Folder::new();
    f.put("d.csv", waves(40));
    f.run("fit d.csv -t y -o m.safetensors --quiet");
    let expected = f.run("predict m.safetensors d.csv");
    symlink("/dev/stdout", f.file("out")).unwrap();
    let bin = assert_cmd::cargo::cargo_bin!("groat");
    for place in ["/dev/stdout", "/proc/self/fd/1", "out", "/dev/fd/1"] {
        // To a pipe, and behind what a file holds already.
        let line = format!("predict m.safetensors d.csv --quiet -o {place}");
        assert_eq!(f.run(&line), expected, "{place}");
        let kept = f.put("kept.txt", "kept\n");
        let file = std::fs::OpenOptions::new().append(true).open(&kept).unwrap();
        let arguments = line.split_whitespace();
        let run = Command::new(bin).current_dir(f.path()).args(arguments).stdout(file).status().unwrap();
        assert!(run.success());
        assert_eq!(f.read("kept.txt"), format!("kept\n{expected}"), "{place}");
    }
    assert!(f.file("out").symlink_metadata().unwrap().is_symlink());
    assert!(std::fs::symlink_metadata("/dev/stdout").unwrap().is_symlink());
    // A pipe with a name, as process substitution has it.
    assert!(Command::new("mkfifo").arg(f.file("pipe")).status().unwrap().success());
    let reader = Command::new("cat").arg(f.file("pipe")).stdout(Stdio::piped()).spawn().unwrap();
    f.run("predict m.safetensors d.csv --quiet -o pipe");
    assert_eq!(String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap(), expected);
    assert!(f.file("pipe").symlink_metadata().unwrap().file_type().is_fifo());
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_an_error() {
    let f = Folder::new();
    f.put("d.csv", waves(40));
    std::os::unix::fs::symlink("gone/m.safetensors", f.file("link.csv")).unwrap();
    let before = f.names();
    for line in [
        "fit d.csv -t y -o link.csv",
        "stream d.csv -t y -o link.csv",
        "stream d.csv -t y --save link.csv",
        "generate sinc -o link.csv",
    ] {
        let message = f.fails(line, 1);
        assert!(message.contains("is a link to") && message.contains("not there"), "{line}: {message}");
    }
    assert_eq!(f.names(), before);
    assert!(f.file("link.csv").symlink_metadata().unwrap().is_symlink());
}

/// A reader that goes away, and a full disk, cost no more than the lines.
#[cfg(target_os = "linux")]
#[test]
fn what_a_stream_learnt_is_saved_although_its_lines_cannot_be_written() {
    use super::running::Running;
    use std::io::Read;
    let f = Folder::new();
    f.put("d.csv", waves(3000));
    let line = "stream d.csv -t y -a klms-coherence --save s.json --model m.safetensors --report r.html";
    let mut stream = Running::groat(f.path(), line.split_whitespace());
    let mut first = [0; 20];
    stream.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(stream.stdout.take());
    assert_eq!(stream.wait().code(), Some(0));
    assert_eq!(f.names(), ["d.csv", "m.safetensors", "r.html", "s.json"]);
    f.run("stream d.csv --resume s.json --replay -o rest.csv --quiet");
    assert!(f.read("rest.csv").lines().last().unwrap().starts_with("3000,"));
    for name in ["s.json", "m.safetensors", "r.html"] {
        std::fs::remove_file(f.file(name)).unwrap();
    }
    let message = f.fails(&format!("{line} -o /dev/full"), 1);
    assert!(message.contains("/dev/full: No space left"), "{message}");
    assert_eq!(f.names(), ["d.csv", "m.safetensors", "r.html", "rest.csv", "s.json"]);
}

/// The lines of a run whose disk was full end within a line, and perhaps before the state does.
#[test]
fn a_torn_line_does_not_stay_and_lines_without_targets_do() {
    let f = Folder::new();
    let rows = waves(60);
    let mut lines: Vec<&str> = rows.lines().collect();
    lines[20] = "0.5,0.5,";
    f.put("d.csv", lines.join("\n") + "\n");
    f.put("first.csv", lines[..40].join("\n") + "\n");
    f.run("stream d.csv -t y -a klms-coherence -o whole.csv --quiet");
    f.run("stream first.csv -t y -a klms-coherence -o o.csv --save s.json --quiet");
    let whole = f.read("whole.csv");
    f.put("o.csv", f.read("o.csv") + "40,0.123");
    f.run("stream d.csv --resume s.json --replay -o o.csv --quiet");
    assert_eq!(f.read("o.csv"), whole);
    let torn = f.read("o.csv");
    f.put("o.csv", &torn[..torn.match_indices('\n').nth(30).unwrap().0 + 4]);
    f.run("stream d.csv --resume s.json --replay -o o.csv --quiet");
    let expected: Vec<&str> =
        whole.lines().enumerate().filter(|(i, _)| *i <= 30 || *i > 39).map(|(_, l)| l).collect();
    assert_eq!(f.read("o.csv").lines().collect::<Vec<_>>(), expected);
    // Rows that the state has seen must be there to be passed over.
    f.put("few.csv", lines[..30].join("\n") + "\n");
    let message = f.fails("stream few.csv --resume s.json --replay -o p.csv", 2);
    assert!(message.contains("the state has seen 39 rows, and few.csv ends after 29"), "{message}");
    f.put("o.csv", "my notes\n");
    assert!(
        f.fails("stream d.csv --resume s.json --replay -o o.csv", 1).contains("holds no lines of a stream")
    );
    assert_eq!(f.read("o.csv"), "my notes\n");
}

#[cfg(unix)]
#[test]
fn a_second_process_cannot_save_to_the_same_state() {
    use super::running::{Lines, Running};
    let f = Folder::new();
    f.put("d.csv", waves(60));
    let line = "stream - -t y --save s.json --progress";
    let mut first = Running::groat(f.path(), line.split_whitespace());
    let err = Lines::of(first.stderr.take().unwrap());
    err.find("waiting for the first row");
    let refused = f.fails("stream d.csv -t y -o o.csv --save ./s.json", 1);
    assert!(refused.contains("another groat is saving to it"), "{refused}");
    drop(first.stdin.take());
    first.wait();
    f.run("stream d.csv -t y -o o.csv --save s.json --quiet");
    assert_eq!(f.names(), ["d.csv", "o.csv", "s.json"]);
}

/// A command that was killed leaves what it had begun; the next that writes there removes it.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_nothing_for_ever() {
    use super::running::{Lines, Running, wait_for};
    let f = Folder::new();
    f.put("d.csv", waves(60));
    f.run("fit d.csv -t y -o m.safetensors --quiet");
    let mut predict = Running::groat(f.path(), "predict m.safetensors - -o p.csv".split_whitespace());
    let rows = waves(10_000);
    let (head, rows) = rows.split_at(rows.find('\n').unwrap() + 1);
    predict.write(head);
    // What it has written to is held by it.
    wait_for("a file that is being written", || {
        predict.write(rows);
        f.has_begun()
    });
    let mut stream = Running::groat(f.path(), "stream - -t y --save s.json --progress".split_whitespace());
    let err = Lines::of(stream.stderr.take().unwrap());
    err.find("waiting for the first row");
    let unfinished = || f.has_begun() && f.names().iter().any(|name| name.ends_with(".lock"));
    assert!(unfinished());
    // What is in use stays.
    f.run("predict m.safetensors d.csv -o q.csv --quiet");
    assert!(unfinished());
    predict.kill();
    stream.kill();
    assert!(unfinished());
    f.run("predict m.safetensors d.csv -o q.csv --quiet");
    assert_eq!(f.names(), ["d.csv", "m.safetensors", "q.csv"]);
}

#[test]
fn a_table_under_a_name_for_something_else_is_refused_before_the_work() {
    let f = Folder::new();
    f.put("d.csv", waves(60));
    for line in [
        "fit d.csv -t y --loo x.xls",
        "pca d.csv --scores x.npy",
        "generate sinc -o x.csv.gz",
        "predict none.safetensors d.csv -o x.json",
    ] {
        assert!(f.fails(line, 2).contains("tables are written as .csv, .tsv or .parquet"), "{line}");
    }
    assert_eq!(f.names(), ["d.csv"]);
}
