//! Kernel ridge regression on landmarks, for all ridges at once.
//!
//! With `R'R` the kernels between `M` landmarks, a row has the features `R'^-1 k`, and ridge regression on them is kernel
//! ridge regression restricted to functions of the landmarks. One eigendecomposition of `M x M` per kernel then gives the
//! leave-one-out errors for all ridges in closed form: the error at a row divided by one minus its leverage. No kernel is
//! squared on the way, so that tiny ridges, as noiseless targets want them, keep their digits.

use super::samples::Samples;
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{PointSet, Points};
use groat_linalg::{Cholesky, Eigen, View, ViewMut, Write, eigh, product, self_product};

/// What keeps the kernels between landmarks definite, as a share of their trace: the least that is enough.
const JITTERS: [f64; 3] = [1e-15, 1e-13, 1e-10];

/// Rows that machines learn from, the landmarks first.
pub(super) struct Sample {
    pub x: PointSet,
    /// Targets by output, multiplied with the roots of the weights, their mean taken out.
    y: Vec<f64>,
    outputs: usize,
    roots: Vec<f64>,
    landmarks: usize,
}

impl Sample {
    /// Some rows, of which the first so many are landmarks.
    pub(super) fn new(samples: &Samples<'_>, rows: &[usize], landmarks: usize) -> Self {
        let roots: Vec<f64> = rows.iter().map(|&row| samples.weights[row].sqrt()).collect();
        let total: f64 = roots.iter().map(|r| r * r).sum();
        let mean = |c: usize| {
            rows.iter().map(|&row| samples.weights[row] * samples.y[(row, c)]).sum::<f64>() / total
        };
        let level: Vec<f64> = (0..samples.outputs()).map(mean).collect();
        let outputs = level.len();
        let value = |(c, k): (usize, usize)| roots[k] * (samples.y[(rows[k], c)] - level[c]);
        let all = (0..samples.outputs()).flat_map(|c| (0..rows.len()).map(move |k| (c, k)));
        let y = all.map(value).collect();
        Self { x: samples.points(rows), y, outputs, landmarks: rows.len().min(landmarks), roots }
    }

    fn rows(&self) -> usize {
        self.roots.len()
    }

    fn landmarks(&self) -> Points<'_> {
        self.x.view().slice(0, self.landmarks)
    }
}

/// All ridges of one kernel.
pub(super) struct Machine<'s> {
    sample: &'s Sample,
    eigen: Eigen,
    /// Features along the eigenvectors, centred and multiplied with the roots of the weights: a column for each.
    rotated: Vec<f64>,
    /// Their products with the targets, one column per output.
    along: Vec<f64>,
}

impl<'s> Machine<'s> {
    /// None where the kernels between landmarks are not definite.
    pub(super) fn new(kernel: &Kernel, sample: &'s Sample) -> Result<Option<Self>> {
        let (n, m, q) = (sample.rows(), sample.landmarks, sample.outputs);
        let k = gram::cross(kernel, sample.x.view(), sample.landmarks())?;
        let Some(factor) = definite(&k.data()[..m * m], m) else { return Ok(None) };
        let mut rows = k.into_data();
        factor.solve_lower(&mut rows)?;
        let features = centred(&rows, &sample.roots, m);
        let features = View::column_major(&features, n, m)?;
        let Ok(eigen) = eigh(&self_product(features), m) else { return Ok(None) };
        let mut rotated = vec![0.0; n * m];
        let to = ViewMut::column_major(&mut rotated, n, m)?;
        product(1.0, features, View::column_major(&eigen.vectors, m, m)?, Write::Replace, to)?;
        let mut along = vec![0.0; m * q];
        let to = ViewMut::column_major(&mut along, m, q)?;
        let view = View::column_major(&rotated, n, m)?;
        product(1.0, view.t(), View::column_major(&sample.y, n, q)?, Write::Replace, to)?;
        Ok(Some(Self { sample, eigen, rotated, along }))
    }

    /// The coefficients of the eigenvectors for a ridge, one column per output.
    fn coefficients(&self, ridge: f64) -> Vec<f64> {
        let inverse: Vec<f64> = self.eigen.values.iter().map(|l| 1.0 / (l.max(0.0) + ridge)).collect();
        let columns = self.along.chunks_exact(inverse.len().max(1));
        columns.flat_map(|column| column.iter().zip(&inverse).map(|(v, d)| v * d)).collect()
    }

    /// The weighted leave-one-out mean square error for every ridge; infinite where it cannot be had.
    pub(super) fn scores(&self, ridges: &[f64]) -> Result<Vec<f64>> {
        let (n, m, q) = (self.sample.rows(), self.sample.landmarks, self.sample.outputs);
        let solved: Vec<f64> = ridges.iter().flat_map(|ridge| self.coefficients(*ridge)).collect();
        let rotated = View::column_major(&self.rotated, n, m)?;
        let mut fitted = vec![0.0; n * q * ridges.len()];
        let to = ViewMut::column_major(&mut fitted, n, q * ridges.len())?;
        product(1.0, rotated, View::column_major(&solved, m, q * ridges.len())?, Write::Replace, to)?;
        let squares: Vec<f64> = self.rotated.iter().map(|v| v * v).collect();
        let inverse: Vec<f64> = ridges
            .iter()
            .flat_map(|ridge| self.eigen.values.iter().map(move |l| 1.0 / (l.max(0.0) + ridge)))
            .collect();
        let mut leverage = vec![0.0; n * ridges.len()];
        let to = ViewMut::column_major(&mut leverage, n, ridges.len())?;
        let squares = View::column_major(&squares, n, m)?;
        product(1.0, squares, View::column_major(&inverse, m, ridges.len())?, Write::Replace, to)?;
        let (roots, y) = (&self.sample.roots, &self.sample.y);
        let total: f64 = roots.iter().map(|r| r * r).sum();
        let score = |(fitted, leverage): (&[f64], &[f64])| {
            let mut sum = 0.0;
            for i in 0..n {
                let free = 1.0 - roots[i].powi(2) / total - leverage[i];
                sum += (0..q).map(|c| ((y[c * n + i] - fitted[c * n + i]) / free).powi(2)).sum::<f64>();
            }
            let mean = sum / (total * q as f64);
            if mean.is_finite() { mean } else { f64::INFINITY }
        };
        Ok(fitted.chunks_exact(n * q).zip(leverage.chunks_exact(n)).map(score).collect())
    }
}

/// The factor of the kernels between landmarks, with as little as needed on the diagonal.
fn definite(between: &[f64], m: usize) -> Option<Cholesky> {
    let trace = (0..m).map(|j| between[j * (m + 1)]).sum::<f64>();
    JITTERS.iter().find_map(|jitter| {
        let mut matrix = between.to_vec();
        (0..m).for_each(|j| matrix[j * (m + 1)] += jitter * trace);
        Cholesky::factor(matrix, m).ok()
    })
}

/// Features of rows of `m` numbers as columns, less their weighted means, times the roots of the weights.
fn centred(rows: &[f64], roots: &[f64], m: usize) -> Vec<f64> {
    let (n, total) = (roots.len(), roots.iter().map(|r| r * r).sum::<f64>());
    let mut mean = vec![0.0; m];
    rows.chunks_exact(m).zip(roots).for_each(|(row, r)| crate::simd::axpy(r * r / total, row, &mut mean));
    let mut columns = vec![0.0; n * m];
    for (j, column) in columns.chunks_exact_mut(n).enumerate() {
        column.iter_mut().enumerate().for_each(|(i, v)| *v = roots[i] * (rows[i * m + j] - mean[j]));
    }
    columns
}
