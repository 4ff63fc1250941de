//! Training on parts of the data, vectors carried on from part to part (system B10).
//!
//! A chunk of rows comes in; those that the model so far does not answer well enough (within its margin, outside its
//! tube) join the vectors that are carried, the machine is solved on both together from where it stood, and its support
//! vectors are carried on. The data are gone through several times, until a pass brings nothing new: then no row of all
//! the data violates the conditions of a solution, and the machine is that of all rows. Only the carried rows and one
//! chunk are ever held.
//!
//! Where classes overlap, the support vectors are a share of all rows and outgrow every memory. When as many are carried
//! as `carry` allows, no more rows are taken up, and the model is that of the rows seen until then; a note says so.

use super::SupportVectorMachine;
use crate::batch::{Fitted, Problem, Progress, Target, Watch};
use crate::data::Batches;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, PointSet, Points, Rows};
use crate::model::{Decision, Model};
use std::collections::HashSet;

/// Rows of a chunk of data that are read in batches, where nothing is said.
const CHUNK: usize = 5000;
/// Violations that do not count, in multiples of the tolerance.
const SLACK: f64 = 10.0;
/// A pass that brings fewer rows than this share of the carried ones is the last.
const STABLE: f64 = 0.001;

/// What is carried from chunk to chunk.
struct Carried {
    x: PointSet,
    y: Matrix,
    /// Where the rows stand in the data.
    places: Vec<usize>,
}

/// What a pass came to.
#[derive(Default)]
struct Pass {
    rows: usize,
    joined: usize,
    full: Option<usize>,
}

/// Training that is under way.
struct Chunked<'a> {
    params: SupportVectorMachine,
    /// Classes, or 0 for numbers.
    classes: usize,
    epsilon: f64,
    watch: &'a dyn Watch,
    carried: Carried,
    model: Option<Model>,
    last: Option<Fitted>,
    /// Whether it was asked to stop.
    stopped: bool,
}

impl SupportVectorMachine {
    /// Rows of a chunk, where the data are to be trained on in parts.
    fn chunk_rows(&self) -> usize {
        self.chunk.unwrap_or(CHUNK).max(2)
    }

    /// Trains on data that are read in batches. `sample` are some of the rows, on which width and cost are chosen.
    pub(super) fn chunked(
        &self,
        data: &dyn Batches,
        sample: &Problem<'_>,
        watch: &dyn Watch,
    ) -> Result<Fitted> {
        self.check(sample)?;
        let mut notes = Vec::new();
        let factors = self.class_weights.factors(sample)?;
        let (kernel, numbers, trials) = self.found(sample, &factors, watch, &mut notes)?;
        let mut params =
            Self { nu: Some(numbers.nu), epsilon: Some(numbers.epsilon), ..self.clone() }.cost(numbers.cost);
        (params.kernel, params.widths, params.chunk) = (kernel.clone(), crate::tune::Search::Fixed, None);
        (params.probabilities, params.subsample) = (false, None);
        let (classes, columns) = match sample.target {
            Target::Classes { count, .. } => (count, if count == 2 { 1 } else { count }),
            Target::Values(y) => (0, y.cols()),
            Target::Density => {
                return Err(Error::parameter("chunk", self.chunk_rows(), "left out: there is no target"));
            }
        };
        let features = sample.x.cols();
        let carried = Carried {
            x: Matrix::zeros(0, features).into(),
            y: Matrix::zeros(0, columns),
            places: Vec::new(),
        };
        let mut run = Chunked {
            params,
            classes,
            epsilon: numbers.epsilon,
            watch,
            carried,
            model: None,
            last: None,
            stopped: false,
        };
        let outcome = run.passes(data, self.chunk_passes, self.chunk_rows(), self.carry, &mut notes)?;
        let mut fitted =
            run.last.ok_or(Error::TooFew { what: "learning", unit: "rows", needed: 1, found: 0 })?;
        fitted.candidates = outcome.rows;
        fitted.interrupted |= run.stopped;
        let mut record = fitted.model.record().clone().with("chunk", self.chunk_rows());
        record.rows = outcome.rows;
        fitted.model = fitted.model.with_record(record);
        if !fitted.interrupted {
            let found = (&kernel, numbers);
            fitted.model = self.calibrated_on_some(fitted.model, found, sample, watch, &mut notes)?;
        }
        if !trials.is_empty() {
            fitted.judged_by = crate::tune::Validation::Folds(self.folds).to_string();
        }
        notes.append(&mut fitted.notes);
        (fitted.trials, fitted.notes) = (trials, notes);
        Ok(fitted)
    }
}

