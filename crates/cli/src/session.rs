//! What all commands share while they run: how to speak, whether to stop, how many threads.

use crate::args::Common;
use anyhow::Context;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What ends within this time after Ctrl-C needs no announcement.
const SHORTLY: Duration = Duration::from_millis(300);

/// The running command.
pub struct Session {
    pub json: bool,
    pub quiet: bool,
    /// Whether progress is told even where nobody sits at a terminal.
    pub progress: bool,
    pub seed: u64,
    stop: Arc<AtomicBool>,
}

impl Session {
    /// Sets up threads and the answer to Ctrl-C.
    pub fn start(common: &Common) -> anyhow::Result<Self> {
        if let Some(threads) = common.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
            pool.context("cannot start the threads")?;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let &Common { json, quiet, progress, seed, .. } = common;
        // The first signal asks the work to stop, so that unfinished files are removed on the way out; a second
        // one does not wait.
        let handler = move || {
            if flag.swap(true, Ordering::SeqCst) {
                groat::persist::remove_unfinished();
                std::process::exit(1);
            }
            if !quiet {
                // Not by this thread, which must hear the second signal even if standard error is stuck.
                let _ = std::thread::Builder::new().spawn(announce_stop);
            }
        };
        ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")?;
        Ok(Session { json, quiet, progress, seed, stop })
    }

    /// Whether Ctrl-C was pressed.
    pub fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// The flag that Ctrl-C sets, for work that waits elsewhere.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Ends the command if Ctrl-C was pressed. Called before anything is written.
    pub fn check_stop(&self) -> anyhow::Result<()> {
        if self.stop_requested() { Err(groat::Error::Stopped.into()) } else { Ok(()) }
    }

    /// What came of a step that a wish to stop may have cut short: that wish, if there is one.
    pub fn unless_stopped<T>(&self, outcome: groat::Result<T>) -> anyhow::Result<T> {
        self.check_stop()?;
        Ok(outcome?)
    }

    /// Whether to show progress: a person sits at a terminal and did not ask for quiet, or a log wants it.
    pub fn shows_progress(&self) -> bool {
        self.progress || (!self.quiet && io::stderr().is_terminal())
    }

    /// Answers on standard output: as JSON, as text, or (quiet) not at all.
    pub fn answer<T: Serialize>(&self, answer: &T, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        if self.json {
            let mut line = serde_json::to_string_pretty(answer).context("cannot write the answer as JSON")?;
            line.push('\n');
            print(&line)
        } else if self.quiet {
            Ok(())
        } else {
            print(&text())
        }
    }

    /// A remark beside the answer, on standard error.
    pub fn remark(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "groat: {text}");
        }
    }
}

/// Says that the work ends as soon as it can, where that takes a while.
fn announce_stop() {
    std::thread::sleep(SHORTLY);
    let mut err = io::stderr();
    // A progress bar may stand on the last line of a terminal.
    let start = if err.is_terminal() { "\n" } else { "" };
    let _ = writeln!(err, "{start}groat: stopping; a second Ctrl-C ends at once");
}

/// Writes text to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(stdout_error)
}

/// A failure to write to standard output, which has no path of its own.
pub fn stdout_error(source: io::Error) -> anyhow::Error {
    groat::Error::io("standard output", source).into()
}

/// Writes a whole file or leaves what was there.
pub fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(groat::persist::write_atomically(path, |out| out.write_all(bytes))?)
}
