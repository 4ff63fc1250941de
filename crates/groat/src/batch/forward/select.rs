//! Forward selection: at each stage the candidate with the smallest leave-one-out criterion joins.

use super::basis::{Basis, ROWS};
use super::columns::Columns;
use super::loops;
use super::pool::{Pool, Screen, products};
use crate::simd;
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Candidates that are evaluated exactly at a time.
const BATCH: usize = 8;

/// What is minimised, and on what.
#[derive(Clone, Copy)]
pub(crate) struct Objective<'a> {
    /// One target vector per output, multiplied with the square roots of the sample weights.
    pub targets: &'a [Vec<f64>],
    /// The sample weights, when they are not all one.
    pub weights: &'a [f64],
    /// A constant column, multiplied with the square roots of the weights, that joins first and unpenalised.
    pub constant: Option<&'a [f64]>,
    /// The criterion.
    pub criterion: Criterion<'a>,
    /// Asked in the midst of a stage: with a thousand outputs one takes long.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// The leave-one-out criterion.
#[derive(Clone, Copy)]
pub(crate) enum Criterion<'a> {
    /// Mean square error over samples and outputs.
    MeanSquared,
    /// Share of wrong signs; the one target is minus or plus one. Ties go to the smaller mean square error.
    Sign,
    /// Share of samples whose largest output is not that of their class; one target per class.
    Largest(&'a [usize]),
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// At most so many terms, the constant not counted.
    pub terms: usize,
    /// Stages in a row that may fail to go below the best criterion before the selection ends.
    pub patience: usize,
}

/// Why a selection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The leave-one-out criterion stopped falling.
    Criterion,
    /// The largest allowed number of terms was reached.
    MaxTerms,
    /// No independent candidate was left.
    Exhausted,
    /// The caller asked for it.
    Requested,
}

/// One line on the state of a selection.
pub(crate) fn state(terms: usize, error: f64) -> String {
    let s = if terms == 1 { "" } else { "s" };
    // Errors have the unit of the target, so that small ones need an exponent.
    if (1e-3..1e6).contains(&error) {
        format!("{terms} term{s}, leave-one-out error {error:.4}")
    } else {
        format!("{terms} term{s}, leave-one-out error {error:.3e}")
    }
}

/// What the user should know about the end of a selection, if anything.
pub(crate) fn stop_note(stop: StopReason) -> Option<&'static str> {
    match stop {
        StopReason::Criterion => None,
        StopReason::MaxTerms => Some("the largest allowed number of terms was reached"),
        StopReason::Exhausted => Some("no independent candidate was left"),
        StopReason::Requested => Some("stopped on request; this is the model so far"),
    }
}

/// The outcome of one forward selection.
pub(crate) struct Selection {
    /// Chosen candidates in order.
    pub terms: Vec<usize>,
    /// The criterion after 0, 1, 2, ... terms, including the stages that patience looked at in vain.
    pub curve: Vec<f64>,
    /// The orthogonal model of the chosen terms, after the constant if there is one.
    pub basis: Basis,
    /// Why it ended.
    pub stop: StopReason,
    /// Exact evaluations that were needed, over all stages.
    pub evaluations: usize,
}

/// What a candidate would give.
#[derive(Clone, Copy, Debug)]
struct Score {
    criterion: f64,
    tie: f64,
    index: usize,
}

impl Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.criterion
            .total_cmp(&other.criterion)
            .then(self.tie.total_cmp(&other.tie))
            .then(self.index.cmp(&other.index))
    }
}

