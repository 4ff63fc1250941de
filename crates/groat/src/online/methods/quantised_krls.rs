//! Quantised kernel recursive least squares (Chen, Zhao, Zhu, Principe, Quantized kernel recursive least
//! squares algorithm, 2013). `O(m^2)` a step.
//!
//! Samples within `epsu` of a vector are counted there, and the model minimises
//! `sum_n (y_n - f(v_q(n)))^2 + ridge |f|^2`. With `n_j` samples of mean target `t_j` at `v_j` that is
//! kernel ridge regression on the means with the noise `ridge / n_j`: `alpha = S t`,
//! `S = (K + ridge diag(1 / n_j))^-1`, symmetric where the paper's `(Lambda K + ridge I)^-1` is not. One
//! more sample at `j` lowers that noise by `delta = ridge / (n_j (n_j + 1))`: with `s = S e_j` and
//! `c = 1 - delta s_j`, `S += delta s s^T / c` and `alpha += s (delta alpha_j + (y - t_j) / (n_j + 1)) / c`.
//!
//! A full dictionary counts every sample at the nearest vector.

use super::Method;
use crate::error::{Error, Result};
use crate::online::presets::Plan;
use crate::online::state::basis::{Basis, check_saved};
use crate::online::state::bits;
use crate::online::state::inverse::Packed;
use crate::online::state::scratch::with_scratch;
use crate::online::state::step_size::sound;
use crate::online::state::tables::Rows;
use crate::online::step::{Reading, Step};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Least squares on quantised samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct QuantisedKrls {
    epsu: f64,
    ridge: f64,
    budget: usize,
    basis: Basis,
    /// `S`.
    inverse: Packed,
    /// Samples counted at each vector.
    #[serde(with = "bits")]
    counts: Vec<f64>,
    /// Their mean target.
    #[serde(with = "bits")]
    means: Vec<f64>,
    refreshes: u64,
    #[serde(skip)]
    column: Vec<f64>,
    #[serde(skip)]
    rows: Rows,
}

impl QuantisedKrls {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let ridge = values.number("ridge")?;
        if ridge == 0.0 {
            return Err(Error::parameter("ridge", ridge, "above 0"));
        }
        Ok(Self {
            epsu: values.number("epsu")?,
            ridge,
            budget: values.count("budget")?,
            basis: Basis::new(plan)?,
            inverse: Packed::default(),
            counts: Vec::new(),
            means: Vec::new(),
            refreshes: 0,
            column: Vec::new(),
            rows: Rows::default(),
        })
    }

    /// Takes the sample seen in as a vector; false if rounding does not allow it.
    fn admit(&mut self, x: &[f64], y: f64, error: f64) -> bool {
        self.column.resize(self.basis.len(), 0.0);
        self.inverse.multiply(&self.basis.k, &mut self.column);
        let s = self.basis.kxx + self.ridge - dot(&self.basis.k, &self.column);
        // In exact arithmetic s >= ridge.
        if s < 0.5 * self.ridge || !sound(s) || !sound(error / s) {
            return false;
        }
        self.inverse.rank_one(1.0 / s, &self.column);
        axpy(-error / s, &self.column, &mut self.basis.dictionary.alpha);
        self.column.iter_mut().for_each(|v| *v *= -1.0 / s);
        self.inverse.push(&self.column, 1.0 / s);
        self.basis.push(x, error / s);
        self.counts.push(1.0);
        self.means.push(y);
        true
    }

    /// Counts a sample at vector `j`; false if rounding does not allow it.
    fn count(&mut self, j: usize, y: f64) -> bool {
        let n = self.counts[j];
        self.column.resize(self.basis.len(), 0.0);
        self.inverse.column(j, &mut self.column);
        let own = self.column[j];
        // In exact arithmetic 0 < S_jj <= n / ridge, hence 1 / (n + 1) >= delta S_jj.
        if own <= 0.0 || own * self.ridge > n * (1.0 + 1e-6) {
            return false;
        }
        let delta = self.ridge / (n * (n + 1.0));
        let rest = 1.0 - delta * own;
        let shift = (y - self.means[j]) / (n + 1.0);
        let gain = (delta * self.basis.dictionary.alpha[j] + shift) / rest;
        if !sound(gain * own) || !sound(gain) {
            return false;
        }
        self.inverse.rank_one(delta / rest, &self.column);
        axpy(gain, &self.column, &mut self.basis.dictionary.alpha);
        self.counts[j] += 1.0;
        self.means[j] += shift;
        true
    }

    /// Computes `S` and the weights afresh.
    fn refresh(&mut self) {
        let m = self.basis.len();
        self.refreshes += 1;
        self.inverse.clear();
        for i in 0..m {
            let k = self.rows.of(&self.basis.dictionary, i);
            self.inverse.push(&k[..i], k[i] + self.ridge / self.counts[i]);
        }
        if !self.inverse.invert() {
            // Singular to working precision: the diagonal alone still gives a sound model.
            let (dictionary, counts) = (&self.basis.dictionary, &self.counts);
            self.inverse.set_diagonal(|i| 1.0 / (dictionary.diagonal(i) + self.ridge / counts[i]));
        }
        self.inverse.multiply(&self.means, &mut self.basis.dictionary.alpha);
    }
}

impl Method for QuantisedKrls {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        if step.refused {
            return step;
        }
        let done = match self.basis.dictionary.nearest(x) {
            Some((j, distance)) if distance <= self.epsu || self.basis.len() >= self.budget => {
                step.projected = self.count(j, y);
                step.projected
            }
            _ => {
                step.admitted = self.admit(x, y, step.error);
                step.admitted
            }
        };
        if !done {
            self.refresh();
            step.refused = true;
        }
        step
    }

    /// Of a Gaussian process with noise variance `ridge`, given the quantised samples.
    fn variance(&self, x: &[f64]) -> Option<f64> {
        let m = self.basis.len();
        let explained = with_scratch(2 * m, |buffer| {
            let (k, product) = buffer.split_at_mut(m);
            self.basis.dictionary.row(x, k);
            self.inverse.multiply(k, product);
            dot(k, product)
        });
        Some(self.ridge + (self.basis.dictionary.diag(x) - explained).max(0.0))
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes()
            + self.inverse.memory_bytes()
            + 2 * size_of_val(self.counts.as_slice())
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        readings.push(Reading::new(
            "refreshes",
            self.refreshes as f64,
            "times the inverse was computed afresh",
        ));
    }

    fn check(&self, dimension: usize) -> Result<()> {
        let m = self.basis.len();
        self.inverse.check(m)?;
        check_saved("counts", &self.counts, m)?;
        check_saved("means", &self.means, m)?;
        if self.counts.iter().any(|n| *n < 1.0) {
            return Err(Error::parse("saved state of a learner", "counts", "they are below 1"));
        }
        self.basis.dictionary.check(dimension)
    }
}
