//! A dictionary together with the kernel values of the sample at hand: what kernel methods start from.

use crate::error::{Error, Result};
use crate::online::presets::Plan;
use crate::online::state::dictionary::Dictionary;
use crate::online::state::step_size::sound;
use crate::online::step::Step;
use crate::simd::{Aligned, dot};
use serde::{Deserialize, Serialize};

/// `f(x) = sum_i alpha_i k(v_i, x)`, and `k(v_i, x)` of the last sample seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Basis {
    /// Vectors and weights.
    pub dictionary: Dictionary,
    /// Kernel values of the sample last [presented](Self::present).
    #[serde(skip)]
    pub k: Aligned,
    /// `k(x, x)` of that sample.
    #[serde(skip)]
    pub kxx: f64,
}

impl Basis {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self {
            dictionary: Dictionary::new(plan.kernel, plan.dimension)?,
            k: Aligned::default(),
            kxx: 0.0,
        })
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// Takes the kernel values of a sample; returns the output there.
    fn observe(&mut self, x: &[f64]) -> f64 {
        self.dictionary.row_into(x, &mut self.k);
        self.kxx = self.dictionary.diag(x);
        dot(&self.k, &self.dictionary.alpha)
    }

    /// Sees a sample and begins the report on it: output and error, and a refusal where either lies beyond
    /// the range in which a step can be made.
    pub fn present(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.observe(x);
        let error = y - prediction;
        let refused = !sound(error) || !sound(self.kxx);
        Step { prediction, error, refused, ..Step::default() }
    }

    /// Largest coherence of the sample seen with a vector; 0 for an empty dictionary.
    pub fn coherence(&self) -> f64 {
        self.dictionary.largest_coherence(&self.k, self.kxx)
    }

    /// Appends the sample seen, its kernel values included.
    pub fn push(&mut self, x: &[f64], weight: f64) {
        self.dictionary.push(x, weight, self.kxx);
        self.k.push(self.kxx);
    }

    /// Removes vector `r`, its kernel value included.
    pub fn remove(&mut self, r: usize) {
        self.dictionary.remove(r);
        self.k.remove(r);
    }
}

/// The index of the least value, the lowest of several; `None` for no values.
pub(crate) fn least(values: impl Iterator<Item = f64>) -> Option<usize> {
    let keep = |best: (usize, f64), next: (usize, f64)| if next.1 < best.1 { next } else { best };
    values.enumerate().reduce(keep).map(|(i, _)| i)
}

/// Fails unless all numbers of a saved array are finite and there are `expected` of them.
pub(crate) fn check_saved(what: &'static str, values: &[f64], expected: usize) -> Result<()> {
    if values.len() == expected && values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::parse("saved state of a learner", what, format!("expected {expected} finite numbers")))
}
