//! Recursive least squares over all samples in the span of the dictionary (Engel, Mannor, Meir 2004,
//! table 1), with an optional ridge `lambda |f|^2`.
//!
//! In an orthonormal basis of the span the sample has the coordinates `z`, and least squares over the samples so
//! far has the weights `w` and the covariance `P = (lambda I + sum z z^T)^-1` (the paper works with `a = Q k = R^T z`,
//! so its covariance is `L P L^T` with the same outputs). A sample that does not enter: `g = P z`,
//! `P -= g g^T / (1 + z . g)`, `w += e g / (1 + z . g)`. One that enters with residual `s` has the further coordinate
//! `sqrt(s)`, which it alone determines: `w` grows by `e / sqrt(s)`, `P` by the column `-g / sqrt(s)` and the corner
//! `(1 + z . g) / s`; the ridge then pulls the new coordinate towards 0, one more rank-one step. `O(m^2)`.
//!
//! The basis is the one that Cholesky's factorisation gives, so a refresh moves it by rounding errors and `P` stays.

use super::{Needs, Projection, Rule, Sample, Tracked, Values};
use crate::error::{Result, check_not_negative};
use crate::online::state::inverse::Lagged;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Recursive least squares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rls {
    ridge: f64,
    /// `P`.
    covariance: Lagged,
    #[serde(skip)]
    gain: Vec<f64>,
}

impl Rls {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { ridge: values.number("ridge")?, covariance: Lagged::default(), gain: Vec::new() })
    }

    /// `g = P z`; returns `z . g`.
    fn spread(&mut self, z: &[f64]) -> f64 {
        self.covariance.multiply_into(z, &mut self.gain);
        // Negative only through rounding.
        dot(z, &self.gain).max(0.0)
    }

    /// Adds `information` to what is known in the direction whose gain is at hand and whose spread is given, with
    /// the error `e` of the present weights there.
    fn learn(&mut self, weights: &mut [f64], information: f64, spread: f64, error: f64) {
        let share = information / (1.0 + information * spread);
        self.covariance.subtract(share, &self.gain);
        axpy(error * share, &self.gain, weights);
    }
}

impl Rule for Rls {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn refuses_removal(&self, _: &Projection) -> Option<(&'static str, &'static str)> {
        let reason = "recursive least squares keeps its vectors: unlimited or freeze, no truncate or max_age";
        Some(("strategy", reason))
    }

    fn owns_weights(&self) -> bool {
        true
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        sample.fitted_weight()
    }

    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>) {
        let s = model.push_fitted(sample);
        let Some(basis) = &mut model.basis else { return };
        let spread = self.spread(basis.entered());
        let corner = (1.0 + spread) / s;
        self.covariance.push_scaled(&self.gain, -1.0 / s.sqrt(), corner);
        if self.ridge > 0.0 {
            // The gain of the new coordinate is the new column of P.
            self.gain.iter_mut().for_each(|gain| *gain /= -s.sqrt());
            self.gain.push(corner);
            let weights = basis.weights_mut();
            let error = -weights[self.gain.len() - 1];
            self.learn(weights, self.ridge, corner, error);
        }
    }

    fn project(&mut self, model: &mut Tracked, sample: &Sample<'_>, _: &Projection) -> bool {
        let Some(basis) = &mut model.basis else { return false };
        let spread = self.spread(sample.image);
        self.learn(basis.weights_mut(), 1.0, spread, sample.error);
        true
    }

    /// `s + lambda (1 + z^T P z)`: what lies outside the span, the weights' uncertainty, and the noise.
    /// Without a ridge there is no noise variance, hence none of these.
    fn variance(&self, image: &[f64], residual: f64) -> Option<f64> {
        if self.ridge == 0.0 {
            return None;
        }
        let mut spread = Vec::new();
        self.covariance.multiply_into(image, &mut spread);
        Some(residual.max(0.0) + self.ridge * (1.0 + dot(image, &spread)))
    }

    fn memory_bytes(&self) -> usize {
        self.covariance.memory_bytes()
    }

    fn check(&self, order: usize, _: usize) -> Result<()> {
        check_not_negative("ridge", self.ridge)?;
        self.covariance.check(order)
    }
}
