//! Progress out, requests to stop in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How far a long piece of work is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What is being done, e.g. "choosing the width".
    pub stage: &'a str,
    /// Steps finished.
    pub done: usize,
    /// Steps in all, where known.
    pub total: Option<usize>,
    /// A short line on the present state, or empty, e.g. "24 terms, leave-one-out error 0.031".
    pub detail: String,
}

impl<'a> Progress<'a> {
    /// So many steps of a stage are finished, of so many where that is known.
    pub fn new(stage: &'a str, done: usize, total: Option<usize>) -> Self {
        Self { stage, done, total, detail: String::new() }
    }

    /// The same with a line on the present state.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}

/// Somebody who watches a fit. May be called from any thread.
pub trait Watch: Sync {
    /// Called now and then.
    fn progress(&self, _progress: &Progress<'_>) {}

    /// True when the work should end. A method that has something to show returns it; one that has not
    /// returns [`Error::Stopped`](crate::Error::Stopped).
    fn stop_requested(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {}

/// Passes requests to stop on, and nothing else: for parts of the work whose own progress nobody asked for.
pub(crate) struct Impatient<'a>(pub &'a dyn Watch);

impl Watch for Impatient<'_> {
    fn stop_requested(&self) -> bool {
        self.0.stop_requested()
    }
}

/// For what is still done after a request to stop, so that there is something to show: it asks for a stop itself once the
/// first step is taken and a short while has passed.
pub(crate) struct Grace {
    started: Instant,
    any: AtomicBool,
}

impl Grace {
    /// How long the work may go on.
    const LENGTH: Duration = Duration::from_millis(300);

    pub fn new() -> Self {
        Self { started: Instant::now(), any: AtomicBool::new(false) }
    }
}

impl Watch for Grace {
    fn progress(&self, progress: &Progress<'_>) {
        if progress.done > 0 {
            self.any.store(true, Ordering::Relaxed);
        }
    }

    fn stop_requested(&self) -> bool {
        self.any.load(Ordering::Relaxed) && self.started.elapsed() > Self::LENGTH
    }
}
