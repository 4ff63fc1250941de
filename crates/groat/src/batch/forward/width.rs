//! The width of the kernel by validation (system C6).
//!
//! Every width of a grid is tried: the selection is run and judged by its leave-one-out errors, or by errors on
//! folds that it did not see. The smallest error wins, or, with the one-standard-error rule, the smallest model
//! among those whose error is within one standard error of the smallest. From the best shared width a
//! coordinate search over one width per feature can follow.

use super::ols::Ols;
use crate::batch::{Fitted, Problem, Progress, Quiet, Target, Trial, Watch};
use crate::error::{Error, Result, check_positive};
use crate::expansion::winner;
use crate::kernels::{Kernel, Width};
use crate::matrix::{Matrix, PointSet, Points};
use crate::tune::typical_distance;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use std::fmt;

/// How a width is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// By the leave-one-out errors of the selected model: one fit per width. They were minimised by the
    /// selection, so they flatter; error rates do so most.
    LeaveOneOut,
    /// By the errors on each of so many parts of the data, of models fitted to the other parts.
    Folds(usize),
}

/// A search for the width.
#[derive(Clone, Debug, PartialEq)]
pub struct WidthSearch {
    widths: Vec<f64>,
    validation: Option<Validation>,
    one_standard_error: bool,
    per_feature: bool,
    rows: usize,
}

impl Default for WidthSearch {
    fn default() -> Self {
        Self {
            widths: Vec::new(),
            validation: None,
            one_standard_error: false,
            per_feature: false,
            rows: 2000,
        }
    }
}

/// Error of a setting on data that it was not fitted to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgement {
    pub mean: f64,
    pub standard_error: f64,
    pub size: f64,
}

impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validation::LeaveOneOut => f.write_str("leave-one-out"),
            Validation::Folds(folds) => write!(f, "{folds}-fold cross-validation"),
        }
    }
}

impl WidthSearch {
    /// Ten widths around the median distance of the rows; leave-one-out for regression, five folds for classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The widths to try.
    #[must_use]
    pub fn widths(mut self, widths: Vec<f64>) -> Self {
        self.widths = widths;
        self
    }

    /// How a width is judged.
    #[must_use]
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = Some(validation);
        self
    }

    /// Prefers the smallest model within one standard error of the best.
    #[must_use]
    pub fn one_standard_error(mut self, yes: bool) -> Self {
        self.one_standard_error = yes;
        self
    }

    /// Goes on to one width per feature.
    #[must_use]
    pub fn per_feature(mut self, yes: bool) -> Self {
        self.per_feature = yes;
        self
    }

    /// Rows, drawn at random, that the search uses at most (default 2000).
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// How widths are judged for a target of classes or of numbers.
    pub fn validation_for(&self, classes: bool) -> Validation {
        self.validation.unwrap_or(if classes { Validation::Folds(5) } else { Validation::LeaveOneOut })
    }

    fn check(&self) -> Result<()> {
        self.widths.iter().try_for_each(|w| check_positive("width", *w))?;
        match self.validation {
            Some(Validation::Folds(k)) if k < 2 => Err(Error::parameter("folds", k, "at least 2")),
            _ => Ok(()),
        }
    }

    /// The chosen kernel, and what was tried.
    pub(super) fn choose(
        &self,
        ols: &Ols,
        problem: &Problem<'_>,
        watch: &dyn Watch,
    ) -> Result<(Kernel, Vec<Trial>)> {
        self.check()?;
        if !ols.kernel().is_radial() {
            return Ok((ols.kernel().clone(), Vec::new()));
        }
        let part = Part::new(problem, &self.searched(problem, ols.seed));
        let mut search = Running { search: self, ols, part: &part, watch, trials: Vec::new() };
        let widths =
            if self.widths.is_empty() { width_grid(part.x.view(), ols.seed) } else { self.widths.clone() };
        let total = widths.len();
        let mut tried: Vec<(f64, Judgement)> = Vec::new();
        for (i, &width) in widths.iter().enumerate() {
            let detail = format!("width {width:.4}");
            watch.progress(&Progress { stage: "choosing the width", done: i, total: Some(total), detail });
            let judged = search.judge(Width::Shared(width))?;
            tried.push((width, judged));
            if watch.stop_requested() {
                break;
            }
        }
        let best = pick(&tried, self.one_standard_error);
        let width = match (self.per_feature && !watch.stop_requested(), tried[best]) {
            (false, (width, _)) => Width::Shared(width),
            (true, (width, judged)) => search.per_feature(width, judged)?,
        };
        Ok((ols.kernel().with_width(width), search.trials))
    }

    /// The rows that the search looks at, in random order.
    fn searched(&self, problem: &Problem<'_>, seed: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..problem.x.rows()).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(seed));
        order.truncate(self.rows.max(2));
        order
    }

    /// The model so far of a search that was broken off: that of the rows the search looks at.
    pub(super) fn interrupted(&self, ols: &Ols, problem: &Problem<'_>) -> Result<Fitted> {
        let rows = self.searched(problem, ols.seed);
        let part = Part::new(problem, &rows);
        let problem_part = part.problem()?;
        let mut fitted = ols.run(&problem_part, &Quiet)?.into_fitted(ols, &problem_part)?;
        fitted.stages.iter_mut().for_each(|stage| stage.row = rows[stage.row]);
        fitted.interrupted = true;
        let (used, all) = (rows.len(), problem.x.rows());
        fitted.notes.push(format!(
            "stopped on request while the width was being chosen; fitted to {used} of {all} rows with the best \
             width so far"
        ));
        Ok(fitted)
    }
}

