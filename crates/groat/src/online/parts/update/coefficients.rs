//! LMS on the vector of kernel values: `alpha += eta g k`, the new vector's weight included (slides on
//! coherence-based KLMS), and its normalised form `alpha += eta g k / (eps + |k|^2)` (Richard, Bermudez,
//! Honeine 2009, (21)-(24)).
//!
//! The plain form diverges when `eta |k|^2` stays above 2, and `|k|^2` grows with the dictionary, unless such steps are
//! shortened (`bounded`); the largest value met is among the diagnostics. The normalised form does not.

use super::{Needs, Projection, Rule, Sample, Tracked, Values};
use crate::error::Result;
use crate::online::state::step_size::{held, normalised};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// The LMS step on kernel values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Coefficients {
    eta: f64,
    rho: f64,
    /// Regulariser of the normalised step; `None` for the plain one.
    eps: Option<f64>,
    /// Steps that would overshoot are shortened.
    bounded: bool,
}

impl Coefficients {
    pub(super) fn plain(values: &Values) -> Result<Self> {
        let (eta, rho, bounded) = (values.number("eta")?, values.number("rho")?, values.flag("bounded")?);
        Ok(Self { eta, rho, eps: None, bounded })
    }

    pub(super) fn normalised(values: &Values) -> Result<Self> {
        Ok(Self { eps: Some(values.number("eps")?), ..Self::plain(values)? })
    }

    /// `|k|^2`, with the sample's own kernel value if it enters.
    fn norm(&self, sample: &Sample<'_>, admitted: bool) -> f64 {
        dot(sample.k, sample.k) + if admitted { sample.kxx * sample.kxx } else { 0.0 }
    }

    /// The factor of `k` when the squared norm of all kernel values is `norm`.
    fn factor(&self, pull: f64, norm: f64) -> f64 {
        held(normalised(self.eta, self.eps, norm), norm, self.bounded) * pull
    }
}

impl Rule for Coefficients {
    fn follows_any_loss(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        self.eta * sample.pull
    }

    fn effective_step(&self, sample: &Sample<'_>, admitted: bool) -> f64 {
        let norm = self.norm(sample, admitted);
        self.factor(1.0, norm) * norm
    }

    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>) {
        let factor = self.factor(sample.pull, self.norm(sample, true));
        model.decay(1.0 - self.eta * self.rho);
        axpy(factor, sample.k, &mut model.dictionary.alpha);
        model.push(sample, factor * sample.kxx);
    }

    fn project(&mut self, model: &mut Tracked, sample: &Sample<'_>, _: &Projection) -> bool {
        let factor = self.factor(sample.pull, self.norm(sample, false));
        model.decay(1.0 - self.eta * self.rho);
        axpy(factor, sample.k, &mut model.dictionary.alpha);
        true
    }
}
