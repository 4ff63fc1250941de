//! The durable unit of learning from a stream: a learner, what its samples are made of, and how far it has come.
//!
//! The command, the Python package and services share it, and so its file: what one of them saves another resumes, bit by
//! bit as if there had been no interruption. Samples are either numbers as the caller gives them, or are made from rows of
//! a table by [`Inputs`], with the past of the series where they are moments in time.
//!
//! Beside the learner run the baselines that it has to beat, an interval of stated coverage around each prediction, and a
//! watch for drift. The session may also standardise: see [`Session::standardised`].

mod adaptive_window;
mod advice;
mod baselines;
mod drift;
mod file;
mod intervals;
mod preparation;
mod rows;
mod several;
mod shadows;
mod totals;

pub use adaptive_window::AdaptiveWindow;
pub use advice::{Advice, Concern};
pub use baselines::BASELINES;
pub use drift::OnDrift;
pub use rows::{Answer, Forecast};
pub use several::{Labelled, Labels, Resumed, Sessions};
pub use totals::Totals;

use super::learner::at_row;
use super::{Learner, Step, presets};
use crate::data::{Embedder, InputStream, Inputs};
use crate::error::{Error, Result, check_len};
use crate::matrix::Rows;
use crate::model::Model;
use crate::online::parts::loss::Meaning;
use baselines::Baselines;
use drift::Drift;
use intervals::Intervals;
use preparation::Preparation;
use shadows::Shadows;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// The share of targets that lie inside their intervals, unless another is asked for.
const COVERAGE: f64 = 0.9;

/// Rows that are kept to learn from again when the errors have changed.
const RECENT: usize = 256;

/// A learner with its inputs and totals.
///
/// ```
/// use groat::Kernel;
/// use groat::online::{Learner, Session, Settings};
/// let learner = Learner::new("krls-ald", &Kernel::gaussian(0.5), 1, &Settings::new())?;
/// let mut session = Session::new(learner)?;
/// for i in 0..100 {
///     let x = (i as f64 * 0.37).sin();
///     session.learn_one(&[x], x * x)?;
/// }
/// let mut resumed = Session::from_bytes(&session.to_bytes()?)?;
/// assert_eq!(resumed.learn_one(&[0.3], 0.09)?, session.learn_one(&[0.3], 0.09)?);
/// assert_eq!(session.totals().steps, 101);
/// assert_eq!(session.model()?.record().method, "krls-ald");
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    learner: Learner,
    samples: Samples,
    totals: Totals,
    preparation: Preparation,
    baselines: Baselines,
    intervals: Intervals,
    drift: Drift,
    on_drift: OnDrift,
    /// Learners with other settings, of which the best takes the learner's place.
    shadows: Option<Shadows>,
    /// The newest rows, where a drift makes the learner forget all others.
    recent: VecDeque<(Vec<f64>, f64)>,
    /// Samples whose targets have not come yet, by their key.
    waiting: BTreeMap<String, Vec<f64>>,
    /// Whether the learner has a predictive standard deviation; unknown before the first sample.
    std: Option<bool>,
    /// Missing inputs are what they were before: the last value of each column, NaN before the first.
    carried: Option<Vec<f64>>,
    /// What the baselines said of the last sample, and whether the errors had grown with it.
    said: [Option<f64>; 3],
    drifted: bool,
    /// The sample of the last row.
    sample: Vec<f64>,
}

/// Where samples come from.
#[derive(Clone, Debug)]
enum Samples {
    /// Numbers as the caller gives them.
    Numbers,
    /// Columns of a table that is not at hand, and the past of its series.
    Columns { inputs: Inputs, past: Option<Embedder> },
    /// Rows of a source whose columns were found.
    Rows { source: String, stream: Box<InputStream> },
}

impl Samples {
    fn past(&self) -> Option<&Embedder> {
        match self {
            Samples::Numbers => None,
            Samples::Columns { past, .. } => past.as_ref(),
            Samples::Rows { stream, .. } => stream.embedder(),
        }
    }

    /// Forgets the past: values around a gap are no neighbours in time.
    fn reset_past(&mut self) {
        let past = match self {
            Samples::Numbers => None,
            Samples::Columns { past, .. } => past.as_mut(),
            Samples::Rows { stream, .. } => stream.embedder_mut(),
        };
        past.into_iter().for_each(Embedder::reset);
    }
}

/// What is known of a sample before its target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The output of the learner.
    pub value: f64,
    /// The interval around it; none before there were errors, or where targets are labels.
    pub interval: Option<(f64, f64)>,
    /// Predictive standard deviation of the noisy output, where the learner has one.
    pub std: Option<f64>,
    /// What the [`BASELINES`] say, each where it can.
    pub baselines: [Option<f64>; 3],
}

