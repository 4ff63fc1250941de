//! Passes over the rows: sums over blocks of features, made on all threads and added in order, or made elsewhere.

use super::elsewhere::Elsewhere;
use super::source::{Block, Division, HELD, Owned, Source};
use super::variance;
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result};
use crate::features::{FeatureMap, FoldStatistics, Passing, Precision, Ready};
use crate::matrix::{Points, Rows};
use crate::simd;
use groat_linalg::{View, ViewMut, Write, product};
use rayon::prelude::*;
use std::borrow::Cow;

/// Numbers of a block that goes into a product: large enough for its speed.
pub(super) const HELD_NUMBERS: usize = 1 << 22;
/// Rows whose features one thread makes.
const FILLED: usize = 64;
/// Rows that one thread goes through for one sum.
const PIECE: usize = 1024;
/// Numbers that are multiplied with vectors at a time: few enough for the cache that a core has for itself.
const CACHED_NUMBERS: usize = 1 << 15;
/// Pieces whose sums are held at a time.
const TOGETHER: usize = 64;
/// Up to so many columns products with them are made row by row, while the row is at hand.
const FEW: usize = 4;

/// Rows, the features they are given, and who watches.
pub(super) struct Data<'a> {
    pub source: &'a dyn Source,
    pub map: &'a FeatureMap,
    pub division: Division,
    pub watch: &'a dyn Watch,
    /// The rows are not here: sums over them come from there.
    elsewhere: Option<Elsewhere<'a>>,
}

/// A sum over rows, each with features `phi`, answers `y` and weight `w`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pass {
    /// `sum w phi y'`, `sum w phi`, `sum w y`, `sum w`.
    Moments,
    /// `sum r phi` and `sum r` with `r = w (phi.v - level)`, for columns `v`.
    Covariance { columns: Vec<f64>, levels: Vec<f64> },
    /// `sum r phi`, `sum r` and the sum of the losses, with `r` the slope of the logistic loss at `f = phi.v + constant`.
    Loss { columns: Vec<f64>, constants: Vec<f64> },
    /// `sum r phi` and `sum r` with `r = w p (1 - p) (phi.u + shift)`, `p` the probability at `f`; columns `v`, then `u`.
    Curvature { columns: Vec<f64>, constants: Vec<f64>, shifts: Vec<f64> },
}

impl Pass {
    /// How many numbers the sum has, for `m` features and `q` outputs.
    pub(super) fn length(&self, m: usize, q: usize) -> usize {
        match self {
            Pass::Moments => m * (q + 1) + q + 1,
            Pass::Covariance { .. } | Pass::Curvature { .. } => m * q + q,
            Pass::Loss { .. } => m * q + q + 1,
        }
    }

    /// The sum over the rows of one piece.
    fn of_piece(&self, rows: &Passing<'_>, m: usize, piece: Block<'_>, length: usize) -> Result<Vec<f64>> {
        match rows {
            Passing::Features(ready) => self.of_numbers(m, piece, length, |x, out| ready.fill(x, out)),
            Passing::Kernels(side) => self.of_numbers(m, piece, length, |x, out: &mut [f64]| {
                side.block(x, out);
                Ok(())
            }),
            Passing::Single(side) => self.of_numbers(m, piece, length, |x, out: &mut [f32]| {
                x.dense().into_iter().for_each(|rows| side.block(rows, out));
                Ok(())
            }),
        }
    }

