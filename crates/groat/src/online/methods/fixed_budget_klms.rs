//! Fixed-budget kernel LMS (Rzepka, Fixed-budget kernel least mean squares, 2012). `O(m)` a step.
//!
//! All weights make the normalised step `alpha += g k` with `g = eta e / (eps + |k|^2)`. A sample with
//! `k(x,x) - max_i k_i / k_ii >= nu` then enters with the weight `g` itself, and the smallest weight leaves
//! a dictionary that has become too large. The weight of a vector far from all others is `eta e / eps`, so
//! `eps = 0`, as in the paper, asks for a kernel that is wide enough to reach from vector to vector.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, least};
use crate::online::state::step_size::{normalised, sound};
use crate::online::step::Step;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Normalised kernel LMS whose smallest weight leaves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FixedBudgetKlms {
    eta: f64,
    nu: f64,
    eps: f64,
    budget: usize,
    basis: Basis,
}

impl FixedBudgetKlms {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            eta: values.number("eta")?,
            nu: values.number("nu")?,
            eps: values.number("eps")?,
            budget: values.count("budget")?,
            basis: Basis::new(plan)?,
        })
    }

    /// The growth criterion.
    fn novel(&self) -> bool {
        let Basis { dictionary, k, kxx } = &self.basis;
        let share = |(i, k): (usize, &f64)| k / dictionary.diagonal(i);
        kxx - k.iter().enumerate().map(share).fold(0.0, f64::max) >= self.nu
    }

    /// The first sample has only itself to be normalised by.
    fn begin(&mut self, x: &[f64], y: f64) -> bool {
        let kxx = self.basis.kxx;
        let weight = self.eta * y * kxx / (self.eps + kxx * kxx).max(f64::MIN_POSITIVE);
        let usable = sound(weight);
        if usable {
            self.basis.push(x, weight);
        }
        usable
    }
}

impl Method for FixedBudgetKlms {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        if step.refused {
            return step;
        }
        if self.basis.len() == 0 {
            step.admitted = self.begin(x, y);
            step.refused = !step.admitted;
            return step;
        }
        let norm = dot(&self.basis.k, &self.basis.k);
        let gain = normalised(self.eta, Some(self.eps), norm) * step.error;
        if !sound(gain) || !sound(gain * norm.sqrt()) {
            return Step { refused: true, ..step };
        }
        step.admitted = self.novel();
        step.projected = !step.admitted;
        axpy(gain, &self.basis.k, &mut self.basis.dictionary.alpha);
        if step.admitted {
            self.basis.push(x, gain);
            if self.basis.len() > self.budget
                && let Some(smallest) = least(self.basis.dictionary.alpha.iter().map(|a| a.abs()))
            {
                self.basis.remove(smallest);
                step.evicted = 1;
            }
        }
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.basis.dictionary.check(dimension)
    }
}
