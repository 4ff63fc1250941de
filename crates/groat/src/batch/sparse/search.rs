//! A first width and ridge: leave-one-out of kernel ridge regression on landmarks, for every width and ridge of a grid.
//!
//! With `R'R` the kernels between `M` landmarks, a row has the features `R'^-1 k`, and ridge regression on them is kernel
//! ridge regression restricted to functions of the landmarks. One eigendecomposition of `M x M` per width then gives the
//! leave-one-out errors for all ridges in closed form: the error at a row divided by one minus its leverage.

use super::samples::Samples;
use crate::batch::Watch;
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::PointSet;
use crate::tune::{Judgement, Ladder, Search, Trial, Trials, best, typical_distance};
use groat_linalg::{Cholesky, View, ViewMut, Write, eigh, product, self_product};

/// Widths of the first automatic grid: the typical distance times `2^(k/2)`.
const FIRST: std::ops::RangeInclusive<i32> = -6..=4;
/// How far the grid may be widened at either end.
const LAST: std::ops::RangeInclusive<i32> = -11..=9;
/// Rows that the grid looks at, and landmarks among them.
const ROWS: usize = 1000;
const LANDMARKS: usize = 120;
/// Ridges, as powers of the root of ten, in units of the kernel's diagonal.
const RIDGES: std::ops::RangeInclusive<i32> = -16..=4;
/// What keeps the kernels between landmarks definite.
const JITTER: f64 = 1e-10;

/// The rows that the search sees, the landmarks first.
struct Sample {
    x: PointSet,
    /// Targets and weights by output, multiplied with the roots of the weights.
    y: Vec<f64>,
    roots: Vec<f64>,
    outputs: usize,
    landmarks: usize,
}

