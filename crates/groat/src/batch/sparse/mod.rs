//! The default fit (system X7): what the full kernel machine reaches, then the smallest model within a tolerance of it.
//!
//! 1. **Reference**: kernel ridge regression on many candidates. A first width and ridge come from leave-one-out on a grid
//!    (`search.rs`). Up to 2,000 rows leave-one-out goes on to every row as candidate (`reference.rs`); beyond, both are refined
//!    on folds with 400, 1,000 and 2,500 candidates, as long as more of them pay (`choose.rs`). Where a width for each feature
//!    clearly lowers the error, there is one (`relevance.rs`). Where a linear machine does as well, it is the answer
//!    (`linear.rs`).
//! 2. **Vectors**: forward selection on the normal equations at that width and ridge (`path.rs`) says where vectors begin;
//!    they are then moved downhill in the penalised sum of squares (`moving.rs`), which takes half to a quarter as many of
//!    them to the same error. Models of 4, 8, 16, ... vectors are fitted without each of some parts and judged on it
//!    (`climb.rs`); the smallest within the tolerance of the reference is kept (`size.rs`). Where a reference of 2,500
//!    candidates would be better with more of them, moved vectors may be better than it: as long as twice as many clearly
//!    pay, they are taken, and the best models are what the smallest has to come near.
//! 3. **Weights** of the chosen vectors on all rows (`weigh.rs`), under the ridge of the reference, which keeps them sound.
//! 4. **Expected error**: up to 2,000 rows all of the above is chosen anew without each part (`parts.rs`); beyond, one fifth
//!    is held out from every choice (`expected.rs`).
//!
//! Cost: `n M^2` at the speed of a matrix product for `M` candidates, `n m^2` for each step that moves `m` vectors; memory
//! `6 M^2` numbers. Choices are made on at most `selection_rows` rows, weights use all. Use it for tables of up to millions
//! of rows where a small model is wanted; not where every row matters for itself, as for noiseless interpolation: that
//! is `krr`.
//!
//! ```
//! use groat::{Rows, batch::{Method, Problem, Quiet, Sparse}};
//! let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 20.0).collect();
//! let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
//! let fitted = Sparse::default().fit(&Problem::regression(Rows::new(&x, 1)?, &y)?, &Quiet)?;
//! assert!(fitted.model.size() < 40);
//! assert!((fitted.model.predict_one(&[1.1])?[0] - 1.1f64.sin()).abs() < 0.01);
//! # Ok::<(), groat::Error>(())
//! ```

mod build;
mod choose;
mod climb;
mod cost;
mod descent;
mod expected;
mod folds;
mod held;
mod linear;
mod machine;
mod moving;
mod order;
mod parts;
mod path;
mod reference;
pub(in crate::batch) mod relevance;
mod samples;
mod search;
mod size;
mod sums;
mod weigh;

#[cfg(test)]
mod tests;

pub(in crate::batch) use build::build;
pub(in crate::batch) use choose::Setting;
pub(in crate::batch) use expected::expected;
pub use order::drawing_order;
pub(in crate::batch) use order::word;
pub(in crate::batch) use samples::Samples;
pub(in crate::batch) use search::search;
pub use size::Size;

use super::forward::ClassWeights;
use super::methods::SPARSE;
use super::{
    Batches, Estimate, Expected, Fitted, FullMachine, Method, Problem, SizeError, Sizes, Stage, Watch,
};
use crate::error::{Result, check_not_negative};
use crate::expansion::Expansion;
use crate::gram::Memory;
use crate::kernels::Kernel;
use crate::model::{Model, Record};
use crate::tune::{Search, sample_rows};
use choose::Choice;
use linear::Line;
use samples::Losses;
use weigh::{Weighed, weigh, weigh_batches};

/// A mean square error above this share of that of the mean alone is next to nothing learnt.
const NOTHING: f64 = 0.98;

const NOTHING_LEARNT: &str = "next to nothing was learnt: the full machine is hardly better than the mean of the target; try other features";

/// Rows times squared vectors up to which leave-one-out answers are worked out.
const LEAVE_ONE_OUT: f64 = 2e10;

