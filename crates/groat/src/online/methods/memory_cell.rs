//! Repeats the last target: the baseline that a predictor has to beat.

use super::Method;
use crate::error::{Result, check_len};
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::bits;
use crate::online::step::Step;
use serde::{Deserialize, Serialize};

/// The last target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MemoryCell {
    /// One number; 0 before the first sample.
    #[serde(with = "bits")]
    last: Vec<f64>,
    dimension: usize,
}

impl MemoryCell {
    /// Nothing seen yet.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self { last: vec![0.0], dimension: plan.dimension })
    }
}

impl Method for MemoryCell {
    fn size(&self) -> usize {
        0
    }

    fn output(&self, _: &[f64]) -> f64 {
        self.last[0]
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.output(x);
        self.last[0] = y;
        Step { prediction, error: y - prediction, projected: true, ..Step::default() }
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        Ok(None)
    }

    fn is_expansion(&self) -> bool {
        false
    }

    fn memory_bytes(&self) -> usize {
        size_of::<f64>()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_len("features of a saved learner", dimension, self.dimension)?;
        crate::online::state::basis::check_saved("last target", &self.last, 1)
    }
}
