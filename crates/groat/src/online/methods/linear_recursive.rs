//! Linear models with a full covariance: recursive least squares with exponential forgetting (Haykin,
//! Adaptive filter theory, chapter 13) and the Kalman filter of weights on a random walk (Kalman 1960).
//! `O(d^2)` a step.
//!
//! Both are the same measurement update, `g = P x / (r + x . P x)`, `w += g e`, `P -= g (P x)^T`, after
//! different predictions: forgetting inflates, `P <- P / lambda`, with `r = 1` and `P_0 = I / ridge`; the
//! random walk adds, `w <- phi w`, `P <- phi^2 P + drift I`, with `r = sn2` and `P_0 = prior I`.

use super::Method;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::online::presets::Plan;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::inverse::Packed;
use crate::online::state::scratch::with_scratch;
use crate::online::state::step_size::sound;
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Forgetting stops where a variance exceeds this many times its prior: directions without excitation
/// would otherwise grow without end, and take the accuracy of the others with them.
const CEILING: f64 = 1e8;

/// What happens to mean and covariance between two samples.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Prediction {
    /// Old samples count `lambda` times as much a step later.
    Forget { lambda: f64 },
    /// The weights move by themselves.
    Walk { transition: f64, drift: f64 },
}

/// A linear model with mean and covariance of its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recursive {
    prediction: Prediction,
    noise: f64,
    prior: f64,
    #[serde(with = "bits")]
    weights: Vec<f64>,
    covariance: Packed,
    restarts: u64,
    #[serde(skip)]
    gain: Vec<f64>,
}

impl Recursive {
    /// Recursive least squares.
    pub fn rls(plan: &Plan<'_>) -> Result<Self> {
        let lambda = plan.values.number("lambda")?;
        let ridge = plan.values.number("ridge")?;
        if ridge == 0.0 {
            return Err(Error::parameter("ridge", ridge, "above 0: the initial covariance is 1 / ridge"));
        }
        Ok(Self::new(plan.dimension, Prediction::Forget { lambda }, 1.0, 1.0 / ridge))
    }

    /// The Kalman filter.
    pub fn kalman(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let prediction =
            Prediction::Walk { transition: values.number("transition")?, drift: values.number("drift")? };
        Ok(Self::new(plan.dimension, prediction, values.number("sn2")?, values.number("prior")?))
    }

    fn new(dimension: usize, prediction: Prediction, noise: f64, prior: f64) -> Self {
        let mut covariance = Packed::default();
        (0..dimension).for_each(|_| covariance.push_unit());
        covariance.set_diagonal(|_| prior);
        Self {
            prediction,
            noise,
            prior,
            weights: vec![0.0; dimension],
            covariance,
            restarts: 0,
            gain: Vec::new(),
        }
    }

    /// Factor of the weights from one sample to the next.
    fn transition(&self) -> f64 {
        match self.prediction {
            Prediction::Forget { .. } => 1.0,
            Prediction::Walk { transition, .. } => transition,
        }
    }

    /// Mean and covariance as they are expected at the next sample.
    fn predict(&mut self) {
        match self.prediction {
            Prediction::Forget { lambda } => {
                let variances = (0..self.weights.len()).map(|i| self.covariance.diagonal(i));
                if variances.fold(0.0, f64::max) <= CEILING * self.prior {
                    self.covariance.scale(1.0 / lambda);
                }
            }
            Prediction::Walk { transition, drift } => {
                self.weights.iter_mut().for_each(|weight| *weight *= transition);
                self.covariance.scale(transition * transition);
                self.covariance.add_diagonal(drift);
            }
        }
    }

    /// Measurement update; false if it was not carried out.
    fn update(&mut self, x: &[f64], error: f64) -> bool {
        self.gain.resize(x.len(), 0.0);
        self.covariance.multiply(x, &mut self.gain);
        let total = self.noise + dot(x, &self.gain);
        if total < self.noise * 0.5 {
            // Rounding has cost the covariance its positive definiteness.
            self.covariance.set_diagonal(|_| self.prior);
            self.restarts += 1;
            return false;
        }
        let size = dot(&self.gain, &self.gain);
        let usable = sound(total) && sound(size / total) && sound(error / total * size.sqrt());
        if usable {
            axpy(error / total, &self.gain, &mut self.weights);
            self.covariance.rank_one(-1.0 / total, &self.gain);
        }
        usable
    }
}

impl Method for Recursive {
    fn size(&self) -> usize {
        0
    }

    fn output(&self, x: &[f64]) -> f64 {
        self.transition() * dot(x, &self.weights)
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let prediction = self.output(x);
        let error = y - prediction;
        self.predict();
        let usable = self.update(x, error);
        Step { prediction, error, projected: usable, refused: !usable, ..Step::default() }
    }

    /// `sn2 + x . (phi^2 P + drift I) x`; least squares has no noise variance, hence none of these.
    fn variance(&self, x: &[f64]) -> Option<f64> {
        let Prediction::Walk { transition, drift } = self.prediction else { return None };
        let now = with_scratch(x.len(), |product| {
            self.covariance.multiply(x, product);
            dot(x, product)
        });
        Some(self.noise + transition * transition * now.max(0.0) + drift * dot(x, x))
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        super::linear_lms::snapshot(&self.weights, self.transition())
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self.weights.as_slice()) + self.covariance.memory_bytes()
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new(
            "restarts",
            self.restarts as f64,
            "times the covariance was no longer positive definite and returned to its prior",
        ));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_saved("weights", &self.weights, dimension)?;
        check_saved("noise and prior", &[self.noise, self.prior], 2)?;
        self.covariance.check(dimension)
    }
}
