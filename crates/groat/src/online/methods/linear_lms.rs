//! LMS and normalised LMS on the inputs themselves: the linear baselines. `O(d)` a step.
//!
//! `w += eta e x`, or `w += eta e x / (eps + |x|^2)`. The plain form wants `eta |x|^2 < 2`; longer
//! steps are shortened to the one that meets the target unless `bounded` is off.

use super::Method;
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::online::presets::Plan;
use crate::online::state::bits;
use crate::online::state::step_size::{held, normalised, sound};
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// A linear model `f(x) = w . x`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinearLms {
    eta: f64,
    /// Regulariser of the normalised step; `None` for the plain one.
    eps: Option<f64>,
    /// Steps that would overshoot are shortened.
    bounded: bool,
    #[serde(with = "bits")]
    weights: Vec<f64>,
    largest_step: f64,
}

impl LinearLms {
    /// The plain step.
    pub fn lms(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self {
            eta: plan.values.number("eta")?,
            eps: None,
            bounded: plan.values.flag("bounded")?,
            weights: vec![0.0; plan.dimension],
            largest_step: 0.0,
        })
    }

    /// The normalised step.
    pub fn nlms(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self { eps: Some(plan.values.number("eps")?), ..Self::lms(plan)? })
    }
}

/// A linear model `factor w . x` as an expansion: a linear kernel with `w` as its one vector.
pub(super) fn snapshot(weights: &[f64], factor: f64) -> Result<Option<Expansion>> {
    let vector = Matrix::from_vec(weights.to_vec(), 1, weights.len())?;
    Expansion::new(Kernel::Linear, vector, Matrix::column(vec![factor])).map(Some)
}

impl Method for LinearLms {
    fn size(&self) -> usize {
        0
    }

    fn output(&self, x: &[f64]) -> f64 {
        dot(x, &self.weights)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.output(x);
        let error = y - prediction;
        let norm = dot(x, x);
        let step = held(normalised(self.eta, self.eps, norm), norm, self.bounded);
        self.largest_step = self.largest_step.max((step * norm).min(f64::MAX));
        let gain = step * error;
        let usable = sound(gain) && sound(gain * norm.sqrt());
        if usable {
            axpy(gain, x, &mut self.weights);
        }
        Step { prediction, error, projected: usable, refused: !usable, ..Step::default() }
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        snapshot(&self.weights, 1.0)
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self.weights.as_slice())
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new(
            "largest_step",
            self.largest_step,
            "largest eta |x|^2; above 2 the weights diverge",
        ));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_len("saved weights", dimension, self.weights.len())?;
        if self.weights.iter().all(|w| w.is_finite()) && self.eta.is_finite() {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "weights", "they are not finite"))
    }
}
