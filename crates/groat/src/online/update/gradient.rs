//! Stochastic gradient in the function space: `f <- (1 - eta rho) f + eta g k(x, .)`, report 836 (2)-(6),
//! Pothin and Richard (4)-(6), KLMS, QKLMS. A sample that does not enter is left to the projection.

use super::{Model, Projection, Rule, Sample, Values};
use crate::error::Result;
use crate::online::filter::normalised;
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
}

impl Gradient {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let update = values.text("update")?;
        Ok(Self {
            eta: values.number("eta")?,
            rho: values.number("rho")?,
            eps: if update == "normalised-gradient" { Some(values.number("eps")?) } else { None },
            decay_first: update == "decay-first",
        })
    }

    fn decay(&self) -> f64 {
        1.0 - self.eta * self.rho
    }

    fn late_decay(&self, model: &mut Model) {
        if !self.decay_first {
            model.decay(self.decay());
        }
    }

    fn step(&self, kxx: f64) -> f64 {
        normalised(self.eta, self.eps, kxx)
    }
}

impl Rule for Gradient {
    fn early_decay(&self) -> f64 {
        if self.decay_first { self.decay() } else { 1.0 }
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        self.step(sample.kxx) * sample.pull
    }

    fn effective_step(&self, sample: &Sample<'_>, _: bool) -> f64 {
        self.step(sample.kxx) * sample.kxx
    }

    fn admit(&mut self, model: &mut Model, sample: &Sample<'_>) {
        self.late_decay(model);
        model.push(sample, sample.weight);
    }

    fn project(&mut self, model: &mut Model, sample: &Sample<'_>, projection: &Projection) -> bool {
        self.late_decay(model);
        projection.absorb(model, sample)
    }

    fn merge(&mut self, model: &mut Model, sample: &Sample<'_>, i: usize) {
        self.late_decay(model);
        model.dictionary.alpha[i] += sample.weight;
    }
}
