//! The learner: parameters in, model out.

use super::evidence::select_with_evidence;
use super::outcome::Outcome;
use super::select::{Criterion, Limits, Objective, state};
use super::source::{Source, Storage};
use super::width::WidthSearch;
use crate::batch::density::SparseDensity;
use crate::batch::methods::OLS;
use crate::batch::{Estimate, Fitted, Method, Problem, Progress, Sizes, Target, Trial, Watch};
use crate::data::Batches;
use crate::error::{Error, Result, check_len, check_not_negative, check_positive};
use crate::gram::{Memory, Plan};
use crate::kernels::Kernel;
use crate::matrix::Points;
use crate::tune::sample_rows;
use std::ops::ControlFlow;
use std::str::FromStr;

/// Up to this many rows, every row is a candidate unless told otherwise.
const ALL_CANDIDATES: usize = 5000;

/// Candidates drawn from more rows than that, unless told otherwise.
const POOL: usize = 2000;

/// Entries of the candidate matrix that are worked through for each term at the most: with more, a fit of some hundred
/// terms takes hours.
const MOST_ENTRIES: usize = 1_000_000_000;

/// Entries of the candidate matrix up to which the error rate is the criterion of classification, unless told
/// otherwise. It has no bound that spares candidates, so that each stage costs a multiple of this.
const ERROR_RATE_ENTRIES: u64 = 50_000_000;

/// The penalty that every term starts with.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Penalty {
    /// A multiple of the mean energy `phi'phi` of the candidate columns: independent of the scale of the
    /// kernel and of the number of rows.
    Relative(f64),
    /// The number itself, as the source paper has it.
    Absolute(f64),
}

/// What the selection minimises when the target is a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassCriterion {
    /// The error rate on small and medium data, the mean square error where that would be slow.
    #[default]
    Auto,
    /// Leave-one-out error rate, ties by mean square error.
    ErrorRate,
    /// Leave-one-out mean square error of the +-1 coding.
    MeanSquared,
}

impl FromStr for ClassCriterion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(ClassCriterion::Auto),
            "error-rate" => Ok(ClassCriterion::ErrorRate),
            "mean-squared" => Ok(ClassCriterion::MeanSquared),
            _ => Err(Error::parse("criterion", text, "expected auto, error-rate or mean-squared")),
        }
    }
}

/// How much each class counts.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ClassWeights {
    /// As its samples do.
    #[default]
    Equal,
    /// All classes alike, whatever their number of samples.
    Balanced,
    /// One factor per class.
    PerClass(Vec<f64>),
}

impl ClassWeights {
    /// The factor of each class; none without classes.
    pub(in crate::batch) fn factors(&self, problem: &Problem<'_>) -> Result<Vec<f64>> {
        let Target::Classes { codes, count } = problem.target else { return Ok(Vec::new()) };
        Ok(match self {
            ClassWeights::Equal => vec![1.0; count],
            ClassWeights::PerClass(factors) => {
                check_len("class weights", count, factors.len())?;
                factors.iter().try_for_each(|f| check_positive("class weight", *f))?;
                factors.clone()
            }
            ClassWeights::Balanced => {
                let mut totals = vec![0.0; count];
                for (k, &code) in codes.iter().enumerate() {
                    totals[code] += problem.weights.map_or(1.0, |w| w[k]);
                }
                let all: f64 = totals.iter().sum();
                totals.iter().map(|t| if *t > 0.0 { all / (count as f64 * t) } else { 1.0 }).collect()
            }
        })
    }
}