/// Tries widths and ridges on some of the distinct rows given; with `per_feature` it goes on to one width per feature.
pub(super) fn search(
    samples: &Samples<'_>,
    distinct: &[usize],
    kernel: &Kernel,
    (widths, ridges): (&Search, &Search),
    per_feature: bool,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<Trial>> {
    let rows = &distinct[..distinct.len().min(ROWS)];
    let sample = Sample::new(samples, rows);
    let ridges = match ridges {
        Search::Grid(values) => values.clone(),
        _ => grid(kernel, &sample),
    };
    let judge = |kernel: &Kernel| {
        let trial = |(ridge, score): (&f64, f64)| Trial::new(kernel.clone(), *ridge, score);
        Ok(ridges.iter().zip(scores(kernel, &ridges, &sample)?).map(trial).collect())
    };
    let mut trials = Trials::new(watch);
    match widths {
        Search::Grid(widths) => {
            let kernels: Vec<Kernel> = widths.iter().map(|w| kernel.with_width(*w)).collect();
            trials.side_by_side(&kernels, judge)?;
        }
        Search::Auto if kernel.width().is_some() => {
            let ladder = Ladder::new(typical_distance(sample.x.view(), seed), FIRST, LAST);
            let kernels: Vec<Kernel> = ladder.values().iter().map(|w| kernel.with_width(*w)).collect();
            trials.side_by_side(&kernels, judge)?;
            trials.widen(kernel, ladder, judge)?;
        }
        _ => trials.side_by_side(std::slice::from_ref(kernel), judge)?,
    }
    let Some(found) = best(trials.tried()).cloned() else {
        return Err(Error::Numerical {
            what: "choosing the width and the ridge",
            reason: "no leave-one-out error was finite; check the scale of the target".to_owned(),
        });
    };
    if per_feature && kernel.width().is_some() {
        let least = |kernel: &Kernel, _: Option<&Trial>| {
            let mean = scores(kernel, &ridges, &sample)?.into_iter().fold(f64::INFINITY, f64::min);
            Ok(Judgement { mean, standard_error: 0.0, size: 0.0 })
        };
        let each = trials.per_feature(&found, samples.x.cols(), least)?;
        return judge(&each);
    }
    Ok(trials.into_tried())
}

/// Mean of the kernel's diagonal, which ridges are in proportion to.
pub(super) fn diagonal(kernel: &Kernel, x: &PointSet) -> f64 {
    let diagonal = gram::diagonal(kernel, x.view());
    let mean = diagonal.iter().map(|k| k.abs()).sum::<f64>() / diagonal.len().max(1) as f64;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

fn grid(kernel: &Kernel, sample: &Sample) -> Vec<f64> {
    let scale = diagonal(kernel, &sample.x);
    RIDGES.map(|k| scale * 10f64.powf(f64::from(k) / 2.0)).collect()
}

impl Sample {
    fn new(samples: &Samples<'_>, rows: &[usize]) -> Self {
        let roots: Vec<f64> = rows.iter().map(|&row| samples.weights[row].sqrt()).collect();
        let outputs = samples.outputs();
        let value = |(c, k): (usize, usize)| roots[k] * samples.y[(rows[k], c)];
        let y = (0..outputs).flat_map(|c| (0..rows.len()).map(move |k| (c, k))).map(value).collect();
        let landmarks = rows.len().min(LANDMARKS);
        Self { x: samples.points(rows), y, roots, outputs, landmarks }
    }

    fn rows(&self) -> usize {
        self.roots.len()
    }

    /// Takes the weighted mean out of columns of numbers that were multiplied with the roots of the weights.
    fn centre(&self, column: &mut [f64]) {
        let total: f64 = self.roots.iter().map(|r| r * r).sum();
        let mean = column.iter().zip(&self.roots).map(|(v, r)| v * r).sum::<f64>() / total;
        column.iter_mut().zip(&self.roots).for_each(|(v, r)| *v -= mean * r);
    }

    /// The features of every row, centred: one column per landmark, one after the other.
    fn features(&self, kernel: &Kernel) -> Result<Option<Vec<f64>>> {
        let (n, m) = (self.rows(), self.landmarks);
        let x = self.x.view();
        let k = gram::cross(kernel, x, x.slice(0, m))?;
        let mut between = k.data()[..m * m].to_vec();
        let scale = (0..m).map(|j| between[j * (m + 1)]).sum::<f64>();
        (0..m).for_each(|j| between[j * (m + 1)] += JITTER * scale);
        let Ok(factor) = Cholesky::factor(between, m) else { return Ok(None) };
        let mut rows = k.into_data();
        factor.solve_lower(&mut rows)?;
        let mut columns = vec![0.0; n * m];
        for (j, column) in columns.chunks_exact_mut(n).enumerate() {
            column.iter_mut().enumerate().for_each(|(i, v)| *v = self.roots[i] * rows[i * m + j]);
            self.centre(column);
        }
        Ok(Some(columns))
    }
}

/// The weighted leave-one-out mean square error for every ridge; infinite where it cannot be had.
fn scores(kernel: &Kernel, ridges: &[f64], sample: &Sample) -> Result<Vec<f64>> {
    let (n, m, q) = (sample.rows(), sample.landmarks, sample.outputs);
    let Some(features) = sample.features(kernel)? else { return Ok(vec![f64::INFINITY; ridges.len()]) };
    let features = View::column_major(&features, n, m)?;
    let Ok(eigen) = eigh(&self_product(features), m) else { return Ok(vec![f64::INFINITY; ridges.len()]) };
    let mut rotated = vec![0.0; n * m];
    let to = ViewMut::column_major(&mut rotated, n, m)?;
    product(1.0, features, View::column_major(&eigen.vectors, m, m)?, Write::Replace, to)?;
    let mut y = sample.y.clone();
    y.chunks_exact_mut(n).for_each(|column| sample.centre(column));
    let mut along = vec![0.0; m * q];
    let rotated_view = View::column_major(&rotated, n, m)?;
    let to = ViewMut::column_major(&mut along, m, q)?;
    product(1.0, rotated_view.t(), View::column_major(&y, n, q)?, Write::Replace, to)?;
    let inverse: Vec<Vec<f64>> =
        ridges.iter().map(|r| eigen.values.iter().map(|l| 1.0 / (l.max(0.0) + r)).collect()).collect();
    let solved: Vec<f64> = inverse
        .iter()
        .flat_map(|d| along.chunks_exact(m).flat_map(move |c| c.iter().zip(d).map(|(v, d)| v * d)))
        .collect();
    let mut fitted = vec![0.0; n * q * ridges.len()];
    let to = ViewMut::column_major(&mut fitted, n, q * ridges.len())?;
    product(1.0, rotated_view, View::column_major(&solved, m, q * ridges.len())?, Write::Replace, to)?;
    let squares: Vec<f64> = rotated.iter().map(|v| v * v).collect();
    let flat: Vec<f64> = inverse.into_iter().flatten().collect();
    let mut leverage = vec![0.0; n * ridges.len()];
    let to = ViewMut::column_major(&mut leverage, n, ridges.len())?;
    let squares = View::column_major(&squares, n, m)?;
    product(1.0, squares, View::column_major(&flat, m, ridges.len())?, Write::Replace, to)?;
    let total: f64 = sample.roots.iter().map(|r| r * r).sum();
    let score = |(fitted, leverage): (&[f64], &[f64])| {
        let mut sum = 0.0;
        for i in 0..n {
            let free = 1.0 - sample.roots[i].powi(2) / total - leverage[i];
            for c in 0..q {
                sum += ((y[c * n + i] - fitted[c * n + i]) / free).powi(2);
            }
        }
        let mean = sum / (total * q as f64);
        if mean.is_finite() { mean } else { f64::INFINITY }
    };
    Ok(fitted.chunks_exact(n * q).zip(leverage.chunks_exact(n)).map(score).collect())
}
