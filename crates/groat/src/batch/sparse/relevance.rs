//! One width per feature, by the evidence: of 32 features four may matter, and then one width for all learns nothing.
//!
//! The target is taken for a draw from a Gaussian process around a free constant, with the covariance `s^2 C`,
//! `C = K + ridge / weights`. With `P` the inverse of `C` less what the constant takes of it, and the scale `s` at its best,
//!
//! `-2 log evidence = (n - 1) log y'Py + log det C + log 1'C^-1 1`, up to a number.
//!
//! As `dP = -P dC P`, its change is the inner product of `dC` with `G = P - (n - 1) Pyy'P / y'Py`; for the Gaussian kernel
//! `dC / d log width_f = K (x_f - x_f')^2 / width_f^2`. So one factorisation gives the slope along all widths and the
//! ridge: `O(n^3 + n^2 d)`, on few rows. The widths begin at the shared one and are held near it by a weak prior.

use super::Sparse;
use super::choose::Setting;
use super::descent::{Slope, minimise};
use super::folds::Stop;
use super::samples::Samples;
use crate::error::Result;
use crate::gram;
use crate::kernels::{Kernel, Width};
use crate::matrix::Matrix;
use crate::tune::Search;
use groat_linalg::{Cholesky, View, ViewMut, Write, product};

/// Rows that widths are chosen on, and evaluations that this may take.
pub(in crate::batch) const ROWS: usize = 400;
const EVALUATIONS: usize = 25;
/// Fewer rows than so many for each feature do not tell its width.
pub(in crate::batch) const ROWS_PER_FEATURE: usize = 4;
/// The logarithm of a width moves by at most this at a time.
const REACH: f64 = 1.0;
/// Deviation of the prior of the logarithm of each width, around the shared one.
const PRIOR: f64 = 2.0;
/// A ridge below this, in units of the kernel's diagonal, is lost in rounding; so is a weight beside those of mean one.
const LEAST_RIDGE: f64 = 1e-9;
const LEAST_WEIGHT: f64 = 1e-6;
/// Widths of their own pay where they lower the root mean square error by this share.
pub(in crate::batch) const PAYS: f64 = 0.02;

/// Whether the widths of so many features, chosen on so many rows, are taken for a mean square error that they lower. An
/// error on rows that a number was fitted to is too small by two rows' share for each such number (Akaike).
pub(super) fn pays(settings: &Sparse, (features, rows): (usize, usize), apart: f64, shared: f64) -> bool {
    let flattered = 2.0 * features as f64 / rows.clamp(1, ROWS) as f64;
    settings.per_feature == Some(true) || apart < shared * (1.0 - PAYS).powi(2) * (1.0 - flattered)
}

/// Whether there may be a width for each feature, found by the evidence.
pub(super) fn possible(settings: &Sparse, features: usize, rows: usize) -> bool {
    settings.per_feature != Some(false)
        && settings.widths == Search::Auto
        && matches!(settings.kernel, Kernel::Gaussian { .. })
        && features > 1
        && (settings.per_feature == Some(true) || features * ROWS_PER_FEATURE <= rows.min(ROWS))
}

/// From a shared width and its ridge to a width for each feature, on the first of the rows.
pub(in crate::batch) fn relevance(
    samples: &Samples<'_>,
    rows: &[usize],
    start: &Setting,
    stop: Stop<'_>,
) -> Result<Option<Setting>> {
    let (Some(Width::Shared(width)), true) = (start.kernel.width(), start.ridge > 0.0) else {
        return Ok(None);
    };
    let evidence = Evidence::new(samples, &rows[..rows.len().min(ROWS)], *width);
    let mut at = vec![0.0; samples.x.cols()];
    at.push(start.ridge.ln());
    let found = minimise(at, REACH, EVALUATIONS, stop, |at| evidence.slope(at))?;
    let (ridge, logs) = (found[found.len() - 1].exp().max(LEAST_RIDGE), &found[..found.len() - 1]);
    let widths: Vec<f64> = logs.iter().map(|log| width * log.exp()).collect();
    let sound = widths.iter().chain([&ridge]).all(|value| *value > 0.0 && value.is_finite());
    Ok(sound.then(|| Setting { kernel: start.kernel.with_width(widths), ridge }))
}

/// The evidence as a function of the logarithms of widths, as shares of a shared one, and of the ridge.
pub(super) struct Evidence {
    /// Rows in units of the shared width.
    x: Matrix,
    /// Targets by output, less their means.
    y: Vec<f64>,
    outputs: usize,
    /// One over the weights of the rows.
    noise: Vec<f64>,
}

