//! A watcher who asks for a stop.

use groat::batch::{Progress, Watch};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Asks for a stop after a number of reports.
pub struct Impatient {
    heard: AtomicUsize,
    enough: usize,
}

impl Impatient {
    pub fn after(reports: usize) -> Self {
        Self { heard: AtomicUsize::new(0), enough: reports }
    }
}

impl Watch for Impatient {
    fn progress(&self, _: &Progress<'_>) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }
    fn stop_requested(&self) -> bool {
        self.heard.load(Ordering::Relaxed) >= self.enough
    }
}
