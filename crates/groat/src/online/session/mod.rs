//! The durable unit of learning from a stream: a learner, what its samples are made of, and how far it has come.
//!
//! The command, the Python package and services share it, and so its file: what one of them saves another resumes, bit by
//! bit as if there had been no interruption. Samples are either numbers as the caller gives them, or are made from rows of
//! a table by [`Inputs`], with the past of the series where they are moments in time.

mod file;
mod totals;

pub use totals::Totals;

use super::{Learner, Step};
use crate::data::{Embedder, InputStream, Inputs, Record};
use crate::error::{Error, Result, check_len};
use crate::matrix::Rows;
use crate::model::Model;

/// A learner with its inputs and totals.
///
/// ```
/// use groat::Kernel;
/// use groat::online::{Learner, Session, Settings};
/// let learner = Learner::new("krls-ald", &Kernel::gaussian(0.5), 1, &Settings::new())?;
/// let mut session = Session::new(learner);
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
    /// Whether the learner has a predictive standard deviation; unknown before the first sample.
    std: Option<bool>,
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

/// What a session answers to a row, before it learns from it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// Which sample it is, counted from 1 over the whole session.
    pub number: u64,
    /// The sample.
    pub x: &'a [f64],
    /// Its target.
    pub y: f64,
    /// Prediction, error, and what learning did.
    pub step: Step,
    /// Whether this learner has standard deviations.
    pub has_std: bool,
    /// Predictive standard deviation of the noisy output, where it is known.
    pub std: Option<f64>,
}

impl Session {
    /// A session whose samples are numbers as the caller gives them.
    pub fn new(learner: Learner) -> Self {
        Self::with_state(learner, Samples::Numbers, Totals::default(), None)
    }

    fn with_state(learner: Learner, samples: Samples, totals: Totals, std: Option<bool>) -> Self {
        Self { learner, samples, totals, std, sample: Vec::new() }
    }

    /// The same for samples that are made from columns of a table.
    pub fn with_inputs(mut self, inputs: Inputs) -> Result<Self> {
        check_len("features of the inputs", self.learner.dimension(), inputs.features())?;
        self.samples = Samples::Columns { inputs, past: None };
        Ok(self)
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
        self.samples = Samples::Rows { source: source.to_owned(), stream: Box::new(stream) };
        Ok(())
    }

    /// The learner.
    pub fn learner(&self) -> &Learner {
        &self.learner
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

    /// Answers a row and learns from it; nothing while a time embedding fills its past. A row that cannot be read, or whose
    /// target does not suit the loss, is an error and was not taken in: the session is as it was, and goes on with that row
    /// or [skips](Self::skip_row) it. One at which the model overflows is an error too; a series starts anew after it.
    pub fn take(&mut self, row: &Record) -> Result<Option<Answer<'_>>> {
        let Samples::Rows { source, stream } = &mut self.samples else {
            return Err(Error::parse("session", "", "it reads from no source of rows"));
        };
        let place = row.place;
        let bad = |error: Error| {
            let (source_name, column) = (source.clone(), "target".to_owned());
            Error::Data { source_name, place, column, reason: error.to_string() }
        };
        let y = stream.target(place, &row.cells)?;
        self.learner.check_target(y).map_err(bad)?;
        let Some(x) = stream.push(place, &row.cells)? else {
            self.totals.rows += 1;
            return Ok(None);
        };
        self.sample.clear();
        self.sample.extend_from_slice(x);
        let x = &self.sample;
        // The spread is asked for first: it belongs to the prediction, before learning.
        let std = if self.std == Some(false) { Ok(None) } else { spread(&self.learner, x) };
        let (std, step) = match std.and_then(|std| Ok((std, self.learner.learn_one(x, y)?))) {
            Ok(learnt) => learnt,
            Err(error) => {
                let error = bad(error);
                self.samples.reset_past();
                return Err(error);
            }
        };
        // Some methods know their spread only once there is a vector.
        let known = || std.is_some() || spread(&self.learner, x).is_ok_and(|std| std.is_some());
        let has_std = self.std.unwrap_or_else(known);
        self.std = Some(has_std);
        self.totals.rows += 1;
        self.totals.add(&step);
        Ok(Some(Answer { number: self.totals.steps, x, y, step, has_std, std }))
    }

    /// Leaves a bad row out and counts it. A series starts anew after it.
    pub fn skip_row(&mut self) {
        self.totals.rows += 1;
        self.totals.skipped += 1;
        self.samples.reset_past();
    }

    /// Learns from one sample of numbers. A series of rows starts anew after it.
    pub fn learn_one(&mut self, x: &[f64], y: f64) -> Result<Step> {
        let step = self.learner.learn_one(x, y)?;
        self.count(&[step]);
        Ok(step)
    }

    /// Learns from rows of numbers in order, as [`Learner::learn_many`] does.
    pub fn learn_many(&mut self, x: Rows<'_>, y: &[f64]) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let outcome = self.learner.learn_into(x, y, &mut steps);
        self.count(&steps);
        outcome.map(|()| steps)
    }

    fn count(&mut self, steps: &[Step]) {
        self.totals.rows += steps.len() as u64;
        steps.iter().for_each(|step| self.totals.add(step));
        if !steps.is_empty() {
            self.samples.reset_past();
        }
    }

    /// The model learnt so far, finished: with task, record and inputs. An error that says why, where there is none.
    pub fn model(&self) -> Result<Model> {
        self.learner.model_of(self.inputs())
    }
}

/// Predictive standard deviation at `x`, where the method has one.
fn spread(learner: &Learner, x: &[f64]) -> Result<Option<f64>> {
    Ok(learner.variance(x)?.map(f64::sqrt))
}