impl Evidence {
    pub(super) fn new(samples: &Samples<'_>, rows: &[usize], width: f64) -> Self {
        let mut x = samples.points(rows).into_matrix();
        (0..rows.len()).for_each(|i| x.row_mut(i).iter_mut().for_each(|x| *x /= width));
        let (n, outputs) = (rows.len(), samples.outputs());
        let mean = |c: usize| rows.iter().map(|&row| samples.y[(row, c)]).sum::<f64>() / n as f64;
        let column = |c: usize| {
            let mean = mean(c);
            rows.iter().map(move |&row| samples.y[(row, c)] - mean)
        };
        let y = (0..outputs).flat_map(column).collect();
        let noise = rows.iter().map(|&row| 1.0 / samples.weights[row].max(LEAST_WEIGHT)).collect();
        Self { x, y, outputs, noise }
    }

    /// `-2 log evidence` and prior per row, and its gradient.
    pub(super) fn slope(&self, at: &[f64]) -> Result<Slope> {
        let (n, d, q) = (self.x.rows(), self.x.cols(), self.outputs);
        let (logs, ridge) = (&at[..d], at[d].exp());
        let mut u = self.x.clone();
        for i in 0..n {
            u.row_mut(i).iter_mut().zip(logs).for_each(|(u, log)| *u /= log.exp());
        }
        let mut k = gram::matrix(&Kernel::gaussian(1.0), u.view())?;
        let Some((p, determinant)) = self.projected(&k, ridge)? else { return Ok(None) };
        let mut solved = vec![0.0; n * q];
        let to = ViewMut::column_major(&mut solved, n, q)?;
        let projected = View::row_major(&p, n, n)?;
        product(1.0, projected, View::column_major(&self.y, n, q)?, Write::Replace, to)?;
        let squares = self.y.iter().zip(&solved).map(|(y, a)| y * a).sum::<f64>();
        let rows = n as f64;
        let prior = logs.iter().map(|log| (log / PRIOR).powi(2)).sum::<f64>();
        let value = ((rows - 1.0) * squares.ln() + determinant + prior) / rows;
        if !value.is_finite() {
            return Ok(None);
        }
        // G, and its products with the kernels.
        let mut effect = p;
        let to = ViewMut::row_major(&mut effect, n, n)?;
        let a = View::column_major(&solved, n, q)?;
        product(-(rows - 1.0) / squares, a, a.t(), Write::Add, to)?;
        let noise = (0..n).map(|i| effect[i * (n + 1)] * self.noise[i]).sum::<f64>();
        k.data_mut().iter_mut().zip(&effect).for_each(|(k, g)| *k *= g);
        let mut gradient = along(&k, &u)?;
        gradient.iter_mut().zip(logs).for_each(|(g, log)| *g = (*g + 2.0 * log / PRIOR.powi(2)) / rows);
        gradient.push(ridge * noise / rows);
        Ok(Some((value, gradient)))
    }

    /// `P`, and `log det C + log 1'C^-1 1`; none where `C` is not definite.
    fn projected(&self, k: &Matrix, ridge: f64) -> Result<Option<(Vec<f64>, f64)>> {
        let n = k.rows();
        let mut c = k.data().to_vec();
        (0..n).for_each(|i| c[i * (n + 1)] += ridge * self.noise[i]);
        let Ok(factor) = Cholesky::factor(c, n) else { return Ok(None) };
        let mut inverse = vec![0.0; n * n];
        (0..n).for_each(|i| inverse[i * (n + 1)] = 1.0);
        factor.solve(&mut inverse)?;
        let ones: Vec<f64> = inverse.chunks_exact(n).map(|row| row.iter().sum()).collect();
        let total: f64 = ones.iter().sum();
        for (row, one) in inverse.chunks_exact_mut(n).zip(&ones) {
            crate::simd::axpy(-one / total, &ones, row);
        }
        Ok(Some((inverse, factor.log_det() + total.ln())))
    }
}

/// For each column `u` of some rows `sum_ij m_ij (u_i - u_j)^2`, for a symmetric `m`.
fn along(m: &Matrix, u: &Matrix) -> Result<Vec<f64>> {
    let (n, d) = (u.rows(), u.cols());
    let mut mixed = vec![0.0; n * d];
    let to = ViewMut::row_major(&mut mixed, n, d)?;
    product(1.0, View::row_major(m.data(), n, n)?, View::row_major(u.data(), n, d)?, Write::Replace, to)?;
    let mut sums = vec![0.0; d];
    for i in 0..n {
        let total: f64 = m.row(i).iter().sum();
        let both = u.row(i).iter().zip(&mixed[i * d..(i + 1) * d]);
        sums.iter_mut().zip(both).for_each(|(sum, (u, mixed))| *sum += 2.0 * u * (total * u - mixed));
    }
    Ok(sums)
}
