//! Parallel hyperslab projection along affine subspaces (Takizawa, Yukawa, An efficient data-reusing kernel
//! adaptive filtering algorithm based on parallel hyperslab projection along affine subspace, 2013),
//! with hyperplanes (slabs of no width). `O(tau (m + active^3) + (tau active)^2)` a step.
//!
//! For each of the last `tau` samples only the `active` vectors nearest to it may move: with `k_j` its
//! kernel values there and `a_j = K_j^-1 k_j`, the projection onto `f(x_j) = y_j` along them is
//! `b_j a_j`, `b_j = e_j / q_j`, `q_j = k_j . a_j`. The step is `eta` times their mean, extrapolated by
//! `sum_j w |b_j a_j|^2 / |sum_j w b_j a_j|^2`; with equal `w` these cancel, and `alpha += eta L c` with
//! `c = sum_j b_j a_j` and `L = sum_j b_j^2 q_j / c^T K c`. Where projections nearly cancel, `L` is large:
//! the step amplifies rounding errors, and is not made once `c^T K c` is nothing else.

use super::Method;
use crate::error::Result;
use crate::online::presets::Plan;
use crate::online::state::basis::Basis;
use crate::online::state::inverse::Packed;
use crate::online::state::recent::Recent;
use crate::online::state::selection::{select, solve};
use crate::online::state::step_size::sound;
use crate::online::step::Step;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Share of `(sum_j |b_j a_j|)^2` below which `c^T K c` is rounding error.
const ROUNDING: f64 = 1e-14;

/// Projections along the nearest vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Phypass {
    eta: f64,
    mu0: f64,
    active: usize,
    basis: Basis,
    /// Gram matrix of the dictionary.
    gram: Packed,
    recent: Recent,
    #[serde(skip)]
    buffers: Buffers,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    order: Vec<usize>,
    local: Packed,
    k: Vec<f64>,
    a: Vec<f64>,
    row: Vec<f64>,
    /// `c`, as many numbers as vectors.
    sum: Vec<f64>,
    touched: Vec<usize>,
}

impl Phypass {
    /// An empty one.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        Ok(Self {
            eta: values.number("eta")?,
            mu0: values.number("mu0")?,
            active: values.count("active")?,
            basis: Basis::new(plan)?,
            gram: Packed::default(),
            recent: Recent::new(values.count("tau")?),
            buffers: Buffers::default(),
        })
    }

    /// Sums the projections of the recent samples into the buffers. Returns `sum_j b_j^2 q_j` and
    /// `sum_j |b_j| sqrt(q_j)`.
    fn project(&mut self) -> (f64, f64) {
        let Buffers { order, local, k, a, row, sum, touched } = &mut self.buffers;
        let m = self.basis.len();
        sum.clear();
        sum.resize(m, 0.0);
        touched.clear();
        let (mut squares, mut lengths) = (0.0, 0.0);
        for past in self.recent.samples() {
            let count = select(order, self.active, |i| past.k[i], m);
            let chosen = &order[..count];
            local.clear();
            for (n, &i) in chosen.iter().enumerate() {
                row.clear();
                row.extend(chosen[..n].iter().map(|&j| self.gram.get(i, j)));
                local.push(row, self.gram.diagonal(i));
            }
            k.clear();
            k.extend(chosen.iter().map(|&i| past.k[i]));
            if !solve(local, k, a) {
                continue;
            }
            let q = dot(k, a);
            let b = (past.y - dot(&past.k, &self.basis.dictionary.alpha)) / q;
            if q > 0.0 && sound(b) && sound(b * b * q) {
                squares += b * b * q;
                lengths += b.abs() * q.sqrt();
                chosen.iter().zip(a.iter()).for_each(|(&i, a)| sum[i] += b * a);
                touched.extend_from_slice(chosen);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        (squares, lengths)
    }

    /// The extrapolated step; false if it cannot be made.
    fn update(&mut self) -> bool {
        let (squares, lengths) = self.project();
        let Buffers { sum, touched, .. } = &self.buffers;
        let product = |&i: &usize| -> f64 { touched.iter().map(|&j| self.gram.get(i, j) * sum[j]).sum() };
        let length: f64 = touched.iter().map(|i| sum[*i] * product(i)).sum();
        if squares == 0.0 {
            return true;
        }
        let factor = self.eta * squares / length;
        let usable = length > ROUNDING * lengths * lengths && sound(factor) && sound(factor * length.sqrt());
        if usable {
            axpy(factor, sum, &mut self.basis.dictionary.alpha);
        }
        usable
    }
}

impl Method for Phypass {
    method_on_basis!();

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        let mut step = self.basis.present(x, y);
        if step.refused {
            return step;
        }
        self.recent.push(x, y, &self.basis.k);
        step.admitted = self.basis.len() == 0 || self.basis.coherence() < self.mu0;
        if step.admitted {
            self.gram.push(&self.basis.k, self.basis.kxx);
            self.basis.push(x, 0.0);
            self.recent.vector_entered(|past| self.basis.dictionary.eval(past, x));
        }
        let usable = self.update();
        step.projected = usable && !step.admitted;
        step.refused = !usable;
        step
    }

    fn memory_bytes(&self) -> usize {
        self.basis.dictionary.memory_bytes() + self.gram.memory_bytes() + self.recent.memory_bytes()
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.gram.check(self.basis.len())?;
        self.recent.check(self.basis.len(), dimension)?;
        self.basis.dictionary.check(dimension)
    }
}
