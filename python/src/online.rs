//! Online learners: one class for all algorithms.

use crate::arrays::{Input, Sample, finite_vector};
use crate::errors::{NotFittedError, ParameterError, ShapeError, raise};
use crate::kernel::kernel_of;
use crate::model::PyModel;
use crate::threads::pool;
use groat::kernels::{Kernel, Width};
use groat::online::{BASELINES, Learner, OnDrift, Session, Settings, Step, presets};
use groat::{Result, Rows};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::sync::RwLockExt;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

/// Samples learnt between two looks at pending signals.
const SAMPLES_PER_CHECK: usize = 1000;

/// The algorithm that a person gets without asking.
const DEFAULT: &str = presets::PRESETS[0].name;

/// A learner that sees one sample at a time and keeps a small dictionary.
///
/// OnlineLearner(): the default algorithm, which needs no settings. OnlineLearner("klms-coherence", "gaussian:width=0.5",
/// eta=0.3, mu0=0.9): the name of an algorithm (see groat.algorithms), a kernel (algorithms that work on the inputs
/// themselves take none; without one the width is found), and its settings by name. `lambda`, a reserved word, is written
/// lambda_. Features and target are standardised by what the first rows say unless standardise=False, as the papers have
/// it. A sample is a list of numbers or a dict by name; the number of features is that of the first sample. save and load
/// share their file with `groat stream --save` and `--resume`.
#[pyclass(module = "groat", frozen, subclass)]
pub(crate) struct OnlineLearner {
    algorithm: String,
    kernel: Option<Kernel>,
    settings: Settings,
    habits: Habits,
    /// Absent before the first sample.
    session: RwLock<Option<Session>>,
    /// Names of the features, where samples are dicts.
    names: RwLock<Option<Vec<String>>>,
}

/// What surrounds a learner.
#[derive(Clone, Copy)]
struct Habits {
    standardise: bool,
    find_width: bool,
    coverage: f64,
    on_drift: OnDrift,
}

impl OnlineLearner {
    /// A session without experience.
    fn fresh(&self, features: usize) -> Result<Session> {
        let preset = presets::find(&self.algorithm)?;
        let mut settings = self.settings.clone();
        if !self.habits.standardise && preset.scales_itself() && settings.get("standardise").is_none() {
            settings.set("standardise", false);
        }
        let learner = Learner::new(preset.name, self.kernel.as_ref(), features, &settings)?;
        let session =
            Session::new(learner)?.with_coverage(self.habits.coverage)?.with_on_drift(self.habits.on_drift);
        if self.habits.standardise { session.standardised(self.habits.find_width) } else { Ok(session) }
    }

    /// A sample as numbers: a dict by the names of the first one, anything else as it comes.
    fn sample<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(named) = x.cast::<PyDict>() else { return Ok(x.clone()) };
        let mut held = self.names.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let mut names: Vec<String> = named.keys().extract()?;
            names.sort();
            *held = Some(names);
        }
        let names = held.as_deref().unwrap_or_default();
        if named.len() != names.len() {
            let text = format!("x has {} names, the samples before had {}", named.len(), names.len());
            return Err(ShapeError::new_err(text));
        }
        let value = |name: &String| {
            let missing = || ShapeError::new_err(format!("x has no {name}, which the first sample had"));
            named.get_item(name)?.ok_or_else(missing)
        };
        let values = names.iter().map(value).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, values)?.into_any())
    }

    /// Reads from the session; before the first sample, from one without experience.
    fn read<T>(
        &self,
        py: Python<'_>,
        features: usize,
        read: impl FnOnce(&Session) -> Result<T>,
    ) -> PyResult<T> {
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some(session) => read(session),
            None => self.fresh(features).and_then(|session| read(&session)),
        }
        .map_err(raise)
    }

    /// As [`read`](Self::read), on the pool and with the interpreter free. The lock is held by the calling
    /// thread, never by one of the pool, which might meet it again in work that it steals.
    fn read_detached<T: Send>(
        &self,
        py: Python<'_>,
        features: usize,
        read: impl FnOnce(&Session) -> Result<T> + Send,
    ) -> PyResult<T> {
        let pool = pool()?;
        py.detach(|| {
            let held = self.session.read().unwrap_or_else(PoisonError::into_inner);
            match &*held {
                Some(session) => pool.install(|| read(session)),
                None => self.fresh(features).and_then(|session| pool.install(|| read(&session))),
            }
        })
        .map_err(raise)
    }

    /// Learns from rows in order. Between pieces, signals are handled, so that Ctrl-C ends a long run; what
    /// was learnt until then stays. The lock is not held meanwhile: a signal handler may use the learner.
    fn learn_rows(
        &self,
        py: Python<'_>,
        x: Rows<'_>,
        y: &[f64],
        mut tell: impl FnMut(&Step) + Send,
    ) -> PyResult<()> {
        for start in (0..x.rows()).step_by(SAMPLES_PER_CHECK) {
            let end = (start + SAMPLES_PER_CHECK).min(x.rows());
            py.detach(|| {
                let mut held = self.session.write().unwrap_or_else(PoisonError::into_inner);
                let session = self.started(&mut held, x.cols())?;
                let steps = session.learn_many(x.slice(start, end), &y[start..end])?;
                steps.iter().for_each(&mut tell);
                Ok(())
            })
            .map_err(raise)?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// The session, made now if this is the first sample.
    fn started<'a>(&self, held: &'a mut Option<Session>, features: usize) -> Result<&'a mut Session> {
        match held {
            Some(session) => Ok(session),
            empty => Ok(empty.insert(self.fresh(features)?)),
        }
    }

    /// Reads a number from the learner; nothing before the first sample.
    fn told<T>(&self, py: Python<'_>, tell: impl FnOnce(&Learner) -> T) -> Option<T> {
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|session| tell(session.learner()))
    }
}

