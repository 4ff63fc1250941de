//! Moving vectors to where they serve best.
//!
//! Among all functions of the kernel's space the full machine makes the penalised sum of squares
//! `J(f) = sum w (y - f)^2 + ridge |f|^2` least. Functions of `m` vectors `z` with the best weights reach some `J(z)` above
//! it, and going downhill in `z` brings them nearer to the full machine, but never below: moved vectors cannot follow
//! noise that the full machine would not follow. At the best weights the gradient needs no derivative of theirs.
//!
//! For the Gaussian kernel, in units of its widths, `dk(x, z)/dz = k (x - z)`, so one evaluation costs the `n m^2` of the
//! normal equations and `2 n m d` for the gradient. Other kernels and rows of very many features keep their vectors where they
//! are.

use super::descent::{Slope, minimise};
use super::folds::Stop;
use super::samples::Samples;
use crate::error::Result;
use crate::gram;
use crate::kernels::{Kernel, Width};
use crate::matrix::{Matrix, PointSet, Rows};
use crate::simd;
use groat_linalg::{Cholesky, View, ViewMut, Write, add_self_product, product};

/// No coordinate moves by more than this at a time, in units of the kernel's width.
const REACH: f64 = 1.0;
/// Multiplications that moving may cost: about those of the full machine, within these; with fewer than `LEAST` evaluations
/// it is not begun.
const WORK: std::ops::RangeInclusive<f64> = 3e8..=1.2e10;
const LEAST: usize = 5;
/// Features up to which vectors move: they become dense by it.
const FEATURES: usize = 1000;

/// The vectors of a model on some rows, moved with at most so many evaluations from the start that is best to begin with. The
/// first start is where they stay if they cannot move.
pub(super) fn moved(
    samples: &Samples<'_>,
    rows: &[usize],
    (kernel, ridge): (&Kernel, f64),
    mut starts: Vec<PointSet>,
    evaluations: usize,
    stop: Stop<'_>,
) -> Result<PointSet> {
    let first = starts.swap_remove(0);
    let (m, d) = (first.rows(), samples.x.cols());
    let Kernel::Gaussian { width } = kernel else { return Ok(first) };
    let cost = rows.len() as f64 * ((m + d) * m) as f64;
    let work = (rows.len() as f64).powi(3).clamp(*WORK.start(), *WORK.end());
    let evaluations = evaluations.min((work / cost.max(1.0)) as usize);
    if evaluations < LEAST || m == 0 || d == 0 || d > FEATURES || ridge <= 0.0 {
        return Ok(first);
    }
    let widths: Vec<f64> = (0..d)
        .map(|j| match width {
            Width::Shared(width) => *width,
            Width::PerFeature(widths) => widths[j],
        })
        .collect();
    let place = Placement::new(samples, rows, &widths, ridge);
    let scaled = |start: PointSet| {
        let mut z = start.into_matrix().into_data();
        z.chunks_exact_mut(d).for_each(|z| z.iter_mut().zip(&widths).for_each(|(z, w)| *z /= w));
        z
    };
    let mut z = scaled(first);
    if !starts.is_empty() {
        let value =
            |z: &[f64]| -> Result<f64> { Ok(place.slope(z)?.map_or(f64::INFINITY, |(value, _)| value)) };
        let mut least = value(&z)?;
        for other in starts.into_iter().map(scaled) {
            let found = value(&other)?;
            if found < least {
                (z, least) = (other, found);
            }
        }
    }
    let mut z = minimise(z, REACH, evaluations, stop, |z| place.slope(z))?;
    z.chunks_exact_mut(d).for_each(|z| z.iter_mut().zip(&widths).for_each(|(z, w)| *z *= w));
    Ok(PointSet::from(Matrix::from_vec(z, m, d)?))
}

/// `J` as a function of the vectors.
pub(super) struct Placement {
    /// Rows in units of the widths.
    u: Matrix,
    /// Targets times the roots of the weights, their mean taken out.
    y: Matrix,
    roots: Vec<f64>,
    ridge: f64,
    kernel: Kernel,
}

impl Placement {
    pub(super) fn new(samples: &Samples<'_>, rows: &[usize], widths: &[f64], ridge: f64) -> Self {
        let mut u = samples.points(rows).into_matrix();
        let mut y = samples.y.view().select(rows);
        let roots: Vec<f64> = rows.iter().map(|&row| samples.weights[row].sqrt()).collect();
        let total: f64 = roots.iter().map(|r| r * r).sum();
        let mut level = vec![0.0; y.cols()];
        (0..rows.len()).for_each(|i| simd::axpy(roots[i].powi(2) / total, y.row(i), &mut level));
        for (i, root) in roots.iter().enumerate() {
            u.row_mut(i).iter_mut().zip(widths).for_each(|(u, w)| *u /= w);
            y.row_mut(i).iter_mut().zip(&level).for_each(|(y, level)| *y = root * (*y - level));
        }
        Self { u, y, roots, ridge, kernel: Kernel::gaussian(1.0) }
    }

