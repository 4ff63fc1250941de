//! Probabilistic LMS (Fernandez-Bes, Elvira, Van Vaerenbergh, A probabilistic least-mean-squares filter,
//! 2015): the Kalman filter of a drifting weight vector whose covariance is held to `s I`. `O(d)`.
//!
//! `w_n = lambda w_(n-1) + noise of variance drift`, `y = x . w + noise of variance sn2`. With
//! `p = s + drift` the step is `p / (p |x|^2 + sn2)`, and `s <- p (1 - step |x|^2 / d)`.

use super::Method;
use crate::error::{Error, Result, check_not_negative};
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::step_size::sound;
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// A linear model with one variance for all weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProbabilisticLms {
    lambda: f64,
    sn2: f64,
    drift: f64,
    #[serde(with = "bits")]
    weights: Vec<f64>,
    /// Variance of each weight given the samples so far.
    spread: f64,
}

impl ProbabilisticLms {
    /// At the prior.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            lambda: values.number("lambda")?,
            sn2: values.number("sn2")?,
            drift: values.number("drift")?,
            weights: vec![0.0; plan.dimension],
            spread: values.number("prior")?,
        })
    }

    /// Variance of each weight before the next sample.
    fn ahead(&self) -> f64 {
        self.spread + self.drift
    }
}

impl Method for ProbabilisticLms {
    fn size(&self) -> usize {
        0
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.lambda * dot(x, &self.weights)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.output(x);
        let error = y - prediction;
        let norm = dot(x, x);
        let ahead = self.ahead();
        let step = ahead / (ahead * norm + self.sn2);
        let usable = sound(step * error) && sound(step * error * norm.sqrt());
        if usable {
            self.weights.iter_mut().for_each(|weight| *weight *= self.lambda);
            axpy(step * error, x, &mut self.weights);
            self.spread = (1.0 - step * norm / x.len() as f64) * ahead;
        }
        Step { prediction, error, projected: usable, refused: !usable, ..Step::default() }
    }

    fn variance(&self, x: &[f64]) -> Option<f64> {
        Some(self.ahead() * dot(x, x) + self.sn2)
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        super::linear_lms::snapshot(&self.weights, self.lambda)
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self.weights.as_slice()) + size_of::<f64>()
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new(
            "spread",
            self.spread,
            "variance of each weight given the samples so far",
        ));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_saved("weights", &self.weights, dimension)?;
        check_not_negative("spread", self.spread)?;
        if self.sn2 > 0.0 && self.drift >= 0.0 && self.lambda.is_finite() {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "variances", "they are not positive"))
    }
}
