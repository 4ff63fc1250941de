//! Extended kernel recursive least squares, the tracking model (Liu, Park, Wang, Principe, Extended kernel
//! recursive least squares algorithm, 2009). `O(m^2)` a step.
//!
//! The model itself moves, `f_n = phi f_(n-1) + noise` of relative variance `drift`, and old samples count
//! `lambda` times as much a step later. With `z = Q k` and `r = lambda^n rho + k(x,x) - k . z`:
//! `alpha <- phi (alpha - z e / r, e / r)`, `s = phi^2 + lambda^n drift rho`, `rho <- rho / s`, and
//! `Q <- phi^2 / s (Q + z z^T / r, -z / r; ., 1 / r)`. A full dictionary stops learning. With `phi = 1`,
//! `lambda = 1`, `drift = 0` it is kernel ridge regression.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, check_saved};
use crate::online::state::inverse::Packed;
use crate::online::state::step_size::sound;
use crate::online::step::Step;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Below this share of `k(x, x)` an innovation is rounding error.
const ROUNDING: f64 = 1e-14;

/// Recursive least squares for a model that moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExtendedKrls {
    transition: f64,
    lambda: f64,
    drift: f64,
    ridge: f64,
    budget: usize,
    basis: Basis,
    /// `Q / scale`: the common factor is kept apart, so that a step touches the triangle once.
    inverse: Packed,
    scale: f64,
    rho: f64,
    /// `lambda^n`.
    decay: f64,
    #[serde(skip)]
    z: Vec<f64>,
}

impl ExtendedKrls {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            transition: values.number("transition")?,
            lambda: values.number("lambda")?,
            drift: values.number("drift")?,
            ridge: values.number("ridge")?,
            budget: values.count("budget")?,
            basis: Basis::new(plan)?,
            inverse: Packed::default(),
            scale: 1.0,
            rho: 0.0,
            decay: 1.0,
            z: Vec::new(),
        })
    }

    /// The first sample.
    fn begin(&mut self, x: &[f64], y: f64) -> bool {
        let (phi2, lambda, ridge) = (self.transition * self.transition, self.lambda, self.ridge);
        let total = ridge * lambda + self.basis.kxx;
        let usable = total > 0.0 && sound(y / total) && sound(total);
        if usable {
            self.basis.push(x, self.transition * y / total);
            self.inverse.push(&[], 1.0 / total);
            self.scale = phi2 / (phi2 + lambda * ridge * self.drift);
            self.rho = ridge * lambda / (phi2 * lambda + ridge * self.drift);
        }
        usable
    }

    /// Any later sample.
    fn grow(&mut self, x: &[f64], error: f64) -> bool {
        let m = self.basis.len();
        self.z.resize(m, 0.0);
        self.inverse.multiply(&self.basis.k, &mut self.z);
        self.z.iter_mut().for_each(|z| *z *= self.scale);
        let kxx = self.basis.kxx;
        let r = self.decay * self.rho + kxx - dot(&self.basis.k, &self.z);
        let spread = self.transition * self.transition + self.decay * self.drift * self.rho;
        let corner = 1.0 / (r * self.scale);
        let largest = self.z.iter().fold(1.0, |most: f64, z| most.max(z.abs()));
        // The factors vanish in the long run; what would divide by them ends there.
        let factors = [self.rho / spread, self.scale * self.transition * self.transition / spread];
        let usable = r > ROUNDING * kxx
            && spread > 0.0
            && factors.into_iter().all(sound)
            && [error / r, r, corner * largest * largest, error / r * largest].into_iter().all(sound);
        if !usable {
            return false;
        }
        axpy(-error / r, &self.z, &mut self.basis.dictionary.alpha);
        self.basis.push(x, error / r);
        self.basis.dictionary.decay(self.transition);
        self.inverse.rank_one(corner, &self.z);
        self.z.iter_mut().for_each(|z| *z *= -corner);
        self.inverse.push(&self.z, corner);
        [self.rho, self.scale] = factors;
        true
    }
}

impl Method for ExtendedKrls {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        self.decay *= self.lambda;
        if self.basis.len() < self.budget && !step.refused {
            step.admitted = if self.basis.len() == 0 { self.begin(x, y) } else { self.grow(x, step.error) };
            step.refused = !step.admitted;
        }
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes() + self.inverse.memory_bytes()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.inverse.check(self.basis.len())?;
        check_saved("factors", &[self.scale, self.rho, self.decay], 3)?;
        self.basis.dictionary.check(dimension)
    }
}