impl Session {
    /// A session whose samples are numbers as the caller gives them.
    pub fn new(learner: Learner) -> Result<Self> {
        let preparation = Preparation::new(learner.dimension());
        let baselines = Baselines::new(learner.dimension(), preparation.lags())?;
        Ok(Self {
            learner,
            samples: Samples::Numbers,
            totals: Totals::default(),
            preparation,
            baselines,
            intervals: Intervals::new(COVERAGE)?,
            drift: Drift::default(),
            on_drift: OnDrift::default(),
            shadows: None,
            recent: VecDeque::new(),
            waiting: BTreeMap::new(),
            std: None,
            carried: None,
            said: [None; 3],
            drifted: false,
            sample: Vec::new(),
        })
    }

    /// The same for samples that are made from columns of a table. A learner that knows of lags is told theirs.
    pub fn with_inputs(mut self, inputs: Inputs) -> Result<Self> {
        check_len("features of the inputs", self.learner.dimension(), inputs.features())?;
        self.preparation.embed(&inputs);
        if self.totals.steps == 0 {
            self.learner = self.learner.told_of(self.preparation.lags())?;
            self.baselines = Baselines::new(inputs.features(), self.preparation.lags())?;
        }
        self.samples = Samples::Columns { inputs, past: None };
        Ok(self)
    }

    /// The same with features and target standardised before the learner sees them, by what the first rows say; its
    /// kernel's width is then in units of the scaled features, and is found from these rows if `find_width` is asked for.
    /// Nothing changes for a learner that does this by itself. For a session without experience.
    pub fn standardised(mut self, find_width: bool) -> Result<Self> {
        if self.totals.steps > 0 {
            return Err(Error::parameter("standardise", true, "asked for before the first sample"));
        }
        if !presets::find(self.learner.algorithm())?.scales_itself() {
            self.preparation.standardise(self.has_labels(), find_width);
        }
        Ok(self)
    }

    /// The same for targets that are -1 and 1, whatever the loss is: they are not scaled. For a session without experience.
    #[must_use]
    pub(super) fn for_labels(mut self) -> Self {
        self.preparation.keep_targets();
        self
    }

    /// The same with another share of targets inside their intervals than 0.9.
    pub fn with_coverage(mut self, coverage: f64) -> Result<Self> {
        self.intervals = Intervals::new(coverage)?;
        Ok(self)
    }

    /// The same with what is done when errors have changed.
    #[must_use]
    pub fn with_on_drift(mut self, on_drift: OnDrift) -> Self {
        self.on_drift = on_drift;
        self
    }

    /// The same with settings that are tuned while it runs: one or two shadows of the learner with another width, step,
    /// threshold, budget or forgetting factor learn beside it, and one that did better for a while takes its place.
    #[must_use]
    pub fn with_tuning(mut self) -> Self {
        self.shadows = Some(Shadows::default());
        self
    }

    /// How often other settings were tried beside the learner, and how often they took its place; nothing unless it is
    /// [tuned](Self::with_tuning).
    pub fn trials(&self) -> Option<(u64, u64)> {
        self.shadows.as_ref().map(Shadows::told)
    }

    /// The same with missing inputs taken to be what they were in the row before.
    #[must_use]
    pub fn with_carried_inputs(mut self) -> Self {
        self.carried = Some(Vec::new());
        self
    }

    /// Finds the columns in a source, of which [`take`](Self::take) then takes rows; the past of a series goes on.
    pub fn read_from(&mut self, source: &str, names: &[String], named: bool) -> Result<()> {
        let Some(inputs) = self.inputs() else {
            return Err(Error::parse("session", source, "it has no inputs: its samples are numbers"));
        };
        let mut stream = InputStream::new(inputs.clone(), source, names, named)?;
        if let (Some(to), Some(from)) = (stream.embedder_mut(), self.samples.past()) {
            *to = from.clone();
        }
        if let Some(carried) = &self.carried {
            stream.carry_forward(Some(carried.clone()));
        }
        self.samples = Samples::Rows { source: source.to_owned(), stream: Box::new(stream) };
        Ok(())
    }

    /// The learner.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// Whether targets are labels, -1 and 1.
    pub fn has_labels(&self) -> bool {
        self.learner.meaning() != Meaning::Number
    }

    /// Whether the learner sees scaled samples; one that scales by itself does not need to.
    pub fn standardises(&self) -> bool {
        self.preparation.standardises()
    }

    /// What samples are made of, where they come from a table.
    pub fn inputs(&self) -> Option<&Inputs> {
        match &self.samples {
            Samples::Numbers => None,
            Samples::Columns { inputs, .. } => Some(inputs),
            Samples::Rows { stream, .. } => Some(stream.inputs()),
        }
    }

    /// How far it has come.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Mean squared error of each of the [`BASELINES`] over all samples.
    pub fn baselines(&self) -> [Option<f64>; 3] {
        self.baselines.mean_squared()
    }