/// Sparse kernel models by orthogonal least squares and leave-one-out.
///
/// Terms are chosen one by one from kernels centred at the training rows, each time the one that lowers the
/// leave-one-out error most; the selection ends by itself when that error stops falling. Each term has its own
/// penalty, found by the evidence procedure. The same engine serves regression (several outputs share one
/// selection), classification (selection by leave-one-out error rate) and density estimation.
///
/// ```
/// use groat::{Kernel, Rows, batch::{Method, Problem, Quiet, forward::Ols}};
/// let x: Vec<f64> = (0..100).map(|i| i as f64 * 0.1 - 5.0).collect();
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let problem = Problem::regression(Rows::new(&x, 1)?, &y)?;
/// let fitted = Ols::new(Kernel::gaussian(1.0)).max_terms(12).fit(&problem, &Quiet)?;
/// assert!(fitted.model.size() <= 12);
/// assert!(fitted.leave_one_out.unwrap().mean_squared < 1e-5);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ols {
    pub(in crate::batch) kernel: Kernel,
    pub(in crate::batch) search: Option<WidthSearch>,
    pub(in crate::batch) bias: bool,
    pub(in crate::batch) penalty: Penalty,
    pub(in crate::batch) passes: usize,
    pub(in crate::batch) patience: usize,
    pub(in crate::batch) max_terms: usize,
    pub(in crate::batch) candidates: Option<usize>,
    pub(in crate::batch) seed: u64,
    pub(in crate::batch) storage: Storage,
    pub(in crate::batch) memory: Memory,
    pub(in crate::batch) class_criterion: ClassCriterion,
    pub(in crate::batch) class_weights: ClassWeights,
}

