//! What is known of every candidate without forming its orthogonal column.
//!
//! For candidate `j` the pool keeps `w_j'w_j` and `w_j'y`, brought up to date in O(M) when a term joins, and
//! the coefficients `a_ij = w_i'phi_j / w_i'w_i`. From them follows a lower bound of the leave-one-out sum of
//! squares that `j` would give. Because `eta` only shrinks when a term joins,
//!
//! ```text
//! N J_j >= sum_k (eps_k - g w_k)^2 / eta_k^2 >= S0 - 2 g t + g^2 w_j'w_j,
//! S0 = sum_k eps_k^2 / eta_k^2,   t = w_j'v,   v_k = eps_k / eta_k^2,
//! ```
//!
//! with `t = phi_j'v - sum_i a_ij w_i'v`. So one pass over the columns, for `Phi'[w_n, v]`, bounds all
//! candidates; only those whose bound lies below the best exact value have to be formed.

use super::basis::{Basis, Terms};
use super::columns::Columns;
use crate::simd;

/// A candidate whose orthogonal part has lost this share of its energy is numerically dependent.
const DEPENDENT: f64 = 1e-12;

/// An energy below this many rounding errors of the full one counts as imprecise.
const IMPRECISE_BELOW: f64 = 100.0;

/// Candidates with their running inner products.
pub(crate) struct Pool {
    outputs: usize,
    start: Vec<f64>,
    energy: Vec<f64>,
    /// `w_j'y_c` at `c * M + j`.
    projection: Vec<f64>,
    lambda: Vec<f64>,
    dependent: f64,
    alive: Vec<bool>,
    /// Row `i` of the coefficients, `a_ij` for all `j`.
    rows: Vec<Vec<f64>>,
}

/// Vectors that the columns are multiplied with at a time.
const TOGETHER: usize = 32;

/// [`Columns::products`], some vectors at a time where there are many, so that a request to stop is heard. What is left then
/// means nothing.
pub(super) fn products(
    columns: &dyn Columns,
    vectors: &[&[f64]],
    out: &mut [f64],
    stop: &(dyn Fn() -> bool + Sync),
) {
    if vectors.len() <= TOGETHER {
        return columns.products(vectors, out);
    }
    let mut part = vec![0.0; columns.count() * TOGETHER];
    for (k, group) in vectors.chunks(TOGETHER).enumerate() {
        if stop() {
            return;
        }
        let part = &mut part[..columns.count() * group.len()];
        columns.products(group, part);
        for (out, part) in out.chunks_exact_mut(vectors.len()).zip(part.chunks_exact(group.len())) {
            out[k * TOGETHER..][..group.len()].copy_from_slice(part);
        }
    }
}

impl Pool {
    /// All candidates, before any term is chosen. One pass over the columns.
    pub(crate) fn new(
        columns: &dyn Columns,
        targets: &[Vec<f64>],
        lambda: Vec<f64>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let views: Vec<&[f64]> = targets.iter().map(Vec::as_slice).collect();
        let mut with_targets = vec![0.0; columns.count() * targets.len()];
        products(columns, &views, &mut with_targets, stop);
        Self::from_products(columns.energies().to_vec(), &with_targets, targets.len(), lambda, DEPENDENT)
    }

    /// From `phi_j'phi_j` and, at `products[j * outputs + c]`, `phi_j'y_c`. A candidate that has lost all but
    /// the share `dependent` of its energy is out.
    pub(crate) fn from_products(
        start: Vec<f64>,
        products: &[f64],
        outputs: usize,
        lambda: Vec<f64>,
        dependent: f64,
    ) -> Self {
        let m = start.len();
        Self {
            outputs,
            energy: start.clone(),
            projection: (0..outputs * m).map(|i| products[(i % m) * outputs + i / m]).collect(),
            alive: start.iter().map(|&e| e > 0.0 && e.is_finite()).collect(),
            start,
            lambda,
            dependent,
            rows: Vec::new(),
        }
    }

