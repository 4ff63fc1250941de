//! What all batch learners have in common: data in, fit, results out, pickling.
//!
//! A learner of its own is a small class that extends [`BatchLearner`] and only makes the parameters (`ridge.rs`).

use crate::arrays::{Input, array2, squeezed, vector};
use crate::errors::{DataError, NotFittedError, ParameterError, ShapeError, raise};
use crate::expansion::{PyExpansion, codes_of, values_of};
use crate::kernel::PyKernel;
use crate::labels::Labels;
use crate::settings::Params;
use crate::threads::detached;
use crate::watch::watched;
use groat::Expansion;
use groat::batch::{ErrorBars, Fitted, LeaveOneOut, Method, Problem, Stage, Target, Trial, Watch};
use groat::data::Standardisation;
use groat::expansion::Task;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be learnt.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    Regression,
    Classification,
    Density,
}

impl Goal {
    pub(crate) fn named(task: &str) -> PyResult<Self> {
        match task {
            "regression" => Ok(Goal::Regression),
            "classification" => Ok(Goal::Classification),
            _ => Err(ParameterError::new_err(format!(
                "task = {task:?} is not allowed: \"regression\" or \"classification\""
            ))),
        }
    }
}

/// A finished fit.
struct Outcome {
    model: Arc<Expansion>,
    labels: Option<Labels>,
    candidates: usize,
    leave_one_out: Option<LeaveOneOut>,
    error_bars: Option<ErrorBars>,
    trials: Vec<Trial>,
    stages: Vec<Stage>,
    notes: Vec<String>,
}

impl Outcome {
    /// From the result of a fit, with the names that only the caller knows.
    fn new(fitted: Fitted, labels: Option<Labels>, features: Vec<String>) -> groat::Result<Self> {
        let Fitted { model, candidates, leave_one_out, error_bars, trials, stages, notes, .. } = fitted;
        let mut model = model.with_features(features)?;
        if let Some(labels) = &labels {
            model = model.with_task(Task::Classification { classes: labels.names.clone() })?;
        }
        Ok(Self {
            model: Arc::new(model),
            labels,
            candidates,
            leave_one_out,
            error_bars,
            trials,
            stages,
            notes,
        })
    }
}

/// The base of the learners that see all their data at once.
#[pyclass(module = "groat", frozen, subclass)]
pub(crate) struct BatchLearner {
    method: Box<dyn Method + Send + Sync>,
    goal: Goal,
    standardise: bool,
    /// The arguments that the learner was made with.
    params: Py<PyDict>,
    outcome: Mutex<Option<Arc<Outcome>>>,
}

impl BatchLearner {
    pub(crate) fn new(
        method: Box<dyn Method + Send + Sync>,
        goal: Goal,
        standardise: bool,
        params: Params<'_>,
    ) -> Self {
        Self { method, goal, standardise, params: params.0.unbind(), outcome: Mutex::new(None) }
    }

    /// The fitted model, for the classes that extend this one.
    pub(crate) fn fitted_model(&self) -> PyResult<Arc<Expansion>> {
        Ok(self.outcome()?.model.clone())
    }

    fn outcome(&self) -> PyResult<Arc<Outcome>> {
        let held = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
            .ok_or_else(|| NotFittedError::new_err("this learner has not been fitted; call fit first"))
    }

    fn set_outcome(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(outcome));
    }
}