impl Ols {
    /// The method with a given kernel and defaults for all else.
    pub fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            search: None,
            bias: true,
            penalty: Penalty::Relative(1e-6),
            passes: 10,
            patience: 5,
            max_terms: 500,
            candidates: None,
            seed: 0,
            storage: Storage::Auto,
            memory: Memory::default(),
            class_criterion: ClassCriterion::Auto,
            class_weights: ClassWeights::Equal,
        }
    }

    /// Chooses the width of the kernel from the data.
    #[must_use]
    pub fn search(mut self, search: WidthSearch) -> Self {
        self.search = Some(search);
        self
    }

    /// Whether the model has a constant term (default: yes). The constant is not penalised. A density has none.
    #[must_use]
    pub fn bias(mut self, bias: bool) -> Self {
        self.bias = bias;
        self
    }

    /// The penalty that every term starts with (default: 1e-6 of the mean column energy).
    #[must_use]
    pub fn penalty(mut self, penalty: Penalty) -> Self {
        self.penalty = penalty;
        self
    }

    /// Passes of the evidence procedure, the first selection included (default 10; 1 keeps the first penalty).
    #[must_use]
    pub fn passes(mut self, passes: usize) -> Self {
        self.passes = passes;
        self
    }

    /// How many stages in a row may fail to lower the leave-one-out error before the selection ends
    /// (default 5). 0 ends it at the first, which is the rule of the source paper and fragile.
    #[must_use]
    pub fn patience(mut self, patience: usize) -> Self {
        self.patience = patience;
        self
    }

    /// The largest number of terms (default 500).
    #[must_use]
    pub fn max_terms(mut self, terms: usize) -> Self {
        self.max_terms = terms;
        self
    }

    /// How many rows, drawn at random, are candidates. By default all of up to 5000 rows, else 2000; a pool of
    /// ten times the terms loses little.
    #[must_use]
    pub fn candidates(mut self, count: usize) -> Self {
        self.candidates = Some(count);
        self
    }

    /// Seed of the random choices: candidates, folds.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How candidate columns are kept (default: by size).
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// What stored candidate columns may take before they are recomputed instead.
    #[must_use]
    pub fn memory(mut self, memory: impl Into<Memory>) -> Self {
        self.memory = memory.into();
        self
    }

    /// What the selection minimises when the target is a class.
    #[must_use]
    pub fn class_criterion(mut self, criterion: ClassCriterion) -> Self {
        self.class_criterion = criterion;
        self
    }

    /// How much each class counts.
    #[must_use]
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.class_weights = weights;
        self
    }

    /// The kernel that a fit would use: what the search for its width finds, and what was tried for it; without
    /// a search the kernel itself.
    pub fn choose_kernel(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<(Kernel, Vec<Trial>)> {
        match &self.search {
            Some(search) => search.choose(self, problem, watch),
            None => Ok((self.kernel.clone(), Vec::new())),
        }
    }

    /// What was tried for the width, and by what it was judged.
    fn tell_search(&self, fitted: &mut Fitted, trials: Vec<Trial>, target: &Target<'_>) {
        if let Some(search) = self.search.as_ref().filter(|_| !trials.is_empty()) {
            fitted.judged_by = search.validation_for(matches!(target, Target::Classes { .. })).to_string();
        }
        fitted.trials = trials;
    }

    /// The kernel it uses, or starts its search from.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The same settings with another kernel and no search.
    #[must_use]
    pub fn with_kernel(&self, kernel: Kernel) -> Self {
        Self { kernel, search: None, ..self.clone() }
    }

    pub(in crate::batch) fn check(&self, features: usize) -> Result<()> {
        self.kernel.check_for(features)?;
        let (Penalty::Relative(penalty) | Penalty::Absolute(penalty)) = self.penalty;
        check_not_negative("penalty", penalty)?;
        for (name, value) in [("passes", self.passes), ("max terms", self.max_terms)] {
            if value == 0 {
                return Err(Error::parameter(name, value, "at least 1"));
            }
        }
        if self.candidates == Some(0) {
            return Err(Error::parameter("candidates", 0, "at least 1"));
        }
        Ok(())
    }

    /// An error where so many candidates were asked for that the fit would seem to hang.
    pub(in crate::batch) fn check_candidates(&self, rows: usize) -> Result<()> {
        let most = (MOST_ENTRIES / rows.max(1)).max(POOL);
        match self.candidates.map(|count| count.min(rows)) {
            Some(count) if count > most => {
                let expected = format!(
                    "at most {most} for {rows} rows, since every term weighs each candidate on each row; ten times the \
                     number of terms is plenty"
                );
                Err(Error::parameter("candidates", count, expected))
            }
            _ => Ok(()),
        }
    }

    /// How many candidates are drawn from data of unknown size.
    pub(super) fn pool_size(&self) -> usize {
        self.candidates.unwrap_or(POOL)
    }

    /// How many of so many rows may become centres.
    pub(super) fn candidate_count(&self, rows: usize) -> usize {
        self.candidates.unwrap_or(if rows <= ALL_CANDIDATES { rows } else { POOL }).min(rows)
    }

    /// The rows that may become centres, in increasing order.
    pub(in crate::batch) fn candidate_rows(&self, rows: usize) -> Vec<usize> {
        sample_rows(rows, self.candidate_count(rows), self.seed)
    }

    /// Sample weights times class weights; none when all are one.
    fn sample_weights(&self, problem: &Problem<'_>) -> Result<Option<Vec<f64>>> {
        let given = problem.weights.map(<[f64]>::to_vec);
        let Target::Classes { codes, .. } = problem.target else {
            return Ok(given);
        };
        if self.class_weights == ClassWeights::Equal {
            return Ok(given);
        }
        let factors = self.class_weights.factors(problem)?;
        let weights = given.unwrap_or_else(|| vec![1.0; codes.len()]);
        Ok(Some(weights.iter().zip(codes).map(|(w, &code)| w * factors[code]).collect()))
    }

    fn by_error_rate(&self, entries: u64) -> bool {
        match self.class_criterion {
            ClassCriterion::Auto => entries <= ERROR_RATE_ENTRIES,
            ClassCriterion::ErrorRate => true,
            ClassCriterion::MeanSquared => false,
        }
    }

    /// One selection with the present kernel; regression or classification.
    pub(super) fn run(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Outcome> {
        self.check(problem.x.cols())?;
        let weights = self.sample_weights(problem)?;
        let root: Option<Vec<f64>> = weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect());
        let responses = problem.responses();
        let targets: Vec<Vec<f64>> =
            (0..responses.cols()).map(|c| scaled(responses.column_to_vec(c), root.as_deref())).collect();
        let rows = self.candidate_rows(problem.x.rows());
        let entries = rows.len() as u64 * problem.x.rows() as u64;
        let criterion = match problem.target {
            Target::Classes { codes, count } if self.by_error_rate(entries) => {
                if count == 2 {
                    Criterion::Sign
                } else {
                    Criterion::Largest(codes)
                }
            }
            _ => Criterion::MeanSquared,
        };
        let n = problem.x.rows();
        let constant = self.bias.then(|| scaled(vec![1.0; n], root.as_deref()));
        let weights = weights.unwrap_or_else(|| vec![1.0; n]);
        let stop = || watch.stop_requested();
        let (targets, constant) = (&targets[..], constant.as_deref());
        let objective = Objective { targets, weights: &weights, constant, criterion, stop: &stop };
        let (selection, columns) = self.select_terms(problem.x, &rows, root.clone(), objective, watch)?;
        if selection.terms.is_empty() && watch.stop_requested() {
            return Err(Error::Stopped);
        }
        Ok(Outcome::new(selection, rows, responses, weights, root, self.bias, criterion, columns))
    }

    /// Runs the engine; also returns what the candidates were.
    pub(in crate::batch) fn select_terms<'a>(
        &self,
        x: impl Into<Points<'a>>,
        rows: &[usize],
        root: Option<Vec<f64>>,
        objective: Objective<'_>,
        watch: &dyn Watch,
    ) -> Result<(super::select::Selection, Candidates)> {
        let source = Source::new(&self.kernel, x.into(), rows, root)?;
        let whole = !matches!(objective.criterion, Criterion::MeanSquared);
        let (columns, matrix) = source.into_columns(self.storage, self.memory, whole);
        let energies = columns.energies();
        let lambda = match self.penalty {
            Penalty::Absolute(lambda) => lambda,
            Penalty::Relative(share) => share * energies.iter().sum::<f64>() / energies.len().max(1) as f64,
        };
        let limits = Limits { terms: self.max_terms, patience: self.patience };
        let mut hear = |terms: usize, error: f64| {
            let detail = state(terms, error);
            watch.progress(&Progress { stage: "selecting terms", done: terms, total: None, detail });
            if watch.stop_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let lambdas = vec![lambda; columns.count()];
        let selection =
            select_with_evidence(columns.as_ref(), objective, lambdas, limits, self.passes, &mut hear);
        Ok((selection, Candidates { count: columns.count(), matrix }))
    }
}

