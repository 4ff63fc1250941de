//! Several sessions side by side on the same rows: one for each of several targets, or one for each class label.
//!
//! A label's session learns 1 where the label is there and -1 elsewhere, and the label with the largest output is the answer.
//! A label that was never seen was -1 in every row so far: beside the others runs a session without a label that has
//! learnt just that, and a new label starts as a copy of it. So all have the same scales, and the model of a whole stream
//! is one expansion with a column of weights for each of them.

use super::file::{self, FORMAT_OF_SEVERAL, VERSION};
use super::{Answer, Session};
use crate::data::{Cell, Inputs, Record};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::matrix::{Matrix, Points};
use crate::model::{Finish, Model, Task};
use crate::persist::{checksum, write_atomically};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Most class labels.
const MOST_LABELS: usize = 100;

/// Sessions by the name of what each predicts.
///
/// ```
/// use groat::data::{Cell, InputOptions, Inputs, Record};
/// use groat::error::Place;
/// use groat::online::{Learner, Session, Sessions, Settings};
/// let names = ["x".to_owned(), "side".to_owned()];
/// let options = InputOptions { targets: vec!["side".into()], ..Default::default() };
/// let inputs = Inputs::choose("rows", &names, true, &options)?;
/// let learner = Learner::new("krls-ald", None, 1, &Settings::new())?;
/// let mut labels = Sessions::of_labels(Session::new(learner)?.with_inputs(inputs)?)?;
/// labels.read_from("rows", &names, true)?;
/// for i in 0..100 {
///     let x = (i as f64 * 0.7).sin();
///     let side = if x > 0.0 { "right" } else { "left" };
///     let cells = vec![Cell::Number(x), Cell::Text(side.into())];
///     labels.take_label(&Record { place: Place::Line(i + 2), cells })?;
/// }
/// assert!(labels.labels().unwrap().accuracy().unwrap() > 0.9);
/// assert_eq!(labels.model()?.classes(), ["left", "right"]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sessions {
    members: Vec<(String, Session)>,
    /// Where the members stand for labels: what a new one starts from, and how the answers fared.
    labels: Option<(Box<Session>, Labels)>,
    /// Where the target stands in a row of labels.
    position: Option<usize>,
}

/// How labels were answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Labels {
    /// The column that holds them.
    pub target: String,
    /// Rows seen, good or bad.
    pub rows: u64,
    /// Rows left out because they were bad.
    pub skipped: u64,
    /// Labels learnt from.
    pub steps: u64,
    /// How often each true label (first) was answered by which label (second); no answer is empty.
    pub answers: BTreeMap<String, BTreeMap<String, u64>>,
    /// Right so far: the learners, the last label, the most frequent one.
    right: [u64; 3],
    last: Option<String>,
}

/// The answer to a row of labels.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Labelled {
    /// Which row it is, counted from 1.
    pub row: u64,
    /// Labels learnt from so far, this one included.
    pub number: u64,
    /// The likeliest label; none before the first was seen, or while a time embedding fills its past.
    pub prediction: Option<String>,
    /// The true one, if it was there.
    pub target: Option<String>,
    /// Which of the learners, the last label and the most frequent one were right.
    pub right: [bool; 3],
}

/// What a saved state holds.
#[derive(Debug)]
pub enum Resumed {
    /// One session.
    One(Box<Session>),
    /// Several.
    Several(Box<Sessions>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSeveral {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    #[serde(rename = "checksum")]
    _checksum: Option<String>,
    members: Vec<(String, file::Saved)>,
    unseen: Option<file::Saved>,
    labels: Option<Labels>,
}

#[derive(Serialize)]
struct ViewOfSeveral<'a> {
    format: &'static str,
    version: u32,
    checksum: &'static str,
    members: Vec<(&'a str, file::View<'a>)>,
    unseen: Option<file::View<'a>>,
    labels: Option<&'a Labels>,
}

impl Resumed {
    /// Reads a file of [`Session::save`] or of [`Sessions::save`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        file::load(path.as_ref(), |bytes| {
            Ok(match file::holds_several(bytes) {
                true => Resumed::Several(Box::new(Sessions::from_bytes(bytes)?)),
                false => Resumed::One(Box::new(Session::from_bytes(bytes)?)),
            })
        })
    }
}

