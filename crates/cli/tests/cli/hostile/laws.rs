//! What holds whatever the call.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::calls::Call;
use crate::running::FOREVER;

/// Seconds of work, which do not grow when the machine is busy: nothing of a few dozen rows takes as many.
const WORK: &str = "120";
/// Address space of a command, in KiB: far above what these inputs need, far below what an endless one would take.
const ADDRESSES: &str = "6000000";
/// Lines of a message that people can take in.
const LONGEST_LINE: usize = 4000;

/// Runs the command with its memory and its work bounded; nothing if it waits for ever.
fn run(folder: &Path, arguments: &[String]) -> Option<Output> {
    let binary = assert_cmd::cargo::cargo_bin!("groat");
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v $0; ulimit -t $1; shift; exec \"$@\"", ADDRESSES, WORK])
        .arg(binary)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(folder.join("stdout")).unwrap())
        .stderr(std::fs::File::create(folder.join("stderr")).unwrap())
        .spawn()
        .unwrap();
    let (started, mut pause) = (Instant::now(), 1);
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > FOREVER => {
                child.kill().unwrap();
                child.wait().unwrap();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(pause)),
        }
        pause = (pause + 1).min(20);
    };
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    Some(Output { status, stdout: read("stdout"), stderr: read("stderr") })
}

/// Runs the command: its exit code and what it said.
pub fn groat(folder: &Path, arguments: &[String]) -> (Option<i32>, String) {
    run(folder, arguments).map_or((None, "no end".into()), |output| {
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    })
}

/// How a call ended, and which law was broken.
pub fn check(call: &Call, folder: &Path) -> (String, Option<String>) {
    for input in &call.inputs {
        std::fs::write(folder.join(&input.name), &input.bytes).unwrap();
    }
    let Some(output) = run(folder, &call.arguments) else {
        return ("no end".into(), Some("it waits for ever".into()));
    };
    let outcome = output.status.code().map_or("signal".into(), |code| format!("exit {code}"));
    let said = String::from_utf8_lossy(&output.stderr);
    let laws = [ends(&output), speaks(&output, &said), prints(call, &output), leaves(call, folder, &output)];
    let wrong = laws.into_iter().find_map(Result::err);
    (outcome, wrong.map(|wrong| format!("{wrong}\n  stderr: {}", said.chars().take(600).collect::<String>())))
}

/// With a code of its own, without a panic.
fn ends(output: &Output) -> Result<(), String> {
    match output.status.code() {
        Some(0..=2) => Ok(()),
        other => Err(format!("it ended with {other:?} ({})", output.status)),
    }
}

/// A failure is told, in words for people.
fn speaks(output: &Output, said: &str) -> Result<(), String> {
    if said.contains("panicked") || said.contains("RUST_BACKTRACE") || said.contains("memory allocation") {
        return Err("it speaks of a panic".into());
    }
    let told = |line: &str| line.starts_with("groat: ") || line.starts_with("error: ");
    if output.status.code() != Some(0) && !said.lines().any(told) {
        return Err("it fails without a word".into());
    }
    match said.lines().find(|line| line.chars().count() > LONGEST_LINE) {
        Some(line) => Err(format!("a line of its message has {} characters", line.chars().count())),
        None => Ok(()),
    }
}

/// JSON where that was asked for; nothing where the work failed before it began to answer.
fn prints(call: &Call, output: &Output) -> Result<(), String> {
    if !call.json || output.status.code() != Some(0) || output.stdout.is_empty() {
        return Ok(());
    }
    let elsewhere = call.arguments.iter().any(|argument| argument == "/dev/stdout");
    let whole = serde_json::from_slice::<serde_json::Value>(&output.stdout);
    let lines = || {
        output
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .all(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok())
    };
    match whole {
        Ok(_) => Ok(()),
        Err(_) if elsewhere || call.lines && lines() => Ok(()),
        Err(error) => Err(format!("what it prints is not JSON: {error}")),
    }
}

/// Inputs as they were, nothing half written, and what was written can be read.
fn leaves(call: &Call, folder: &Path, output: &Output) -> Result<(), String> {
    for input in &call.inputs {
        // Only a state may go on in its own file, and no call here asks for that.
        if std::fs::read(folder.join(&input.name)).ok().as_ref() != Some(&input.bytes) {
            return Err(format!("{} was changed", input.name));
        }
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with(".groat-") {
            return Err(format!("{name} is left"));
        }
    }
    for (flag, place) in call.arguments.iter().zip(call.arguments.iter().skip(1)) {
        let path = folder.join(place);
        let is_model = matches!(call.command, "fit" | "pca") && flag == "-o" || flag == "--model";
        if is_model && output.status.code() == Some(0) && path.is_file() {
            groat::Model::load(&path)
                .map_err(|error| format!("the model it wrote cannot be read: {error}"))?;
        }
        if flag == "--report" && place == "f.html" && output.status.code() == Some(0) {
            let page = std::fs::read_to_string(&path).map_err(|error| format!("no report: {error}"))?;
            if !page.trim_end().ends_with("</html>") {
                return Err("half a report".into());
            }
        }
    }
    Ok(())
}
