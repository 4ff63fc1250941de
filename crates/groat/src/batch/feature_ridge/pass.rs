//! Passes over the rows: sums over blocks of features, made on all threads and added in order.

use super::source::{Block, Division, HELD, Owned, Source};
use crate::batch::{Progress, Watch};
use crate::error::{Error, Result};
use crate::features::{FeatureMap, FoldStatistics, Precision};
use groat_linalg::{View, ViewMut, Write, product};
use rayon::prelude::*;

/// Numbers of a block that goes into a product: large enough for its speed.
pub(super) const HELD_NUMBERS: usize = 1 << 22;
/// Numbers of a block that is multiplied with vectors: few enough for a cache.
const CACHED_NUMBERS: usize = 1 << 17;
/// Blocks whose sums are held at a time.
const TOGETHER: usize = 64;

/// Rows, the features they are given, and who watches.
pub(super) struct Data<'a> {
    pub source: &'a dyn Source,
    pub map: &'a FeatureMap,
    pub division: Division,
    pub watch: &'a dyn Watch,
}

/// Statistics of every part, in one pass.
pub(super) fn statistics(rows: &Data<'_>, outputs: usize, precision: Precision) -> Result<FoldStatistics> {
    let (map, division) = (rows.map, rows.division);
    let m = map.size();
    let mut folds = FoldStatistics::new(division.parts(), m, outputs);
    let height = (HELD_NUMBERS / m.max(1)).clamp(64, 8192);
    let mut done = 0;
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
                let (x, y) = (some.x.slice(start, end), some.y.slice(start, end));
                let weights = some.weights.map(|weights| &weights[start..end]);
                match precision {
                    Precision::Double => into.push(ready.matrix(x)?.view(), y, weights)?,
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

impl Data<'_> {
    /// Adds up what `visit(features, block, sums)` adds to `length` numbers, over all rows that are not held out (or all,
    /// where `everything`). Features stand row by row.
    pub(super) fn sum(
        &self,
        length: usize,
        everything: bool,
        visit: impl Fn(&[f64], Block<'_>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Vec<f64>> {
        let m = self.map.size();
        let height = (CACHED_NUMBERS / m.max(1)).clamp(16, 1024);
        let mut total = vec![0.0; length];
        self.source.each(&mut |block| {
            let ready = self.map.ready(block.x, Precision::Double)?;
            let held = (!everything && self.division.holds_out()).then(|| {
                let of = self.division.of(block.x);
                let kept: Vec<usize> = (0..of.len()).filter(|&i| of[i] != HELD).collect();
                Owned::select(block, &kept)
            });
            let some = held.as_ref().map_or(block, Owned::view);
            let starts: Vec<usize> = (0..some.x.rows()).step_by(height).collect();
            for group in starts.chunks(TOGETHER) {
                if self.watch.stop_requested() {
                    return Err(Error::Stopped);
                }
                let parts = group.par_iter().map(|&start| -> Result<Vec<f64>> {
                    let end = (start + height).min(some.x.rows());
                    let piece = Block {
                        x: some.x.slice(start, end),
                        y: some.y.slice(start, end),
                        weights: some.weights.map(|weights| &weights[start..end]),
                    };
                    let mut features = vec![0.0; (end - start) * m];
                    ready.fill(piece.x, &mut features)?;
                    let mut sums = vec![0.0; length];
                    visit(&features, piece, &mut sums)?;
                    Ok(sums)
                });
                let parts: Vec<Vec<f64>> = parts.collect::<Result<_>>()?;
                for part in &parts {
                    total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
                }
            }
            Ok(())
        })?;
        Ok(total)
    }
}

/// `F V` for features `F` (row by row) and columns `V`, row by row.
pub(super) fn times(features: &[f64], m: usize, columns: &[f64]) -> Result<Vec<f64>> {
    let (n, q) = (features.len() / m, columns.len() / m);
    let mut out = vec![0.0; n * q];
    let to = ViewMut::row_major(&mut out, n, q)?;
    product(1.0, View::row_major(features, n, m)?, View::column_major(columns, m, q)?, Write::Replace, to)?;
    Ok(out)
}

/// Adds `F' R` to columns, for features `F` and numbers `R` that both stand row by row.
pub(super) fn add_transposed(features: &[f64], m: usize, rows: &[f64], out: &mut [f64]) -> Result<()> {
    let (n, q) = (features.len() / m, out.len() / m);
    let to = ViewMut::column_major(out, m, q)?;
    Ok(product(1.0, View::row_major(features, n, m)?.t(), View::row_major(rows, n, q)?, Write::Add, to)?)
}

/// How much row `i` counts.
pub(super) fn weight(weights: Option<&[f64]>, i: usize) -> f64 {
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
        let mut sums = rows.sum(m * (q + 1) + q + 1, everything, |features, block, out| {
            let (image, totals) = out.split_at_mut(m * (q + 1));
            let mut right = Vec::with_capacity(block.x.rows() * (q + 1));
            for (i, y) in block.y.iter().enumerate() {
                let weight = weight(block.weights, i);
                right.extend(y.iter().map(|y| weight * y));
                right.push(weight);
            }
            for row in right.chunks_exact(q + 1) {
                totals.iter_mut().zip(row).for_each(|(total, v)| *total += v);
            }
            add_transposed(features, m, &right, image)
        })?;
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
    mean: &[f64],
    columns: &[f64],
    everything: bool,
) -> Result<Vec<f64>> {
    let (m, q) = (mean.len(), columns.len() / mean.len());
    let levels: Vec<f64> = columns.chunks_exact(m).map(|v| crate::simd::dot(v, mean)).collect();
    let mut sums = rows.sum(m * q + q, everything, |features, block, out| {
        let mut along = times(features, m, columns)?;
        let (image, totals) = out.split_at_mut(m * q);
        for (i, row) in along.chunks_exact_mut(q).enumerate() {
            let weight = weight(block.weights, i);
            for ((v, level), total) in row.iter_mut().zip(&levels).zip(totals.iter_mut()) {
                *v = weight * (*v - level);
                *total += *v;
            }
        }
        add_transposed(features, m, &along, image)
    })?;
    let totals = sums.split_off(m * q);
    for (column, total) in sums.chunks_exact_mut(m).zip(totals) {
        column.iter_mut().zip(mean).for_each(|(v, mean)| *v -= total * mean);
    }
    Ok(sums)
}
