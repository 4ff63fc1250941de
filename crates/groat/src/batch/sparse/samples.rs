//! The rows of a problem as a sparse fit sees them: features, numbers to be met, weights of mean one.

use super::order::Order;
use crate::batch::{Problem, Target};
use crate::error::{Error, Result};
use crate::gram;
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points};
use crate::model::Decision;

/// Margins below this are doubtful, beside codes of -1 and +1.
const SMOOTH: f64 = 0.25;

/// Everything there is to learn from.
pub(in crate::batch) struct Samples<'a> {
    pub x: Points<'a>,
    /// One row per sample: values, or classes as -1 and +1.
    pub y: Matrix,
    /// Mean one.
    pub weights: Vec<f64>,
    pub codes: Option<&'a [usize]>,
    pub order: Order,
    /// Whether folds are stretches of neighbouring rows.
    blocks: bool,
}

/// Losses of some rows, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Losses {
    /// Squared errors, the mean over outputs.
    pub squares: f64,
    /// Wrong classes.
    pub wrong: f64,
    /// Wrong classes, smoothed: a row near the border of its class counts in part, whichever side it is on.
    pub doubt: f64,
    /// Weight of the rows.
    pub weight: f64,
}

impl Losses {
    pub(super) fn add(&mut self, other: &Losses) {
        self.squares += other.squares;
        self.wrong += other.wrong;
        self.doubt += other.doubt;
        self.weight += other.weight;
    }

    pub(super) fn mean_squared(&self) -> f64 {
        self.squares / self.weight
    }

    /// What people look at: root mean square error, or the share of wrong classes.
    pub(super) fn error(&self, classes: bool) -> f64 {
        if classes { self.wrong / self.weight } else { self.mean_squared().sqrt() }
    }
}

impl<'a> Samples<'a> {
    /// `factors` says how much each class counts besides the weights of the rows; all alike when it is empty.
    pub(in crate::batch) fn of(
        problem: &Problem<'a>,
        factors: &[f64],
        seed: u64,
        blocks: bool,
    ) -> Result<Self> {
        let codes = match problem.target {
            Target::Classes { codes, .. } => Some(codes),
            Target::Values(_) => None,
            Target::Density => {
                return Err(Error::parameter("task", "density", "regression or classification"));
            }
        };
        let n = problem.x.rows();
        let factor = |i: usize| codes.and_then(|codes| factors.get(codes[i])).copied().unwrap_or(1.0);
        let raw: Vec<f64> = (0..n).map(|i| problem.weights.map_or(1.0, |w| w[i]) * factor(i)).collect();
        let mean = raw.iter().sum::<f64>() / n as f64;
        let weights = raw.into_iter().map(|w| w / mean).collect();
        let order = Order::of(problem.x, seed);
        Ok(Self { x: problem.x, y: problem.responses(), weights, codes, order, blocks })
    }

    pub(in crate::batch) fn rows(&self) -> usize {
        self.x.rows()
    }

    pub(in crate::batch) fn outputs(&self) -> usize {
        self.y.cols()
    }

    pub(in crate::batch) fn classes(&self) -> bool {
        self.codes.is_some()
    }

    /// The fold of each of `rows`; classes are spread evenly, unless folds are stretches of neighbouring rows.
    pub(super) fn folds(&self, rows: &[usize], count: usize) -> Vec<usize> {
        if self.blocks {
            let mut places: Vec<usize> = (0..rows.len()).collect();
            places.sort_unstable_by_key(|&k| rows[k]);
            let mut folds = vec![0; rows.len()];
            places.iter().enumerate().for_each(|(rank, &k)| folds[k] = rank * count / rows.len());
            return folds;
        }
        let stratum = |row: usize| self.codes.map_or(0, |codes| codes[row]);
        // Copies with different targets, in an order that does not depend on where they stand.
        let target = |row: usize| self.y.row(row).iter().map(|y| y.to_bits()).fold(0, u64::wrapping_add);
        self.order.folds(rows, stratum, target, count)
    }

    /// What an answer to row `i` costs.
    pub(super) fn loss(&self, i: usize, answer: &[f64]) -> Losses {
        let weight = self.weights[i];
        let squares = crate::tune::mean_squared(answer, self.y.row(i));
        let Some(codes) = self.codes else {
            return Losses { squares: weight * squares, weight, ..Losses::default() };
        };
        let wrong = Decision::OneVsRest.class(answer) != codes[i];
        let doubt = 1.0 / (1.0 + (margin(answer, self.y.row(i)) / SMOOTH).exp());
        let wrong = if wrong { weight } else { 0.0 };
        Losses { squares: weight * squares, wrong, doubt: weight * doubt, weight }
    }

    /// The answers of a model of these vectors and weights to some rows.
    pub(super) fn answers(&self, rows: &[usize], model: &Weights, vectors: Points<'_>) -> Result<Matrix> {
        let x = self.x.select(rows);
        let mut out = gram::weighted_sum(&model.kernel, x.view(), vectors, model.weights.view())?;
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&model.bias).for_each(|(out, bias)| *out += bias);
        }
        Ok(out)
    }

    /// The losses of answers to some rows.
    pub(super) fn losses(&self, rows: &[usize], answers: &Matrix) -> Losses {
        let mut total = Losses::default();
        rows.iter().enumerate().for_each(|(k, &row)| total.add(&self.loss(row, answers.row(k))));
        total
    }

    /// Copies of some rows.
    pub(super) fn points(&self, rows: &[usize]) -> PointSet {
        self.x.select(rows)
    }
}

/// How far an answer is on the right side, where the codes of classes are -1 and +1.
fn margin(answer: &[f64], codes: &[f64]) -> f64 {
    if let ([answer], [code]) = (answer, codes) {
        return answer * code;
    }
    let largest = |own: bool| {
        let some = answer.iter().zip(codes).filter(|(_, code)| (**code > 0.0) == own);
        some.fold(f64::NEG_INFINITY, |largest, (answer, _)| largest.max(*answer))
    };
    (largest(true) - largest(false)) / 2.0
}

/// The numbers of a model apart from its vectors.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub kernel: Kernel,
    /// One row per vector.
    pub weights: Matrix,
    pub bias: Vec<f64>,
}
