//! Linear machines on explicit features (system B9): support vector machine, support vector regression and logistic
//! regression, on dense or sparse rows.
//!
//! Minimises `1/2 |w|^2 + cost sum_i w_i loss(y_i, w'x_i + b)` by dual coordinate descent ([`solve`]). The constant `b` is
//! not penalised unless `penalise_bias` asks for it. Several classes have one output each, learnt against all others. The
//! answers of logistic regression are log odds, so that its models know probabilities.
//!
//! **Cost**: a few dozen readings of the numbers that are not 0, often fewer; **memory**: one number per feature and a
//! few per row. For data with very many rows or features, or as the last step on features that were made; where the
//! boundary is curved, a kernel finds more.
//!
//! ```
//! use groat::{Rows, batch::{LinearLoss, LinearMachine, Method, Problem, Quiet}};
//! let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) - 7.0).collect();
//! let codes: Vec<usize> = x.iter().map(|x| usize::from(*x > 2.5)).collect();
//! let problem = Problem::classification(Rows::new(&x, 1)?, &codes, 2)?;
//! let fitted = LinearMachine::new(LinearLoss::Hinge).cost(10.0).fit(&problem, &Quiet)?;
//! assert_eq!(fitted.model.size(), 1);
//! let values = fitted.model.values(Rows::new(&[2.0, 3.0], 1)?)?;
//! assert!((values[(0, 0)] + 1.0).abs() < 0.1 && (values[(1, 0)] - 1.0).abs() < 0.1);
//! # Ok::<(), groat::Error>(())
//! ```

mod build;
mod cost;
mod losses;
mod solve;

pub(in crate::batch) use build::{build_linear_svc, build_linear_svr, build_logistic};
pub use losses::LinearLoss;

use crate::batch::forward::ClassWeights;
use crate::batch::methods::{LINEAR_SVC, LINEAR_SVR, LOGISTIC};
use crate::batch::svm::{EPSILON_SHARE, Stop, check_start, deviation, folds, known, time_limit};
use crate::batch::{
    Estimate, Fitted, Grace, Impatient, Method, Problem, Progress, Sizes, Target, TaskKind, Watch,
};
use crate::error::{Error, Result, check_not_negative, check_positive};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Matrix;
use crate::model::{Calibration, Model, Record};
use crate::tune::{Judgement, Search, Trial, Validation, losses as losses_of, sample_rows, stablest};
use rayon::prelude::*;
use solve::{Output, Solved, Start, solve};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Costs of the automatic grid, in deviations of the target for a regression.
const COSTS: [f64; 6] = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];
/// Rounds of one solution within a search.
const ROUNDS: u64 = 100;
/// Tolerance within a search.
const ROUGH: f64 = 0.05;

/// Parameters of a linear machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinearMachine {
    /// What an error costs.
    pub loss: LinearLoss,
    /// How much errors cost beside large coefficients, when `costs` is [`Search::Fixed`].
    pub cost: f64,
    /// How the cost is found.
    pub costs: Search,
    /// Errors that a regression forgives; a twentieth of the target's deviation where it is not given.
    pub epsilon: Option<f64>,
    /// Whether the constant is kept small like the coefficients.
    pub penalise_bias: bool,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// Violation of the conditions of a solution at which the solver stops, in deviations of the target for a
    /// regression.
    pub tolerance: f64,
    /// Most rounds over the rows.
    pub max_iterations: Option<u64>,
    /// Most seconds of the solver; the model so far is returned with its gap.
    pub max_seconds: Option<f64>,
    /// Parts of the rows on which costs are judged, each left out once.
    pub folds: usize,
    /// The search uses at most this many rows, drawn at random; the fit uses all.
    pub selection_rows: usize,
    /// Seed of every random order.
    pub seed: u64,
}

impl LinearMachine {
    /// The defaults: the cost is searched for.
    pub fn new(loss: LinearLoss) -> Self {
        Self {
            loss,
            cost: 1.0,
            costs: Search::Auto,
            epsilon: None,
            penalise_bias: false,
            class_weights: ClassWeights::Equal,
            tolerance: 1e-3,
            max_iterations: None,
            max_seconds: None,
            folds: 5,
            selection_rows: 5000,
            seed: 0,
        }
    }

    /// This cost and no other.
    #[must_use]
    pub fn cost(self, cost: f64) -> Self {
        Self { cost, costs: Search::Fixed, ..self }
    }

