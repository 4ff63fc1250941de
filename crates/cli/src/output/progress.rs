//! A progress bar on a terminal, lines in a log that wants them, nothing in a pipe.

use crate::session::Session;
use groat::batch::{Progress, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How far the work is, where nobody knows how much there is.
const OPEN: &str = "{spinner} {msg} {pos}";
/// What is going on, in words that say how far it is.
const DETAIL: &str = "{spinner} {msg}";
/// How far the work is, of a known total.
const SHARE: &str = "{spinner} {msg} {bar:24} {pos}/{len}, {eta} left";

/// Between two lines of a log; a new stage does not wait.
const PAUSE: Duration = Duration::from_secs(1);

/// The templates are constants; if one were bad, the bar would keep its plain style.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows how far the work is and passes on the wish to stop. Disappears when dropped.
pub struct Bar<'a> {
    session: &'a Session,
    bar: ProgressBar,
    log: Option<Log>,
}

impl<'a> Bar<'a> {
    /// A bar that says what is going on.
    pub fn new(session: &'a Session, what: &str) -> Self {
        Self::shown_if(true, session, what)
    }

    /// A bar that is shown only if there is room for it.
    pub fn shown_if(room: bool, session: &'a Session, what: &str) -> Self {
        let shown = room && session.shows_progress();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let log = (room && session.progress && bar.is_hidden()).then(Log::default);
        bar.set_style(style(OPEN));
        bar.set_message(what.to_owned());
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        if let Some(log) = &log {
            log.tell(what, || what.to_owned());
        }
        Bar { session, bar, log }
    }

    /// Says what is going on now, and how far it is.
    pub fn show(&self, what: String, done: u64, total: Option<u64>) {
        self.show_stage("", what, done, total);
    }

    fn show_stage(&self, stage: &str, what: String, done: u64, total: Option<u64>) {
        if let Some(log) = &self.log {
            log.tell(stage, || {
                total.map_or(format!("{what} {done}"), |total| format!("{what} {done}/{total}"))
            });
        }
        if total.is_some() != self.bar.length().is_some() {
            self.bar.set_style(style(if total.is_some() { SHARE } else { OPEN }));
        }
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
        self.bar.set_message(what);
        self.bar.set_position(done);
    }
}

impl Watch for Bar<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        let what = match progress.detail.as_str() {
            "" => progress.stage.to_owned(),
            detail => format!("{}: {detail}", progress.stage),
        };
        match progress.total {
            // The detail says how far it is.
            None if !progress.detail.is_empty() => {
                if let Some(log) = &self.log {
                    log.tell(progress.stage, || what.clone());
                }
                self.bar.unset_length();
                self.bar.set_style(style(DETAIL));
                self.bar.set_message(what);
            }
            total => {
                let total = total.map(|total| total as u64);
                self.show_stage(progress.stage, what, progress.done as u64, total);
            }
        }
    }

    fn stop_requested(&self) -> bool {
        self.session.stop_requested()
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Progress in lines on standard error.
#[derive(Default)]
struct Log {
    told: Mutex<Told>,
}

/// What stands in the log.
#[derive(Default)]
struct Told {
    stages: HashSet<String>,
    last: Option<Instant>,
}

impl Log {
    /// Writes a line, unless this stage is known and the line before was written only just now.
    fn tell(&self, stage: &str, text: impl FnOnce() -> String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !told.stages.contains(stage) && told.stages.insert(stage.to_owned());
        if is_new || told.last.is_none_or(|last| last.elapsed() >= PAUSE) {
            told.last = Some(Instant::now());
            // The work goes on whether or not anybody can read of it.
            let _ = writeln!(io::stderr(), "groat: {}", text());
        }
    }
}