    /// The sum over the rows of one piece, whose features are made a few rows at a time.
    fn of_numbers<T: Feature>(
        &self,
        m: usize,
        piece: Block<'_>,
        length: usize,
        fill: impl Fn(Points<'_>, &mut [T]) -> Result<()>,
    ) -> Result<Vec<f64>> {
        let (rows, height) = (piece.x.rows(), (CACHED_NUMBERS / m.max(1)).clamp(8, PIECE));
        let mut sums = vec![0.0; length];
        let mut features = vec![T::default(); height.min(rows) * m];
        for start in (0..rows).step_by(height) {
            let some = piece.slice(start, (start + height).min(rows));
            let features = &mut features[..some.x.rows() * m];
            fill(some.x, features)?;
            self.add(features, m, some, &mut sums)?;
        }
        Ok(sums)
    }

    /// The same pass for features of which a shift has not been taken.
    fn unshifted(&self, shift: &[f64]) -> Self {
        let along = |columns: &[f64], constants: &[f64], sign: f64| -> Vec<f64> {
            let columns = columns.chunks_exact(shift.len());
            columns.zip(constants).map(|(v, constant)| constant + sign * simd::dot(v, shift)).collect()
        };
        match self {
            Pass::Moments => Pass::Moments,
            Pass::Covariance { columns, levels } => {
                Pass::Covariance { columns: columns.clone(), levels: along(columns, levels, 1.0) }
            }
            Pass::Loss { columns, constants } => {
                Pass::Loss { columns: columns.clone(), constants: along(columns, constants, -1.0) }
            }
            Pass::Curvature { columns, constants, shifts } => Pass::Curvature {
                columns: columns.clone(),
                constants: along(columns, constants, -1.0),
                shifts: along(&columns[columns.len() / 2..], shifts, -1.0),
            },
        }
    }

    /// Adds what the rows of a block contribute; their features stand row by row.
    fn add<T: Feature>(&self, features: &[T], m: usize, block: Block<'_>, out: &mut [f64]) -> Result<()> {
        let q = block.y.cols();
        let (factors, columns) = match self {
            Pass::Moments => (answers_and_ones(block), q + 1),
            Pass::Covariance { columns, levels } => {
                let mut along = times(features, m, columns)?;
                for (i, row) in along.chunks_exact_mut(q).enumerate() {
                    let weight = weight(block.weights, i);
                    row.iter_mut().zip(levels).for_each(|(v, level)| *v = weight * (*v - level));
                }
                (along, q)
            }
            Pass::Loss { columns, constants } => {
                let values = times(features, m, columns)?;
                let (slopes, loss) = slopes(values, constants, block);
                out[m * q + q] += loss;
                (slopes, q)
            }
            Pass::Curvature { columns, constants, shifts } => {
                (curvatures(&times(features, m, columns)?, constants, shifts, block), q)
            }
        };
        let (image, totals) = out.split_at_mut(m * columns);
        for row in factors.chunks_exact(columns) {
            totals.iter_mut().zip(row).for_each(|(total, v)| *total += v);
        }
        add_transposed(features, m, &factors, image)
    }
}

/// The answers and a 1 for every row, times its weight.
fn answers_and_ones(block: Block<'_>) -> Vec<f64> {
    let mut out = Vec::with_capacity(block.y.rows() * (block.y.cols() + 1));
    for (i, y) in block.y.iter().enumerate() {
        let weight = weight(block.weights, i);
        out.extend(y.iter().map(|y| weight * y));
        out.push(weight);
    }
    out
}

/// The slopes of the logistic loss where functions have these values less their constants, and the loss of all rows.
fn slopes(mut values: Vec<f64>, constants: &[f64], block: Block<'_>) -> (Vec<f64>, f64) {
    let mut loss = 0.0;
    for (i, row) in values.chunks_exact_mut(constants.len()).enumerate() {
        let weight = weight(block.weights, i);
        for ((v, constant), sign) in row.iter_mut().zip(constants).zip(block.y.row(i)) {
            let margin = sign * (*v + constant);
            loss += weight * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
            *v = -weight * sign / (1.0 + margin.exp());
        }
    }
    (values, loss)
}

/// The curvatures of the logistic loss times a direction; a row holds the values of all functions, then the direction's.
fn curvatures(values: &[f64], constants: &[f64], shifts: &[f64], block: Block<'_>) -> Vec<f64> {
    let q = constants.len();
    let mut out = Vec::with_capacity(values.len() / 2);
    for (i, row) in values.chunks_exact(2 * q).enumerate() {
        let weight = weight(block.weights, i);
        for c in 0..q {
            let p = 1.0 / (1.0 + (-(row[c] + constants[c])).exp());
            out.push(weight * p * (1.0 - p) * (row[q + c] + shifts[c]));
        }
    }
    out
}

/// Statistics of every part, in one pass. With `discount`, a ridge, rows that landmarks do not explain count less
/// ([`variance::discounts`]).
pub(super) fn statistics(
    rows: &Data<'_>,
    outputs: usize,
    precision: Precision,
    discount: Option<f64>,
) -> Result<FoldStatistics> {
    let (map, division) = (rows.map, rows.division);
    if let Some(elsewhere) = &rows.elsewhere {
        rows.about_to_ask("statistics")?;
        return elsewhere.statistics(map, &division, outputs, precision, discount);
    }
    let m = map.size();
    let mut folds = FoldStatistics::new(division.parts(), m, outputs);
    let height = (HELD_NUMBERS / m.max(1)).clamp(64, 8192);
    let (mut done, mut features) = (0, Vec::new());
    rows.source.each(&mut |block| {
        let ready = map.ready(block.x, precision)?;
        let of = division.of(block.x);
        for part in 0..division.parts() {
            let chosen: Vec<usize> = (0..of.len()).filter(|&i| of[i] == part).collect();
            let owned = (chosen.len() < of.len()).then(|| Owned::select(block, &chosen));
            let some = owned.as_ref().map_or(block, Owned::view);
            let Some(into) = folds.part_mut(part).filter(|_| !chosen.is_empty()) else { continue };
            for start in (0..chosen.len()).step_by(height) {
                if rows.watch.stop_requested() {
                    return Err(Error::Stopped);
                }
                let end = (start + height).min(chosen.len());
                let Block { x, y, weights } = some.slice(start, end);
                match precision {
                    Precision::Double => {
                        features.resize((end - start) * m, 0.0);
                        fill(&ready, x, m, &mut features)?;
                        let discounts = discount
                            .map(|ridge| variance::discounts(map, x, &features, ridge))
                            .transpose()?;
                        let counted = discounts.flatten().map(|counts| times_each(counts, weights));
                        into.push(Rows::new(&features, m)?, y, counted.as_deref().or(weights))?;
                    }
                    Precision::Single => into.push_single(ready.single(x)?, y, weights)?,
                }
                done += end - start;
                rows.watch.progress(&Progress::new("sums over rows", done, rows.source.rows()));
            }
        }
        Ok(())
    })?;
    Ok(folds)
}

/// The features of some rows, one row after the other, on all threads.
fn fill(ready: &Ready<'_>, x: Points<'_>, m: usize, features: &mut [f64]) -> Result<()> {
    features.par_chunks_mut(FILLED * m.max(1)).enumerate().try_for_each(|(k, features)| {
        let start = k * FILLED;
        ready.fill(x.slice(start, (start + FILLED).min(x.rows())), features)
    })
}

impl<'a> Data<'a> {
    pub(super) fn new(
        source: &'a dyn Source,
        map: &'a FeatureMap,
        division: Division,
        watch: &'a dyn Watch,
    ) -> Self {
        Self { source, map, division, watch, elsewhere: source.remote().map(Elsewhere::new) }
    }

