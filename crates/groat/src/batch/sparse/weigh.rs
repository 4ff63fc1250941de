//! The weights of chosen vectors on all rows.

use super::folds::{factor, solved};
use super::samples::{Samples, Weights};
use super::sums::{Normal, Sums};
use crate::batch::{Batches, ErrorBars, Growth, LeaveOneOut, Orthogonal, Progress, Watch};
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet};
use groat_linalg::{Cholesky, View, ViewMut, Write, product};
use rayon::prelude::*;

/// Rows whose kernels are held at a time.
const BLOCK: usize = 2048;

/// Steps of refinement: normal equations alone lose half of the digits, which a target without noise needs.
const REFINEMENTS: usize = 3;
/// What may be left of the gradient, as a share. Where more is, the next jitter is tried.
const SOLVED: f64 = 1e-7;
/// What is added to the diagonal of the equations, as a share of its largest entry: vectors may almost depend on each other.
const JITTERS: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

/// A model of chosen vectors, and the equations that it solves.
pub(super) struct Weighed {
    pub model: Weights,
    pub vectors: PointSet,
    normal: Normal,
    factor: Cholesky,
    /// What is taken from the kernels of each vector: their mean.
    centre: Vec<f64>,
}

/// Fits the weights of vectors to some rows.
pub(super) fn weigh(
    samples: &Samples<'_>,
    rows: &[usize],
    kernel: &Kernel,
    vectors: PointSet,
    ridge: f64,
) -> Result<Weighed> {
    let basis = Basis::new(kernel, vectors)?;
    let sums = Sums::of(samples, rows, kernel, basis.vectors.view(), &basis.shift)?;
    let mut best: Option<(f64, Weighed)> = None;
    for jitter in JITTERS {
        let Some(mut weighed) = basis.solve(&sums, ridge, jitter)? else { continue };
        let off = weighed.refined(samples, rows, &basis.between, ridge)?;
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, weighed));
        }
        if off < SOLVED {
            break;
        }
    }
    let (_, weighed) = best.ok_or_else(unsolved)?;
    weighed.model.weights.view().check_finite("the weights")?;
    Ok(weighed)
}

fn unsolved() -> Error {
    Error::Numerical {
        what: "the weights of the chosen vectors",
        reason: "their kernels depend on each other; raise the ridge".to_owned(),
    }
}

/// Fits the weights of vectors to data that are read in batches.
pub(super) fn weigh_batches(
    data: &dyn Batches,
    kernel: &Kernel,
    vectors: PointSet,
    (outputs, ridge): (usize, f64),
    watch: &dyn Watch,
) -> Result<Weighed> {
    let basis = Basis::new(kernel, vectors)?;
    let mut sums = Sums::zero(basis.vectors.rows(), outputs);
    let mut read = 0;
    data.read(&mut |x, y| {
        if watch.stop_requested() {
            return Err(Error::Stopped);
        }
        sums.add(kernel, basis.vectors.view(), &basis.shift, x, y, |_| 1.0)?;
        read += x.rows();
        watch.progress(&Progress::new("weights, rows", read, data.rows()));
        Ok(())
    })?;
    let solved = JITTERS.iter().find_map(|jitter| basis.solve(&sums, ridge, *jitter).transpose());
    let weighed = solved.ok_or_else(unsolved)??;
    weighed.model.weights.view().check_finite("the weights")?;
    Ok(weighed)
}

/// Vectors before their weights are known.
struct Basis<'k> {
    kernel: &'k Kernel,
    vectors: PointSet,
    between: Matrix,
    shift: Vec<f64>,
}

impl<'k> Basis<'k> {
    fn new(kernel: &'k Kernel, vectors: PointSet) -> Result<Self> {
        let between = gram::matrix(kernel, vectors.view())?;
        let m = vectors.rows();
        let shift = (0..m).map(|j| between.row(j).iter().sum::<f64>() / m as f64).collect();
        Ok(Self { kernel, vectors, between, shift })
    }

    /// The model that solves the normal equations with some jitter on their diagonal; none where that is not enough.
    fn solve(&self, sums: &Sums, ridge: f64, jitter: f64) -> Result<Option<Weighed>> {
        let all: Vec<usize> = (0..self.vectors.rows()).collect();
        let mut normal = sums.normal(self.between.data(), &all, ridge);
        let Some(factor) = factor(&mut normal, jitter) else { return Ok(None) };
        let centre: Vec<f64> = self.shift.iter().zip(&normal.mean).map(|(s, mean)| s + mean).collect();
        let model = solved(self.kernel, &normal, &factor, &centre)?;
        Ok(Some(Weighed { model, vectors: self.vectors.clone(), normal, factor, centre }))
    }
}

