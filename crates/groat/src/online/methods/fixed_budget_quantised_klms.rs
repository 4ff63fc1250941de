//! Fixed-budget quantised KLMS (Zhao, Chen, Zhu, Principe, Fixed budget quantized kernel least-mean-square
//! algorithm, 2013, (15)-(17)). `O(m)` a step.
//!
//! Quantised KLMS until there are `budget` vectors; then the least significant one makes room. A vector is
//! as significant as its term is large on average, `E_i = int |alpha_i k(v_i, u)| p(u) du`, with the density
//! `p` estimated from the quantised samples: a sum of Gaussians at the vectors, weighted by their influence
//! `h_j`, the number of samples merged into `v_j`, of which old ones count `beta` times as much a step
//! later. For the Gaussian kernel the integral is proportional to `exp(-|v_i - v_j|^2 / (4 width^2))`, the
//! square root of `k(v_i, v_j)`:
//!
//! `E_i = |alpha_i| D_i` with `D_i = sum_j h_j sqrt(k(v_i, v_j))`.
//!
//! Only `D` and `h` are kept. A sample merged into `j` makes `D <- beta D + sqrt(k(., v_j))`; a new vector
//! does the same and gets its own sum; the removal of `l` takes `h_l sqrt(k(., v_l))` away. Other kernels
//! are treated likewise, with the magnitude of their values.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, check_saved, least};
use crate::online::state::bits;
use crate::online::state::step_size::{normalised, sound};
use crate::online::state::tables::Rows;
use crate::online::step::Step;
use serde::{Deserialize, Serialize};

/// Quantised kernel LMS under a budget.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FixedBudgetQklms {
    eta: f64,
    /// Regulariser of the normalised step `eta / (eps + k(x,x))`; `None` for the plain one.
    eps: Option<f64>,
    epsu: f64,
    beta: f64,
    budget: usize,
    basis: Basis,
    /// `h`: how many samples each vector stands for.
    #[serde(with = "bits")]
    influence: Vec<f64>,
    /// `D`: density of samples around each vector.
    #[serde(with = "bits")]
    density: Vec<f64>,
    #[serde(skip)]
    rows: Rows,
}

/// What two Gaussians share, from their kernel value.
fn overlap(k: f64) -> f64 {
    k.abs().sqrt()
}

impl FixedBudgetQklms {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            eta: values.number("eta")?,
            eps: values.normaliser()?,
            epsu: values.number("epsu")?,
            beta: values.number("lambda")?,
            budget: values.count("budget")?,
            basis: Basis::new(plan)?,
            influence: Vec::new(),
            density: Vec::new(),
            rows: Rows::default(),
        })
    }

    /// Merges a sample into vector `j`.
    fn merge(&mut self, j: usize, weight: f64) {
        self.basis.dictionary.alpha[j] += weight;
        let k = self.rows.of(&self.basis.dictionary, j);
        for (density, k) in self.density.iter_mut().zip(k) {
            *density = self.beta * *density + overlap(*k);
        }
        self.influence.iter_mut().for_each(|h| *h *= self.beta);
        self.influence[j] += 1.0;
    }

    /// Takes the sample seen in as a new vector.
    fn admit(&mut self, x: &[f64], weight: f64) {
        let own = overlap(self.basis.kxx);
        let mut sum = own;
        for (i, k) in self.basis.k.iter().enumerate() {
            self.density[i] = self.beta * self.density[i] + overlap(*k);
            self.influence[i] *= self.beta;
            sum += self.influence[i] * overlap(*k);
        }
        self.density.push(sum);
        self.influence.push(1.0);
        self.basis.push(x, weight);
    }

    /// Removes the least significant vector; returns the output it gave at the sample seen.
    fn evict(&mut self) -> f64 {
        let significance = self.basis.dictionary.alpha.iter().zip(&self.density).map(|(a, d)| a.abs() * d);
        let Some(l) = least(significance) else { return 0.0 };
        let k = self.rows.of(&self.basis.dictionary, l);
        for (density, k) in self.density.iter_mut().zip(k) {
            *density = (*density - self.influence[l] * overlap(*k)).max(0.0);
        }
        let term = self.basis.dictionary.alpha[l] * self.basis.k[l];
        self.basis.remove(l);
        self.influence.remove(l);
        self.density.remove(l);
        term
    }
}

impl Method for FixedBudgetQklms {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        let rate = normalised(self.eta, self.eps, self.basis.kxx);
        if step.refused || !sound(rate * step.error) {
            return Step { refused: true, ..step };
        }
        match self.basis.dictionary.nearest(x) {
            Some((j, distance)) if distance <= self.epsu => {
                self.merge(j, rate * step.error);
                step.projected = true;
            }
            _ => {
                let full = self.basis.len() >= self.budget;
                // The error is that of the model without the vector that left.
                let term = if full { self.evict() } else { 0.0 };
                self.admit(x, rate * (step.error + term));
                (step.admitted, step.evicted) = (true, usize::from(full));
            }
        }
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes() + 2 * size_of_val(self.density.as_slice())
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_saved("densities", &self.density, self.basis.len())?;
        check_saved("influences", &self.influence, self.basis.len())?;
        self.basis.dictionary.check(dimension)
    }
}
