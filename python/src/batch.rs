//! The engine of the batch methods: a name from the table, a kernel and settings in, a finished model out.
//!
//! Nothing here knows a method: which there are, which settings they take and what is wrong with a value is the
//! table's to say.

use crate::arrays::{Input, array2, check_room, squeezed, vector};
use crate::errors::{DataError, NotFittedError, raise};
use crate::kernel::kernel_of;
use crate::labels::Labels;
use crate::model::{PyModel, codes_of, deviations_of, probabilities_of, values_of};
use crate::outcome::{Outcome, PyTrial};
use crate::points::{Given, answered, described};
use crate::settings::{settings_of, whole};
use crate::sums::{Elsewhere, standardisation_of};
use crate::threads::detached;
use crate::vectors::rows_of_vectors;
use crate::watch::watched;
use groat::batch::density::Density;
use groat::batch::{
    BoxedMethod, KernelChoice, Methods, Preparation, TaskKind, learn, learn_elsewhere, learn_from,
};
use groat::data::{Answers, Column, Dataset};
use groat::settings::Settings;
use groat::{Matrix, Result};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::sync::{Arc, Mutex, PoisonError};

/// A batch method of the table that methods() lists, and what it found.
///
/// BatchLearner("ols", "gaussian", task="classification", max_terms=40): a method by its name; a kernel, whose width
/// is searched for unless it is given (None: a Gaussian); what is to be learnt; and the method's settings by name,
/// where None is the default, a sequence gives values to choose from, and class_weights may be a dictionary.
#[pyclass(module = "groat._groat", frozen, subclass)]
pub(crate) struct BatchLearner {
    method: String,
    kernel: KernelChoice,
    task: TaskKind,
    settings: Settings,
    preparation: Preparation,
    /// The arguments that the learner was made with.
    params: Py<PyDict>,
    outcome: Mutex<Option<Arc<Outcome>>>,
}

impl BatchLearner {
    /// The method for data with so many features and classes with these labels.
    fn build(&self, features: usize, classes: &[String]) -> Result<BoxedMethod> {
        let kernel = self.kernel.for_features(features);
        Methods::standard().build(&self.method, &kernel, classes, &self.settings)
    }

    /// What to learn from rows and targets, and the labels where they are classes.
    fn data(
        &self,
        x: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        names: Names,
    ) -> PyResult<(Dataset, Option<Labels>)> {
        let x = Given::of("x", x)?;
        let (answers, labels) = match (self.task, y) {
            (TaskKind::Density, _) => (Answers::None, None),
            (_, None) => return Err(DataError::new_err("y is missing: there is nothing to learn")),
            (TaskKind::Classification, Some(y)) => {
                let (labels, codes) = Labels::of(y)?;
                (Answers::Classes { labels: labels.names.clone(), codes }, Some(labels))
            }
            (_, Some(y)) => {
                let y = Input::<f64>::columns_of("y", y)?.rows()?.to_matrix();
                let names = names.target.iter().filter(|_| y.cols() == 1).cloned().collect();
                (Answers::Values { names, y }, None)
            }
        };
        let target = names.target.and_then(|name| column(&answers).map(|column| (name, column)));
        let (x, inputs) = x.into_samples("x", target, names.categorical)?;
        let data = Dataset::new(x, answers).map_err(raise)?;
        Ok((described(data, inputs, names.features)?, labels))
    }

    fn outcome(&self) -> PyResult<Arc<Outcome>> {
        let held = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
            .ok_or_else(|| NotFittedError::new_err("this learner has not been fitted; call fit first"))
    }

    fn set_outcome(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(outcome));
    }

    /// The fitted model as the mixture that it is; an error for any but a density.
    fn density(&self) -> PyResult<Density> {
        Density::from_model(&self.outcome()?.model).map_err(raise)
    }
}

/// What columns are called, and which are categories.
struct Names {
    features: Option<Vec<String>>,
    target: Option<String>,
    categorical: Vec<String>,
}

/// The answers as a column of a table, where they are one.
fn column(answers: &Answers) -> Option<Column> {
    match answers {
        Answers::Values { y, .. } if y.cols() == 1 => Some(Column::Numeric(y.data().to_vec())),
        Answers::Classes { labels, codes } => Some(Column::text(codes.iter().map(|code| &labels[*code]))),
        _ => None,
    }
}

