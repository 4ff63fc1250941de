//! A command that runs beside its test, which waits for what the command shows and never for a while: so nothing
//! depends on how fast or how busy the machine is.
#![allow(dead_code, reason = "no test needs all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Nothing that works takes as long as this, on whatever machine.
pub const FOREVER: Duration = Duration::from_secs(600);

/// Waits until `done`.
pub fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < FOREVER, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running command with its ends of the pipes. It is gone when this is dropped.
pub struct Running {
    child: Child,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

impl Running {
    /// Starts `groat` in a folder.
    pub fn groat<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("groat"));
        command.current_dir(folder).args(arguments);
        Self::start(command)
    }

    /// Starts a command.
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Self { child, stdin, stdout, stderr }
    }

    /// Writes to its standard input, which stays open.
    pub fn write(&mut self, text: &str) {
        let input = self.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).unwrap();
    }

    /// Asks it to stop, as Ctrl-C does.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Sends a signal by its name.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_for("the end of the command", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Gone already unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lines that a command writes, read all the time so that it never has to wait.
pub struct Lines {
    lines: Receiver<String>,
}

impl Lines {
    pub fn of(output: impl Read + Send + 'static) -> Self {
        Self::split(output, b'\n')
    }

    /// Lines that end in another way.
    pub fn split(output: impl Read + Send + 'static, end: u8) -> Self {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let whole = BufReader::new(output).split(end).map_while(Result::ok);
            whole
                .map(|line| String::from_utf8_lossy(&line).into_owned())
                .try_for_each(|line| sender.send(line))
        });
        Self { lines }
    }

    /// The next line; nothing once the command has closed its end.
    pub fn next(&self) -> Option<String> {
        match self.lines.recv_timeout(FOREVER) {
            Ok(line) => Some(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("waited in vain for a line"),
        }
    }

    /// Takes lines up to one that has this text.
    pub fn find(&self, text: &str) -> String {
        let (started, mut passed) = (Instant::now(), Vec::new());
        while let Some(line) = self.next().filter(|_| started.elapsed() < FOREVER) {
            if line.contains(text) {
                return line;
            }
            passed.push(line);
        }
        panic!("{text:?} is not in {passed:?}");
    }

    /// All that is still to come.
    pub fn rest(&self) -> String {
        std::iter::from_fn(|| self.next()).map(|line| line + "\n").collect()
    }
}
