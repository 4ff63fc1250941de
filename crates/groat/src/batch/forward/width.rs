//! The width of the kernel by validation (system C6).
//!
//! Every width of a grid is tried: the selection is run and judged by its leave-one-out errors, or by errors on
//! folds that it did not see. The smallest error wins, or, with the one-standard-error rule, the smallest model
//! among those whose error is within one standard error of the smallest. From the best shared width a
//! coordinate search over one width per feature can follow.

use super::ols::Ols;
use crate::batch::methods::SPARSE;
use crate::batch::{Fitted, Grace, Impatient, Problem, Target, Watch};
use crate::error::{Error, Result, check_positive};
use crate::kernels::Kernel;
use crate::tune::{
    Judgement, Ladder, Trial, Trials, Validation, best, by_folds, smallest_within_one_standard_error,
    typical_distance,
};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Rungs of the automatic grid around the typical distance between rows.
const RUNGS: std::ops::RangeInclusive<i32> = -6..=3;

/// Features up to which widths are sought one by one: each takes several selections, and every trial keeps all widths.
const MOST_FEATURES: usize = 1000;

/// Candidates times rows times outputs that a search which was broken off may still look at for each term.
const HASTY: f64 = 1e8;

/// A search for the width.
#[derive(Clone, Debug, PartialEq)]
pub struct WidthSearch {
    widths: Vec<f64>,
    validation: Option<Validation>,
    one_standard_error: bool,
    per_feature: bool,
    finer: usize,
    pub(super) rows: usize,
}

impl Default for WidthSearch {
    fn default() -> Self {
        Self {
            widths: Vec::new(),
            validation: None,
            one_standard_error: false,
            per_feature: false,
            finer: 0,
            rows: 2000,
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

    /// Rounds of a finer search around the best width, each with half the step of the one before (default 0).
    #[must_use]
    pub fn finer(mut self, rounds: usize) -> Self {
        self.finer = rounds;
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

    fn check_features(&self, features: usize) -> Result<()> {
        if self.per_feature && features > MOST_FEATURES {
            let expected = format!(
                "off with more than {MOST_FEATURES} features, {features} here: each would take several selections; \
                 the method {SPARSE} finds all widths at once"
            );
            return Err(Error::parameter("per_feature", true, expected));
        }
        Ok(())
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
        self.check_features(problem.x.cols())?;
        let part = problem.select(&self.searched(problem, ols.seed));
        let part = part.problem()?;
        let widths = match self.widths.as_slice() {
            [] => Ladder::new(typical_distance(part.x, ols.seed), RUNGS, RUNGS).values(),
            given => given.to_vec(),
        };
        let kernels: Vec<Kernel> = widths.iter().map(|w| ols.kernel().with_width(*w)).collect();
        let judge =
            |kernel: &Kernel, _: Option<&Trial>| self.judge(&ols.with_kernel(kernel.clone()), &part, watch);
        let mut trials = Trials::new(watch);
        trials.in_turn(&kernels, judge)?;
        for round in 1..=self.finer {
            if !watch.stop_requested() {
                trials.in_turn(&trials.around_best(round), judge)?;
            }
        }
        let best = if self.one_standard_error { smallest_within_one_standard_error } else { best };
        let found = best(trials.tried()).or(trials.tried().first()).cloned();
        let kernel = match found {
            Some(trial) if self.per_feature && !watch.stop_requested() => {
                trials.per_feature(&trial, part.x.cols(), judge)?
            }
            Some(trial) => trial.kernel,
            // Stopped before any width was judged.
            None => kernels.get(kernels.len() / 2).unwrap_or(ols.kernel()).clone(),
        };
        Ok((kernel, trials.into_tried()))
    }

    /// How good a selection with this kernel is. One that is broken off says nothing.
    fn judge(&self, ols: &Ols, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Judgement> {
        let run = |problem: &Problem<'_>| {
            let outcome = ols.run(problem, &Impatient(watch))?;
            if watch.stop_requested() { Err(Error::Stopped) } else { Ok(outcome) }
        };
        match self.validation_for(matches!(problem.target, Target::Classes { .. })) {
            Validation::LeaveOneOut => {
                let outcome = run(problem)?;
                Ok(Judgement::of(&outcome.losses(&problem.target), outcome.size() as f64))
            }
            Validation::Folds(folds) => by_folds(problem, folds, |train| run(train)?.into_fitted(ols, train)),
        }
    }

    /// The rows that the search looks at, in random order.
    fn searched(&self, problem: &Problem<'_>, seed: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..problem.x.rows()).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(seed));
        order.truncate(self.rows.max(2));
        order
    }

    /// The model so far of a search that was broken off: that of the rows the search looks at, as far as it gets in a
    /// short while.
    pub(super) fn interrupted(&self, ols: &Ols, problem: &Problem<'_>) -> Result<Fitted> {
        let mut rows = self.searched(problem, ols.seed);
        // A term takes the square of the rows for each output.
        rows.truncate((HASTY / problem.responses().cols().max(1) as f64).sqrt().max(2.0) as usize);
        let part = problem.select(&rows);
        let part = part.problem()?;
        let mut fitted = ols.run(&part, &Grace::new())?.into_fitted(ols, &part)?;
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