impl From<Session> for OnlineLearner {
    fn from(session: Session) -> Self {
        let learner = session.learner();
        Self {
            algorithm: learner.algorithm().to_owned(),
            kernel: learner.kernel().cloned(),
            settings: learner.settings().clone(),
            habits: Habits {
                standardise: session.standardises(),
                find_width: false,
                coverage: session.coverage().0,
                on_drift: OnDrift::Note,
            },
            session: RwLock::new(Some(session)),
            names: RwLock::new(None),
        }
    }
}

/// Rows and targets of the same number, all finite: nothing is learnt from a batch that has a fault.
fn checked<'a>(x: &'a Input<'_>, y: &Bound<'_, PyAny>) -> PyResult<(Rows<'a>, Vec<f64>)> {
    let rows = x.finite("x")?;
    let targets = finite_vector("y", y)?;
    if targets.len() != rows.rows() {
        let text = format!("y has {} numbers, x has {} rows", targets.len(), rows.rows());
        return Err(ShapeError::new_err(text));
    }
    Ok((rows, targets))
}

/// A setting as text, the way that algorithms read it.
fn setting(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.to_string());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if value.hasattr("__len__")? {
        let numbers = finite_vector(name, value)?;
        return Ok(numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    Ok(value.str()?.to_string())
}

/// Algorithm and kernel, as the constructor takes them.
type NewArguments = (String, Option<String>);

#[pymethods]
impl OnlineLearner {
    #[new]
    #[pyo3(signature = (algorithm=DEFAULT, kernel=None, *, standardise=true, coverage=0.9, on_drift="note", **settings))]
    fn new(
        algorithm: &str,
        kernel: Option<&Bound<'_, PyAny>>,
        standardise: bool,
        coverage: f64,
        on_drift: &str,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let kernel = kernel.map(kernel_of).transpose()?;
        let on_drift = match on_drift {
            "note" => OnDrift::Note,
            "forget" => OnDrift::Forget,
            "restart" => OnDrift::Restart,
            other => {
                return Err(ParameterError::new_err(format!("on_drift={other}: note, forget or restart")));
            }
        };
        let habits = Habits { standardise, find_width: kernel.is_none(), coverage, on_drift };
        let mut given = Settings::new();
        for (name, value) in settings.into_iter().flatten() {
            let name: String = name.extract()?;
            let text = setting(&name, &value)?;
            given.set(name.trim_end_matches('_'), text);
        }
        // Wrong settings are told here, not at the first sample.
        let features = match kernel.as_ref().and_then(Kernel::width) {
            Some(Width::PerFeature(widths)) => widths.len(),
            _ => 1,
        };
        let learner = Learner::new(algorithm, kernel.as_ref(), features, &given).map_err(raise)?;
        let made = Self {
            algorithm: algorithm.to_owned(),
            kernel: learner.kernel().cloned(),
            settings: given,
            habits,
            session: RwLock::new(None),
            names: RwLock::new(None),
        };
        made.fresh(features).map_err(raise)?;
        Ok(made)
    }

    /// Reads a file of save, or of `groat stream --save`, and goes on from there bit by bit. A learner of the
    /// command keeps its columns: fed with rows of numbers here, it can go back to the command.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Session::load(path)).map(Self::from).map_err(raise)
    }

    /// Writes everything that is needed to go on, for load or `groat stream --resume`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| match &*self.session.read().unwrap_or_else(PoisonError::into_inner) {
            Some(session) => session.save(path).map_err(raise),
            None => Err(NotFittedError::new_err("nothing has been learnt yet")),
        })
    }

    /// Learns from one sample; says what that did.
    fn learn_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>, y: f64) -> PyResult<PyStep> {
        let x = self.sample(py, x)?;
        let x = Sample::of("x", &x)?;
        let x = x.numbers()?;
        let mut held = self.session.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let session = self.started(&mut held, x.len()).map_err(raise)?;
        session.learn_one(x, y).map(PyStep::from).map_err(raise)
    }

    /// The output at one sample.
    fn predict_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        let x = self.sample(py, x)?;
        let x = Sample::of("x", &x)?;
        let x = x.numbers()?;
        self.read(py, x.len(), |session| session.predict_one(x))
    }

    /// The output at one sample with the interval that holds `coverage` of all targets in the long run, as (value, low,
    /// high); low and high are None before two errors are known.
    fn predict_interval(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<(f64, Option<f64>, Option<f64>)> {
        let x = self.sample(py, x)?;
        let x = Sample::of("x", &x)?;
        let x = x.numbers()?;
        self.read(py, x.len(), |session| {
            let (value, interval) = session.predict_interval(x)?;
            Ok((value, interval.map(|(low, _)| low), interval.map(|(_, high)| high)))
        })
    }

    /// Mean squared error so far, those of the baselines, the share of targets inside their intervals, the steps at
    /// which errors had grown, and words of advice.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Some(session) = &*held else { return Ok(out) };
        out.set_item("mean_squared", session.totals().mean_squared())?;
        for (name, error) in BASELINES.into_iter().zip(session.baselines()) {
            out.set_item(name, error)?;
        }
        out.set_item("against_baseline", session.against_baseline())?;
        out.set_item("coverage", session.coverage().1)?;
        out.set_item("drifts", session.drifts())?;
        out.set_item("diverged", session.has_diverged())?;
        let advice: Vec<String> = session.advice().into_iter().map(|advice| advice.text).collect();
        out.set_item("advice", advice)?;
        Ok(out)
    }

    /// Predictive variance of the noisy output at one sample; None where the method has none.
    fn variance_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let x = self.sample(py, x)?;
        let x = Sample::of("x", &x)?;
        let x = x.numbers()?;
        self.read(py, x.len(), |session| session.variance(x))
    }

    /// Learns from rows in order, and returns the learner itself.
    fn partial_fit<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let input = Input::<f64>::rows_of("x", x)?;
        let (rows, targets) = checked(&input, y)?;
        slf.get().learn_rows(slf.py(), rows, &targets, |_| ())?;
        Ok(slf.clone())
    }

    /// As partial_fit, but gives back what each sample did: the prediction before it was learnt from, the
    /// error, and the size of the dictionary after it, as arrays.
    fn learn_many<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let input = Input::<f64>::rows_of("x", x)?;
        let (rows, targets) = checked(&input, y)?;
        let (mut prediction, mut error, mut size) = (Vec::new(), Vec::new(), Vec::new());
        self.learn_rows(py, rows, &targets, |step| {
            prediction.push(step.prediction);
            error.push(step.error);
            size.push(step.size as i64);
        })?;
        let out = PyDict::new(py);
        out.set_item("prediction", prediction.into_pyarray(py))?;
        out.set_item("error", error.into_pyarray(py))?;
        out.set_item("size", size.into_pyarray(py))?;
        Ok(out)
    }

    /// The output at every row.
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        let outputs = self.read_detached(py, rows.cols(), |session| session.predict_many(rows))?;
        Ok(outputs.into_pyarray(py).into_any())
    }

    /// Predictive variance of the noisy output at every row; an error where the method has none.
    fn variance<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        let each = |session: &Session| rows.iter().map(|x| session.variance(x)).collect::<Result<Vec<_>>>();
        let found = self.read_detached(py, rows.cols(), each)?;
        match found.into_iter().collect::<Option<Vec<f64>>>() {
            Some(variances) => Ok(variances.into_pyarray(py).into_any()),
            None => Err(ParameterError::new_err(format!("{} gives no variance", self.algorithm))),
        }
    }

    /// The model learnt so far.
    fn snapshot(&self, py: Python<'_>) -> PyResult<PyModel> {
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Some(session) = &*held else {
            return Err(NotFittedError::new_err("nothing has been learnt yet"));
        };
        let learner = session.learner();
        if learner.size() == 0 && learner.snapshot().map_err(raise)?.is_none() {
            return Err(NotFittedError::new_err("no vector has entered yet"));
        }
        session.model().map(PyModel::from).map_err(raise)
    }

    /// What the learner can say about itself, by name.
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for reading in self.told(py, Learner::diagnostics).unwrap_or_default() {
            out.set_item(reading.name, reading.value)?;
        }
        Ok(out)
    }

    /// The name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// The kernel; None for an algorithm that works on the inputs themselves.
    #[getter]
    fn kernel(&self) -> Option<crate::kernel::PyKernel> {
        self.kernel.clone().map(|kernel| crate::kernel::PyKernel { kernel })
    }

    /// The settings as given, as text.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        self.settings.iter().try_for_each(|(name, value)| out.set_item(name, value))?;
        Ok(out)
    }

    /// Vectors in the dictionary.
    #[getter]
    fn size(&self, py: Python<'_>) -> usize {
        self.told(py, Learner::size).unwrap_or(0)
    }

    /// Samples learnt from.
    #[getter]
    fn steps(&self, py: Python<'_>) -> u64 {
        self.told(py, Learner::steps).unwrap_or(0)
    }

    /// How often the errors had grown; summary says when.
    #[getter]
    fn drifts(&self, py: Python<'_>) -> usize {
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map_or(0, |session| session.drifts().len())
    }

    /// Features of a sample; None before the first.
    #[getter]
    fn features(&self, py: Python<'_>) -> Option<usize> {
        self.told(py, Learner::dimension)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<OnlineLearner: {}, {}, {} vectors after {} samples>",
            self.algorithm,
            self.kernel.as_ref().map_or_else(|| "no kernel".to_owned(), ToString::to_string),
            self.size(py),
            self.steps(py)
        )
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(NewArguments, Bound<'py, PyDict>)> {
        let found = self.habits.standardise && self.habits.find_width;
        let kernel = self.kernel.as_ref().filter(|_| !found).map(ToString::to_string);
        let settings = self.settings(py)?;
        let habits = &self.habits;
        settings.set_item("standardise", habits.standardise)?;
        settings.set_item("coverage", habits.coverage)?;
        let on_drift = match habits.on_drift {
            OnDrift::Note => "note",
            OnDrift::Forget => "forget",
            OnDrift::Restart => "restart",
        };
        settings.set_item("on_drift", on_drift)?;
        Ok(((self.algorithm.clone(), kernel), settings))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let held = self.session.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let saved = held.as_ref().map(Session::to_bytes).transpose().map_err(raise)?;
        Ok(saved.map(|bytes| PyBytes::new(py, &bytes)))
    }

    fn __setstate__(&self, py: Python<'_>, state: Option<&[u8]>) -> PyResult<()> {
        let session = state.map(Session::from_bytes).transpose().map_err(raise)?;
        *self.session.write_py_attached(py).unwrap_or_else(PoisonError::into_inner) = session;
        Ok(())
    }
}