/// Parameters of the default fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sparse {
    /// The kernel. Its width is a placeholder unless `widths` is [`Search::Fixed`].
    pub kernel: Kernel,
    /// How the width is found.
    pub widths: Search,
    /// What is added to the diagonal of the kernel matrix, when `ridges` is [`Search::Fixed`].
    pub ridge: f64,
    /// How the ridge is found.
    pub ridges: Search,
    /// How many vectors are wanted.
    pub size: Size,
    /// Whether each feature gets a width of its own; none leaves it to the data: where that clearly lowers the error.
    pub per_feature: Option<bool>,
    /// Whether a linear machine, which has one vector per output, may be the answer where it does as well.
    pub linear: bool,
    /// At most so many vectors.
    pub max_terms: Option<usize>,
    /// At most so many rows, drawn by seed, may become vectors.
    pub candidates: Option<usize>,
    /// Choices are made on at most this many rows, drawn by seed; the weights are fitted to all.
    pub selection_rows: usize,
    /// Whether the error that new rows will see is estimated on rows that nothing was chosen on.
    pub estimate: bool,
    /// Whether held-out parts are stretches of neighbouring rows, as a series wants them: its neighbours share past values.
    pub blocks: bool,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// What sums over candidates may take; fewer candidates are used where more would not fit.
    pub memory: Memory,
    /// Seed of every draw.
    pub seed: u64,
}

impl Default for Sparse {
    fn default() -> Self {
        Self {
            kernel: Kernel::gaussian(1.0),
            widths: Search::Auto,
            ridge: 1e-2,
            ridges: Search::Auto,
            size: Size::Within(Size::TOLERANCE),
            per_feature: None,
            linear: true,
            max_terms: None,
            candidates: None,
            selection_rows: 20_000,
            estimate: true,
            blocks: false,
            class_weights: ClassWeights::Equal,
            memory: Memory::default(),
            seed: 0,
        }
    }
}

impl Method for Sparse {
    fn name(&self) -> &'static str {
        SPARSE
    }

    fn estimate(&self, sizes: &Sizes) -> Result<Estimate> {
        self.estimated(sizes)
    }

    fn fit(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let problem = problem.checked()?;
        self.kernel.check_for(problem.x.cols())?;
        check_not_negative("ridge", self.ridge)?;
        let factors = self.class_weights.factors(&problem)?;
        let samples = Samples::of(&problem, &factors, self.seed, self.blocks)?;
        let (choice, expected) = expected::choose_and_estimate(self, &samples, watch)?;
        let all: Vec<usize> = (0..samples.rows()).collect();
        let weighed = weighed(&samples, &all, &choice, watch)?;
        self.fitted(&problem, &samples, choice, expected, weighed)
    }

    fn fit_batches(&self, data: &dyn Batches, sample: &Problem<'_>, watch: &dyn Watch) -> Result<Fitted> {
        let sample = sample.checked()?;
        self.kernel.check_for(sample.x.cols())?;
        let samples = Samples::of(&sample, &[], self.seed, self.blocks)?;
        let (choice, expected) = expected::choose_and_estimate(self, &samples, watch)?;
        let vectors = choice.vectors.clone();
        let weighed = weigh_batches(data, &choice.kernel, vectors, (samples.outputs(), choice.ridge), watch)?;
        self.fitted(&sample, &samples, choice, expected, weighed)
    }
}

/// The model of a choice on some rows. What is linear in more rows than it was chosen on is seen by all of them.
fn weighed(samples: &Samples<'_>, rows: &[usize], choice: &Choice, watch: &dyn Watch) -> Result<Weighed> {
    let stop = || watch.stop_requested();
    let line = match choice.straight {
        Some(_) if rows.len() > choice.rows => Line::with(samples, rows, choice.ridge, &stop)?,
        _ => None,
    };
    let vectors = line.map_or_else(|| choice.vectors.clone(), |line| line.vectors);
    weigh(samples, rows, &choice.kernel, vectors, choice.ridge)
}

impl Sparse {
    /// The rows that choices are made on.
    fn selection(&self, rows: &[usize]) -> Vec<usize> {
        let drawn = sample_rows(rows.len(), self.selection_rows, self.seed);
        drawn.into_iter().map(|k| rows[k]).collect()
    }