/// What a selection chose from.
#[derive(Clone, Copy, Debug)]
pub(in crate::batch) struct Candidates {
    pub count: usize,
    /// How their columns stood.
    pub matrix: Plan,
}

impl Method for Ols {
    fn name(&self) -> &'static str {
        OLS
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        if problem.target == Target::Density {
            return SparseDensity::from(self).fit(&problem, watch);
        }
        self.check(problem.x.cols())?;
        if problem.x.rows() < 2 {
            return Err(Error::TooFew {
                what: "leave-one-out",
                unit: "rows",
                needed: 2,
                found: problem.x.rows(),
            });
        }
        self.check_candidates(problem.x.rows())?;
        let (kernel, trials) = self.choose_kernel(&problem, watch)?;
        let chosen = self.with_kernel(kernel);
        let mut fitted = match &self.search {
            Some(search) if watch.stop_requested() => search.interrupted(&chosen, &problem)?,
            _ => chosen.run(&problem, watch)?.into_fitted(&chosen, &problem)?,
        };
        self.tell_search(&mut fitted, trials, &problem.target);
        Ok(fitted)
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let (kernel, trials) = self.choose_kernel(sample, watch)?;
        if watch.stop_requested() {
            return Err(Error::Stopped);
        }
        let mut fitted = Ols::fit_batches(&self.with_kernel(kernel), data, watch)?;
        if let Target::Classes { .. } = sample.target {
            // The spread of the codes around their targets says nothing of a class.
            fitted.model = fitted.model.with_error_bars(None)?.with_task(sample.task())?;
        }
        self.tell_search(&mut fitted, trials, &sample.target);
        Ok(fitted)
    }
}

fn scaled(mut values: Vec<f64>, root: Option<&[f64]>) -> Vec<f64> {
    if let Some(root) = root {
        values.iter_mut().zip(root).for_each(|(v, r)| *v *= r);
    }
    values
}
