//! Kernel LMS by forward-backward splitting (Gao, Chen, Richard, Huang, Flamary, Kernel LMS algorithm with
//! forward-backward splitting for dictionary learning, 2013). `O(m)` a step.
//!
//! Vectors enter by the coherence criterion. Each step is a gradient step, `alpha += eta e k`, and a
//! proximal one, the soft threshold `alpha_i <- sign(alpha_i) max(|alpha_i| - t_i, 0)`; vectors whose weight
//! becomes 0 leave. The plain form has `t_i = shrink` for all; the adaptive one
//! `t_i = shrink / (|alpha_i| + eps_alpha)` with the weights from before the step (and `shrink` for a new
//! vector), so that large weights are hardly touched. The normalised form steps by `eta / (eps + |k|^2)`.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, check_saved};
use crate::online::state::step_size::{normalised, sound};
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Kernel LMS with a soft threshold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProximalKlms {
    eta: f64,
    mu0: f64,
    shrink: f64,
    /// Regulariser of the normalised step; `None` for the plain one.
    eps: Option<f64>,
    /// The adaptive threshold's guard; `None` for the plain one.
    eps_alpha: Option<f64>,
    basis: Basis,
    largest_step: f64,
    #[serde(skip)]
    thresholds: Vec<f64>,
}

impl ProximalKlms {
    /// The same threshold for all weights.
    pub fn plain(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            eta: values.number("eta")?,
            mu0: values.number("mu0")?,
            shrink: values.number("shrink")?,
            eps: values.normaliser()?,
            eps_alpha: None,
            basis: Basis::new(plan)?,
            largest_step: 0.0,
            thresholds: Vec::new(),
        })
    }

    /// A threshold that falls with the weight.
    pub fn adaptive(plan: &Plan<'_>) -> Result<Self> {
        Ok(Self { eps_alpha: Some(plan.values.number("eps_alpha")?), ..Self::plain(plan)? })
    }

    fn threshold(&self, weight: f64) -> f64 {
        self.eps_alpha.map_or(self.shrink, |eps| self.shrink / (weight.abs() + eps).max(f64::MIN_POSITIVE))
    }

    /// The weight with which a vector enters: none, but the adaptive form begins at the first target.
    fn entry(&self, y: f64) -> f64 {
        let first = self.basis.len() == 0 && self.eps_alpha.is_some() && self.basis.kxx > 0.0;
        if first { y / self.basis.kxx } else { 0.0 }
    }

    /// Soft thresholds; returns how many vectors left.
    fn backward(&mut self) -> usize {
        let alpha = &mut self.basis.dictionary.alpha;
        for (weight, threshold) in alpha.iter_mut().zip(&self.thresholds) {
            *weight = (weight.abs() - threshold).max(0.0).copysign(*weight);
        }
        let before = self.basis.len();
        for i in (0..before).rev() {
            if self.basis.dictionary.alpha[i] == 0.0 {
                self.basis.remove(i);
            }
        }
        before - self.basis.len()
    }
}

impl Method for ProximalKlms {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        let mut error = step.error;
        let admitted = self.basis.coherence() <= self.mu0;
        let entry = if admitted { self.entry(y) } else { 0.0 };
        let kxx = self.basis.kxx;
        let norm = dot(&self.basis.k, &self.basis.k) + if admitted { kxx * kxx } else { 0.0 };
        let rate = normalised(self.eta, self.eps, norm);
        if step.refused || !sound(rate * error * norm.sqrt()) || !sound(entry) {
            return Step { refused: true, ..step };
        }
        self.largest_step = self.largest_step.max(rate * norm);
        let mut thresholds = std::mem::take(&mut self.thresholds);
        thresholds.clear();
        thresholds.extend(self.basis.dictionary.alpha.iter().map(|weight| self.threshold(*weight)));
        if admitted {
            thresholds.push(if entry == 0.0 { self.shrink } else { self.threshold(entry) });
            self.basis.push(x, entry);
            error -= kxx * entry;
        }
        self.thresholds = thresholds;
        axpy(rate * error, &self.basis.k, &mut self.basis.dictionary.alpha);
        (step.admitted, step.projected) = (admitted, !admitted);
        step.evicted = self.backward();
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes()
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new(
            "largest_step",
            self.largest_step,
            "largest step times |k|^2; above 2 weights diverge",
        ));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        let optional = [self.eps, self.eps_alpha].map(|value| value.unwrap_or(0.0));
        check_saved("parameters", &[self.eta, self.mu0, self.shrink], 3)?;
        check_saved("parameters", &optional, 2)?;
        self.basis.dictionary.check(dimension)
    }
}
