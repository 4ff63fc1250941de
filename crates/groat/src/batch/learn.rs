//! The one road from a data set to a finished model: prepare, fit, finish.
//!
//! ```text
//! Dataset ──prepare──► Prepared (standardised) ──method──► Fitted ──finish──► Fitted, its model takes raw data
//! ```
//!
//! Every face goes this road, and none adds anything to the model that comes out: it knows its classes or targets, the
//! names of its features, what they are made from, their standardisation and how it came to be.

use super::density::Density;
use super::{Batches, BoxedMethod, Fitted, Method, Problem, Watch};
use crate::data::{Answers, Dataset, Moments, Standardisation};
#[cfg(feature = "files")]
use crate::data::{FileBatches, Survey};
use crate::error::{Error, Result};
use crate::matrix::{PointSet, Points};
use crate::model::{Finish, Model, Task};

/// What is done to the data before a method sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preparation {
    /// Whether every feature of dense rows is brought to mean 0 and deviation 1. Sparse rows are taken as they are:
    /// shifted they would be dense, and divided by its deviation the rarest feature would count most.
    pub standardise: bool,
    /// The seed of the fit, for the record.
    pub seed: u64,
}

impl Default for Preparation {
    fn default() -> Self {
        Self { standardise: true, seed: 0 }
    }
}

impl Preparation {
    /// Standardised features, seed 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether features are standardised.
    #[must_use]
    pub fn standardise(mut self, yes: bool) -> Self {
        self.standardise = yes;
        self
    }

    /// The seed of the fit, for the record.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// Fits a method to a data set and finishes the model.
///
/// ```
/// use groat::{Matrix, Rows, batch::{KernelRidge, Preparation, Quiet, learn}, data::{Answers, Dataset}};
/// let x: Vec<f64> = (0..40).map(|i| 1000.0 + f64::from(i)).collect();
/// let y = x.iter().map(|x| (x / 4.0).sin()).collect();
/// let data = Dataset::new(Matrix::column(x), Answers::values("height", y))?;
/// let fitted = learn(&data, &KernelRidge::default(), Preparation::new(), &Quiet)?;
/// let predicted = fitted.model.predict(Rows::new(&[1010.5], 1)?)?;
/// assert!((predicted[(0, 0)] - (1010.5f64 / 4.0).sin()).abs() < 1e-2);
/// assert_eq!(fitted.model.task().output_name(0).as_deref(), Some("height"));
/// # Ok::<(), groat::Error>(())
/// ```
pub fn learn(
    data: &Dataset,
    method: &dyn Method,
    preparation: Preparation,
    watch: &dyn Watch,
) -> Result<Fitted> {
    let prepared = Prepared::for_method(data, preparation, method)?;
    let standing = prepared.on_landmarks(method)?;
    let fitted = standing.as_deref().map_or(method, |method| method).fit(&prepared.problem()?, watch)?;
    prepared.finish(fitted)
}

/// Fits a method to a data set from where an earlier model of it stands ([`Method::fit_from`]). The features are scaled as
/// that model scales them, so that its vectors are found among the rows.
pub fn learn_from(
    data: &Dataset,
    method: &dyn Method,
    preparation: Preparation,
    start: &Model,
    watch: &dyn Watch,
) -> Result<Fitted> {
    let prepared = Prepared::like(data, preparation, start)?;
    let fitted = method.fit_from(start, &prepared.problem()?, watch)?;
    prepared.finish(fitted)
}

/// Fits a method to the training rows of a file, which are read batch by batch and never held, and finishes the model.
/// What has to be chosen is chosen on the rows that the survey has drawn.
#[cfg(feature = "files")]
pub fn learn_batches(
    survey: &Survey,
    method: &dyn Method,
    preparation: Preparation,
    watch: &dyn Watch,
) -> Result<Fitted> {
    let (prepared, batches) = Prepared::surveyed(survey, preparation)?;
    let fitted = prepared.fit_batches(method, &batches, watch)?;
    prepared.finish(fitted)
}

/// Fits a method to rows that stand elsewhere, and finishes the model. `sample` are some of them, on which is chosen what has
/// to be; `standardisation`, where there is one, is that of all rows, and `rows` are standardised by it.
pub fn learn_elsewhere(
    sample: &Dataset,
    standardisation: Option<Standardisation>,
    rows: &dyn Batches,
    method: &dyn Method,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Fitted> {
    let preparation = Preparation::new().standardise(standardisation.is_some()).seed(seed);
    let standardisation = match standardisation {
        Some(standardisation) => standardisation,
        None => Standardisation::fit(sample.x())?,
    };
    let prepared = Prepared::with(sample, preparation, standardisation)?;
    let fitted = prepared.fit_batches(method, rows, watch)?;
    prepared.finish(fitted)
}

/// A data set as a method takes it.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    data: &'a Dataset,
    preparation: Preparation,
    /// The features where they were changed, and how.
    scaled: Option<(PointSet, Standardisation)>,
    notes: Vec<String>,
}

impl<'a> Prepared<'a> {
    /// Prepares a data set.
    pub fn new(data: &'a Dataset, preparation: Preparation) -> Result<Self> {
        let standardisation = Moments::weighted(data.x(), data.weights())?.standardisation()?;
        Self::told(data, preparation, standardisation)
    }

