//! How far a session has come.

use crate::online::Step;
use serde::{Deserialize, Serialize};

/// Counts and sums over a whole session, earlier runs included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// Rows seen, good or bad.
    pub rows: u64,
    /// Rows left out because they were bad.
    pub skipped: u64,
    /// Samples learnt from.
    pub steps: u64,
    /// Sum of squared errors before each step.
    squares: f64,
}

impl Totals {
    /// Takes in a step.
    pub(super) fn add(&mut self, step: &Step) {
        self.steps += 1;
        // JSON has no infinity.
        self.squares = (self.squares + step.error * step.error).min(f64::MAX);
    }

    /// Mean squared error before each step.
    pub fn mean_squared(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.squares / self.steps as f64)
    }
}
