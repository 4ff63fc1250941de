//! Whether the errors of a learner have changed.
//!
//! Errors of any scale become numbers from 0 to 1, `|e| / (|e| + r)` with `r` the mean of `|e|` since the last change, and
//! an [adaptive window](super::adaptive_window) watches their mean.

use super::adaptive_window::AdaptiveWindow;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Samples after a start or a change that only settle the level of errors: a learner at its beginning improves, which is
/// no drift.
const SETTLE: u64 = 30;

/// What a session does when the errors of its learner have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnDrift {
    /// Says so.
    #[default]
    Note,
    /// Starts the learner anew and lets it learn from the rows since the change.
    Forget,
    /// Starts the learner anew.
    Restart,
}

/// Watches the errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Drift {
    window: AdaptiveWindow,
    /// Mean of `|e|` since the last change, and over how many.
    level: f64,
    count: u64,
    /// Steps at which the errors got worse.
    found: Vec<u64>,
}

/// Most changes that are remembered by their step.
const REMEMBERED: usize = 1000;

impl Drift {
    /// Takes in the error of step `step`; true when the errors have grown since an earlier part of the stream. Errors
    /// that shrink also shrink the window, but call for nothing.
    pub fn learn(&mut self, error: f64, step: u64) -> bool {
        let size = error.abs().min(f64::MAX);
        self.count += 1;
        self.level += (size - self.level) / self.count as f64;
        if self.count <= SETTLE {
            return false;
        }
        let total = size + self.level;
        let before = self.window.mean();
        let changed = self.window.push(if total > 0.0 && total.is_finite() { size / total } else { 0.5 });
        if !changed || self.window.mean() <= before {
            return false;
        }
        if self.found.len() < REMEMBERED {
            self.found.push(step);
        }
        true
    }

    /// Steps at which errors had changed for the worse.
    pub fn found(&self) -> &[u64] {
        &self.found
    }

    /// How many samples the newest part of the stream has.
    pub fn width(&self) -> u64 {
        self.window.width()
    }

    /// The learner starts anew, and with it what its errors usually are.
    pub fn restart(&mut self) {
        *self = Self { found: std::mem::take(&mut self.found), ..Self::default() };
    }

    /// Fails unless a state read from a file is sound.
    pub fn check(&self) -> Result<()> {
        if self.level.is_finite() && self.found.len() <= REMEMBERED {
            return self.window.check();
        }
        Err(Error::parse("saved session", "drift", "its numbers are not sound"))
    }
}