#[pymethods]
impl BatchLearner {
    /// Fits the model, and returns the learner itself. A density has no y.
    ///
    /// `progress(stage, done, total, detail)` is called now and then; if it returns False, the fit stops with
    /// the model found so far, or raises StoppedError if there is none.
    #[pyo3(signature = (x, y=None, *, sample_weight=None, feature_names=None, progress=None))]
    fn fit<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        feature_names: Option<Vec<String>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let learner = slf.get();
        let input = Input::<f64>::rows_of("x", x)?;
        let weights = sample_weight.map(|w| vector("sample_weight", w)).transpose()?;
        let (labels, values) = match (learner.goal, y) {
            (Goal::Density, _) => (None, None),
            (Goal::Classification, Some(y)) => (Some(Labels::of(y)?), None),
            (Goal::Regression, Some(y)) => (None, Some(Input::<f64>::columns_of("y", y)?)),
            (_, None) => return Err(DataError::new_err("y is missing: there is nothing to learn")),
        };
        let target = match (&labels, &values) {
            (Some(labels), _) => Target::Classes { codes: &labels.codes, count: labels.names.len() },
            (None, Some(values)) => Target::Values(values.rows()?),
            (None, None) => Target::Density,
        };
        let rows = input.rows()?;
        let features = feature_names.unwrap_or_default();
        if !features.is_empty() && features.len() != rows.cols() {
            let text = format!("{} feature names for {} columns of x", features.len(), rows.cols());
            return Err(ShapeError::new_err(text));
        }
        let fitted = watched(slf.py(), progress, |watch: &dyn Watch| {
            let problem = Problem { x: rows.into(), target, weights: weights.as_deref() }.checked()?;
            fit(&*learner.method, problem, learner.standardise, watch)
        })?;
        learner.set_outcome(Outcome::new(fitted, labels, features).map_err(raise)?);
        Ok(slf.clone())
    }

    /// The prediction for every row: numbers (one-dimensional for a single target), or the labels seen in fit.
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

    /// Standard deviation of what will be observed at every row, for regressions by a method that knows it.
    fn predict_std<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let outcome = self.outcome()?;
        let Some(error_bars) = &outcome.error_bars else {
            let text = format!("{} gives no error bars for this task", self.method.name());
            return Err(ParameterError::new_err(text));
        };
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        squeezed(py, detached(py, || error_bars.standard_deviation(&outcome.model, rows))?.map_err(raise)?)
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
    fn model(&self) -> PyResult<PyExpansion> {
        Ok(PyExpansion { model: self.fitted_model()? })
    }

    /// The labels in the order of their outputs; None for a regression.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.outcome()?.labels.as_ref().map(|labels| labels.values.bind(py).clone()))
    }

    /// How many vectors the model could have had.
    #[getter]
    fn candidates(&self) -> PyResult<usize> {
        Ok(self.outcome()?.candidates)
    }

    /// Mean squared error when each sample is predicted without it, or None where it was not worked out.
    #[getter]
    fn leave_one_out_mse(&self) -> PyResult<Option<f64>> {
        Ok(self.outcome()?.leave_one_out.as_ref().map(|found| found.mean_square))
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

    /// The kernels and ridges that were tried, with their scores; the smallest score won.
    #[getter]
    fn trials(&self) -> PyResult<Vec<PyTrial>> {
        let outcome = self.outcome()?;
        let trial = |t: &Trial| PyTrial { kernel: t.kernel.clone(), ridge: t.ridge, score: t.score };
        Ok(outcome.trials.iter().map(trial).collect())
    }

    /// The model's growth, for learners that select: (row of x, leave-one-out error, training error) per term.
    #[getter]
    fn stages(&self) -> PyResult<Vec<(usize, f64, f64)>> {
        let outcome = self.outcome()?;
        Ok(outcome.stages.iter().map(|s| (s.row, s.leave_one_out, s.training)).collect())
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
        let Ok(outcome) = self.outcome() else { return Ok(None) };
        let state = PyDict::new(py);
        state.set_item("model", PyExpansion { model: outcome.model.clone() })?;
        state.set_item("classes", self.classes(py)?)?;
        state.set_item("candidates", outcome.candidates)?;
        if let Some(found) = &outcome.leave_one_out {
            let predictions = array2(py, found.predictions.clone())?;
            state.set_item("leave_one_out", (found.mean_square, found.error_rate, predictions))?;
        }
        if let Some(error_bars) = &outcome.error_bars {
            let text = serde_json::to_string(error_bars).map_err(|e| DataError::new_err(e.to_string()))?;
            state.set_item("error_bars", text)?;
        }
        let trial = |t: &Trial| (t.kernel.to_string(), t.ridge, t.score);
        state.set_item("trials", outcome.trials.iter().map(trial).collect::<Vec<_>>())?;
        state.set_item("stages", self.stages()?)?;
        state.set_item("notes", &outcome.notes)?;
        Ok(Some(state))
    }

    fn __setstate__(&self, state: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        if let Some(state) = state {
            self.set_outcome(restore(state)?);
        }
        Ok(())
    }
}