impl Chunked<'_> {
    /// Goes through the data until nothing new comes.
    fn passes(
        &mut self,
        data: &dyn Batches,
        most: usize,
        rows: usize,
        carry: usize,
        notes: &mut Vec<String>,
    ) -> Result<Pass> {
        let mut pass = Pass::default();
        for number in 1..=most {
            pass = Pass::default();
            let total = data.rows();
            let read = data.read(&mut |x, y| {
                for start in (0..x.rows()).step_by(rows) {
                    let end = x.rows().min(start + rows);
                    self.chunk(x.slice(start, end), y.slice(start, end), &mut pass, carry)?;
                    let detail = format!("pass {number}, {} vectors", self.carried.places.len());
                    self.watch
                        .progress(&Progress::new("training in chunks", pass.rows, total).detail(detail));
                    if self.watch.stop_requested() {
                        return Err(Error::Stopped);
                    }
                }
                Ok(())
            });
            match read {
                Err(Error::Stopped) if self.last.is_some() => {
                    self.stopped = true;
                    notes.push(format!("broken off in pass {number}, after {} rows", pass.rows));
                    return Ok(pass);
                }
                other => other?,
            }
            if let Some(place) = pass.full {
                notes.push(format!(
                    "{carry} vectors are carried, as many as carry allows, since row {place} of {}: later rows were not \
                     learnt from; a larger carry takes more memory and time",
                    pass.rows
                ));
                return Ok(pass);
            }
            if pass.joined as f64 <= STABLE * self.carried.places.len() as f64 {
                notes.push(format!(
                    "the carried vectors are stable after {number} passes over {} rows",
                    pass.rows
                ));
                return Ok(pass);
            }
        }
        notes.push(format!("{} rows still joined in the last of {most} passes", pass.joined));
        Ok(pass)
    }

    /// Takes up what the model so far does not answer well, and solves anew.
    fn chunk(&mut self, x: Points<'_>, y: Rows<'_>, pass: &mut Pass, carry: usize) -> Result<()> {
        let first = pass.rows;
        pass.rows += x.rows();
        if pass.full.is_some() {
            return Ok(());
        }
        let held: HashSet<usize> = self.carried.places.iter().copied().collect();
        let mut joining = self.violators(x, y)?;
        joining.retain(|i| !held.contains(&(first + i)));
        let room = carry.saturating_sub(self.carried.places.len());
        if joining.len() > room {
            joining.truncate(room);
            pass.full = Some(first);
        }
        if joining.is_empty() && self.model.is_some() {
            return Ok(());
        }
        pass.joined += joining.len();
        self.carried.x = PointSet::joined(&[self.carried.x.view(), x.select(&joining).view()])?;
        for &i in &joining {
            self.carried.y.push_row(y.row(i))?;
            self.carried.places.push(first + i);
        }
        self.solve()
    }

    /// Rows that are not answered well enough; all of them while there is no model.
    fn violators(&self, x: Points<'_>, y: Rows<'_>) -> Result<Vec<usize>> {
        let Some(model) = &self.model else { return Ok((0..x.rows()).collect()) };
        let (values, slack) = (model.values(x)?, SLACK * self.params.tolerance);
        let decision = model.task().decision().unwrap_or(Decision::OneVsRest);
        let violates = |i: &usize| match self.classes {
            0 => values
                .row(*i)
                .iter()
                .zip(y.row(*i))
                .any(|(f, y)| (f - y).abs() > self.epsilon * (1.0 + slack)),
            _ => decision.margin(values.row(*i), class(y.row(*i))) < 1.0 - slack,
        };
        Ok((0..x.rows()).filter(violates).collect())
    }

    /// Solves on all that is carried and keeps the support vectors.
    fn solve(&mut self) -> Result<()> {
        let codes: Vec<usize> = self.carried.y.view().iter().map(class).collect();
        let target = match self.classes {
            0 => Target::Values(self.carried.y.view()),
            count => Target::Classes { codes: &codes, count },
        };
        let problem = Problem { x: self.carried.x.view(), target, weights: None };
        let fitted = self.params.run(&problem, self.model.as_ref(), self.watch)?;
        let kept: HashSet<Vec<(u32, u64)>> = {
            let function = fitted.model.require_expansion("a support vector machine")?;
            let used = |v: &usize| function.weights().row(*v).iter().any(|w| *w != 0.0);
            (0..function.size()).filter(used).map(|v| function.vectors().point(v).key()).collect()
        };
        let x = self.carried.x.view();
        let is_vector: Vec<bool> = (0..x.rows()).map(|i| kept.contains(&x.point(i).key())).collect();
        // A class that has met no other yet has no vectors; without its rows it would be forgotten.
        let alone =
            |class: usize| self.classes > 0 && !(0..codes.len()).any(|i| codes[i] == class && is_vector[i]);
        let alone: Vec<bool> = (0..self.classes).map(alone).collect();
        let stay: Vec<usize> = (0..x.rows())
            .filter(|&i| is_vector[i] || alone.get(codes[i]).is_some_and(|alone| *alone))
            .collect();
        self.carried = Carried {
            x: x.select(&stay),
            y: self.carried.y.view().select(&stay),
            places: stay.iter().map(|&i| self.carried.places[i]).collect(),
        };
        self.model = Some(fitted.model.clone());
        self.last = Some(fitted);
        Ok(())
    }
}

/// The class that a row of responses stands for.
fn class(y: &[f64]) -> usize {
    Decision::OneVsRest.class(y)
}