    fn fitted(
        &self,
        problem: &Problem<'_>,
        samples: &Samples<'_>,
        choice: Choice,
        expected: Option<Expected>,
        weighed: Weighed,
    ) -> Result<Fitted> {
        let classes = samples.classes();
        let shown = |losses: &Losses| if classes { losses.error(true) } else { losses.mean_squared() };
        let record = Record::new(SPARSE, samples.rows())
            .with("ridge", choice.ridge)
            .with("size", self.size)
            .with("candidates", choice.candidates);
        let function =
            Expansion::new(choice.kernel.clone(), weighed.vectors.clone(), weighed.model.weights.clone())?
                .with_bias(weighed.model.bias.clone())?;
        let leave_one_out = (samples.rows() as f64 * (weighed.vectors.rows() as f64).powi(2) < LEAVE_ONE_OUT)
            .then(|| weighed.leave_one_out(samples))
            .transpose()?;
        let error_bars = match (&expected, &leave_one_out) {
            _ if classes => None,
            (Some(expected), _) => Some(weighed.error_bars(expected.variances())),
            (None, Some(loo)) => Some(weighed.error_bars(vec![loo.mean_squared; samples.outputs()])),
            _ => None,
        };
        let calibration = match &expected {
            Some(expected) if classes => Some(expected.calibration()?),
            _ => None,
        };
        let intervals = expected.as_ref().filter(|_| !classes).map(Expected::intervals).transpose()?;
        let model = Model::new(function)
            .with_task(problem.task())?
            .with_record(record)
            .with_error_bars(error_bars)?
            .with_calibration(calibration)?
            .with_intervals(intervals)?;
        let mut fitted = Fitted::new(model, choice.candidates);
        let stage = |(k, &row): (usize, &usize)| {
            let tried = choice.curve.iter().find(|(size, _)| *size == k + 1);
            Stage::new(row, tried.map_or(f64::NAN, |(_, losses)| shown(losses)), f64::NAN)
        };
        fitted.stages = choice.terms.iter().enumerate().map(stage).collect();
        fitted.sizes = choice
            .curve
            .iter()
            .map(|(terms, losses)| SizeError { terms: *terms, error: losses.error(classes) })
            .collect();
        fitted.full = choice.full.map(|losses| FullMachine {
            error: losses.error(classes),
            vectors: choice.candidates,
            kernel: choice.full_kernel.clone(),
            ridge: choice.ridge,
        });
        fitted.growth = Some(weighed.growth()?);
        fitted.leave_one_out = leave_one_out;
        fitted.judged_by = if choice.trials.is_empty() { String::new() } else { choice.judged_by.clone() };
        fitted.interrupted = choice.interrupted;
        fitted.notes = self.notes(samples, &choice);
        fitted.trials = choice.trials;
        fitted.expected = expected;
        Ok(fitted)
    }

    fn notes(&self, samples: &Samples<'_>, choice: &Choice) -> Vec<String> {
        let mut notes = Vec::new();
        let chosen_on = choice.rows;
        if chosen_on < samples.rows() && samples.rows() > self.selection_rows {
            notes.push(format!(
                "width, ridge and vectors were chosen on {chosen_on} of {} rows, the weights fitted to all",
                samples.rows()
            ));
        }
        if let (Some(full), Some((_, mean))) = (&choice.full, choice.curve.first())
            && full.mean_squared() > NOTHING * mean.mean_squared()
        {
            notes.push(NOTHING_LEARNT.to_owned());
        }
        match choice.straight {
            Some(true) => notes.push("a linear kernel does better than a Gaussian one".to_owned()),
            Some(false) => notes.push("a linear kernel does as well as a Gaussian one".to_owned()),
            None => {}
        }
        if !choice.reached {
            let what = match self.max_terms {
                Some(most) if choice.terms.len() >= most => {
                    format!("{most} vectors are not enough for {}", self.size)
                }
                _ => format!("no number of vectors was enough for {}; this is the best", self.size),
            };
            notes.push(what);
        }
        notes
    }
}