    /// Prepares a data set for a method, whose rows may be the same elsewhere.
    fn for_method(data: &'a Dataset, preparation: Preparation, method: &dyn Method) -> Result<Self> {
        let standardisation = Moments::weighted(data.x(), data.weights())?.standardisation()?;
        let standardisation = match data.x() {
            Points::Dense(x) if method.spreads() => standardisation.rounded(x, data.weights()),
            _ => standardisation,
        };
        Self::told(data, preparation, standardisation)
    }

    /// Prepares a data set so, and says where rows are repeated.
    fn told(data: &'a Dataset, preparation: Preparation, standardisation: Standardisation) -> Result<Self> {
        let mut prepared = Self::with(data, preparation, standardisation)?;
        prepared.notes.extend(repeated_rows(data));
        Ok(prepared)
    }

    /// Prepares the rows that a survey has drawn as all training rows of its file are prepared, and these.
    #[cfg(feature = "files")]
    pub fn surveyed(survey: &'a Survey, preparation: Preparation) -> Result<(Self, FileBatches)> {
        let prepared = Self::with(&survey.train, preparation, survey.moments.standardisation()?)?;
        let batches = survey.batches.clone();
        let batches = match prepared.standardisation() {
            Some(standardisation) => batches.with_standardisation(standardisation.clone())?,
            None => batches,
        };
        Ok((prepared, batches))
    }

    /// Prepares a data set as an earlier model takes it.
    fn like(data: &'a Dataset, preparation: Preparation, start: &Model) -> Result<Self> {
        check_alike(data, start)?;
        let Some(standardisation) = start.standardisation() else {
            return Self::new(data, preparation.standardise(false));
        };
        if !preparation.standardise {
            let expected = "one of features as they are, or features standardised here too";
            return Err(Error::parameter(START, "a model of standardised features", expected));
        }
        Self::with(data, preparation, standardisation.clone())
    }

    /// Prepares a data set whose means and deviations are known, be it from more rows than these.
    fn with(data: &'a Dataset, preparation: Preparation, standardisation: Standardisation) -> Result<Self> {
        check_targets(data)?;
        let dense = data.x().dense().is_some();
        let mut notes = vec![constant(data, &standardisation), uneven_targets(data)];
        let scaled = match preparation.standardise {
            true if dense => {
                let mut x = data.x().to_set();
                standardisation.apply_points(&mut x)?;
                Some((x, standardisation))
            }
            true => {
                notes.push(Some("sparse features are taken as they are, not standardised".to_owned()));
                None
            }
            false => None,
        };
        Ok(Self { data, preparation, scaled, notes: notes.into_iter().flatten().collect() })
    }