    /// This violation at the end.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn check(&self, problem: &Problem<'_>) -> Result<()> {
        let numbers = self.loss == LinearLoss::Epsilon;
        let fits = match problem.target {
            Target::Values(_) => numbers,
            Target::Classes { .. } => !numbers,
            Target::Density => false,
        };
        if !fits {
            let expected = if numbers { "regression" } else { "classification" };
            return Err(Error::parameter("task", TaskKind::of(&problem.target), expected));
        }
        check_positive("cost", self.cost)?;
        check_positive("tolerance", self.tolerance)?;
        self.costs.check("cost")?;
        self.max_seconds.map_or(Ok(()), |seconds| check_positive("max_time", seconds))?;
        if self.folds < 2 {
            return Err(Error::parameter("folds", self.folds, "at least 2"));
        }
        self.epsilon.map_or(Ok(()), |epsilon| check_not_negative("epsilon", epsilon))
    }

    /// The costs by cross-validation on some of the rows; none where it was given.
    fn search(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<(Vec<Trial>, Option<String>)> {
        let costs: Vec<f64> = match &self.costs {
            Search::Fixed => return Ok((Vec::new(), None)),
            Search::Grid(costs) => costs.clone(),
            Search::Auto => COSTS.map(|cost| cost * deviation(problem)).to_vec(),
        };
        let n = problem.x.rows();
        if n < 2 * self.folds {
            return Err(Error::TooFew {
                what: "cross-validation",
                unit: "rows",
                needed: 2 * self.folds,
                found: n,
            });
        }
        let rows = sample_rows(n, self.selection_rows, self.seed);
        let note = (rows.len() < n).then(|| format!("the cost was chosen on {} of {n} rows", rows.len()));
        let subset = problem.select(&rows);
        let sample = subset.problem()?;
        let (folds, factors) = (folds(&sample, self.folds), self.class_weights.factors(&sample)?);
        let (done, steps) = (AtomicUsize::new(0), costs.len() * folds.len());
        let tell = |cost: f64| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let progress = Progress::new("choosing the cost", done, Some(steps));
            watch.progress(&progress.detail(format!("cost {cost:.4}")));
        };
        let trial = |cost: &f64| {
            let mut rough = Self { tolerance: self.tolerance.max(ROUGH), ..self.clone().cost(*cost) };
            rough.max_iterations = Some(ROUNDS.min(self.max_iterations.unwrap_or(ROUNDS)));
            let mut all = Vec::with_capacity(sample.x.rows());
            for fold in &folds {
                let (train, test) = (sample.select(&fold.train), sample.select(&fold.test));
                let (train, test) = (train.problem()?, test.problem()?);
                let (function, _) = rough.solved(&train, *cost, None, &Impatient(watch))?;
                if watch.stop_requested() {
                    return Err(Error::Stopped);
                }
                all.extend(weighted(losses_of(&test.target, &function.values(test.x)?), &test, &factors));
                tell(*cost);
            }
            let judged = Judgement::of(&all, 1.0);
            let mut trial = Trial::new(Kernel::Linear, 1.0 / cost, judged.mean);
            trial.standard_error = judged.standard_error;
            Ok(trial)
        };
        Ok((costs.par_iter().map(trial).collect::<Result<Vec<Trial>>>()?, note))
    }

    /// What there is to show where the search was broken off: the machine of a usual cost, as far as it comes in a moment.
    fn hurried(&self, problem: &Problem<'_>) -> Result<Fitted> {
        let grace = Grace::new();
        // The first step has been taken: nothing but the time counts.
        grace.progress(&Progress::new("search", 1, None));
        let mut fitted = self.clone().cost(deviation(problem)).fit(problem, &grace)?;
        fitted.interrupted = true;
        fitted.notes.insert(0, "the search was broken off: a usual cost stands in".to_owned());
        Ok(fitted)
    }

    /// The errors that a regression forgives.
    fn forgiven(&self, problem: &Problem<'_>) -> f64 {
        self.epsilon.unwrap_or_else(|| EPSILON_SHARE * deviation(problem))
    }

    /// All outputs for one cost, from where an earlier machine stands.
    fn solved(
        &self,
        problem: &Problem<'_>,
        cost: f64,
        start: Option<&Expansion>,
        watch: &dyn Watch,
    ) -> Result<(Expansion, Vec<Solved>)> {
        let (responses, n) = (problem.responses(), problem.x.rows());
        let factors = self.class_weights.factors(problem)?;
        let costs = weighted(vec![cost; n], problem, &factors);
        let epsilon = self.forgiven(problem);
        let one = |c: usize| {
            let y = responses.column_to_vec(c);
            if let Some(constant) = self.constant(&y, &costs) {
                return Solved::constant(problem.x.cols(), constant);
            }
            let output = Output {
                x: problem.x,
                y: &y,
                costs: &costs,
                loss: self.loss,
                epsilon,
                penalise: self.penalise_bias,
                tolerance: self.tolerance * deviation(problem),
                rounds: self.max_iterations,
                time: time_limit(self.max_seconds),
                seed: self.seed,
                start: start.and_then(|start| Start::of(start, c)),
            };
            solve(&output, watch)
        };
        let solved: Vec<Solved> = (0..responses.cols()).into_par_iter().with_max_len(1).map(one).collect();
        let outputs = solved.len();
        let vectors: Vec<f64> = solved.iter().flat_map(|output| output.w.iter().copied()).collect();
        let mut identity = Matrix::zeros(outputs, outputs);
        (0..outputs).for_each(|c| identity[(c, c)] = 1.0);
        let function =
            Expansion::new(Kernel::Linear, Matrix::from_vec(vectors, outputs, problem.x.cols())?, identity)?
                .with_bias(solved.iter().map(|output| output.bias).collect())?;
        Ok((function, solved))
    }

    fn run(&self, problem: &Problem<'_>, start: Option<&Model>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked_with_zeros()?;
        if let Some(counting) = problem.counting() {
            return self.run(&counting.problem()?, start, watch);
        }
        self.check(&problem)?;
        problem.check_classes_apart()?;
        let (trials, note) = match self.search(&problem, watch) {
            Err(Error::Stopped) => return self.hurried(&problem),
            found => found?,
        };
        let cost = stablest(&trials).map_or(self.cost, |trial| 1.0 / trial.ridge);
        let start = start.and_then(Model::expansion);
        let (function, solved) = self.solved(&problem, cost, start, watch)?;
        let sum = |of: fn(&Solved) -> f64| solved.iter().map(of).sum::<f64>();
        let mut record = Record::new(self.name(), problem.x.rows())
            .with("cost", cost)
            .with("tolerance", self.tolerance)
            .with("penalise_bias", self.penalise_bias)
            .with("objective", sum(|s| s.primal))
            .with("duality_gap", sum(|s| s.primal - s.dual))
            .with("iterations", solved.iter().map(|s| s.rounds).sum::<u64>());
        if self.loss == LinearLoss::Epsilon {
            record = record.with("epsilon", self.forgiven(&problem));
        }
        if self.loss == LinearLoss::SquaredHinge {
            record = record.with("loss", "squared-hinge");
        }
        let outputs = function.outputs();
        let mut model = Model::new(function).with_task(problem.task())?.with_record(record);
        if self.loss == LinearLoss::Logistic {
            model = model.with_calibration(Some(Calibration::log_odds(outputs)))?;
        }
        let mut fitted = Fitted::new(model, problem.x.cols());
        fitted.interrupted = solved.iter().any(|s| s.stop == Stop::Asked);
        fitted.notes = note.into_iter().chain([self.remark(&solved)]).collect();
        if !trials.is_empty() {
            fitted.judged_by = Validation::Folds(self.folds).to_string();
        }
        fitted.trials = trials;
        Ok(fitted)
    }

    /// The answer where one class alone has rows that count.
    fn constant(&self, y: &[f64], costs: &[f64]) -> Option<f64> {
        if self.loss == LinearLoss::Epsilon {
            return None;
        }
        let there = |sign: f64| y.iter().zip(costs).any(|(y, c)| *y == sign && *c > 0.0);
        match (there(-1.0), there(1.0)) {
            (true, true) => None,
            (_, above) => Some(if above { 1.0 } else { -1.0 }),
        }
    }

    /// What a person should know of how it went.
    fn remark(&self, solved: &[Solved]) -> String {
        let sum = |of: fn(&Solved) -> f64| solved.iter().map(of).sum::<f64>();
        let violation = solved.iter().map(|s| s.violation).fold(0.0, f64::max);
        let rounds = solved.iter().map(|s| s.rounds).max().unwrap_or(0);
        let (primal, dual) = (sum(|s| s.primal), sum(|s| s.dual));
        let gap = if primal > 0.0 { ((primal - dual) / primal).max(0.0) } else { 0.0 };
        let state =
            format!("violation {violation:.1e}, duality gap {gap:.1e} of the objective, {rounds} rounds");
        let Some(why) = solved.iter().find_map(|s| s.stop.why()) else {
            return format!("solved to {state}");
        };
        format!(
            "not solved: {why} at {state}; bring features to like scales, lower the cost, raise the tolerance, or allow more \
             (max_iterations, max_time)"
        )
    }
}

