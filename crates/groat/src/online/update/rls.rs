//! Recursive least squares over all samples in the span of the dictionary (Engel, Mannor, Meir 2004,
//! table 1), with an optional ridge `lambda |f|^2`.
//!
//! With `a = Q k` the coordinates of a sample in the dictionary, `P = (lambda Q + sum a a^T)^-1`. A sample
//! that does not enter: `z = P a`, `P -= z z^T / (1 + a . z)`, `alpha += e Q z / (1 + a . z)`. One that
//! enters with residual `s`: `alpha -= nu e / s`, new weight `e / s`, `P` grows by a one; the ridge adds
//! `(lambda / s) v v^T` with `v = (nu, -1)` to `P^-1`, one more rank-one step. `O(m^2)`.
//!
//! `Q z` would be a third product with a matrix, and nobody needs the weights before a prediction is asked
//! for elsewhere: the output at a sample whose `a` is known is `k . alpha = a . K alpha`. So the rule owes the
//! model `Q c` with `c` the sum of the `e z / (1 + a . z)`, adds `a . c` to the outputs it is asked for, and
//! pays when a vector enters.

use super::{Model, Needs, Projection, Rule, Sample};
use crate::error::{Error, Result, check_len, check_not_negative};
use crate::online::bits;
use crate::online::inverse::Lagged;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Recursive least squares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rls {
    ridge: f64,
    /// `P`.
    covariance: Lagged,
    /// `c`; empty while nothing is owed.
    #[serde(with = "bits")]
    owed: Vec<f64>,
    #[serde(skip)]
    z: Vec<f64>,
}

impl Rls {
    pub(super) fn new(ridge: f64) -> Self {
        Self { ridge, covariance: Lagged::default(), owed: Vec::new(), z: Vec::new() }
    }

    /// `z = P a`; returns `a . z`.
    fn gain(&mut self, a: &[f64]) -> f64 {
        self.covariance.multiply_into(a, &mut self.z);
        // Negative only through rounding.
        dot(a, &self.z).max(0.0)
    }

    /// The ridge's share in an admission, given `z = P nu` and `spread = nu . z` from before it.
    fn admit_ridge(&mut self, model: &mut Model, spread: f64, s: f64, error: f64) {
        let gamma = self.ridge / (s + self.ridge * (spread + 1.0));
        let Model { dictionary, inverse, scratch, .. } = model;
        let Some(inverse) = inverse else { return };
        // w = (P nu, -1) is the product of the grown P with v.
        self.z.push(-1.0);
        self.covariance.subtract(gamma, &self.z);
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
        self.pay(model);
        let s = model.push_fitted(sample);
        let spread = model.inverse.as_ref().map_or(0.0, |inverse| self.gain(inverse.entered()));
        self.covariance.push_unit();
        if self.ridge > 0.0 {
            self.admit_ridge(model, spread, s, sample.error);
        }
    }

    fn project(&mut self, model: &mut Model, sample: &Sample<'_>, _: &Projection) -> bool {
        if model.inverse.is_none() {
            return false;
        }
        let share = 1.0 / (1.0 + self.gain(sample.nu));
        self.covariance.subtract(share, &self.z);
        self.owed.resize(self.z.len(), 0.0);
        axpy(sample.error * share, &self.z, &mut self.owed);
        true
    }

    fn owed(&self) -> &[f64] {
        &self.owed
    }

    fn pay(&mut self, model: &mut Model) {
        if let (Some(inverse), false) = (&model.inverse, self.owed.is_empty()) {
            let (column, _) = model.scratch.two(self.owed.len());
            inverse.inverse().multiply(&self.owed, column);
            axpy(1.0, column, &mut model.dictionary.alpha);
        }
        self.owed.clear();
    }

    /// `s + lambda (1 + a^T P a)`: what lies outside the span, the weights' uncertainty, and the noise.
    /// Without a ridge there is no noise variance, hence none of these.
    fn variance(&self, nu: &[f64], residual: f64) -> Option<f64> {
        if self.ridge == 0.0 {
            return None;
        }
        let mut spread = Vec::new();
        self.covariance.multiply_into(nu, &mut spread);
        Some(residual.max(0.0) + self.ridge * (1.0 + dot(nu, &spread)))
    }

    fn memory_bytes(&self) -> usize {
        self.covariance.memory_bytes() + size_of_val(self.owed.as_slice())
    }

    fn check(&self, order: usize, _: usize) -> Result<()> {
        check_not_negative("ridge", self.ridge)?;
        if !self.owed.is_empty() {
            check_len("numbers owed by a saved learner", order, self.owed.len())?;
        }
        if self.owed.iter().any(|v| !v.is_finite()) {
            return Err(Error::parse(
                "saved state of a learner",
                "owed",
                "it holds a number that is not finite",
            ));
        }
        self.covariance.check(order)
    }
}
