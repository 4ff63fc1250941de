//! Rows of a table: answered, learnt from, kept waiting for their targets, and forecast.

use super::{Prediction, Samples, Session};
use crate::data::{Cell, Embedder, Record};
use crate::error::{Error, Place, Result};
use crate::matrix::Rows;
use crate::online::Step;

/// Most samples that wait for their targets.
const MOST_WAITING: usize = 100_000;

/// Rows that a learner is told of ahead.
const AHEAD: usize = 8;

/// What a session answers to a row, before it learns from it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Answer<'a> {
    /// Which row it is, counted from 1 over the whole session, bad ones included.
    pub row: u64,
    /// Samples learnt from so far, this one included if its target was there.
    pub number: u64,
    /// The sample.
    pub x: &'a [f64],
    /// Its target, if it was there.
    pub y: Option<f64>,
    /// Prediction, interval, standard deviation, baselines.
    pub prediction: Prediction,
    /// What learning did, if there was a target.
    pub step: Option<Step>,
    /// Vectors in the dictionary.
    pub size: usize,
    /// Whether this learner has standard deviations.
    pub has_std: bool,
    /// Whether the errors have grown with this sample.
    pub drift: bool,
}

/// A prediction beyond the last row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// How many rows ahead.
    pub ahead: u64,
    /// The value.
    pub value: f64,
}

/// What became of a row.
enum Row {
    /// It only filled the past of a series.
    Past,
    /// Its sample is at hand.
    Sample,
}