/// The length of a list of numbers.
fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Weighed {
    /// Steps of refinement with residuals of the rows themselves, while they help. Returns what is left of the gradient of
    /// the penalised squares, as a share of what it was without any term.
    fn refined(
        &mut self,
        samples: &Samples<'_>,
        rows: &[usize],
        between: &Matrix,
        ridge: f64,
    ) -> Result<f64> {
        let scale = norm(&self.normal.right).max(f64::MIN_POSITIVE);
        let mut gradient = self.gradient(samples, rows, between, ridge)?;
        for _ in 0..REFINEMENTS {
            if norm(&gradient) < SOLVED * scale {
                break;
            }
            let kept = self.model.clone();
            let mut step = gradient.clone();
            self.factor.solve(&mut step)?;
            let m = self.normal.size;
            for (c, step) in step.chunks_exact(m).enumerate() {
                for (j, step) in step.iter().enumerate() {
                    self.model.weights[(j, c)] += step;
                    self.model.bias[c] -= step * self.centre[j];
                }
            }
            let next = self.gradient(samples, rows, between, ridge)?;
            // Written so that a NaN counts as worse.
            if norm(&next) < norm(&gradient) {
                gradient = next;
            } else {
                self.model = kept;
                break;
            }
        }
        let off = norm(&gradient) / scale;
        Ok(if off.is_finite() { off } else { f64::INFINITY })
    }

    /// Half of the downward gradient of the penalised sum of squares in the weights.
    fn gradient(
        &self,
        samples: &Samples<'_>,
        rows: &[usize],
        between: &Matrix,
        ridge: f64,
    ) -> Result<Vec<f64>> {
        let (m, q) = (self.normal.size, samples.outputs());
        let blocks = rows.par_chunks(BLOCK).map(|rows| -> Result<Vec<f64>> {
            let (k, n) = (self.centred(samples, rows)?, rows.len());
            let answers = samples.answers(rows, &self.model, self.vectors.view())?;
            let residual: Vec<f64> = (0..n * q)
                .map(|at| {
                    let (i, c) = (at / q, at % q);
                    samples.weights[rows[i]] * (samples.y[(rows[i], c)] - answers[(i, c)])
                })
                .collect();
            let mut share = vec![0.0; m * q];
            let to = ViewMut::column_major(&mut share, m, q)?;
            let k = View::row_major(&k, n, m)?;
            product(1.0, k.t(), View::row_major(&residual, n, q)?, Write::Replace, to)?;
            Ok(share)
        });
        let mut gradient = vec![0.0; m * q];
        for share in blocks.collect::<Result<Vec<_>>>()? {
            crate::simd::axpy(1.0, &share, &mut gradient);
        }
        let (k, weights) = (View::row_major(between.data(), m, m)?, self.model.weights.data());
        let to = ViewMut::column_major(&mut gradient, m, q)?;
        product(-ridge, k, View::row_major(weights, m, q)?, Write::Add, to)?;
        Ok(gradient)
    }

    /// The kernels of some rows less their means, row by row.
    fn centred(&self, samples: &Samples<'_>, rows: &[usize]) -> Result<Vec<f64>> {
        let mut k = gram::cross(&self.model.kernel, samples.points(rows).view(), self.vectors.view())?;
        for i in 0..rows.len() {
            k.row_mut(i).iter_mut().zip(&self.centre).for_each(|(v, c)| *v -= c);
        }
        Ok(k.into_data())
    }

    /// What each row is answered when it is left out and the vectors are kept: the residual over one minus the leverage
    /// `w / sum w + w k' A^-1 k`.
    pub(super) fn leave_one_out(&self, samples: &Samples<'_>) -> Result<LeaveOneOut> {
        let all: Vec<usize> = (0..samples.rows()).collect();
        let (m, q) = (self.normal.size, samples.outputs());
        let blocks = all.par_chunks(BLOCK).map(|rows| -> Result<Vec<f64>> {
            let mut k = self.centred(samples, rows)?;
            let answers = samples.answers(rows, &self.model, self.vectors.view())?;
            self.factor.solve_lower(&mut k)?;
            let mut out = Vec::with_capacity(rows.len() * q);
            for (i, &row) in rows.iter().enumerate() {
                let weight = samples.weights[row];
                let own: f64 = k[i * m..(i + 1) * m].iter().map(|v| v * v).sum();
                let free = (1.0 - weight * (own + 1.0 / self.normal.weight)).max(f64::EPSILON);
                let answer = answers.row(i).iter().zip(samples.y.row(row));
                out.extend(answer.map(|(answer, y)| y - (y - answer) / free));
            }
            Ok(out)
        });
        let blocks: Vec<Vec<f64>> = blocks.collect::<Result<_>>()?;
        let predictions = Matrix::from_vec(blocks.concat(), all.len(), q)?;
        let losses = samples.losses(&all, &predictions);
        let error_rate = samples.classes().then(|| losses.error(true));
        Ok(LeaveOneOut::new(losses.mean_squared(), error_rate, predictions))
    }

    /// The orthogonal form: columns of the unit triangle, the constant first, and the penalised energies.
    fn form(&self) -> (Orthogonal, Vec<f64>) {
        let m = self.normal.size;
        let mut upper = vec![Vec::new()];
        let mut energies = vec![self.normal.weight];
        for i in 0..m {
            let mut column = vec![self.centre[i]];
            column.extend((0..i).map(|j| self.factor.lower_entry(i, j) / self.factor.lower_entry(j, j)));
            upper.push(column);
            energies.push(self.factor.lower_entry(i, i).powi(2));
        }
        (Orthogonal::new(true, upper), energies)
    }

    /// How far answers may be off, given the variance of each output's errors.
    pub(super) fn error_bars(&self, noise: Vec<f64>) -> ErrorBars {
        let (form, energies) = self.form();
        ErrorBars::new(form, energies, noise)
    }

    /// What the model answered after each of its terms.
    pub(super) fn growth(&self) -> Result<Growth> {
        let (m, q) = (self.normal.size, self.normal.level.len());
        let mut along = self.normal.right.clone();
        self.factor.solve_lower(&mut along)?;
        let mut weights = vec![self.normal.level.clone()];
        weights.extend(
            (0..m).map(|i| {
                (0..q).map(|c| along[c * m + i] / self.factor.lower_entry(i, i)).collect::<Vec<f64>>()
            }),
        );
        Ok(Growth::new(self.form().0, weights))
    }
}