/// A lower bound in a heap.
#[derive(PartialEq)]
struct Bound(f64, usize);
impl Eq for Bound {}
impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// Runs the selection. `lambda` holds one penalty per candidate; `watch` hears the number of terms and the
/// criterion after each stage, and may break it off.
pub(crate) fn select(
    columns: &dyn Columns,
    objective: Objective<'_>,
    lambda: Vec<f64>,
    limits: Limits,
    watch: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Selection {
    let mut search = Search::new(columns, objective, lambda);
    let total: f64 = objective.weights.iter().sum();
    let mut curve = vec![search.criterion() / total];
    let (mut terms, mut kept, mut idle) = (Vec::new(), 0, 0);
    let stop = loop {
        if terms.len() >= limits.terms {
            break StopReason::MaxTerms;
        }
        let found = search.next();
        if (objective.stop)() {
            break StopReason::Requested;
        }
        let Some(best) = found else {
            break StopReason::Exhausted;
        };
        search.accept(best.index);
        terms.push(best.index);
        let value = search.criterion() / total;
        if value < curve[kept] {
            kept = terms.len();
            idle = 0;
        } else {
            idle += 1;
        }
        curve.push(value);
        if idle > limits.patience {
            break StopReason::Criterion;
        }
        if watch(kept, curve[kept]).is_break() {
            break StopReason::Requested;
        }
    };
    terms.truncate(kept);
    let constant = usize::from(objective.constant.is_some());
    search.basis.truncate(kept + constant, objective.targets);
    Selection { terms, curve, basis: search.basis, stop, evaluations: search.evaluations }
}

struct Search<'a> {
    columns: &'a dyn Columns,
    /// Set once rounded columns no longer do.
    exact: Option<Box<dyn Columns + 'a>>,
    taken: Vec<usize>,
    objective: Objective<'a>,
    pool: Pool,
    basis: Basis,
    /// Number of basis terms the pool knows of.
    known: usize,
    products: Vec<f64>,
    evaluations: usize,
}

impl<'a> Search<'a> {
    fn new(columns: &'a dyn Columns, objective: Objective<'a>, lambda: Vec<f64>) -> Self {
        let mut basis = Basis::new(objective.targets);
        if let Some(constant) = objective.constant {
            basis.add(constant.to_vec(), Vec::new(), 0.0, objective.targets);
        }
        Self {
            columns,
            exact: None,
            taken: Vec::new(),
            objective,
            pool: Pool::new(columns, objective.targets, lambda, objective.stop),
            basis,
            known: 0,
            products: Vec::new(),
            evaluations: 0,
        }
    }

    /// The criterion of the present model, times the total weight.
    fn criterion(&self) -> f64 {
        let Objective { targets, weights, .. } = self.objective;
        match self.objective.criterion {
            Criterion::MeanSquared => self.basis.loo_squares(),
            // A term of zeros leaves everything as it is.
            Criterion::Sign => {
                let zero = vec![0.0; targets[0].len()];
                loops::sign_errors(
                    &targets[0],
                    &self.basis.residual[0],
                    &self.basis.eta,
                    weights,
                    &zero,
                    0.0,
                    1.0,
                )
            }
            Criterion::Largest(classes) => {
                let zero = vec![0.0; targets[0].len()];
                largest_errors(targets, &self.basis, weights, classes, &zero, &vec![0.0; targets.len()], 1.0)
            }
        }
    }

    /// The best candidate, or none when all are spent.
    fn next(&mut self) -> Option<Score> {
        match self.objective.criterion {
            Criterion::MeanSquared => self.next_bounded(),
            Criterion::Sign | Criterion::Largest(_) => self.next_scanned(),
        }
    }

    /// One pass over the columns for the newest term (if the pool does not know it yet) and for `v`.
    fn pass(&mut self, v: &[Vec<f64>]) -> (usize, usize) {
        let newest = usize::from(self.known < self.basis.len());
        let mut vectors: Vec<&[f64]> = Vec::with_capacity(newest + v.len());
        if newest == 1 {
            vectors.push(&self.basis.columns[self.basis.len() - 1]);
        }
        vectors.extend(v.iter().map(Vec::as_slice));
        let stride = vectors.len();
        if stride > 0 {
            self.products.resize(self.columns.count() * stride, 0.0);
            let columns = self.exact.as_deref().unwrap_or(self.columns);
            products(columns, &vectors, &mut self.products, self.objective.stop);
        }
        if newest == 1 {
            self.pool.downdate(&self.basis.terms, self.known, &self.products, stride);
            self.known = self.basis.len();
        }
        if self.exact.is_none()
            && self.pool.imprecise(self.columns.rounding())
            && let Some(exact) = self.columns.exact()
        {
            let (targets, stop) = (self.objective.targets, self.objective.stop);
            self.pool = self.pool.rebuilt(&*exact, targets, &self.basis, &self.taken, stop);
            self.exact = Some(exact);
            return self.pass(v);
        }
        (stride, newest)
    }