/// What learning from one sample did.
#[pyclass(name = "Step", module = "groat", frozen, get_all)]
pub(crate) struct PyStep {
    /// Output at the sample before anything was learnt from it.
    prediction: f64,
    /// Target minus prediction.
    error: f64,
    /// The sample entered the dictionary.
    admitted: bool,
    /// The sample did not enter, but moved the weights of vectors that were there.
    projected: bool,
    /// The update was not carried out.
    refused: bool,
    /// How many vectors left.
    evicted: usize,
    /// Vectors in the dictionary after the step.
    size: usize,
    /// Predictive standard deviation before the step, where it comes at no extra cost.
    std: Option<f64>,
}

impl From<Step> for PyStep {
    fn from(step: Step) -> Self {
        let Step { prediction, error, admitted, projected, refused, evicted, size, std } = step;
        Self { prediction, error, admitted, projected, refused, evicted, size, std }
    }
}

#[pymethods]
impl PyStep {
    fn __repr__(&self) -> String {
        format!(
            "<Step: prediction={}, error={}, size={}{}>",
            self.prediction,
            self.error,
            self.size,
            if self.admitted { ", admitted" } else { "" }
        )
    }
}

/// The algorithms: what each is, by name.
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    presets::PRESETS.iter().try_for_each(|preset| out.set_item(preset.name, preset.summary))?;
    Ok(out)
}

/// The settings of an algorithm: default, allowed range and meaning, by name.
#[pyfunction]
pub(crate) fn algorithm_settings<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for setting in presets::find(algorithm).map_err(raise)?.parameters() {
        let parameter = setting.parameter;
        out.set_item(parameter.name, (setting.default, parameter.range.text(), parameter.meaning))?;
    }
    Ok(out)
}
