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

use super::basis::Basis;
use super::columns::Columns;
use crate::simd;

/// A candidate whose orthogonal part has lost this share of its energy is numerically dependent.
const DEPENDENT: f64 = 1e-12;

/// Candidates with their running inner products.
pub(crate) struct Pool {
    outputs: usize,
    start: Vec<f64>,
    energy: Vec<f64>,
    /// `w_j'y_c` at `c * M + j`.
    projection: Vec<f64>,
    lambda: Vec<f64>,
    alive: Vec<bool>,
    /// Row `i` of the coefficients, `a_ij` for all `j`.
    rows: Vec<Vec<f64>>,
}

impl Pool {
    /// All candidates, before any term is chosen. One pass over the columns.
    pub(crate) fn new(columns: &dyn Columns, targets: &[Vec<f64>], lambda: Vec<f64>) -> Self {
        let (m, q) = (columns.count(), targets.len());
        let views: Vec<&[f64]> = targets.iter().map(Vec::as_slice).collect();
        let mut products = vec![0.0; m * q];
        columns.products(&views, &mut products);
        let start = columns.energies().to_vec();
        Self {
            outputs: q,
            energy: start.clone(),
            projection: (0..q * m).map(|i| products[(i % m) * q + i / m]).collect(),
            alive: start.iter().map(|&e| e > 0.0 && e.is_finite()).collect(),
            start,
            lambda,
            rows: Vec::new(),
        }
    }

    /// Candidates that may still be chosen.
    pub(crate) fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.alive.len()).filter(|&j| self.alive[j])
    }

    /// `lambda_j`.
    pub(crate) fn lambda(&self, j: usize) -> f64 {
        self.lambda[j]
    }

    /// True when `energy` is more of the column's own than rounding errors could be.
    pub(crate) fn independent(&self, j: usize, energy: f64) -> bool {
        energy > DEPENDENT * self.start[j]
    }

    /// `a_ij` for all chosen `i`.
    pub(crate) fn coefficients(&self, j: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[j]).collect()
    }

    /// Takes candidate `j` out.
    pub(crate) fn remove(&mut self, j: usize) {
        self.alive[j] = false;
    }

    /// Brings the pool up to date with the newest term of `basis`, given `phi_j'w_n` for every `j` at
    /// `products[j * stride]`.
    pub(crate) fn downdate(&mut self, basis: &Basis, products: &[f64], stride: usize) {
        let (n, m) = (basis.len() - 1, self.energy.len());
        let energy = basis.energy[n];
        let row: Vec<f64> = (0..m).map(|j| products[j * stride] / energy).collect();
        for j in 0..m {
            self.energy[j] -= row[j] * products[j * stride];
            self.alive[j] &= self.independent(j, self.energy[j]);
        }
        for c in 0..self.outputs {
            simd::axpy(-basis.projection[n][c], &row, &mut self.projection[c * m..(c + 1) * m]);
        }
        self.rows.push(row);
    }

    /// The lower bound for every living candidate, as pairs of bound and index.
    ///
    /// `products[j * stride + 1 + c]` is `phi_j'v_c`. `rounding` is the relative error of the numbers the
    /// products were made from; the bounds are lowered by what it can do to them.
    pub(crate) fn bounds(
        &self,
        basis: &Basis,
        v: &[Vec<f64>],
        products: &[f64],
        stride: usize,
        offset: usize,
        rounding: f64,
    ) -> Vec<(f64, usize)> {
        let m = self.energy.len();
        let s0 = basis.loo_squares();
        let mut bound = vec![s0 * (1.0 - 1e-12); m];
        for (c, v) in v.iter().enumerate() {
            let mut t: Vec<f64> = (0..m).map(|j| products[j * stride + offset + c]).collect();
            for (row, w) in self.rows.iter().zip(&basis.columns) {
                simd::axpy(-simd::dot(w, v), row, &mut t);
            }
            let size = simd::dot(v, v).sqrt() / (v.len() as f64).sqrt();
            for j in self.alive() {
                let g = self.projection[c * m + j] / (self.energy[j] + self.lambda[j]);
                let gain = 2.0 * g * t[j] - g * g * self.energy[j];
                // What rounding of the columns can do: to phi'v, and to the downdated inner products, whose
                // relative error grows as the column loses energy.
                let direct = 2.0 * g.abs() * 16.0 * rounding * size * self.start[j].sqrt();
                let downdated = 4.0 * rounding * self.start[j] / self.energy[j] * gain.abs();
                bound[j] -= gain + direct + downdated;
            }
        }
        self.alive().map(|j| (bound[j], j)).collect()
    }
}