    /// Tells that rows elsewhere are about to be summed, unless nobody waits for it any more.
    fn about_to_ask(&self, detail: &str) -> Result<()> {
        let progress = Progress::new("sums over rows elsewhere", 0, self.source.rows());
        self.watch.progress(&Progress { detail: detail.to_owned(), ..progress });
        if self.watch.stop_requested() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Whether passes may take kernels in single precision.
    pub(super) fn passes_in_single(&self) -> bool {
        self.elsewhere.is_none() && self.map.passes_in_single()
    }

    /// A sum over all rows that are not held out, or over all, where `everything`.
    pub(super) fn sum(&self, pass: &Pass, outputs: usize, everything: bool) -> Result<Vec<f64>> {
        self.sum_in(Precision::Double, pass, outputs, everything)
    }

    /// The same with kernels in single precision, where that is wanted and possible; sums are in double either way.
    pub(super) fn sum_in(
        &self,
        precision: Precision,
        pass: &Pass,
        outputs: usize,
        everything: bool,
    ) -> Result<Vec<f64>> {
        let m = self.map.size();
        let length = pass.length(m, outputs);
        if let Some(elsewhere) = &self.elsewhere {
            self.about_to_ask("a pass")?;
            return elsewhere.pass(self.map, &self.division, pass, everything, length);
        }
        let mut total = vec![0.0; length];
        let shift = self.map.remaining_shift();
        let pass = &shift.map_or_else(|| pass.clone(), |shift| pass.unshifted(shift));
        self.source.each(&mut |block| {
            let passing = self.map.passing(block.x, precision)?;
            let held = (!everything && self.division.holds_out()).then(|| {
                let of = self.division.of(block.x);
                let kept: Vec<usize> = (0..of.len()).filter(|&i| of[i] != HELD).collect();
                Owned::select(block, &kept)
            });
            let some = held.as_ref().map_or(block, Owned::view);
            let starts: Vec<usize> = (0..some.x.rows()).step_by(PIECE).collect();
            for group in starts.chunks(TOGETHER) {
                if self.watch.stop_requested() {
                    return Err(Error::Stopped);
                }
                let parts = group.par_iter().map(|&start| {
                    let end = (start + PIECE).min(some.x.rows());
                    pass.of_piece(&passing, m, some.slice(start, end), length)
                });
                let parts: Vec<Vec<f64>> = parts.collect::<Result<_>>()?;
                for part in &parts {
                    total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
                }
            }
            Ok(())
        })?;
        if let Some(shift) = shift {
            let (image, totals) = total.split_at_mut(length / (m + 1) * m);
            for (column, total) in image.chunks_exact_mut(m).zip(totals) {
                simd::axpy(-*total, shift, column);
            }
        }
        Ok(total)
    }
}

/// A number type that features come in.
trait Feature: simd::Lane {
    /// Many of them in double precision.
    fn widened(values: &[Self]) -> Cow<'_, [f64]>;
}

impl Feature for f64 {
    fn widened(values: &[f64]) -> Cow<'_, [f64]> {
        values.into()
    }
}

impl Feature for f32 {
    fn widened(values: &[f32]) -> Cow<'_, [f64]> {
        values.iter().map(|v| f64::from(*v)).collect()
    }
}