    /// The method on the landmarks that came with the data, if any did.
    fn on_landmarks(&self, method: &dyn Method) -> Result<Option<BoxedMethod>> {
        let Some(landmarks) = self.data.landmarks() else { return Ok(None) };
        let mut landmarks = landmarks.to_set();
        if let Some(standardisation) = self.standardisation() {
            standardisation.apply_points(&mut landmarks)?;
        }
        method.on_landmarks(landmarks.view()).map(Some)
    }

    /// A fit of rows that are not held.
    fn fit_batches(&self, method: &dyn Method, rows: &dyn Batches, watch: &dyn Watch) -> Result<Fitted> {
        let standing = self.on_landmarks(method)?;
        let method: &dyn Method = standing.as_deref().map_or(method, |method| method);
        method.fit_batches(rows, &self.problem()?, watch)
    }

    /// The features as the method sees them.
    pub fn x(&self) -> Points<'_> {
        self.scaled.as_ref().map_or(self.data.x(), |(x, _)| x.view())
    }

    /// How the features were standardised, if they were.
    pub fn standardisation(&self) -> Option<&Standardisation> {
        self.scaled.as_ref().map(|(_, standardisation)| standardisation)
    }

    /// What the user should know of the data.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The borrowed form that methods take.
    pub fn problem(&self) -> Result<Problem<'_>> {
        Ok(Problem { x: self.x(), ..self.data.problem()? })
    }

    /// Makes what a method returned take raw data and know all that is known.
    pub fn finish(self, mut fitted: Fitted) -> Result<Fitted> {
        if let Some(reference) = &mut fitted.reference {
            *reference = self.density_of(&reference.to_model(fitted.model.record().clone())?)?;
        }
        if let (Task::Density, Some(standardisation)) = (fitted.model.task(), self.standardisation()) {
            // A density of raw features is lower by the product of the scales.
            let unit: f64 = standardisation.scale().iter().map(|scale| scale.ln()).sum();
            fitted.sizes.iter_mut().for_each(|size| size.error += unit);
            fitted.full.iter_mut().for_each(|full| full.error += unit);
        }
        fitted.model = self.finish_model(fitted.model)?;
        fitted.notes.splice(0..0, self.notes);
        Ok(fitted)
    }

    /// Makes a model of the prepared features take raw data and know all that is known.
    pub fn finish_model(&self, model: Model) -> Result<Model> {
        let (model, standardisation) = match model.task() {
            // A density of standardised features would need the scale as a factor: it keeps raw centres and one
            // width per feature instead.
            Task::Density => (self.density_of(&model)?.to_model(model.record().clone())?, None),
            _ => (model, self.standardisation().cloned()),
        };
        let inputs = self.data.inputs();
        let record = model.record().clone().with("seed", self.preparation.seed);
        let record = if inputs.is_some() { record.with("source", self.data.source()) } else { record };
        let task = named(model.task(), self.data.answers());
        let features = self.data.feature_names();
        Finish { task, record, standardisation, inputs, features }.apply(model)
    }

    /// The density of raw features that a model of the prepared ones stands for.
    fn density_of(&self, model: &Model) -> Result<Density> {
        Density::from_model(&model.clone().with_standardisation(self.standardisation().cloned())?)
    }
}

/// The task with the names that the data know.
pub(super) fn named(task: &Task, answers: &Answers) -> Task {
    match (task, answers) {
        (Task::Regression { .. }, Answers::Values { names, .. }) => {
            Task::Regression { targets: names.clone() }
        }
        (Task::Classification { decision, .. }, Answers::Classes { labels, .. }) => {
            Task::Classification { classes: labels.clone(), decision: *decision }
        }
        (other, _) => other.clone(),
    }
}

/// What a model to start from is called in messages.
const START: &str = "the model to start from";

