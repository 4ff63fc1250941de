//! The orthogonal model under construction: `Phi_S = W A`, `y = W g + eps`, and the leave-one-out weights.

use super::loops;
use crate::error::Result;
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use crate::simd;
use rayon::prelude::*;

/// Rows that are worked on at a time: the basis over them stays in the second-level cache. Fixed, so that sums do
/// not depend on the number of threads.
pub(super) const ROWS: usize = 1024;

/// The chosen terms in orthogonal form: `Phi_S = W A` without the columns themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// `w_i'w_i`.
    pub energy: Vec<f64>,
    /// `lambda_i`.
    pub lambda: Vec<f64>,
    /// `w_i'y_c`, one inner vector per term.
    pub projection: Vec<Vec<f64>>,
    /// Column `n` of the unit upper triangular `A` above its diagonal: `a_in` for `i < n`.
    pub upper: Vec<Vec<f64>>,
}

impl Terms {
    /// Number of terms, a constant one included.
    pub(crate) fn len(&self) -> usize {
        self.energy.len()
    }

    /// `d_i = w_i'w_i + lambda_i`.
    pub(crate) fn d(&self, i: usize) -> f64 {
        self.energy[i] + self.lambda[i]
    }

    /// `g_i` of output `c`.
    pub(crate) fn weight(&self, i: usize, c: usize) -> f64 {
        let d = self.d(i);
        if d > 0.0 { self.projection[i][c] / d } else { 0.0 }
    }

    /// All `g_i`, one inner vector per term.
    pub(crate) fn weights(&self, outputs: usize) -> Vec<Vec<f64>> {
        (0..self.len()).map(|i| (0..outputs).map(|c| self.weight(i, c)).collect()).collect()
    }

    /// All `d_i`.
    pub(crate) fn penalised_energies(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.d(i)).collect()
    }

    /// Adds a term.
    pub(crate) fn push(&mut self, energy: f64, lambda: f64, projection: Vec<f64>, above: Vec<f64>) {
        self.energy.push(energy);
        self.lambda.push(lambda);
        self.projection.push(projection);
        self.upper.push(above);
    }

    /// Keeps the first `terms` terms. Their weights stay as they are, because the columns are orthogonal.
    pub(crate) fn truncate(&mut self, terms: usize) {
        self.energy.truncate(terms);
        self.lambda.truncate(terms);
        self.projection.truncate(terms);
        self.upper.truncate(terms);
    }

    /// The weights of the original columns: the solution of `A beta = g`, one inner vector per output.
    pub(crate) fn original_weights(&self, outputs: usize) -> Vec<Vec<f64>> {
        (0..outputs)
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

    /// The model: one of `vectors` per term, the first term being a constant if there is a `bias`.
    pub(crate) fn expansion(
        &self,
        kernel: &Kernel,
        vectors: impl Into<PointSet>,
        outputs: usize,
        bias: bool,
    ) -> Result<Expansion> {
        let mut beta = self.original_weights(outputs);
        let constant: Option<Vec<f64>> = bias.then(|| beta.iter_mut().map(|b| b.remove(0)).collect());
        let vectors = vectors.into();
        let size = vectors.rows();
        let weights = (0..size * outputs).map(|i| beta[i % outputs][i / outputs]).collect();
        let model = Expansion::new(kernel.clone(), vectors, Matrix::from_vec(weights, size, outputs)?)?;
        match constant {
            Some(constant) => model.with_bias(constant),
            None => Ok(model),
        }
    }

    /// How much term `i` lowers the sum of squared residuals: `2 g w'y - g^2 w'w` over all outputs.
    fn gain(&self, i: usize) -> f64 {
        let gain = |(c, p): (usize, &f64)| {
            let g = self.weight(i, c);
            2.0 * g * p - g * g * self.energy[i]
        };
        self.projection[i].iter().enumerate().map(gain).sum()
    }

    /// The sum of squared residuals, given that of the targets. Orthogonal terms lower it independently.
    pub(crate) fn squares(&self, targets: f64) -> f64 {
        (0..self.len()).fold(targets, |squares, i| squares - self.gain(i)).max(0.0)
    }

    /// The sum of squared residuals after each term from `first` on, given that after the last.
    pub(crate) fn squares_after(&self, first: usize, last: f64) -> Vec<f64> {
        let mut squares = last;
        let mut curve = vec![0.0; self.len() - first];
        for i in (first..self.len()).rev() {
            curve[i - first] = squares.max(0.0);
            squares += self.gain(i);
        }
        curve
    }
}

