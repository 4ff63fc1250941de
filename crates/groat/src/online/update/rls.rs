//! Recursive least squares over all samples in the span of the dictionary (Engel, Mannor, Meir 2004,
//! table 1), with an optional ridge `lambda |f|^2`.
//!
//! With `a = Q k` the coordinates of a sample in the dictionary, `P = (lambda Q + sum a a^T)^-1`. A sample
//! that does not enter: `z = P a`, `P -= z z^T / (1 + a . z)`, `alpha += e Q z / (1 + a . z)`. One that
//! enters with residual `s`: `alpha -= nu e / s`, new weight `e / s`, `P` grows by a one; the ridge adds
//! `(lambda / s) v v^T` with `v = (nu, -1)` to `P^-1`, one more rank-one step. `O(m^2)`.

use super::{Model, Needs, Projection, Rule, Sample};
use crate::error::{Result, check_not_negative};
use crate::online::inverse::Packed;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Recursive least squares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rls {
    ridge: f64,
    covariance: Packed,
    #[serde(skip)]
    z: Vec<f64>,
}

impl Rls {
    pub(super) fn new(ridge: f64) -> Self {
        Self { ridge, covariance: Packed::default(), z: Vec::new() }
    }

    /// `z = P a`; returns `a . z`.
    fn gain(&mut self, a: &[f64]) -> f64 {
        self.z.resize(a.len(), 0.0);
        self.covariance.multiply(a, &mut self.z);
        dot(a, &self.z)
    }

    /// The ridge's share in an admission, given `z = P nu` and `spread = nu . z` from before it.
    fn admit_ridge(&mut self, model: &mut Model, spread: f64, s: f64, error: f64) {
        let gamma = self.ridge / (s + self.ridge * (spread + 1.0));
        let Model { dictionary, inverse, scratch, .. } = model;
        let Some(inverse) = inverse else { return };
        // w = (P nu, -1) is the product of the grown P with v.
        self.z.push(-1.0);
        self.covariance.rank_one(-gamma, &self.z);
        let (column, _) = scratch.two(self.z.len());
        inverse.inverse().multiply(&self.z, column);
        axpy(gamma * error, column, &mut dictionary.alpha);
    }
}

impl Rule for Rls {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        sample.error / sample.residual.abs().max(f64::MIN_POSITIVE)
    }

    fn admit(&mut self, model: &mut Model, sample: &Sample<'_>) {
        let s = model.push_fitted(sample);
        let spread = model.inverse.as_ref().map_or(0.0, |inverse| self.gain(inverse.entered()));
        self.covariance.push_unit();
        if self.ridge > 0.0 {
            self.admit_ridge(model, spread, s, sample.error);
        }
    }

    fn project(&mut self, model: &mut Model, sample: &Sample<'_>, _: &Projection) -> bool {
        let Some(inverse) = &model.inverse else { return false };
        let denominator = 1.0 + self.gain(sample.nu);
        self.covariance.rank_one(-1.0 / denominator, &self.z);
        let (column, _) = model.scratch.two(sample.nu.len());
        inverse.inverse().multiply(&self.z, column);
        axpy(sample.error / denominator, column, &mut model.dictionary.alpha);
        true
    }

    /// `s + lambda (1 + a^T P a)`: what lies outside the span, the weights' uncertainty, and the noise.
    /// Without a ridge there is no noise variance, hence none of these.
    fn variance(&self, nu: &[f64], residual: f64) -> Option<f64> {
        if self.ridge == 0.0 {
            return None;
        }
        let mut spread = vec![0.0; nu.len()];
        self.covariance.multiply(nu, &mut spread);
        Some(residual.max(0.0) + self.ridge * (1.0 + dot(nu, &spread)))
    }

    fn memory_bytes(&self) -> usize {
        self.covariance.memory_bytes()
    }

    fn check(&self, order: usize, _: usize) -> Result<()> {
        check_not_negative("ridge", self.ridge)?;
        self.covariance.check(order)
    }
}