/// `F V` for features `F` (row by row) and columns `V`, row by row.
fn times<T: Feature>(features: &[T], m: usize, columns: &[f64]) -> Result<Vec<f64>> {
    let (n, q) = (features.len() / m, columns.len() / m);
    if q <= FEW {
        let along = |row| columns.chunks_exact(m).map(move |column| simd::dot_wide(row, column));
        return Ok(features.chunks_exact(m).flat_map(along).collect());
    }
    let features = &*T::widened(features);
    let mut out = vec![0.0; n * q];
    let to = ViewMut::row_major(&mut out, n, q)?;
    product(1.0, View::row_major(features, n, m)?, View::column_major(columns, m, q)?, Write::Replace, to)?;
    Ok(out)
}

/// Adds `F' R` to columns, for features `F` and numbers `R` that both stand row by row.
fn add_transposed<T: Feature>(features: &[T], m: usize, rows: &[f64], out: &mut [f64]) -> Result<()> {
    let (n, q) = (features.len() / m, out.len() / m);
    if q <= FEW {
        for (some, rows) in features.chunks(4 * m).zip(rows.chunks(4 * q)) {
            // Beyond the last row its factors are 0.
            let row = |i: usize| &some[i.min(some.len() / m - 1) * m..][..m];
            for (c, column) in out.chunks_exact_mut(m).enumerate() {
                let factors = std::array::from_fn(|i| rows.get(i * q + c).copied().unwrap_or(0.0));
                simd::add_rows(&factors, [row(0), row(1), row(2), row(3)], column);
            }
        }
        return Ok(());
    }
    let features = &*T::widened(features);
    let to = ViewMut::column_major(out, m, q)?;
    Ok(product(1.0, View::row_major(features, n, m)?.t(), View::row_major(rows, n, q)?, Write::Add, to)?)
}

/// Factors times weights, where there are weights.
fn times_each(mut factors: Vec<f64>, weights: Option<&[f64]>) -> Vec<f64> {
    factors.iter_mut().zip(weights.unwrap_or_default()).for_each(|(factor, weight)| *factor *= weight);
    factors
}

/// How much row `i` counts.
fn weight(weights: Option<&[f64]>, i: usize) -> f64 {
    weights.map_or(1.0, |weights| weights[i])
}

/// Means and sums of products with the answers.
pub(super) struct Moments {
    /// The weight of the rows.
    pub weight: f64,
    /// The mean of each output.
    pub level: Vec<f64>,
    /// The mean of each feature.
    pub mean: Vec<f64>,
    /// `sum w (phi - mean)(y - level)'`, one column per output.
    pub right: Vec<f64>,
}

impl Moments {
    /// In one pass, in double precision.
    pub(super) fn of(rows: &Data<'_>, q: usize, everything: bool) -> Result<Self> {
        let m = rows.map.size();
        let mut sums = rows.sum(&Pass::Moments, q, everything)?;
        let totals = sums.split_off(m * (q + 1));
        let weight = totals[q];
        let mean: Vec<f64> = sums.split_off(m * q).iter().map(|v| v / weight).collect();
        for (column, total) in sums.chunks_exact_mut(m).zip(&totals) {
            column.iter_mut().zip(&mean).for_each(|(v, mean)| *v -= total * mean);
        }
        Ok(Self { weight, level: totals[..q].iter().map(|v| v / weight).collect(), mean, right: sums })
    }
}

/// `sum w (phi - mean)(phi - mean)' v` for columns `v`.
pub(super) fn covariance_times(
    rows: &Data<'_>,
    precision: Precision,
    mean: &[f64],
    columns: &[f64],
    everything: bool,
) -> Result<Vec<f64>> {
    let (m, q) = (mean.len(), columns.len() / mean.len());
    let levels = columns.chunks_exact(m).map(|v| simd::dot(v, mean)).collect();
    let pass = Pass::Covariance { columns: columns.to_vec(), levels };
    let mut sums = rows.sum_in(precision, &pass, q, everything)?;
    let totals = sums.split_off(m * q);
    for (column, total) in sums.chunks_exact_mut(m).zip(totals) {
        column.iter_mut().zip(mean).for_each(|(v, mean)| *v -= total * mean);
    }
    Ok(sums)
}