/// Terms together with their columns, and the residuals and leave-one-out weights of every sample.
///
/// With `d_i = w_i'w_i + lambda_i` and `g_i = w_i'y / d_i`, adding a term changes, element by element,
/// `eps <- eps - g w` and `eta <- eta - w^2 / d`; the error at a sample that is left out (with `W` kept) is
/// `eps / eta`. Several outputs share `W` and `eta`.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// The terms.
    pub terms: Terms,
    /// `w_i`, each of length `N`.
    pub columns: Vec<Vec<f64>>,
    /// `eps`, one inner vector per output.
    pub residual: Vec<Vec<f64>>,
    /// `eta`.
    pub eta: Vec<f64>,
}

impl Basis {
    /// No terms yet: `eps = y`, `eta = 1`.
    pub(crate) fn new(targets: &[Vec<f64>]) -> Self {
        Self {
            terms: Terms::default(),
            columns: Vec::new(),
            residual: targets.to_vec(),
            eta: vec![1.0; targets[0].len()],
        }
    }

    /// Number of terms, a constant one included.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Adds a column, given what is known of its coefficients. It is orthogonalised twice, because one pass of
    /// Gram-Schmidt leaves components of the size of the rounding errors of the removed part: once with the given
    /// coefficients, then with those of what is left.
    pub(crate) fn add(&mut self, mut w: Vec<f64>, mut above: Vec<f64>, lambda: f64, targets: &[Vec<f64>]) {
        let columns = &self.columns;
        let parts: Vec<Vec<f64>> = w
            .par_chunks_mut(ROWS)
            .enumerate()
            .map(|(c, w)| {
                let rows = c * ROWS..c * ROWS + w.len();
                loops::project_out(columns, rows.start, &above, w);
                columns.iter().map(|column| simd::dot(&column[rows.clone()], w)).collect()
            })
            .collect();
        let mut rest = vec![0.0; self.len()];
        parts.iter().for_each(|part| simd::axpy(1.0, part, &mut rest));
        rest.iter_mut().zip(&self.terms.energy).for_each(|(a, energy)| *a /= energy);
        w.par_chunks_mut(ROWS).enumerate().for_each(|(c, w)| loops::project_out(columns, c * ROWS, &rest, w));
        simd::axpy(1.0, &rest, &mut above);
        self.push(w, above, lambda, targets);
    }

    fn push(&mut self, w: Vec<f64>, above: Vec<f64>, lambda: f64, targets: &[Vec<f64>]) {
        let projection = targets.iter().map(|y| simd::dot(&w, y)).collect();
        self.terms.push(simd::dot(&w, &w), lambda, projection, above);
        self.columns.push(w);
        self.apply(self.len() - 1);
    }

    /// Takes term `i` out of the residuals and the leave-one-out weights.
    fn apply(&mut self, i: usize) {
        for c in 0..self.residual.len() {
            simd::axpy(-self.terms.weight(i, c), &self.columns[i], &mut self.residual[c]);
        }
        let inverse = 1.0 / self.terms.d(i);
        for (eta, w) in self.eta.iter_mut().zip(&self.columns[i]) {
            *eta -= w * w * inverse;
        }
    }

    /// Keeps the first `terms` terms.
    pub(crate) fn truncate(&mut self, terms: usize, targets: &[Vec<f64>]) {
        if terms >= self.len() {
            return;
        }
        self.columns.truncate(terms);
        self.terms.truncate(terms);
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
}