/// One kernel and ridge that were tried.
#[pyclass(name = "Trial", module = "groat", frozen)]
pub(crate) struct PyTrial {
    kernel: groat::Kernel,
    /// What was added to the diagonal.
    #[pyo3(get)]
    ridge: f64,
    /// Its score; the smallest won.
    #[pyo3(get)]
    score: f64,
}

#[pymethods]
impl PyTrial {
    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel { kernel: self.kernel.clone() }
    }

    fn __repr__(&self) -> String {
        format!("<Trial: {}, ridge={}, score={}>", self.kernel, self.ridge, self.score)
    }
}

/// Fits, on standardised features if wanted; the model then takes raw ones.
fn fit(
    method: &dyn Method,
    problem: Problem<'_>,
    standardise: bool,
    watch: &dyn Watch,
) -> groat::Result<Fitted> {
    if !standardise {
        return method.fit(&problem, watch);
    }
    let standardisation = Standardisation::fit(problem.x.require_dense("dense rows to be standardised")?)?;
    let mut x = problem.x.to_matrix();
    standardisation.apply(&mut x)?;
    let mut fitted = method.fit(&Problem { x: (&x).into(), ..problem }, watch)?;
    fitted.model = fitted.model.with_standardisation(Some(standardisation))?;
    Ok(fitted)
}

/// An outcome from what `__getstate__` gave.
fn restore(state: &Bound<'_, PyDict>) -> PyResult<Outcome> {
    let py = state.py();
    let item = |name: &str| {
        state.get_item(name)?.ok_or_else(|| DataError::new_err(format!("the pickle holds no {name:?}")))
    };
    let leave_one_out = match state.get_item(intern!(py, "leave_one_out"))? {
        None => None,
        Some(found) => {
            let (mean_square, error_rate, predictions): (f64, Option<f64>, Bound<'_, PyAny>) =
                found.extract()?;
            let predictions = Input::<f64>::rows_of("predictions", &predictions)?.rows()?.to_matrix();
            Some(LeaveOneOut { mean_square, error_rate, predictions })
        }
    };
    let error_bars = match state.get_item(intern!(py, "error_bars"))? {
        None => None,
        Some(text) => {
            let text: String = text.extract()?;
            Some(serde_json::from_str(&text).map_err(|e| DataError::new_err(e.to_string()))?)
        }
    };
    let mut trials = Vec::new();
    for (kernel, ridge, score) in item("trials")?.extract::<Vec<(String, f64, f64)>>()? {
        trials.push(Trial { kernel: kernel.parse().map_err(raise)?, ridge, score });
    }
    let stage = |(row, leave_one_out, training)| Stage { row, leave_one_out, training };
    let stages: Vec<(usize, f64, f64)> = item("stages")?.extract()?;
    let classes = item("classes")?;
    Ok(Outcome {
        model: item("model")?.cast::<PyExpansion>()?.get().model.clone(),
        labels: if classes.is_none() { None } else { Some(Labels::from_values(&classes)?) },
        candidates: item("candidates")?.extract()?,
        leave_one_out,
        error_bars,
        trials,
        stages: stages.into_iter().map(stage).collect(),
        notes: item("notes")?.extract()?,
    })
}