    /// Exact evaluation in the order of the lower bound, until the bound passes the best exact value.
    fn next_bounded(&mut self) -> Option<Score> {
        let eta = &self.basis.eta;
        let v: Vec<Vec<f64>> = self
            .basis
            .residual
            .iter()
            .map(|eps| eps.iter().zip(eta).map(|(e, h)| e / (h * h)).collect())
            .collect();
        let (stride, offset) = self.pass(&v);
        let screen = Screen {
            s0: self.basis.loo_squares(),
            overlaps: v
                .iter()
                .map(|v| self.basis.columns.par_iter().map(|w| simd::dot(w, v)).collect())
                .collect(),
            sizes: v.iter().map(|v| (simd::dot(v, v) / v.len() as f64).sqrt()).collect(),
            products: &self.products,
            stride,
            offset,
            rounding: self.exact.as_deref().unwrap_or(self.columns).rounding(),
        };
        let bounds = self.pool.bounds(&screen);
        let mut heap: BinaryHeap<Reverse<Bound>> =
            bounds.into_iter().map(|(b, j)| Reverse(Bound(b, j))).collect();
        let mut best: Option<Score> = None;
        loop {
            let limit = best.map_or(f64::INFINITY, |b| b.criterion);
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH
                && let Some(Reverse(bound)) = heap.peek()
                && bound.0 <= limit
            {
                batch.push(bound.1);
                heap.pop();
            }
            if batch.is_empty() || (self.objective.stop)() {
                return best;
            }
            self.evaluations += batch.len();
            best = best.into_iter().chain(self.scores(&batch)).min_by(Score::cmp);
        }
    }

    /// Exact leave-one-out sums of squares. All candidates are worked on over the same few rows, so that the
    /// basis is read once for all of them.
    fn scores(&self, batch: &[usize]) -> Vec<Score> {
        let Objective { targets, .. } = self.objective;
        let n = self.columns.rows();
        let coefficients: Vec<Vec<f64>> = batch.iter().map(|&j| self.pool.coefficients(j)).collect();
        let starts: Vec<usize> = (0..n).step_by(ROWS).collect();
        // Per candidate w'w and w'y_c over the rows, and w itself.
        let stride = 1 + targets.len();
        let formed: Vec<(Vec<f64>, Vec<f64>)> = starts
            .par_iter()
            .map(|&start| {
                let len = ROWS.min(n - start);
                let (mut sums, mut pieces) = (vec![0.0; batch.len() * stride], vec![0.0; batch.len() * len]);
                for (i, w) in pieces.chunks_exact_mut(len).enumerate() {
                    self.columns.piece(batch[i], start, w);
                    loops::project_out(&self.basis.columns, start, &coefficients[i], w);
                    sums[i * stride] = simd::dot(w, w);
                    for (c, y) in targets.iter().enumerate() {
                        sums[i * stride + 1 + c] = simd::dot(w, &y[start..start + len]);
                    }
                }
                (sums, pieces)
            })
            .collect();
        let mut sums = vec![0.0; batch.len() * stride];
        formed.iter().for_each(|(part, _)| simd::axpy(1.0, part, &mut sums));
        let d: Vec<f64> =
            batch.iter().enumerate().map(|(i, &j)| sums[i * stride] + self.pool.lambda(j)).collect();
        let squares: Vec<Vec<f64>> = starts
            .par_iter()
            .zip(&formed)
            .map(|(&start, (_, pieces))| {
                let len = ROWS.min(n - start);
                let rows = start..start + len;
                let square = |(i, w): (usize, &[f64])| {
                    let output = |c: usize| {
                        let (eps, eta) =
                            (&self.basis.residual[c][rows.clone()], &self.basis.eta[rows.clone()]);
                        loops::loo_squares(eps, eta, w, sums[i * stride + 1 + c] / d[i], d[i])
                    };
                    (0..targets.len()).map(output).sum::<f64>()
                };
                pieces.chunks_exact(len).enumerate().map(square).collect()
            })
            .collect();
        let mut totals = vec![0.0; batch.len()];
        squares.iter().for_each(|part| simd::axpy(1.0, part, &mut totals));
        let scored = batch.iter().zip(totals).enumerate();
        let independent = scored.filter(|(i, (j, _))| self.pool.independent(**j, sums[i * stride]));
        independent
            .map(|(_, (&index, total))| Score {
                criterion: if total.is_nan() { f64::INFINITY } else { total },
                tie: 0.0,
                index,
            })
            .collect()
    }