/// An error unless an earlier model answers the same question from the same features.
fn check_alike(data: &Dataset, start: &Model) -> Result<()> {
    let refuse = |found: String, expected: String| Err(Error::parameter(START, found, expected));
    let (known, here) = (start.features(), data.x().cols());
    if known != here {
        return refuse(format!("a model of {known} features"), format!("one of {here}, as the data have"));
    }
    let (names, own) = (start.feature_names(), data.feature_names());
    let other = names.iter().zip(own).find(|(known, here)| known != here);
    if let Some((known, here)) = other {
        return refuse(format!("a model of the feature {known}"), format!("the feature {here} in its place"));
    }
    match data.answers() {
        Answers::Classes { labels, .. } if labels != start.classes() => {
            let listed = |labels: &[String]| format!("the classes {}", labels.join(", "));
            refuse(listed(start.classes()), listed(labels))
        }
        _ => Ok(()),
    }
}

/// Targets outside this range have squared errors that overflow, or vanish and pass for none.
const TARGETS: std::ops::Range<f64> = 1e-145..1e145;

/// An error unless squared errors of the targets are numbers.
fn check_targets(data: &Dataset) -> Result<()> {
    let Answers::Values { names, y } = data.answers() else { return Ok(()) };
    for k in 0..y.cols() {
        let most = y.column_to_vec(k).iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        if most > 0.0 && !TARGETS.contains(&most) {
            let name = names.get(k).cloned().unwrap_or_else(|| format!("target {}", k + 1));
            let (what, way) = if most > 1.0 { ("large", "divide it") } else { ("small", "multiply it") };
            let reason = format!(
                "{name} is too {what} to square (up to {most:e} in size); {way}, e.g. by another unit"
            );
            return Err(Error::numerical("measuring the target", reason));
        }
    }
    Ok(())
}

/// Most features that a note names.
const LISTED: usize = 10;

/// Says which features have no influence because they never vary.
fn constant(data: &Dataset, standardisation: &Standardisation) -> Option<String> {
    let name = |&j: &usize| data.feature_names().get(j).cloned().unwrap_or_else(|| (j + 1).to_string());
    let constant = standardisation.constant();
    let mut listed: Vec<String> = constant.iter().take(LISTED).map(name).collect();
    if constant.len() > LISTED {
        listed.push(format!("and {} more", constant.len() - LISTED));
    }
    (!listed.is_empty()).then(|| {
        format!("constant in the training rows, so without influence: {} (exclude them)", listed.join(", "))
    })
}

/// Says so when rows stand there several times.
fn repeated_rows(data: &Dataset) -> Option<String> {
    let (count, (row, earlier)) = data.repeated()?;
    Some(format!(
        "{count} of {} training rows repeat the features of an earlier one (first: training row {row} repeats {earlier}); \
         leave-one-out errors are then too small",
        data.len()
    ))
}

/// Says so when some targets vary so much more than others that the model is made for them alone.
fn uneven_targets(data: &Dataset) -> Option<String> {
    const UNEVEN: f64 = 10.0;
    let Answers::Values { names, y } = data.answers() else { return None };
    let deviations = Standardisation::fit(y.view()).ok()?;
    let varies = |k: &usize| !deviations.constant().contains(k);
    let scale = |k: &usize| deviations.scale()[*k];
    let by_scale = |a: &usize, b: &usize| scale(a).total_cmp(&scale(b));
    let least = (0..y.cols()).filter(varies).min_by(by_scale)?;
    let most = (0..y.cols()).filter(varies).max_by(by_scale)?;
    let name = |k: usize| names.get(k).cloned().unwrap_or_else(|| format!("target {}", k + 1));
    (scale(&most) > UNEVEN * scale(&least)).then(|| {
        format!(
            "one model lowers the squared errors of all targets together, and {} varies {} times as much as {}: bring \
             them to like units, or fit them one by one",
            name(most),
            (scale(&most) / scale(&least)).round(),
            name(least)
        )
    })
}