#[pymethods]
impl BatchLearner {
    #[new]
    #[pyo3(signature = (method, kernel=None, *, task="regression", standardise=true, **settings))]
    fn new(
        py: Python<'_>,
        method: &str,
        kernel: Option<&Bound<'_, PyAny>>,
        task: &str,
        standardise: bool,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let params = PyDict::new(py);
        params.set_item("method", method)?;
        params.set_item("kernel", kernel)?;
        params.set_item("task", task)?;
        params.set_item("standardise", standardise)?;
        if let Some(settings) = settings {
            params.update(settings.as_mapping())?;
        }
        let (methods, settings) = (Methods::standard(), settings_of(settings)?);
        let task = task.parse().map_err(raise)?;
        methods.check_task(method, task, &settings).map_err(raise)?;
        let values = methods.check(method, &settings).map_err(raise)?;
        let seed = values.whole("seed").map_err(raise)?;
        let learner = Self {
            method: method.to_owned(),
            kernel: kernel.map_or_else(|| Ok(KernelChoice::default()), kernel_of)?,
            task,
            settings,
            preparation: Preparation::new().standardise(standardise).seed(seed),
            params: params.unbind(),
            outcome: Mutex::new(None),
        };
        // Settings that do not go together are told here, not at the fit.
        learner.build(1, &[]).map_err(raise)?;
        Ok(learner)
    }

