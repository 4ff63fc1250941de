//! The learner that every face uses: a method behind checks at the door.

use super::methods::{AnyMethod, Method};
use super::presets;
use super::step::{Reading, Step};
use crate::data::{Inputs, Standardisation};
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Rows;
use crate::model::{Calibration, Finish, Model, Record, Task};
use crate::online::parts::loss::Meaning;
use crate::online::state::first_rows::Lags;
use crate::settings::Settings;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows that a method is told of ahead.
const AHEAD: usize = 8;

/// Version of the saved state.
const VERSION: u32 = 6;

/// Why a learner has no model, and what would do.
const NO_EXPANSION: &str = "what it learns is no expansion in one kernel but a sum over several kernels, predictors or \
    random features. Its saved state predicts and goes on learning; krls-tracker and krls-ald have a model";

/// An online learner: a named method, its settings, and what it has learnt.
///
/// ```
/// use groat::Kernel;
/// use groat::online::{Learner, Settings};
/// let kernel: Kernel = "gaussian:width=0.5".parse()?;
/// let mut learner = Learner::new("krls-ald", &kernel, 1, &Settings::new())?;
/// for i in 0..200 {
///     let x = (i as f64 * 0.37).sin();
///     learner.learn_one(&[x], x * x)?;
/// }
/// assert!((learner.predict_one(&[0.5])? - 0.25).abs() < 0.01);
/// assert!(learner.size() < 10);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "State", try_from = "State")]
pub struct Learner {
    state: State,
}

/// A learner as it stands in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    version: u32,
    algorithm: String,
    settings: Settings,
    kernel: Option<Kernel>,
    dimension: usize,
    steps: u64,
    refused: u64,
    method: AnyMethod,
}

