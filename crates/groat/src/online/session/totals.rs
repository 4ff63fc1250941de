//! How far a session has come.

use crate::online::Step;
use serde::{Deserialize, Serialize};

/// Samples over which recent errors are taken.
const MEMORY: f64 = 200.0;

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
    /// Rows that were answered and whose targets were not there.
    pub unanswered: u64,
    /// Samples whose sign was that of the target.
    pub correct: u64,
    /// Sum of squared errors before each step.
    squares: f64,
    /// Running mean of the squared error, and of that of the running mean of the targets.
    recent: [f64; 2],
    /// The largest magnitude of a target.
    #[serde(default)]
    largest: f64,
}

impl Totals {
    /// Takes in a step, and the error of the running mean.
    pub(super) fn add(&mut self, step: &Step, of_mean: f64, y: f64) {
        self.steps += 1;
        self.largest = self.largest.max(y.abs());
        self.correct += u64::from((step.prediction > 0.0) == (y > 0.0));
        // JSON has no infinity.
        let square = |error: f64| (error * error).min(f64::MAX);
        self.squares = (self.squares + square(step.error)).min(f64::MAX);
        let weight = 1.0 / (self.steps as f64).min(MEMORY);
        for (mean, error) in self.recent.iter_mut().zip([step.error, of_mean]) {
            *mean = (*mean * (1.0 - weight) + square(error) * weight).min(f64::MAX);
        }
    }

    /// Mean squared error before each step.
    pub fn mean_squared(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.squares / self.steps as f64)
    }

    /// Mean squared error of about the last 200 samples.
    pub fn recent_mean_squared(&self) -> Option<f64> {
        (self.steps > 0).then_some(self.recent[0])
    }

    /// The same of the running mean of the targets.
    pub(super) fn recent_of_mean(&self) -> f64 {
        self.recent[1]
    }

    /// The largest magnitude of a target.
    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// The share of samples whose sign was that of the target, which is the accuracy where targets are -1 and 1.
    pub fn accuracy(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.correct as f64 / self.steps as f64)
    }
}
