//! A kernel judged on folds: models of all candidates, and the order in which these become vectors.

use super::climb::Part;
use super::path::path;
use super::samples::{Losses, Samples, Weights};
use super::sums::{Normal, Sums};
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use groat_linalg::Cholesky;
use rayon::prelude::*;

/// Rows over which the shift is averaged.
const SHIFT_ROWS: usize = 256;
/// Rows of a fold that errors are measured on.
const MEASURED: usize = 5000;

/// Some rows in folds, and candidates among them.
pub(super) struct Folds<'s, 'a> {
    pub samples: &'s Samples<'a>,
    /// The rows of each fold.
    parts: Vec<Vec<usize>>,
    /// Rows that are candidates.
    pub candidates: Vec<usize>,
    /// The fold that each candidate is in.
    own: Vec<usize>,
    points: PointSet,
}

/// The sums of one kernel.
pub(super) struct Table {
    pub kernel: Kernel,
    shift: Vec<f64>,
    /// The sums over all rows but those of each fold.
    rests: Vec<Sums>,
    total: Sums,
    /// Kernels between candidates.
    between: Matrix,
}

/// Asked now and then whether to end.
pub(super) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

impl<'s, 'a> Folds<'s, 'a> {
    /// The first `count` of the distinct rows are candidates.
    pub(super) fn new(
        samples: &'s Samples<'a>,
        rows: &[usize],
        distinct: &[usize],
        count: usize,
        folds: usize,
    ) -> Self {
        let fold = samples.folds(rows, folds);
        let mut parts = vec![Vec::new(); folds];
        rows.iter().zip(&fold).for_each(|(row, fold)| parts[*fold].push(*row));
        let of_row: std::collections::HashMap<usize, usize> = rows.iter().copied().zip(fold).collect();
        let candidates: Vec<usize> = distinct.iter().copied().take(count).collect();
        let own = candidates.iter().map(|row| of_row.get(row).copied().unwrap_or(folds)).collect();
        let points = samples.points(&candidates);
        Self { samples, parts, candidates, own, points }
    }

    pub(super) fn size(&self) -> usize {
        self.candidates.len()
    }

    /// The sums of a kernel over every fold.
    pub(super) fn table(&self, kernel: &Kernel) -> Result<Table> {
        let points = self.points.view();
        let between = gram::matrix(kernel, points)?;
        // The candidates are drawn at random, so their own kernels tell the mean.
        let drawn = self.size().min(SHIFT_ROWS);
        let mut shift = vec![0.0; self.size()];
        (0..drawn).for_each(|i| crate::simd::axpy(1.0 / drawn as f64, between.row(i), &mut shift));
        let sums = |part: &Vec<usize>| Sums::of(self.samples, part, kernel, points, &shift);
        let parts = self.parts.par_iter().map(sums).collect::<Result<Vec<_>>>()?;
        let total = Sums::total(&parts);
        let rests = if parts.len() > 1 {
            parts.into_iter().map(|part| total.without(part)).collect()
        } else {
            Vec::new()
        };
        Ok(Table { kernel: kernel.clone(), shift, rests, total, between })
    }

    /// Candidates that are not rows of a fold.
    fn outside(&self, fold: usize) -> Vec<usize> {
        (0..self.size()).filter(|&j| self.own[j] != fold).collect()
    }

    /// Some rows of a fold, evenly spread.
    fn measured(&self, fold: usize) -> Vec<usize> {
        let part = &self.parts[fold];
        let step = part.len().div_ceil(MEASURED).max(1);
        part.iter().step_by(step).copied().collect()
    }

    /// The errors on every fold of models of all candidates, fitted to the other folds, and their answers to its rows. None
    /// where the equations cannot be solved.
    pub(super) fn judge(&self, table: &Table, ridge: f64) -> Result<Option<(Losses, Vec<Matrix>)>> {
        let each = (0..self.parts.len()).into_par_iter().map(|fold| {
            let outside = self.outside(fold);
            // With as little as needed on the diagonal.
            let factored = [0.0, 1e-14, 1e-12, 1e-10].iter().find_map(|jitter| {
                let mut normal = table.rests[fold].normal(table.between.data(), &outside, ridge);
                factor(&mut normal, *jitter).map(|factor| (normal, factor))
            });
            let Some((normal, factor)) = factored else { return Ok(None) };
            let weights = table.weights(&normal, &factor, &outside)?;
            let rows = self.measured(fold);
            let vectors =
                self.samples.points(&outside.iter().map(|&j| self.candidates[j]).collect::<Vec<_>>());
            let answers = self.samples.answers(&rows, &weights, vectors.view())?;
            let losses = self.samples.losses(&rows, &answers);
            Ok(losses.squares.is_finite().then_some((losses, answers)))
        });
        let Some(each) = each.collect::<Result<Option<Vec<_>>>>()? else { return Ok(None) };
        let mut total = Losses::default();
        each.iter().for_each(|(losses, _)| total.add(losses));
        Ok(Some((total, each.into_iter().map(|(_, answers)| answers).collect())))
    }