impl Session {
    /// Answers a row and learns from it; nothing while a time embedding fills its past. A row without a target is answered
    /// all the same, and the past of a series goes on with the answer. A row that cannot be read, or whose target does not
    /// suit the loss, is an error and was not taken in: the session is as it was, and goes on with that row or
    /// [skips](Self::skip_row) it. One at which the model overflows is an error too; a series starts anew after it.
    pub fn take(&mut self, row: &Record) -> Result<Option<Answer<'_>>> {
        let y = self.target_of(row)?;
        if let Row::Past = self.fetch(row, y)? {
            self.totals.rows += 1;
            return Ok(None);
        }
        let sample = std::mem::take(&mut self.sample);
        let learnt = match y {
            Some(y) => self.answer(&sample, y),
            None => self.answer_open(&sample),
        };
        self.sample = sample;
        let (prediction, step) = match learnt {
            Ok(learnt) => learnt,
            Err(error) => {
                self.samples.reset_past();
                return Err(self.bad_target(row.place, &error));
            }
        };
        self.totals.rows += 1;
        Ok(Some(self.told(y, prediction, step)))
    }

    /// As [`take`](Self::take), for rows of which some name their sample and bring its target later: a row without a
    /// target waits under its key, and a later row with that key and a target is what is learnt from.
    pub fn take_keyed(&mut self, row: &Record, key: &str) -> Result<Option<Answer<'_>>> {
        let y = self.target_of(row)?;
        let (Some(y), Some(x)) = (y, self.waiting.get(key)) else {
            let waits = y.is_none();
            if waits && self.waiting.len() >= MOST_WAITING {
                return Err(Error::parameter("key", key, "at most 100000 rows that wait for their targets"));
            }
            if waits {
                let answered = self.take(row)?.is_some();
                if answered {
                    self.waiting.insert(key.to_owned(), self.sample.clone());
                }
                return Ok(self.last_open());
            }
            return self.take(row);
        };
        let x = x.clone();
        let (prediction, step) = self.answer(&x, y).map_err(|error| self.bad_target(row.place, &error))?;
        self.waiting.remove(key);
        self.sample = x;
        self.totals.rows += 1;
        Ok(Some(self.told(Some(y), prediction, step)))
    }

    /// Takes rows that are all at hand, as [`take`](Self::take) does with each, to the last bit; where a dictionary has come
    /// to rest, faster. Stops before a row without a target or with an error, and after one at which the model
    /// overflows, which is left to `take` as well. Returns how many rows were taken.
    pub fn take_ahead(
        &mut self,
        rows: &[Record],
        mut tell: impl FnMut(Answer<'_>) -> Result<()>,
    ) -> Result<usize> {
        let dimension = self.learner.dimension();
        let (mut x, mut scaled, mut y) = (Vec::new(), Vec::new(), Vec::new());
        let before = self.samples.past().cloned();
        // Where scales may be found again, or a drift starts a learner anew, rows ahead cannot be looked at.
        let plain = self.looks_ahead() && self.carried.is_none();
        let most =
            if plain && self.totals.steps > 0 { AHEAD.min(self.preparation.quiet()).max(1) } else { 1 };
        if before.as_ref().is_some_and(|past| !past.is_filled()) {
            return Ok(0);
        }
        let mut fetched = 0;
        for row in rows.iter().take(most) {
            let Ok(Some(target)) = self.target_of(row) else { break };
            let Ok(Row::Sample) = self.fetch(row, Some(target)) else { break };
            x.extend_from_slice(&self.sample);
            y.push(target);
            fetched += 1;
        }
        scaled.resize(x.len(), 0.0);
        for (row, out) in x.chunks_exact(dimension).zip(scaled.chunks_exact_mut(dimension)) {
            self.preparation.input_into(row, out);
        }
        self.learner.look_ahead(Rows::new(&scaled, dimension)?);
        for (taken, (sample, target)) in x.chunks_exact(dimension).zip(&y).enumerate() {
            let Ok((prediction, step)) = self.answer(sample, *target) else {
                self.learner.drop_look_ahead();
                self.step_back(before, &rows[..taken]);
                return Ok(taken);
            };
            self.totals.rows += 1;
            self.sample.clear();
            self.sample.extend_from_slice(sample);
            tell(self.told(Some(*target), prediction, step))?;
        }
        self.learner.drop_look_ahead();
        Ok(fetched)
    }

    /// Gives a series the past it had, gone on with by some rows.
    fn step_back(&mut self, past: Option<Embedder>, rows: &[Record]) {
        if let (Samples::Rows { stream, .. }, Some(past)) = (&mut self.samples, past)
            && let Some(to) = stream.embedder_mut()
        {
            *to = past;
        }
        for row in rows {
            if let Ok(Some(target)) = self.target_of(row) {
                // It could be made before, and so it can again.
                let _ = self.fetch(row, Some(target));
            }
        }
    }

    /// Samples that wait for their targets.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The answer to the row that was answered last and had no target.
    fn last_open(&mut self) -> Option<Answer<'_>> {
        let sample = std::mem::take(&mut self.sample);
        let prediction = self.predict(&sample);
        self.sample = sample;
        prediction.ok().map(|prediction| self.told(None, prediction, None))
    }

    fn told(&self, y: Option<f64>, prediction: Prediction, step: Option<Step>) -> Answer<'_> {
        Answer {
            row: self.totals.rows,
            number: self.totals.steps,
            x: &self.sample,
            y,
            prediction,
            step,
            size: self.learner.size(),
            has_std: self.std == Some(true),
            drift: step.is_some() && self.drifted,
        }
    }

    /// Where the target stands in a row, if rows have it.
    pub(super) fn target_position(&self) -> Option<usize> {
        match &self.samples {
            Samples::Rows { stream, .. } => stream.target_position(),
            _ => None,
        }
    }

    /// The target of a row, checked; nothing where it is missing.
    pub(super) fn target_of(&self, row: &Record) -> Result<Option<f64>> {
        let Samples::Rows { stream, .. } = &self.samples else {
            return Err(Error::parse("session", "", "it reads from no source of rows"));
        };
        if stream.target_position().and_then(|at| row.cells.get(at)) == Some(&Cell::Missing) {
            return Ok(None);
        }
        let y = stream.target(row.place, &row.cells)?;
        self.learner.check_target(y).map_err(|error| self.bad_target(row.place, &error))?;
        Ok(Some(y))
    }

    /// The error at a row, with its place.
    fn bad_target(&self, place: Place, error: &Error) -> Error {
        let source_name = match &self.samples {
            Samples::Rows { source, .. } => source.clone(),
            _ => String::new(),
        };
        Error::Data { source_name, place, column: "target".to_owned(), reason: error.to_string() }
    }

    /// Makes the sample of a row.
    fn fetch(&mut self, row: &Record, y: Option<f64>) -> Result<Row> {
        let Samples::Rows { stream, .. } = &mut self.samples else { return Ok(Row::Past) };
        let Some(x) = stream.push_with(row.place, &row.cells, y)? else { return Ok(Row::Past) };
        self.sample.clear();
        self.sample.extend_from_slice(x);
        Ok(Row::Sample)
    }

    /// Predicts a sample and learns from it.
    fn answer(&mut self, x: &[f64], y: f64) -> Result<(Prediction, Option<Step>)> {
        // The spread is asked for first: it belongs to the prediction, before learning.
        let std = if self.std == Some(false) { None } else { self.variance(x)?.map(f64::sqrt) };
        let half = self.intervals.half_width().filter(|_| !self.has_labels());
        let step = self.learn_sample(x, y)?;
        // Some methods know their spread only once there is a vector.
        if self.std.is_none() {
            self.std = Some(std.is_some() || self.variance(x).is_ok_and(|variance| variance.is_some()));
        }
        let value = step.prediction;
        let interval = half.map(|half| (value - half, value + half));
        Ok((Prediction { value, interval, std, baselines: self.said }, Some(step)))
    }

    /// Predicts a sample whose target is not there. The past of a series goes on with the prediction.
    fn answer_open(&mut self, x: &[f64]) -> Result<(Prediction, Option<Step>)> {
        let prediction = self.predict(x)?;
        self.totals.unanswered += 1;
        if let Samples::Rows { stream, .. } = &mut self.samples
            && let Some(past) = stream.embedder_mut()
        {
            past.mend(prediction.value);
        }
        Ok((prediction, None))
    }

    /// The next `count` values of a series, each made with the ones before it in the place of targets; columns that drive
    /// the series stay at their last values. The session stays as it is.
    pub fn forecast(&self, count: u64) -> Result<Vec<Forecast>> {
        let Some(mut past) = self.samples.past().cloned() else {
            return Err(Error::parse("forecast", "", "only a series has a future: give it lags (--embed)"));
        };
        let mut x = vec![0.0; past.width()];
        let mut next = |ahead: u64| {
            let Some(drivers) = past.newest().map(<[f64]>::to_vec) else { return Ok(None) };
            if !past.push(&drivers, 0.0, &mut x)? {
                return Ok(None);
            }
            let value = self.predict_one(&x)?;
            past.mend(value);
            Ok(Some(Forecast { ahead, value }))
        };
        (1..=count).filter_map(|ahead| next(ahead).transpose()).collect()
    }
}