    /// Candidates that may still be chosen.
    pub(crate) fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.alive.len()).filter(|&j| self.alive[j])
    }

    /// `w_j'w_j`.
    pub(crate) fn energy(&self, j: usize) -> f64 {
        self.energy[j]
    }

    /// `w_j'y_c` for every output.
    pub(crate) fn projection(&self, j: usize) -> Vec<f64> {
        (0..self.outputs).map(|c| self.projection[c * self.energy.len() + j]).collect()
    }

    /// `lambda_j`.
    pub(crate) fn lambda(&self, j: usize) -> f64 {
        self.lambda[j]
    }

    /// True when `energy` is more of the column's own than rounding errors could be.
    pub(crate) fn independent(&self, j: usize, energy: f64) -> bool {
        energy > self.dependent * self.start[j]
    }

    /// `a_ij` for all chosen `i`.
    pub(crate) fn coefficients(&self, j: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[j]).collect()
    }

    /// Takes candidate `j` out.
    pub(crate) fn remove(&mut self, j: usize) {
        self.alive[j] = false;
    }

    /// True when rounding of the columns by `rounding` may have spoilt the energies: a fair share of the
    /// candidates is left with so little that the error matters.
    pub(crate) fn imprecise(&self, rounding: f64) -> bool {
        let low =
            (0..self.energy.len()).filter(|&j| self.energy[j] < IMPRECISE_BELOW * rounding * self.start[j]);
        rounding > f64::EPSILON && low.count() * 10 > self.energy.len() + 10 * self.rows.len()
    }

    /// The same pool from exact columns: `taken` are the candidates that were chosen.
    pub(crate) fn rebuilt(
        &self,
        exact: &dyn Columns,
        targets: &[Vec<f64>],
        basis: &Basis,
        taken: &[usize],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let mut pool = Self::new(exact, targets, self.lambda.clone(), stop);
        let views: Vec<&[f64]> = basis.columns.iter().map(Vec::as_slice).collect();
        let mut products = vec![0.0; exact.count() * views.len()];
        exact.products(&views, &mut products);
        for i in 0..views.len() {
            pool.downdate(&basis.terms, i, &products[i..], views.len());
        }
        taken.iter().for_each(|&j| pool.remove(j));
        pool
    }

    /// Brings the pool up to date with term `n`, the first it does not know, given `phi_j'w_n` for every `j` at
    /// `products[j * stride]`.
    pub(crate) fn downdate(&mut self, terms: &Terms, n: usize, products: &[f64], stride: usize) {
        let m = self.energy.len();
        let row: Vec<f64> = (0..m).map(|j| products[j * stride] / terms.energy[n]).collect();
        for j in 0..m {
            self.energy[j] -= row[j] * products[j * stride];
            self.alive[j] &= self.independent(j, self.energy[j]);
        }
        for c in 0..self.outputs {
            simd::axpy(-terms.projection[n][c], &row, &mut self.projection[c * m..(c + 1) * m]);
        }
        self.rows.push(row);
    }

    /// `phi_k'w_j` for every `k`, given `phi_k'phi_j`, where `w_j` is what the terms leave of candidate `j`.
    pub(crate) fn products_with(&self, terms: &Terms, j: usize, products: &[f64]) -> Vec<f64> {
        let mut out = products.to_vec();
        for (row, energy) in self.rows.iter().zip(&terms.energy) {
            simd::axpy(-row[j] * energy, row, &mut out);
        }
        out
    }

    /// A lower bound for every living candidate without a pass over the columns, as pairs of bound and index:
    /// `w_j'v <= w_j'y + |w_j| |v - eps|`. `rest` holds `|v_c - eps_c|`.
    pub(crate) fn bounds_by_products(&self, s0: f64, rest: &[f64]) -> Vec<(f64, usize)> {
        let m = self.energy.len();
        let bound = |j: usize| {
            let (energy, d) = (self.energy[j], self.energy[j] + self.lambda[j]);
            let gain = |(c, rest): (usize, &f64)| {
                let projection = self.projection[c * m + j];
                let g = projection / d;
                let gain = g * (2.0 * projection - g * energy) + 2.0 * g.abs() * energy.sqrt() * rest;
                gain + 4.0 * f64::EPSILON * self.start[j] / energy * gain.abs()
            };
            s0 * (1.0 - 1e-12) - rest.iter().enumerate().map(gain).sum::<f64>()
        };
        self.alive().map(|j| (bound(j), j)).collect()
    }

    /// The lower bound for every living candidate, as pairs of bound and index.
    pub(crate) fn bounds(&self, at: &Screen<'_>) -> Vec<(f64, usize)> {
        let m = self.energy.len();
        let mut bound = vec![at.s0 * (1.0 - 1e-12); m];
        for (c, overlaps) in at.overlaps.iter().enumerate() {
            let mut t: Vec<f64> = (0..m).map(|j| at.products[j * at.stride + at.offset + c]).collect();
            for (row, overlap) in self.rows.iter().zip(overlaps) {
                simd::axpy(-overlap, row, &mut t);
            }
            for j in self.alive() {
                let g = self.projection[c * m + j] / (self.energy[j] + self.lambda[j]);
                let gain = 2.0 * g * t[j] - g * g * self.energy[j];
                // What rounding of the columns can do: to phi'v, and to the downdated inner products, whose
                // relative error grows as the column loses energy.
                let direct = 2.0 * g.abs() * 16.0 * at.rounding * at.sizes[c] * self.start[j].sqrt();
                let downdated = 4.0 * at.rounding * self.start[j] / self.energy[j] * gain.abs();
                bound[j] -= gain + direct + downdated;
            }
        }
        self.alive().map(|j| (bound[j], j)).collect()
    }
}

/// What one pass over the columns yields for the bounds.
pub(crate) struct Screen<'a> {
    /// `S0`.
    pub s0: f64,
    /// `w_i'v_c`: per output, one number per term.
    pub overlaps: Vec<Vec<f64>>,
    /// Root mean square of `v_c`.
    pub sizes: Vec<f64>,
    /// `phi_j'v_c` at `j * stride + offset + c`.
    pub products: &'a [f64],
    /// See `products`.
    pub stride: usize,
    /// See `products`.
    pub offset: usize,
    /// Relative error of the numbers that the products were made from; the bounds are lowered by what it can do.
    pub rounding: f64,
}
