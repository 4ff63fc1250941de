//! Stochastic gradient in the function space: `f <- (1 - eta rho) f + eta g k(x, .)`, report 836 (2)-(6),
//! Pothin and Richard (4)-(6), KLMS, QKLMS. A sample that does not enter is left to the projection.
//!
//! This is stochastic gradient descent on the regularised risk, Kivinen, Smola and Williamson (2004), (10)-(12): the
//! error is that of `f`, before the decay. The toolbox's NORMA shrinks `f` first and takes the error of what is left.

use super::{Projection, Rule, Sample, Tracked, Values};
use crate::error::Result;
use crate::online::state::step_size::{held, normalised};
use serde::{Deserialize, Serialize};

/// The gradient step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gradient {
    eta: f64,
    rho: f64,
    /// Regulariser of the normalised step `eta / (eps + k(x,x))`; `None` for the plain one.
    eps: Option<f64>,
    /// Weights decay before the error is taken, as the toolbox's NORMA does, and not after.
    decay_first: bool,
    /// Steps that would overshoot are shortened.
    bounded: bool,
}

impl Gradient {
    pub(super) fn plain(values: &Values) -> Result<Self> {
        let (eta, rho, bounded) = (values.number("eta")?, values.number("rho")?, values.flag("bounded")?);
        Ok(Self { eta, rho, eps: None, decay_first: false, bounded })
    }

    pub(super) fn normalised(values: &Values) -> Result<Self> {
        Ok(Self { eps: Some(values.number("eps")?), ..Self::plain(values)? })
    }

    pub(super) fn decay_first(values: &Values) -> Result<Self> {
        Ok(Self { decay_first: true, ..Self::plain(values)? })
    }

    fn decay(&self) -> f64 {
        1.0 - self.eta * self.rho
    }

    fn late_decay(&self, model: &mut Tracked) {
        if !self.decay_first {
            model.decay(self.decay());
        }
    }

    fn step(&self, kxx: f64) -> f64 {
        held(normalised(self.eta, self.eps, kxx), kxx, self.bounded)
    }
}

impl Rule for Gradient {
    fn follows_any_loss(&self) -> bool {
        true
    }

    fn early_decay(&self) -> f64 {
        if self.decay_first { self.decay() } else { 1.0 }
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        self.step(sample.kxx) * sample.pull
    }

    fn effective_step(&self, sample: &Sample<'_>, _: bool) -> f64 {
        self.step(sample.kxx) * sample.kxx
    }

    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>) {
        self.late_decay(model);
        model.push(sample, sample.weight);
    }

    fn project(&mut self, model: &mut Tracked, sample: &Sample<'_>, projection: &Projection) -> bool {
        self.late_decay(model);
        model.len() > 0 && projection.absorb(model, sample)
    }

    fn merge(&mut self, model: &mut Tracked, sample: &Sample<'_>, i: usize) {
        self.late_decay(model);
        model.dictionary.alpha[i] += sample.weight;
    }
}