    /// Fits the model, and returns the learner itself. A density has no y.
    ///
    /// `start` is a model of the same method to go on from: one that a limit or a stop ended, one of another cost, or one
    /// of fewer rows. Its scaling is kept, and what it has settled where nothing else is given.
    ///
    /// `progress(stage, done, total, detail)` is called now and then; if it returns False, the fit stops with
    /// the model found so far, or raises StoppedError if there is none.
    #[pyo3(signature = (x, y=None, *, sample_weight=None, feature_names=None, target_name=None,
        categorical=Vec::new(), landmarks=None, start=None, progress=None))]
    fn fit<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        feature_names: Option<Vec<String>>,
        target_name: Option<String>,
        categorical: Vec<String>,
        landmarks: Option<&Bound<'py, PyAny>>,
        start: Option<&Bound<'py, PyModel>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let learner = slf.get();
        let names = Names { features: feature_names, target: target_name, categorical };
        let (mut data, labels) = learner.data(x, y, names)?;
        if let Some(weights) = sample_weight {
            data = data.with_weights(vector("sample_weight", weights)?).map_err(raise)?;
        }
        if let Some(landmarks) = landmarks {
            let points = Given::of("landmarks", landmarks)?.like("landmarks", data.inputs())?;
            data = data.with_landmarks(points).map_err(raise)?;
        }
        let classes = labels.as_ref().map_or(&[][..], |labels| &labels.names);
        let method = learner.build(data.x().cols(), classes).map_err(raise)?;
        let start = start.map(|start| start.get().model.clone());
        let fitted = watched(slf.py(), progress, |watch| match &start {
            Some(start) => learn_from(&data, &*method, learner.preparation, start, watch),
            None => learn(&data, &*method, learner.preparation, watch),
        })?;
        let support = detached(slf.py(), || rows_of_vectors(&fitted.model, data.x()))?.map_err(raise)?;
        learner.set_outcome(Outcome::new(fitted, labels, support));
        Ok(slf.clone())
    }

    /// Fits the model to so many rows that others hold, and returns the learner itself. x and y are some of the rows, on
    /// which is chosen what has to be; `sum(map, pass)` asks all others by RowSums and adds their answers up; mean and scale
    /// standardise the features of all.
    #[pyo3(signature = (x, y, sum, rows, *, mean=None, scale=None, feature_names=None, target_name=None, progress=None))]
    fn fit_elsewhere<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sum: Py<PyAny>,
        rows: usize,
        mean: Option<&Bound<'py, PyAny>>,
        scale: Option<&Bound<'py, PyAny>>,
        feature_names: Option<Vec<String>>,
        target_name: Option<String>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let learner = slf.get();
        let names = Names { features: feature_names, target: target_name, categorical: Vec::new() };
        let (sample, labels) = learner.data(x, Some(y), names)?;
        let classes = labels.as_ref().map_or(&[][..], |labels| &labels.names);
        let method = learner.build(sample.x().cols(), classes).map_err(raise)?;
        let standardisation = standardisation_of(mean, scale)?;
        let (elsewhere, seed) = (Elsewhere::new(rows, sum), learner.preparation.seed);
        let fitted = watched(slf.py(), progress, |watch| {
            learn_elsewhere(&sample, standardisation, &elsewhere, &*method, seed, watch)
        });
        // What the callable raised says more than that the fit was stopped by it.
        let fitted = fitted.map_err(|error| elsewhere.raised().unwrap_or(error))?;
        learner.set_outcome(Outcome::new(fitted, labels, None));
        Ok(slf.clone())
    }

    /// The prediction for every row: numbers (one-dimensional for a single target), the labels seen in fit, or the
    /// density.
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let outcome = self.outcome()?;
        match &outcome.labels {
            Some(labels) => labels.take(codes_of(py, &outcome.model, x)?),
            None => squeezed(py, values_of(py, &outcome.model, x)?),
        }
    }

    /// f(x) for every row: one number with a single output, else one column per output.
    fn decision_function<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        squeezed(py, values_of(py, &self.outcome()?.model, x)?)
    }

    /// The probability of every class at every row, one column each, where the method knows them.
    fn predict_proba<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        probabilities_of(py, &self.outcome()?.model, x)
    }

    /// Standard deviation of what will be observed at every row, for regressions by a method that knows it.
    fn predict_std<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        deviations_of(py, &self.outcome()?.model, x)
    }

    /// log p(x) of every row, for a density; finite also where p itself would underflow.
    fn score_samples<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let density = self.density()?;
        let logs = answered(py, self.outcome()?.model.inputs(), x, false, |x| {
            x.check_finite("the input")?;
            density.log_density(x.require_dense("dense rows for a density")?).map(Matrix::column)
        })?;
        squeezed(py, logs)
    }

    /// Independent draws from a density, one per row.
    #[pyo3(signature = (count=None, *, seed=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let density = self.density()?;
        let count = count.map_or(Ok(1), |count| whole("count", count))?;
        let seed = seed.map_or(Ok(0), |seed| whole("seed", seed))?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        check_room::<f64>(count, density.widths().len())?;
        let draw = || -> Matrix { density.sample(count, &mut Pcg64::seed_from_u64(seed)) };
        array2(py, detached(py, draw)?)
    }

    /// The arguments that the learner was made with.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.params.bind(py).copy()
    }

    /// Whether there is a model.
    #[getter]
    fn is_fitted(&self) -> bool {
        self.outcome().is_ok()
    }

    /// The fitted model.
    #[getter]
    fn model(&self) -> PyResult<PyModel> {
        Ok(PyModel { model: self.outcome()?.model.clone() })
    }

    /// The labels in the order of their outputs; None unless this is a classifier.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.outcome()?.classes(py))
    }

    /// How many vectors the model could have had.
    #[getter]
    fn candidates(&self) -> PyResult<usize> {
        Ok(self.outcome()?.candidates)
    }

    /// Mean squared error when each sample is predicted without it, or None where it was not worked out.
    #[getter]
    fn leave_one_out_mean_squared(&self) -> PyResult<Option<f64>> {
        Ok(self.outcome()?.leave_one_out.as_ref().map(|found| found.mean_squared))
    }

    /// Share of samples put into the wrong class when they are left out; None for a regression.
    #[getter]
    fn leave_one_out_error_rate(&self) -> PyResult<Option<f64>> {
        Ok(self.outcome()?.leave_one_out.as_ref().and_then(|found| found.error_rate))
    }

    /// f(x_i) of the model fitted without sample i: as decision_function would give it.
    #[getter]
    fn leave_one_out_predictions<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.outcome()?;
        let found = outcome.leave_one_out.as_ref();
        found.map(|found| squeezed(py, found.predictions.clone())).transpose()
    }

    /// Error on rows that nothing was chosen on, neither kernel nor vectors nor their number: root mean square, or share
    /// of wrong classes; None where it was not estimated.
    #[getter]
    fn expected_error(&self) -> PyResult<Option<f64>> {
        Ok(self.outcome()?.expected)
    }

    /// The kernels and ridges that were tried, with their scores; the smallest score won.
    #[getter]
    fn trials(&self) -> PyResult<Vec<PyTrial>> {
        Ok(self.outcome()?.trials.iter().cloned().map(PyTrial::from).collect())
    }

    /// For each vector of the model the row of x that it was, or None where vectors are no rows.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let rows = self.outcome()?.support.as_ref().map(|rows| rows.iter().map(|row| *row as i64).collect());
        Ok(rows.map(|rows: Vec<i64>| rows.into_pyarray(py).into_any()))
    }

    /// What they were judged by, in words; empty when there was nothing to choose.
    #[getter]
    fn judged_by(&self) -> PyResult<String> {
        Ok(self.outcome()?.judged_by.clone())
    }

    /// The model's growth, for methods that select: (row of x, leave-one-out error, training error) per term.
    #[getter]
    fn stages(&self) -> PyResult<Vec<(usize, f64, f64)>> {
        Ok(self.outcome()?.stages())
    }

    /// What was chosen and why, what was cut short.
    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        Ok(self.outcome()?.notes.clone())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let mut arguments = Vec::new();
        for (name, value) in slf.get().params.bind(slf.py()).iter() {
            arguments.push(format!("{name}={}", value.repr()?));
        }
        Ok(format!("{}({})", slf.get_type().name()?, arguments.join(", ")))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.params(py)?))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.outcome().ok().map(|outcome| outcome.to_state(py)).transpose()
    }

    fn __setstate__(&self, state: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        if let Some(state) = state {
            self.set_outcome(Outcome::from_state(state)?);
        }
        Ok(())
    }
}
