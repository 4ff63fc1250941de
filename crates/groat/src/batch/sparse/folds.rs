//! A kernel judged on folds: models of all candidates, and paths of growing models.

use super::path::path;
use super::samples::{Losses, Samples, Weights};
use super::sums::{Normal, Sums};
use crate::error::Result;
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use groat_linalg::Cholesky;
use rayon::prelude::*;

/// Rows over which the shift is averaged.
const SHIFT_ROWS: usize = 256;
/// Rows of a fold that errors are measured on.
const MEASURED: usize = 5000;
/// Rows that go through a triangular solve together.
const BLOCK: usize = 512;

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
        let parts = self.parts.iter().map(sums).collect::<Result<Vec<_>>>()?;
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

    /// The errors on every fold of models of all candidates, fitted to the other folds. None where the equations
    /// cannot be solved.
    pub(super) fn judge(&self, table: &Table, ridge: f64) -> Result<Option<Losses>> {
        let each = (0..self.parts.len()).into_par_iter().map(|fold| {
            let outside = self.outside(fold);
            let equations = || table.rests[fold].normal(table.between.data(), &outside, ridge);
            let Some((normal, factor)) = factor(equations) else { return Ok(None) };
            let weights = table.weights(&normal, &factor, &outside)?;
            let rows = self.measured(fold);
            let vectors =
                self.samples.points(&outside.iter().map(|&j| self.candidates[j]).collect::<Vec<_>>());
            Ok(Some(self.samples.losses(&rows, &self.samples.answers(&rows, &weights, vectors.view())?)))
        });
        let each: Vec<Option<Losses>> = each.collect::<Result<_>>()?;
        let mut total = Losses::default();
        for losses in each {
            match losses {
                Some(losses) if losses.squares.is_finite() => total.add(&losses),
                _ => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// The errors on every fold of models of 0, 1, 2, ... terms, chosen and fitted on the other folds.
    pub(super) fn curve(
        &self,
        table: &Table,
        ridge: f64,
        most: usize,
        stop: Stop<'_>,
    ) -> Result<Vec<Losses>> {
        let each = (0..self.parts.len()).into_par_iter().map(|fold| {
            let outside = self.outside(fold);
            let mut normal = table.rests[fold].normal(table.between.data(), &outside, ridge);
            normal.fill();
            let found = path(&normal, most, stop);
            let terms: Vec<usize> = found.terms.iter().map(|&k| outside[k]).collect();
            let mean: Vec<f64> = found.terms.iter().map(|&k| normal.mean[k]).collect();
            let growing = Growing {
                kernel: &table.kernel,
                vectors: self.samples.points(&terms.iter().map(|&j| self.candidates[j]).collect::<Vec<_>>()),
                centre: terms.iter().zip(&mean).map(|(&j, mean)| table.shift[j] + mean).collect(),
                factor: submatrix(&normal, &found.terms),
                weights: found.weights,
                level: normal.level,
            };
            growing.losses(self.samples, &self.measured(fold))
        });
        let curves: Vec<Vec<Losses>> = each.collect::<Result<_>>()?;
        let length = curves.iter().map(Vec::len).max().unwrap_or(0);
        let mut total = vec![Losses::default(); length];
        for curve in &curves {
            // A path that ended keeps its last model.
            let last = curve.last().copied().unwrap_or_default();
            for (m, total) in total.iter_mut().enumerate() {
                total.add(curve.get(m).unwrap_or(&last));
            }
        }
        Ok(total)
    }

    /// The terms of a model of all folds, as rows.
    pub(super) fn terms(&self, table: &Table, ridge: f64, most: usize, stop: Stop<'_>) -> Vec<usize> {
        let all: Vec<usize> = (0..self.size()).collect();
        let mut normal = table.total.normal(table.between.data(), &all, ridge);
        normal.fill();
        path(&normal, most, stop).terms.into_iter().map(|j| self.candidates[j]).collect()
    }
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

/// Normal equations and their Cholesky factor, with as little as needed on the diagonal; none where even that fails.
/// The matrix goes into the factor, so that it is made anew for another attempt.
pub(super) fn factor(equations: impl Fn() -> Normal) -> Option<(Normal, Cholesky)> {
    for jitter in [0.0, 1e-14, 1e-12, 1e-10] {
        let mut normal = equations();
        let (m, mut matrix) = (normal.size, std::mem::take(&mut normal.matrix));
        (0..m).for_each(|j| matrix[j * (m + 1)] += jitter * normal.scale);
        if let Ok(factor) = Cholesky::factor(matrix, m) {
            return Some((normal, factor));
        }
    }
    None
}

/// Rows and columns of the equations in the given order.
fn submatrix(normal: &Normal, terms: &[usize]) -> Vec<f64> {
    terms.iter().flat_map(|&a| terms.iter().map(move |&b| normal.matrix[a * normal.size + b])).collect()
}

/// A model that grows term by term.
struct Growing<'k> {
    kernel: &'k Kernel,
    vectors: PointSet,
    /// What is taken from the kernels of each term.
    centre: Vec<f64>,
    /// The normal equations of the terms.
    factor: Vec<f64>,
    weights: Vec<Vec<f64>>,
    level: Vec<f64>,
}

impl Growing<'_> {
    /// The losses on some rows after 0, 1, 2, ... terms.
    fn losses(&self, samples: &Samples<'_>, rows: &[usize]) -> Result<Vec<Losses>> {
        let (factor, terms) = self.leading_factor();
        let blocks = rows.par_chunks(BLOCK).map(|rows| -> Result<Vec<Losses>> {
            let mut out = vec![Losses::default(); terms + 1];
            let vectors: Points<'_> = self.vectors.view().slice(0, terms);
            let mut k = gram::cross(self.kernel, samples.points(rows).view(), vectors)?;
            for i in 0..rows.len() {
                k.row_mut(i).iter_mut().zip(&self.centre).for_each(|(v, c)| *v -= c);
            }
            // Rows of kernels one after the other are the columns that the solve takes.
            let mut k = k.into_data();
            if let Some(factor) = &factor {
                factor.solve_lower(&mut k)?;
            }
            let mut answer = self.level.clone();
            for (i, &row) in rows.iter().enumerate() {
                answer.copy_from_slice(&self.level);
                out[0].add(&samples.loss(row, &answer));
                for t in 0..terms {
                    let value = k[i * terms + t];
                    answer.iter_mut().zip(&self.weights[t]).for_each(|(a, g)| *a += value * g);
                    out[t + 1].add(&samples.loss(row, &answer));
                }
            }
            Ok(out)
        });
        let blocks: Vec<Vec<Losses>> = blocks.collect::<Result<_>>()?;
        let mut total = vec![Losses::default(); terms + 1];
        for block in &blocks {
            total.iter_mut().zip(block).for_each(|(total, losses)| total.add(losses));
        }
        Ok(total)
    }

    /// The factor of the first terms, as many as rounding allows.
    fn leading_factor(&self) -> (Option<Cholesky>, usize) {
        let all = self.weights.len();
        let mut terms = all;
        while terms > 0 {
            let matrix = (0..terms * terms).map(|k| self.factor[k / terms * all + k % terms]).collect();
            match Cholesky::factor(matrix, terms) {
                Ok(factor) => return (Some(factor), terms),
                Err(groat_linalg::Error::NotPositiveDefinite { pivot }) => terms = pivot.min(terms - 1),
                Err(_) => break,
            }
        }
        (None, 0)
    }
}