    /// The share of targets that should lie inside their intervals, and the share that did.
    pub fn coverage(&self) -> (f64, Option<f64>) {
        (self.intervals.coverage(), self.intervals.held())
    }

    /// Steps at which the errors had grown.
    pub fn drifts(&self) -> &[u64] {
        self.drift.found()
    }

    /// Bytes of state: the learner's, and what the session keeps beside it.
    pub fn memory_bytes(&self) -> usize {
        let shadows = self.shadows.as_ref().map_or(0, Shadows::memory_bytes);
        self.learner.memory_bytes()
            + self.preparation.memory_bytes()
            + self.baselines.memory_bytes()
            + shadows
    }

    /// The output at a sample of numbers.
    pub fn predict_one(&self, x: &[f64]) -> Result<f64> {
        let mut z = x.to_vec();
        if x.len() == self.learner.dimension() {
            self.preparation.input_into(x, &mut z);
        }
        Ok(self.preparation.output(self.learner.predict_one(&z)?))
    }

    /// The outputs at rows of numbers, in parallel; the same bits for any number of threads.
    pub fn predict_many(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        if !self.preparation.standardises() {
            return self.learner.predict_many(x);
        }
        check_len("features per sample", self.learner.dimension(), x.cols())?;
        let scaled = self.scaled(x);
        let outputs = self.learner.predict_many(Rows::new(&scaled, x.cols())?)?;
        Ok(outputs.into_iter().map(|output| self.preparation.output(output)).collect())
    }

    /// Predictive variance of the noisy output at a sample of numbers, where the learner has one.
    pub fn variance(&self, x: &[f64]) -> Result<Option<f64>> {
        let mut z = x.to_vec();
        if x.len() == self.learner.dimension() {
            self.preparation.input_into(x, &mut z);
        }
        Ok(self.learner.variance(&z)?.map(|variance| self.preparation.deviation(variance.sqrt()).powi(2)))
    }

    /// Everything that is said of a sample of numbers before its target is known.
    pub fn predict(&mut self, x: &[f64]) -> Result<Prediction> {
        self.preparation.begin(x);
        let value = self.predict_one(x)?;
        let std = if self.std == Some(false) { None } else { self.variance(x)?.map(f64::sqrt) };
        let baselines = self.baselines.predict(x, self.preparation.early_scale());
        Ok(Prediction { value, interval: self.interval(value), std, baselines })
    }

    /// The output at a sample of numbers with the interval around it.
    pub fn predict_interval(&self, x: &[f64]) -> Result<(f64, Option<(f64, f64)>)> {
        let value = self.predict_one(x)?;
        Ok((value, self.interval(value)))
    }

    /// The interval around a prediction.
    fn interval(&self, value: f64) -> Option<(f64, f64)> {
        let half = self.intervals.half_width().filter(|_| !self.has_labels())?;
        Some((value - half, value + half))
    }

    /// Learns from one sample of numbers. A series of rows starts anew after it.
    pub fn learn_one(&mut self, x: &[f64], y: f64) -> Result<Step> {
        let step = self.learn_sample(x, y)?;
        self.count_row();
        Ok(step)
    }

    fn count_row(&mut self) {
        self.totals.rows += 1;
        self.samples.reset_past();
    }

    /// Learns from rows of numbers in order, as [`learn_one`](Self::learn_one) does with each, to the last bit; where a
    /// dictionary has come to rest, faster. A bad row is an error that names it; the rows before it have been learnt.
    pub fn learn_many(&mut self, x: Rows<'_>, y: &[f64]) -> Result<Vec<Step>> {
        check_len("targets", x.rows(), y.len())?;
        let mut steps = Vec::with_capacity(y.len());
        let mut next = 0;
        while next < y.len() {
            let whole = self.looks_ahead() && self.totals.steps > 0;
            let quiet = if whole { self.preparation.quiet() } else { 0 };
            let end = y.len().min(next.saturating_add(quiet));
            if end > next {
                self.learn_block(x, y, next..end, &mut steps)?;
                next = end;
            } else {
                steps.push(self.learn_one(x.row(next), y[next]).map_err(|error| at_row(error, next))?);
                next += 1;
            }
        }
        Ok(steps)
    }

    /// Whether rows can be learnt from together: nothing then starts anew or is exchanged between them.
    fn looks_ahead(&self) -> bool {
        self.on_drift == OnDrift::Note && self.shadows.is_none()
    }