impl Learner {
    /// Builds the preset `algorithm` for samples of `dimension` features. Settings that are not given
    /// take the preset's defaults; unknown names are errors that list the known ones.
    ///
    /// Without a kernel it is the Gaussian one of width 1. Algorithms that work on the inputs themselves take none, and
    /// refuse one that is given.
    pub fn new<'k>(
        algorithm: &str,
        kernel: impl Into<Option<&'k Kernel>>,
        dimension: usize,
        settings: &Settings,
    ) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::parameter("dimension", 0, "at least 1"));
        }
        let preset = presets::find(algorithm)?;
        let kernel = preset.kernel(kernel.into())?;
        let method = preset.build(kernel.as_ref(), dimension, settings)?;
        let state = State {
            version: VERSION,
            algorithm: preset.name.to_owned(),
            settings: settings.clone(),
            kernel,
            dimension,
            steps: 0,
            refused: 0,
            method,
        };
        Ok(Self { state })
    }

    /// The same for features that are lags, if the method takes note of that and was told nothing yet; without
    /// experience.
    pub(super) fn told_of(self, lags: Lags) -> Result<Self> {
        let preset = presets::find(&self.state.algorithm)?;
        let known = preset.parameters().iter().any(|taken| taken.parameter.name == "lags");
        if !known || lags.newest(self.dimension()).is_none() || self.settings().get("lags").is_some() {
            return Ok(self);
        }
        let settings = self.settings().clone().with("lags", lags.count);
        Self::new(preset.name, self.kernel(), self.dimension(), &settings)
    }

    /// What an output means.
    pub(super) fn meaning(&self) -> Meaning {
        self.state.method.meaning()
    }

    /// Steps that were not carried out.
    pub fn refused(&self) -> u64 {
        self.state.refused
    }

    /// The preset's name.
    pub fn algorithm(&self) -> &str {
        &self.state.algorithm
    }

    /// The settings as given (defaults are in [`presets`]).
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// The kernel; none for an algorithm that works on the inputs themselves.
    pub fn kernel(&self) -> Option<&Kernel> {
        self.state.kernel.as_ref()
    }

    /// Features of a sample.
    pub fn dimension(&self) -> usize {
        self.state.dimension
    }

    /// Samples learnt from so far.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Vectors in the dictionary.
    pub fn size(&self) -> usize {
        self.state.method.size()
    }

    /// The output at `x`. Allocates nothing after the first call of a thread.
    pub fn predict_one(&self, x: &[f64]) -> Result<f64> {
        self.check_input(x)?;
        finite_output(self.state.method.output(x))
    }

    /// Predictive variance of the noisy output at `x`, where the method has one.
    pub fn variance(&self, x: &[f64]) -> Result<Option<f64>> {
        self.check_input(x)?;
        Ok(self.state.method.variance(x))
    }

    /// Learns from one sample. Allocates nothing once the dictionary has its final size.
    ///
    /// Only wrong input is an error; a step that would leave the range of finite numbers is skipped and
    /// said so in [`Step::refused`].
    pub fn learn_one(&mut self, x: &[f64], y: f64) -> Result<Step> {
        self.check_input(x)?;
        self.check_target(y)?;
        let mut step = self.state.method.step(x, y);
        finite_output(step.prediction)?;
        step.size = self.state.method.size();
        self.state.steps += 1;
        self.state.refused += u64::from(step.refused);
        Ok(step)
    }

    /// Learns from rows in order, as [`learn_one`](Self::learn_one) does with each, to the last bit; where a dictionary
    /// has come to rest, faster. A bad row is an error that names it; the rows before it have been learnt.
    pub fn learn_many(&mut self, x: Rows<'_>, y: &[f64]) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        self.learn_into(x, y, &mut steps).map(|()| steps)
    }

    /// The same, with what each row did also where a later one is an error.
    pub(super) fn learn_into(&mut self, x: Rows<'_>, y: &[f64], steps: &mut Vec<Step>) -> Result<()> {
        check_len("targets", x.rows(), y.len())?;
        steps.reserve_exact(y.len());
        let outcome = self.learn_rows(x, y, steps);
        self.state.method.drop_look_ahead();
        outcome
    }

    fn learn_rows(&mut self, x: Rows<'_>, y: &[f64], steps: &mut Vec<Step>) -> Result<()> {
        for (i, (row, y)) in x.iter().zip(y).enumerate() {
            if i % AHEAD == 0 && x.cols() == self.state.dimension {
                self.state.method.look_ahead(x.slice(i, x.rows().min(i + AHEAD)));
            }
            steps.push(self.learn_one(row, *y).map_err(|error| at_row(error, i))?);
        }
        Ok(())
    }

    /// Looks at the samples that come next, where that saves work.
    pub(super) fn look_ahead(&mut self, x: Rows<'_>) {
        self.state.method.look_ahead(x);
    }

    /// Other samples come next.
    pub(super) fn drop_look_ahead(&mut self) {
        self.state.method.drop_look_ahead();
    }

    /// The outputs at rows, in parallel; the same bits for any number of threads.
    pub fn predict_many(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let explicit = self.state.method.explicit();
        let predict = |i: usize| {
            let row = x.row(i);
            let output = match &explicit {
                Some(dictionary) => {
                    self.check_input(row).and_then(|()| finite_output(dictionary.output(row)))
                }
                None => self.predict_one(row),
            };
            output.map_err(|error| at_row(error, i))
        };
        (0..x.rows()).into_par_iter().with_min_len(32).map(predict).collect()
    }

    /// The model learnt so far, finished: vectors in order of insertion, with task and record. `None` for methods
    /// whose model is no kernel expansion, and before the first vector.
    pub fn snapshot(&self) -> Result<Option<Model>> {
        let Some(function) = self.state.method.snapshot()? else { return Ok(None) };
        self.finish(function, None, None).map(Some)
    }

    /// The model learnt so far, or an error that says why there is none. Such a learner still predicts, saves and tells
    /// of itself like any other.
    pub fn model(&self) -> Result<Model> {
        self.model_of(None, |function| Ok((function, None)))
    }

    /// Fails, and says what would do, where [`model`](Self::model) has nothing to give however much is learnt.
    pub fn check_model(&self) -> Result<()> {
        if self.state.method.is_expansion() {
            return Ok(());
        }
        Err(self.without_model(NO_EXPANSION))
    }

    fn without_model(&self, advice: &str) -> Error {
        let (method, setting) = (self.state.algorithm.clone(), "model".to_owned());
        Error::Setting { method, setting, advice: advice.to_owned() }
    }

    /// The same with what its features are made from, and what they are scaled by.
    pub(super) fn model_of(
        &self,
        inputs: Option<&Inputs>,
        restore: impl FnOnce(Expansion) -> Result<(Expansion, Option<Standardisation>)>,
    ) -> Result<Model> {
        self.check_model()?;
        let reason = if self.size() == 0 { "it holds no vector yet" } else { NO_EXPANSION };
        let function = self.state.method.snapshot()?.ok_or_else(|| self.without_model(reason))?;
        let (function, scaling) = restore(function)?;
        self.finish(function, inputs, scaling)
    }

    /// Says what a model answers, how it came to be, and what it is fed.
    fn finish(
        &self,
        function: Expansion,
        inputs: Option<&Inputs>,
        standardisation: Option<Standardisation>,
    ) -> Result<Model> {
        let targets = inputs.map_or(&[][..], Inputs::targets).iter().map(|target| target.name.clone());
        let meaning = self.state.method.meaning();
        let task = match meaning {
            Meaning::Number => Task::Regression { targets: targets.collect() },
            Meaning::Side | Meaning::LogOdds => Task::classification(vec!["-1".to_owned(), "1".to_owned()]),
        };
        let calibration = (meaning == Meaning::LogOdds).then(|| Calibration::log_odds(1));
        let record =
            Record::new(&self.state.algorithm, usize::try_from(self.state.steps).unwrap_or(usize::MAX));
        let in_force = presets::find(&self.state.algorithm)?.in_force(&self.state.settings)?;
        let record = in_force.iter().fold(record, |record, (name, value)| record.with(name, value));
        let finish = Finish { task, record, standardisation, inputs, features: &[] };
        finish.apply(Model::new(function))?.with_calibration(calibration)
    }

    /// Bytes of state: what must be kept to go on learning.
    pub fn memory_bytes(&self) -> usize {
        self.state.method.memory_bytes()
    }

    /// What the learner can say about itself: steps refused, vectors projected, refreshes of the inverse
    /// Gram matrix, its residual, the largest effective step, ...
    pub fn diagnostics(&self) -> Vec<Reading> {
        let mut readings = vec![
            Reading::new("steps", self.state.steps as f64, "samples learnt from"),
            Reading::new("size", self.size() as f64, "vectors in the dictionary"),
            Reading::new("refused", self.state.refused as f64, "steps not carried out; if many: lower eta"),
            Reading::new("memory_bytes", self.memory_bytes() as f64, "bytes of state"),
        ];
        self.state.method.diagnostics(&mut readings);
        readings
    }

    /// The whole state as JSON text; [`load`](Self::load) restores it bit by bit.
    pub fn save(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::Numerical {
            what: "saving the state of a learner",
            reason: error.to_string(),
        })
    }

    /// Restores a saved state; a damaged one is an error.
    pub fn load(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::parse("saved state of a learner", "", error.to_string()))
    }

    /// An error unless the target is finite and suits the loss.
    pub(super) fn check_target(&self, y: f64) -> Result<()> {
        if !y.is_finite() {
            return Err(Error::NotFinite { what: "target", row: 0, column: 0, value: y });
        }
        self.state.method.check_target(y)
    }

    /// An error unless a sample has the right number of features, all finite.
    pub(super) fn check_input(&self, x: &[f64]) -> Result<()> {
        check_len("features per sample", self.state.dimension, x.len())?;
        Rows::one(x).check_finite("sample")
    }
}

