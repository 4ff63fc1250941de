//! The orthogonal model under construction: `Phi_S = W A`, `y = W g + eps`, and the leave-one-out weights.

use super::loops;
use crate::simd;

/// The chosen terms in orthogonal form, with residuals and leave-one-out weights of every sample.
///
/// With `d_i = w_i'w_i + lambda_i` and `g_i = w_i'y / d_i`, adding a term changes, element by element,
/// `eps <- eps - g w` and `eta <- eta - w^2 / d`; the error at a sample that is left out (with `W` kept) is
/// `eps / eta`. Several outputs share `W` and `eta`.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// `w_i`, each of length `N`.
    pub columns: Vec<Vec<f64>>,
    /// `w_i'w_i`.
    pub energy: Vec<f64>,
    /// `lambda_i`.
    pub lambda: Vec<f64>,
    /// `w_i'y_c`, one inner vector per term.
    pub projection: Vec<Vec<f64>>,
    /// Column `n` of the unit upper triangular `A` above its diagonal: `a_in` for `i < n`.
    pub upper: Vec<Vec<f64>>,
    /// `eps`, one inner vector per output.
    pub residual: Vec<Vec<f64>>,
    /// `eta`.
    pub eta: Vec<f64>,
}

impl Basis {
    /// No terms yet: `eps = y`, `eta = 1`.
    pub(crate) fn new(targets: &[Vec<f64>]) -> Self {
        Self {
            columns: Vec::new(),
            energy: Vec::new(),
            lambda: Vec::new(),
            projection: Vec::new(),
            upper: Vec::new(),
            residual: targets.to_vec(),
            eta: vec![1.0; targets[0].len()],
        }
    }

    /// Number of terms, a constant one included.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// `g_i` of output `c`.
    pub(crate) fn weight(&self, i: usize, c: usize) -> f64 {
        let d = self.energy[i] + self.lambda[i];
        if d > 0.0 { self.projection[i][c] / d } else { 0.0 }
    }

    /// Adds a column. It is orthogonalised twice, because one pass of Gram-Schmidt leaves components of the
    /// size of the rounding errors of the removed part.
    pub(crate) fn add(&mut self, mut w: Vec<f64>, lambda: f64, targets: &[Vec<f64>]) {
        let mut above = vec![0.0; self.len()];
        for _ in 0..2 {
            // Modified Gram-Schmidt: each coefficient from what the previous ones left.
            for i in 0..self.len() {
                let a = simd::dot(&self.columns[i], &w) / self.energy[i];
                simd::axpy(-a, &self.columns[i], &mut w);
                above[i] += a;
            }
        }
        self.push(w, above, lambda, targets);
    }

    fn push(&mut self, w: Vec<f64>, above: Vec<f64>, lambda: f64, targets: &[Vec<f64>]) {
        self.energy.push(simd::dot(&w, &w));
        self.lambda.push(lambda);
        self.projection.push(targets.iter().map(|y| simd::dot(&w, y)).collect());
        self.upper.push(above);
        self.columns.push(w);
        self.apply(self.len() - 1);
    }

    /// Takes term `i` out of the residuals and the leave-one-out weights.
    fn apply(&mut self, i: usize) {
        for c in 0..self.residual.len() {
            simd::axpy(-self.weight(i, c), &self.columns[i], &mut self.residual[c]);
        }
        let inverse = 1.0 / (self.energy[i] + self.lambda[i]);
        for (eta, w) in self.eta.iter_mut().zip(&self.columns[i]) {
            *eta -= w * w * inverse;
        }
    }

    /// Keeps the first `terms` terms. Their weights stay as they are, because the columns are orthogonal.
    pub(crate) fn truncate(&mut self, terms: usize, targets: &[Vec<f64>]) {
        if terms >= self.len() {
            return;
        }
        self.columns.truncate(terms);
        self.energy.truncate(terms);
        self.lambda.truncate(terms);
        self.projection.truncate(terms);
        self.upper.truncate(terms);
        self.residual = targets.to_vec();
        self.eta.fill(1.0);
        for i in 0..terms {
            self.apply(i);
        }
    }

    /// Sum over samples and outputs of the squared leave-one-out errors.
    pub(crate) fn loo_squares(&self) -> f64 {
        self.residual
            .iter()
            .map(|eps| eps.iter().zip(&self.eta).map(|(e, h)| (e / h).powi(2)).sum::<f64>())
            .sum()
    }

    /// Sum over samples and outputs of the squared residuals.
    pub(crate) fn squares(&self) -> f64 {
        self.residual.iter().map(|eps| simd::dot(eps, eps)).sum()
    }

    /// The weights of the original columns: the solution of `A beta = g`, one inner vector per output.
    pub(crate) fn original_weights(&self) -> Vec<Vec<f64>> {
        (0..self.residual.len())
            .map(|c| {
                let mut beta: Vec<f64> = (0..self.len()).map(|i| self.weight(i, c)).collect();
                for n in (0..self.len()).rev() {
                    let b = beta[n];
                    simd::axpy(-b, &self.upper[n], &mut beta[..n]);
                }
                beta
            })
            .collect()
    }

    /// `w_j = phi_j - sum_i a_ij w_i` in place, with known coefficients.
    pub(crate) fn project_out(&self, coefficients: &[f64], w: &mut [f64]) {
        loops::project_out(&self.columns, coefficients, w);
    }
}