    /// Learns from rows during which nothing starts anew.
    fn learn_block(
        &mut self,
        x: Rows<'_>,
        y: &[f64],
        block: Range<usize>,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let rows = x.slice(block.start, block.end);
        let scaled = if self.preparation.standardises() && x.cols() == self.learner.dimension() {
            self.scaled(rows)
        } else {
            rows.data().to_vec()
        };
        let targets: Vec<f64> = y[block.clone()].iter().map(|y| self.preparation.target(*y)).collect();
        let outcome = self.learner.learn_into(Rows::new(&scaled, x.cols())?, &targets, steps);
        for (i, step) in steps.iter_mut().enumerate().skip(block.start) {
            *step = self.in_units(*step, y[i]);
            self.take_in(x.row(i), y[i], step)?;
            self.count_row();
        }
        outcome.map_err(|error| match error {
            Error::NotFinite { row, .. } => at_row(error, row + block.start),
            other => other,
        })
    }

    /// Rows of numbers as the learner sees them.
    fn scaled(&self, x: Rows<'_>) -> Vec<f64> {
        let mut scaled = vec![0.0; x.rows() * x.cols()];
        for (row, out) in x.iter().zip(scaled.chunks_exact_mut(x.cols().max(1))) {
            self.preparation.input_into(row, out);
        }
        scaled
    }

    /// Learns from a sample; what that did is told in the units of the data.
    fn learn_sample(&mut self, x: &[f64], y: f64) -> Result<Step> {
        self.learner.check_input(x)?;
        self.learner.check_target(y)?;
        self.preparation.begin(x);
        let target = self.preparation.target(y);
        let input = self.preparation.input(x);
        let step = self.learner.learn_one(input, target)?;
        if let Some(shadows) = &mut self.shadows {
            shadows.learn(input, target, step.error);
        }
        let step = self.in_units(step, y);
        self.take_in(x, y, &step)?;
        if let Some(shadows) = &mut self.shadows
            && let Some(winner) = shadows.settle(&self.learner, &self.preparation)?
        {
            self.learner = winner;
        }
        Ok(step)
    }

    /// A step of the learner in the units of the data.
    fn in_units(&self, step: Step, y: f64) -> Step {
        if !self.preparation.standardises() {
            return step;
        }
        let prediction = self.preparation.output(step.prediction);
        let std = step.std.map(|std| self.preparation.deviation(std));
        Step { prediction, error: y - prediction, std, ..step }
    }

    /// What is done after the learner has learnt from a sample.
    fn take_in(&mut self, x: &[f64], y: f64, step: &Step) -> Result<()> {
        self.said = self.baselines.learn(x, y, self.preparation.early_scale());
        self.totals.add(step, y - self.said[1].unwrap_or(0.0), y);
        self.intervals.learn(step.error);
        if self.preparation.push(x, y) {
            if self.preparation.is_early() {
                self.baselines.renew(self.preparation.rows(), self.preparation.early_scale())?;
            }
            if let Some(learner) = self.preparation.renew(&self.learner)? {
                self.learner = learner;
                self.begin_trial()?;
            }
        }
        if self.on_drift == OnDrift::Forget {
            self.keep(x, y);
        }
        self.drifted = self.drift.learn(step.error, self.totals.steps);
        if self.drifted && self.on_drift != OnDrift::Note {
            self.start_anew()?;
        }
        Ok(())
    }

    fn keep(&mut self, x: &[f64], y: f64) {
        let mut row = if self.recent.len() >= RECENT {
            self.recent.pop_front().unwrap_or_default()
        } else {
            Default::default()
        };
        row.0.clear();
        row.0.extend_from_slice(x);
        row.1 = y;
        self.recent.push_back(row);
    }

    /// The learner starts anew, with the rows since the change if those are kept.
    fn start_anew(&mut self) -> Result<()> {
        let old = &self.learner;
        let mut fresh = Learner::new(old.algorithm(), old.kernel(), old.dimension(), old.settings())?;
        let since = usize::try_from(self.drift.width()).unwrap_or(usize::MAX);
        let mut z = vec![0.0; old.dimension()];
        for (x, y) in self.recent.iter().skip(self.recent.len().saturating_sub(since)) {
            self.preparation.input_into(x, &mut z);
            fresh.learn_one(&z, self.preparation.target(*y))?;
        }
        self.learner = fresh;
        self.drift.restart();
        self.begin_trial()
    }

    /// Shadows of a learner that has started anew start anew as well.
    fn begin_trial(&mut self) -> Result<()> {
        self.shadows.as_mut().map_or(Ok(()), |shadows| shadows.begin(&self.learner, &self.preparation))
    }

    /// Leaves a bad row out and counts it. A series starts anew after it.
    pub fn skip_row(&mut self) {
        self.totals.rows += 1;
        self.totals.skipped += 1;
        self.samples.reset_past();
    }

    /// The model learnt so far, finished: with task, record and inputs. An error that says why, where there is none.
    pub fn model(&self) -> Result<Model> {
        self.learner.model_of(self.inputs(), |function| self.preparation.restore(function))
    }
}