/// The index of the chosen setting.
pub(super) fn pick<T>(tried: &[(T, Judgement)], one_standard_error: bool) -> usize {
    let by = |key: fn(&Judgement) -> f64, among: &dyn Fn(&Judgement) -> bool| {
        (0..tried.len())
            .filter(|&i| among(&tried[i].1))
            .min_by(|&a, &b| key(&tried[a].1).total_cmp(&key(&tried[b].1)))
            .unwrap_or(0)
    };
    let best = by(|j| j.mean, &|_| true);
    if !one_standard_error {
        return best;
    }
    let limit = tried[best].1.mean + tried[best].1.standard_error;
    by(|j| j.size, &|j| j.mean <= limit)
}

struct Running<'a> {
    search: &'a WidthSearch,
    ols: &'a Ols,
    part: &'a Part,
    watch: &'a dyn Watch,
    trials: Vec<Trial>,
}

impl Running<'_> {
    fn judge(&mut self, width: Width) -> Result<Judgement> {
        let kernel = self.ols.kernel().with_width(width);
        let ols = self.ols.with_kernel(kernel.clone());
        let problem = self.part.problem()?;
        let judged = match self.search.validation_for(matches!(problem.target, Target::Classes { .. })) {
            Validation::LeaveOneOut => {
                let outcome = ols.run(&problem, &Quiet)?;
                judgement(&outcome.losses(&problem.target), outcome.size() as f64)
            }
            Validation::Folds(folds) => by_folds(&ols, &problem, folds)?,
        };
        self.trials.push(Trial { kernel, ridge: 0.0, score: judged.mean });
        Ok(judged)
    }

    /// Coordinate search: each feature's width is doubled or halved while that lowers the error, then by
    /// factors of the square root of two.
    fn per_feature(&mut self, start: f64, judged: Judgement) -> Result<Width> {
        let features = self.part.x.view().require_dense("dense rows for a width per feature")?.cols();
        let mut widths = vec![start; features];
        let mut best = judged;
        for factor in [2.0, 2.0, std::f64::consts::SQRT_2] {
            for k in 0..features {
                for step in [factor, 1.0 / factor] {
                    if self.watch.stop_requested() {
                        return Ok(Width::PerFeature(widths));
                    }
                    let detail = format!("error {:.4}", best.mean);
                    let (stage, done) = ("choosing a width per feature", k);
                    self.watch.progress(&Progress { stage, done, total: Some(features), detail });
                    let mut trial = widths.clone();
                    trial[k] *= step;
                    let judged = self.judge(Width::PerFeature(trial.clone()))?;
                    if judged.mean < best.mean {
                        (widths, best) = (trial, judged);
                        break;
                    }
                }
            }
        }
        Ok(Width::PerFeature(widths))
    }
}

/// Losses of the samples of each fold under the model of the other folds. The rows are in random order already.
fn by_folds(ols: &Ols, problem: &Problem<'_>, folds: usize) -> Result<Judgement> {
    let n = problem.x.rows();
    let folds = folds.min(n);
    let (mut losses, mut size) = (Vec::with_capacity(n), 0.0);
    for fold in 0..folds {
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| i % folds != fold);
        let train = Part::new(problem, &inside);
        let train_problem = train.problem()?;
        let fitted = ols.run(&train_problem, &Quiet)?.into_fitted(ols, &train_problem)?;
        size += fitted.model.size() as f64 / folds as f64;
        let test = Part::new(problem, &outside);
        let values = fitted.model.values(test.x.view().to_matrix().view())?;
        losses.extend(test.losses(&values));
    }
    Ok(judgement(&losses, size))
}

pub(super) fn judgement(losses: &[f64], size: f64) -> Judgement {
    let n = losses.len() as f64;
    let mean = losses.iter().sum::<f64>() / n;
    let variance = losses.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    Judgement { mean, standard_error: (variance / n).sqrt(), size }
}

/// Some of the rows of a problem, owned.
struct Part {
    x: PointSet,
    values: Option<Matrix>,
    codes: Option<(Vec<usize>, usize)>,
    weights: Option<Vec<f64>>,
}

impl Part {
    fn new(problem: &Problem<'_>, rows: &[usize]) -> Self {
        let (values, codes) = match problem.target {
            Target::Values(y) => (Some(y.select(rows)), None),
            Target::Classes { codes, count } => {
                (None, Some((rows.iter().map(|&r| codes[r]).collect(), count)))
            }
            Target::Density => (None, None),
        };
        let weights = problem.weights.map(|w| rows.iter().map(|&r| w[r]).collect());
        Self { x: problem.x.select(rows), values, codes, weights }
    }

    fn problem(&self) -> Result<Problem<'_>> {
        let target = match (&self.values, &self.codes) {
            (Some(values), _) => Target::Values(values.view()),
            (_, Some((codes, count))) => Target::Classes { codes, count: *count },
            _ => Target::Density,
        };
        Problem { x: self.x.view(), target, weights: self.weights.as_deref() }.checked()
    }

    /// Squared error (mean over outputs) or 1 for a wrong class, sample by sample.
    fn losses(&self, values: &Matrix) -> Vec<f64> {
        (0..values.rows())
            .map(|k| match (&self.values, &self.codes) {
                (Some(y), _) => {
                    let squares = values.row(k).iter().zip(y.row(k)).map(|(a, b)| (a - b).powi(2));
                    squares.sum::<f64>() / y.cols() as f64
                }
                (_, Some((codes, _))) => f64::from(u8::from(winner(values.row(k)) != codes[k])),
                _ => 0.0,
            })
            .collect()
    }
}

/// Ten widths from an eighth of the typical distance between rows upwards, each the root of two times the last.
fn width_grid(x: Points<'_>, seed: u64) -> Vec<f64> {
    let typical = typical_distance(x, seed);
    (0..10).map(|i| typical * 2f64.powf(0.5 * f64::from(i) - 3.0)).collect()
}