/// Kernels without a bound (polynomial, linear) can overflow on huge inputs.
fn finite_output(value: f64) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::Numerical {
        what: "evaluating the model",
        reason: format!("the output is {value}: kernel values overflow at this sample; scale the inputs"),
    })
}

/// The same error at row `row` of a set.
pub(super) fn at_row(error: Error, row: usize) -> Error {
    match error {
        Error::NotFinite { what, column, value, .. } => Error::NotFinite { what, row, column, value },
        other => other,
    }
}

impl From<Learner> for State {
    fn from(learner: Learner) -> Self {
        learner.state
    }
}

impl TryFrom<State> for Learner {
    type Error = Error;

    /// Reading goes through the same checks as building.
    fn try_from(state: State) -> Result<Self> {
        if state.version != VERSION {
            let reason = format!(
                "it has version {} and this release reads {VERSION}: go on with the release that wrote it, or learn anew",
                state.version
            );
            return Err(Error::parse("saved state of a learner", &state.algorithm, reason));
        }
        let new = Self::new(&state.algorithm, state.kernel.as_ref(), state.dimension, &state.settings)?;
        if new.state.method.fixed() != state.method.fixed() {
            let reason = "its parts are not those that its settings name";
            return Err(Error::parse("saved state of a learner", &state.algorithm, reason));
        }
        state.method.check(state.dimension)?;
        Ok(Self { state })
    }
}