    /// `J` at some vectors, one after the other, and its gradient.
    pub(super) fn slope(&self, z: &[f64]) -> Result<Slope> {
        let (n, d, q) = (self.u.rows(), self.u.cols(), self.y.cols());
        let m = z.len() / d;
        let vectors = Rows::new(z, d)?;
        let mut k = gram::cross(&self.kernel, self.u.view(), vectors)?;
        let between = gram::matrix(&self.kernel, vectors)?;
        let centred = self.centred(&k);
        let centred = View::row_major(&centred, n, m)?;
        let Some(beta) = self.best(centred, &between)? else { return Ok(None) };
        let beta_view = View::column_major(&beta, m, q)?;
        let mut residual = self.y.data().to_vec();
        product(-1.0, centred, beta_view, Write::Add, ViewMut::row_major(&mut residual, n, q)?)?;
        // Of each pair of row and vector: what a change of their kernel does to J.
        let mut effect = vec![0.0; n * m];
        let to = ViewMut::row_major(&mut effect, n, m)?;
        product(-2.0, View::row_major(&residual, n, q)?, beta_view.t(), Write::Replace, to)?;
        for (i, root) in self.roots.iter().enumerate() {
            let row = k.row_mut(i);
            row.iter_mut().zip(&effect[i * m..(i + 1) * m]).for_each(|(k, e)| *k *= root * e);
        }
        let mut penalty = vec![0.0; m * m];
        let to = ViewMut::row_major(&mut penalty, m, m)?;
        product(1.0, beta_view, beta_view.t(), Write::Replace, to)?;
        penalty.iter_mut().zip(between.data()).for_each(|(p, k)| *p *= self.ridge * k);
        let value = residual.iter().map(|e| e * e).sum::<f64>() + penalty.iter().sum::<f64>();
        if !value.is_finite() {
            return Ok(None);
        }
        penalty.iter_mut().for_each(|p| *p *= 2.0);
        let mut gradient = vec![0.0; m * d];
        let to = ViewMut::row_major(&mut gradient, m, d)?;
        let effects = View::row_major(k.data(), n, m)?;
        product(1.0, effects.t(), View::row_major(self.u.data(), n, d)?, Write::Replace, to)?;
        let to = ViewMut::row_major(&mut gradient, m, d)?;
        product(1.0, View::row_major(&penalty, m, m)?, View::row_major(z, m, d)?, Write::Add, to)?;
        let mut sums: Vec<f64> = penalty.chunks_exact(m).map(|row| row.iter().sum()).collect();
        (0..n).for_each(|i| simd::axpy(1.0, k.row(i), &mut sums));
        for (j, sum) in sums.iter().enumerate() {
            simd::axpy(-sum, &z[j * d..(j + 1) * d], &mut gradient[j * d..(j + 1) * d]);
        }
        Ok(Some((value, gradient)))
    }

    /// Kernels less their weighted means, times the roots of the weights.
    fn centred(&self, k: &Matrix) -> Vec<f64> {
        let total: f64 = self.roots.iter().map(|r| r * r).sum();
        let mut mean = vec![0.0; k.cols()];
        self.roots.iter().enumerate().for_each(|(i, r)| simd::axpy(r * r / total, k.row(i), &mut mean));
        let mut out = k.data().to_vec();
        for (row, root) in out.chunks_exact_mut(k.cols()).zip(&self.roots) {
            row.iter_mut().zip(&mean).for_each(|(v, mean)| *v = root * (*v - mean));
        }
        out
    }

    /// The weights that make `J` least, one column per output; none where the equations cannot be solved.
    fn best(&self, centred: View<'_>, between: &Matrix) -> Result<Option<Vec<f64>>> {
        let (n, m, q) = (centred.rows(), centred.cols(), self.y.cols());
        let mut normal = vec![0.0; m * m];
        add_self_product(centred, &mut normal)?;
        let scale = (0..m).map(|j| normal[j * (m + 1)]).fold(0.0f64, f64::max);
        normal.iter_mut().zip(between.data()).for_each(|(a, k)| *a += self.ridge * k);
        let mut beta = vec![0.0; m * q];
        let to = ViewMut::column_major(&mut beta, m, q)?;
        product(1.0, centred.t(), View::row_major(self.y.data(), n, q)?, Write::Replace, to)?;
        for jitter in [1e-14, 1e-12, 1e-10] {
            let mut matrix = normal.clone();
            (0..m).for_each(|j| matrix[j * (m + 1)] += jitter * scale);
            if let Ok(factor) = Cholesky::factor(matrix, m) {
                factor.solve(&mut beta)?;
                return Ok(Some(beta));
            }
        }
        Ok(None)
    }
}
