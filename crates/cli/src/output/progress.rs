//! A progress bar on a terminal; nothing in a pipe.

use crate::session::Session;
use groat::batch::{Progress, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How far the work is, where nobody knows how much there is.
const OPEN: &str = "{spinner} {msg} {pos}";
/// What is going on, in words that say how far it is.
const DETAIL: &str = "{spinner} {msg}";
/// How far the work is, of a known total.
const SHARE: &str = "{spinner} {msg} {bar:24} {pos}/{len}, {eta} left";

/// The templates are constants; if one were bad, the bar would keep its plain style.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows how far the work is and passes on the wish to stop. Disappears when dropped.
pub struct Bar<'a> {
    session: &'a Session,
    bar: ProgressBar,
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
        bar.set_style(style(OPEN));
        bar.set_message(what.to_owned());
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Bar { session, bar }
    }

    /// Says what is going on now, and how far it is.
    pub fn show(&self, what: String, done: u64, total: Option<u64>) {
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
                self.bar.unset_length();
                self.bar.set_style(style(DETAIL));
                self.bar.set_message(what);
            }
            total => self.show(what, progress.done as u64, total.map(|total| total as u64)),
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