    /// The parts that sizes are judged on: each fold held out once, under the same kernel and ridge.
    pub(super) fn parts(&self, kernel: &Kernel, ridge: f64) -> Vec<Part> {
        let part = |fold: usize| Part {
            train: self
                .parts
                .iter()
                .enumerate()
                .filter(|(k, _)| *k != fold)
                .flat_map(|(_, p)| p)
                .copied()
                .collect(),
            held: self.measured(fold),
            kernel: kernel.clone(),
            ridge,
            order: Vec::new(),
        };
        (0..self.parts.len()).map(part).collect()
    }

    /// The order in which the candidates outside a fold become vectors, at least so many of them: as a selection on the
    /// rows outside takes them.
    pub(super) fn order(
        &self,
        table: &Table,
        ridge: f64,
        fold: usize,
        most: usize,
        stop: Stop<'_>,
    ) -> Vec<usize> {
        let outside = self.outside(fold);
        let rows: Vec<usize> = outside.iter().map(|&j| self.candidates[j]).collect();
        order(table.rests[fold].normal(table.between.data(), &outside, ridge), &rows, most, stop)
    }

    /// The terms of a model of all folds, as rows.
    pub(super) fn terms(&self, table: &Table, ridge: f64, most: usize, stop: Stop<'_>) -> Vec<usize> {
        let all: Vec<usize> = (0..self.size()).collect();
        let mut order =
            order(table.total.normal(table.between.data(), &all, ridge), &self.candidates, most, stop);
        order.truncate(most);
        order
    }
}

/// Rows in the order in which a selection on their normal equations takes them. Where rounding ends it before there are
/// `most`, the others follow as they stand.
pub(super) fn order(mut normal: Normal, rows: &[usize], most: usize, stop: Stop<'_>) -> Vec<usize> {
    normal.fill();
    let mut order: Vec<usize> = path(&normal, most, stop).terms.into_iter().map(|j| rows[j]).collect();
    if order.len() < most {
        let taken: std::collections::HashSet<usize> = order.iter().copied().collect();
        order.extend(rows.iter().filter(|row| !taken.contains(row)));
    }
    order
}

impl Table {
    /// The model that solves the normal equations of some candidates.
    fn weights(&self, normal: &Normal, factor: &Cholesky, chosen: &[usize]) -> Result<Weights> {
        let centre: Vec<f64> =
            chosen.iter().zip(&normal.mean).map(|(&j, mean)| self.shift[j] + mean).collect();
        solved(&self.kernel, normal, factor, &centre)
    }
}

/// The model that solves normal equations; `centre` was taken from the kernels of each term.
pub(super) fn solved(kernel: &Kernel, normal: &Normal, factor: &Cholesky, centre: &[f64]) -> Result<Weights> {
    let (m, q) = (normal.size, normal.level.len());
    let mut beta = normal.right.clone();
    factor.solve(&mut beta)?;
    let mut weights = Matrix::zeros(m, q);
    let mut bias = normal.level.clone();
    for c in 0..q {
        for j in 0..m {
            weights[(j, c)] = beta[c * m + j];
            bias[c] -= beta[c * m + j] * centre[j];
        }
    }
    Ok(Weights { kernel: kernel.clone(), weights, bias })
}

/// The factor of normal equations with some jitter on the diagonal, as a share of their scale; none where that is not
/// enough. The matrix goes into the factor.
pub(super) fn factor(normal: &mut Normal, jitter: f64) -> Option<Cholesky> {
    let (m, mut matrix) = (normal.size, std::mem::take(&mut normal.matrix));
    (0..m).for_each(|j| matrix[j * (m + 1)] += jitter * normal.scale);
    Cholesky::factor(matrix, m).ok()
}