/// Losses, or costs, times what their rows count.
fn weighted(mut losses: Vec<f64>, problem: &Problem<'_>, factors: &[f64]) -> Vec<f64> {
    for (i, loss) in losses.iter_mut().enumerate() {
        let factor = match problem.target {
            Target::Classes { codes, .. } => factors[codes[i]],
            _ => 1.0,
        };
        *loss *= factor * problem.weights.map_or(1.0, |weights| weights[i]);
    }
    losses
}

impl Solved {
    fn constant(features: usize, value: f64) -> Self {
        let (w, zero) = (vec![0.0; features], 0.0);
        Solved { w, bias: value, violation: zero, rounds: 0, stop: Stop::Solved, primal: zero, dual: zero }
    }
}

impl Method for LinearMachine {
    fn name(&self) -> &'static str {
        match self.loss {
            LinearLoss::Hinge | LinearLoss::SquaredHinge => LINEAR_SVC,
            LinearLoss::Logistic => LOGISTIC,
            LinearLoss::Epsilon => LINEAR_SVR,
        }
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        self.run(problem, None, watch)
    }

    fn fit_from(&self, start: &Model, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        check_start(start, self.name())?;
        let mut settled = self.clone();
        if let (Search::Auto, Some(cost)) = (&self.costs, known(start, "cost")) {
            settled = settled.cost(cost);
        }
        settled.epsilon = self.epsilon.or_else(|| known(start, "epsilon"));
        settled.run(problem, Some(start), watch)
    }
}

#[cfg(test)]
mod tests;