impl Sessions {
    /// One session for each of several targets, by its name.
    pub fn of_targets(members: Vec<(String, Session)>) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::parameter("targets", 0, "at least one"));
        }
        Ok(Self { members, labels: None, position: None })
    }

    /// Sessions for labels, each made as this one, which has no experience and inputs with one target.
    pub fn of_labels(unseen: Session) -> Result<Self> {
        let target = unseen.inputs().and_then(Inputs::target).unwrap_or_default().to_owned();
        let labels = Labels { target, ..Labels::default() };
        Ok(Self {
            members: Vec::new(),
            labels: Some((Box::new(unseen.for_labels()), labels)),
            position: None,
        })
    }

    /// The sessions with the names of what they predict.
    pub fn members(&self) -> &[(String, Session)] {
        &self.members
    }

    /// How labels were answered; nothing where the members stand for targets.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref().map(|(_, labels)| labels)
    }

    /// The session of a label that was never seen; nothing where the members stand for targets.
    pub fn unseen(&self) -> Option<&Session> {
        self.labels.as_ref().map(|(unseen, _)| &**unseen)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        let unseen = self.labels.iter_mut().map(|(unseen, _)| &mut **unseen);
        self.members.iter_mut().map(|(_, session)| session).chain(unseen)
    }

    /// Finds the columns in a source, of which rows are then taken; the past of a series goes on.
    pub fn read_from(&mut self, source: &str, names: &[String], named: bool) -> Result<()> {
        self.all_mut().try_for_each(|session| session.read_from(source, names, named))?;
        self.position = self.labels.as_ref().and_then(|(unseen, _)| unseen.target_position());
        Ok(())
    }

    /// Rows seen, good or bad.
    pub fn rows(&self) -> u64 {
        self.labels().map_or_else(|| self.members[0].1.totals().rows, |labels| labels.rows)
    }

    /// Samples learnt from by the one that has learnt most.
    pub fn steps(&self) -> u64 {
        let most = || self.members.iter().map(|(_, session)| session.totals().steps).max();
        self.labels().map_or_else(|| most().unwrap_or(0), |labels| labels.steps)
    }

    /// Answers a row for each target and learns from it, as [`Session::take`] does. A row that cannot be read for one of
    /// them is an error and was taken in by none.
    pub fn take(
        &mut self,
        row: &Record,
        key: Option<&str>,
        mut tell: impl FnMut(usize, &str, &Answer<'_>) -> Result<()>,
    ) -> Result<()> {
        self.members.iter().try_for_each(|(_, session)| session.target_of(row).map(drop))?;
        for (at, (name, session)) in self.members.iter_mut().enumerate() {
            let answer = match key {
                Some(key) => session.take_keyed(row, key)?,
                None => session.take(row)?,
            };
            answer.map_or(Ok(()), |answer| tell(at, name, &answer))?;
        }
        Ok(())
    }

    /// Answers a row whose target is a label, and learns from it.
    pub fn take_label(&mut self, row: &Record) -> Result<Labelled> {
        let Some((unseen, labels)) = &mut self.labels else {
            return Err(Error::parse("sessions", "", "they stand for targets, not for labels"));
        };
        let label = match self.position.and_then(|at| row.cells.get(at)) {
            None | Some(Cell::Missing) => None,
            Some(cell) => Some(cell.to_string()),
        };
        let known = self.members.len();
        let new = label.as_ref().filter(|label| self.members.iter().all(|(name, _)| name != *label));
        if new.is_some() && known >= MOST_LABELS {
            return Err(Error::parameter("labels", known + 1, "at most 100 labels; is the target a number?"));
        }
        let mut row = row.clone();
        let mut take = |session: &mut Session, own: bool| -> Result<Option<f64>> {
            if let Some(cell) = self.position.and_then(|at| row.cells.get_mut(at)) {
                *cell = label.as_ref().map_or(Cell::Missing, |_| Cell::Number(if own { 1.0 } else { -1.0 }));
            }
            Ok(session.take(&row)?.map(|answer| answer.prediction.value))
        };
        // The one without a label goes first: a row that cannot be read then leaves all as they were.
        let before = new.map(|label| (label.clone(), (**unseen).clone()));
        take(unseen, false)?;
        self.members.extend(before);
        let mut best: Option<(f64, usize)> = None;
        for (at, (name, session)) in self.members.iter_mut().enumerate() {
            let value = take(session, label.as_ref() == Some(name))?;
            // A label that was not known has no say in its own first answer.
            if let Some(value) = value.filter(|_| at < known)
                && best.is_none_or(|(most, _)| value > most)
            {
                best = Some((value, at));
            }
        }
        let prediction = best.map(|(_, at)| self.members[at].0.clone());
        let right = labels.judge(prediction.as_deref(), label.as_deref());
        Ok(Labelled { row: labels.rows, number: labels.steps, prediction, target: label, right })
    }

    /// Leaves a bad row out and counts it.
    pub fn skip_row(&mut self) {
        self.all_mut().for_each(Session::skip_row);
        if let Some((_, labels)) = &mut self.labels {
            labels.rows += 1;
            labels.skipped += 1;
        }
    }

    /// The model learnt so far: one expansion with an output for each member (for two labels, one). An error that says
    /// why, where there is none.
    pub fn model(&self) -> Result<Model> {
        let models = self.members.iter().map(|(_, session)| session.model()).collect::<Result<Vec<_>>>()?;
        let [first, others @ ..] = &models[..] else {
            return Err(Error::parse("sessions", "", "no label was seen yet"));
        };
        let inputs: Vec<&Inputs> = self.members.iter().filter_map(|(_, session)| session.inputs()).collect();
        let own_past = inputs.iter().any(|inputs| inputs.embedding().is_some_and(|e| e.feedback));
        if own_past && self.labels.is_none() && !others.is_empty() {
            let reason = "each target has its own past among its features, so there is no one model: save the state \
                          (--save), or take one target at a time";
            return Err(Error::parse("sessions", "model", reason));
        }
        let differs = |model: &Model| {
            model.kernel() != first.kernel() || model.standardisation() != first.standardisation()
        };
        if others.iter().any(differs) {
            let reason = "the learners have different kernels or scales: give a --width and --no-standardise, or save \
                          the state (--save)";
            return Err(Error::parse("sessions", "model", reason));
        }
        let joint = inputs.first().map(|first| first.with_targets_of(&inputs[1..]));
        let two = self.labels.is_some() && models.len() == 2;
        let names = || self.members.iter().map(|(name, _)| name.clone()).collect();
        let task = match self.labels {
            Some(_) => Task::classification(names()),
            None => Task::Regression { targets: names() },
        };
        let finish = Finish {
            task,
            record: first.record().clone(),
            standardisation: first.standardisation().cloned(),
            inputs: joint.as_ref().filter(|_| self.labels.is_none()).or(inputs.first().copied()),
            features: &[],
        };
        finish.apply(Model::new(if two { difference(&models)? } else { joined(&models)? }))
    }

    /// All of them as JSON text; [`from_bytes`](Self::from_bytes) restores them bit by bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::written(&ViewOfSeveral {
            format: FORMAT_OF_SEVERAL,
            version: VERSION,
            checksum: checksum::BLANK,
            members: self.members.iter().map(|(name, session)| (name.as_str(), session.view())).collect(),
            unseen: self.unseen().map(Session::view),
            labels: self.labels(),
        })
    }

    /// Restores them; a damaged state is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let saved: SavedSeveral = file::read(bytes, FORMAT_OF_SEVERAL)?;
        let restore = |(name, saved)| Session::restore(saved).map(|session| (name, session));
        let members = saved.members.into_iter().map(restore).collect::<Result<Vec<_>>>()?;
        match (saved.unseen, saved.labels) {
            (Some(unseen), Some(labels)) if members.len() <= MOST_LABELS => {
                let unseen = Box::new(Session::restore(unseen)?);
                Ok(Self { members, labels: Some((unseen, labels)), position: None })
            }
            (None, None) => Self::of_targets(members),
            _ => Err(Error::parse("saved session", "", "its labels are not sound")),
        }
    }

    /// Writes the whole file or leaves the one before.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_atomically(path.as_ref(), |out| out.write_all(&bytes))
    }
}