    /// Every living candidate: a misclassification rate has no such bound.
    fn next_scanned(&mut self) -> Option<Score> {
        self.pass(&[]);
        let n = self.columns.rows();
        let alive: Vec<usize> = self.pool.alive().collect();
        self.evaluations += alive.len();
        alive
            .par_chunks(BATCH)
            .map_init(
                || vec![0.0; n],
                |w, block| {
                    let mut best: Option<Score> = None;
                    for &j in block.iter().take_while(|_| !(self.objective.stop)()) {
                        self.columns.rough_column(j, w);
                        let score = self.errors(j, w, best.as_ref());
                        best = best.into_iter().chain(score).min_by(Score::cmp);
                    }
                    best
                },
            )
            .flatten()
            .min_by(Score::cmp)
    }

    /// Orthogonalises `w` and returns `d` and the weights `g` it would get; none for a dependent column.
    fn prepare(&self, j: usize, w: &mut [f64]) -> Option<(f64, Vec<f64>)> {
        loops::project_out(&self.basis.columns, 0, &self.pool.coefficients(j), w);
        let energy = simd::dot(w, w);
        let d = energy + self.pool.lambda(j);
        self.pool
            .independent(j, energy)
            .then(|| (d, self.objective.targets.iter().map(|y| simd::dot(w, y) / d).collect()))
    }

    fn loo_squares(&self, w: &[f64], d: f64, g: &[f64]) -> f64 {
        let sum: f64 = self
            .basis
            .residual
            .iter()
            .zip(g)
            .map(|(eps, &g)| loops::loo_squares(eps, &self.basis.eta, w, g, d))
            .sum();
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    /// Misclassification with candidate `j`; the tie breaker is computed only when it can matter.
    fn errors(&self, j: usize, w: &mut [f64], best: Option<&Score>) -> Option<Score> {
        let (d, g) = self.prepare(j, w)?;
        let Objective { targets, weights, criterion, .. } = self.objective;
        let basis = &self.basis;
        let count = match criterion {
            Criterion::Largest(classes) => largest_errors(targets, basis, weights, classes, w, &g, d),
            _ => loops::sign_errors(&targets[0], &basis.residual[0], &basis.eta, weights, w, g[0], d),
        };
        let matters = best.is_none_or(|b| count <= b.criterion);
        let tie = if matters { self.loo_squares(w, d, &g) } else { f64::INFINITY };
        Some(Score { criterion: count, tie, index: j })
    }

    fn accept(&mut self, j: usize) {
        let mut column = vec![0.0; self.columns.rows()];
        self.columns.column(j, &mut column);
        self.basis.add(column, self.pool.coefficients(j), self.pool.lambda(j), self.objective.targets);
        self.pool.remove(j);
        self.taken.push(j);
    }
}

/// The weight of the samples whose own class does not have the largest leave-one-out output once `w` joins.
///
/// The leave-one-out output of class `c` is `y_c - eps_c / eta`; multiplied by `eta > 0` it keeps its order.
fn largest_errors(
    targets: &[Vec<f64>],
    basis: &Basis,
    weights: &[f64],
    classes: &[usize],
    w: &[f64],
    g: &[f64],
    d: f64,
) -> f64 {
    let mut wrong = 0.0;
    for k in 0..w.len() {
        let rest = basis.eta[k] - w[k] * w[k] / d;
        let output = |c: usize| targets[c][k] * rest - (basis.residual[c][k] - g[c] * w[k]);
        let own = output(classes[k]);
        if (0..g.len()).any(|c| c != classes[k] && output(c) >= own) {
            wrong += weights[k];
        }
    }
    wrong
}