impl Labels {
    /// Counts a row, and who was right if its label was there.
    fn judge(&mut self, said: Option<&str>, label: Option<&str>) -> [bool; 3] {
        self.rows += 1;
        let Some(label) = label else { return [false; 3] };
        let seen = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        let frequent =
            self.answers.iter().max_by_key(|(_, counts)| seen(counts)).map(|(name, _)| name.clone());
        let right = [said, self.last.as_deref(), frequent.as_deref()].map(|guess| guess == Some(label));
        self.right.iter_mut().zip(right).for_each(|(count, right)| *count += u64::from(right));
        self.steps += 1;
        let counts = self.answers.entry(label.to_owned()).or_default();
        *counts.entry(said.unwrap_or_default().to_owned()).or_default() += 1;
        self.last = Some(label.to_owned());
        right
    }

    /// The share of right answers.
    pub fn accuracy(&self) -> Option<f64> {
        self.share(0)
    }

    /// The shares that repeating the last label, and saying the most frequent one so far, would have got right.
    pub fn baselines(&self) -> Option<[(&'static str, f64); 2]> {
        Some([("last label", self.share(1)?), ("most frequent label", self.share(2)?)])
    }

    fn share(&self, who: usize) -> Option<f64> {
        (self.steps > 0).then(|| self.right[who] as f64 / self.steps as f64)
    }
}

/// The vectors of all functions, each with weights for its own output alone.
fn joined(models: &[Model]) -> Result<Expansion> {
    let outputs = models.len();
    stacked(models, outputs, |k, weight, row| row[k] = weight, |k, bias, all| all[k] += bias)
}

/// Half the second function less half the first: above 0 where the second is larger.
fn difference(models: &[Model]) -> Result<Expansion> {
    let sign = |k: usize| if k == 0 { -0.5 } else { 0.5 };
    stacked(models, 1, |k, weight, row| row[0] = sign(k) * weight, |k, bias, all| all[0] += sign(k) * bias)
}

fn stacked(
    models: &[Model],
    outputs: usize,
    place: impl Fn(usize, f64, &mut [f64]),
    add: impl Fn(usize, f64, &mut [f64]),
) -> Result<Expansion> {
    let (mut vectors, mut weights, mut bias) = (Vec::new(), Vec::new(), vec![0.0; outputs]);
    for (k, model) in models.iter().enumerate() {
        let Some(Points::Dense(rows)) = model.expansion().map(Expansion::vectors) else {
            return Err(Error::parse("sessions", "model", "it has no dense vectors"));
        };
        for (vector, weight) in rows.iter().zip(model.weights().iter()) {
            vectors.extend_from_slice(vector);
            let at = weights.len();
            weights.resize(at + outputs, 0.0);
            place(k, weight[0], &mut weights[at..]);
        }
        add(k, model.bias().map_or(0.0, |bias| bias[0]), &mut bias);
    }
    let count = weights.len() / outputs;
    let features = models[0].features();
    let vectors = Matrix::from_vec(vectors, count, features)?;
    let kernel = models[0].kernel().clone();
    Expansion::new(kernel, vectors, Matrix::from_vec(weights, count, outputs)?)?.with_bias(bias)
}
