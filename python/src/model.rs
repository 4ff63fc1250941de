//! The one fitted model: load, predict, save.

use crate::arrays::{Input, array2, copied, finite_vector, squeezed};
use crate::errors::{ParameterError, raise};
use crate::kernel::{PyKernel, kernel_of};
use crate::points::answered;
use crate::sums::standardisation_of;
use groat::model::{Decision, Task};
use groat::{Expansion, Model};
use numpy::IntoPyArray;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel model f(x) = b + sum_i alpha_i k(v_i, x); never changes once made.
#[pyclass(name = "Model", module = "groat", frozen)]
pub(crate) struct PyModel {
    pub(crate) model: Arc<Model>,
}

impl From<Model> for PyModel {
    fn from(model: Model) -> Self {
        Self { model: Arc::new(model) }
    }
}

/// The values of a model, rows by outputs.
pub(crate) fn values_of(py: Python<'_>, model: &Model, x: &Bound<'_, PyAny>) -> PyResult<groat::Matrix> {
    answered(py, model.inputs(), x, model.is_arranged(), |x| model.values(x))
}

/// The class codes a model gives, as an array.
pub(crate) fn codes_of<'py>(
    py: Python<'py>,
    model: &Model,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let codes = answered(py, model.inputs(), x, model.is_arranged(), |x| model.predict(x))?.into_data();
    let codes: Vec<i64> = codes.into_iter().map(|code| code as i64).collect();
    Ok(codes.into_pyarray(py).into_any())
}

/// Standard deviations of what will be observed, one-dimensional for a single output.
pub(crate) fn deviations_of<'py>(
    py: Python<'py>,
    model: &Model,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if model.error_bars().is_none() {
        let method = &model.record().method;
        let text = format!(
            "{method} gives no error bars for this task: regressions that select their vectors have them, and those on \
             features where error_bars asks for them"
        );
        return Err(ParameterError::new_err(text));
    }
    squeezed(py, answered(py, model.inputs(), x, false, |x| model.standard_deviation(x))?)
}

/// The probability of every class, one column each.
pub(crate) fn probabilities_of<'py>(
    py: Python<'py>,
    model: &Model,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    array2(py, answered(py, model.inputs(), x, model.is_arranged(), |x| model.probabilities(x))?)
}

#[pymethods]
impl PyModel {
    #[new]
    #[pyo3(signature = (kernel, vectors, weights, bias=None, *, classes=None, density=false,
        feature_names=None, target_names=None, mean=None, scale=None))]
    fn new(
        kernel: &Bound<'_, PyAny>,
        vectors: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        bias: Option<&Bound<'_, PyAny>>,
        classes: Option<Vec<String>>,
        density: bool,
        feature_names: Option<Vec<String>>,
        target_names: Option<Vec<String>>,
        mean: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let task = match (classes, density, target_names) {
            (None, false, targets) => Task::Regression { targets: targets.unwrap_or_default() },
            (Some(classes), false, None) if classes.len() >= 2 => Task::classification(classes),
            (None, true, None) => Task::Density,
            (Some(classes), false, None) => {
                let text = format!("a classifier needs at least 2 classes, found {}", classes.len());
                return Err(ParameterError::new_err(text));
            }
            _ => {
                let text = "give one of classes, density and target_names: a model has one task";
                return Err(ParameterError::new_err(text));
            }
        };
        let standardisation = standardisation_of(mean, scale)?;
        let vectors = Input::<f64>::rows_of("vectors", vectors)?.rows()?.to_matrix();
        let weights = Input::<f64>::columns_of("weights", weights)?.rows()?.to_matrix();
        let mut function = Expansion::new(kernel_of(kernel)?, vectors, weights).map_err(raise)?;
        if let Some(bias) = bias {
            let bias = match bias.extract::<f64>() {
                Ok(bias) => vec![bias],
                Err(_) => finite_vector("bias", bias)?,
            };
            function = function.with_bias(bias).map_err(raise)?;
        }
        let model = Model::new(function)
            .with_task(task)
            .and_then(|model| model.with_features(feature_names.unwrap_or_default()))
            .and_then(|model| model.with_standardisation(standardisation))
            .map_err(raise)?;
        Ok(model.into())
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Model::load(path)).map(Self::from).map_err(raise)
    }

    /// Reads a model from the bytes of a file.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Model::from_bytes(data).map(Self::from).map_err(raise)
    }

    /// Writes the model to a safetensors file; no reader ever sees half of it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(raise)
    }

    /// The model as the bytes of a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(raise)?))
    }

    /// f(x) for every row: one column per output.
    fn values<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        array2(py, values_of(py, &self.model, x)?)
    }

    /// The prediction for every row: numbers (one-dimensional for a single output), or names of classes.
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.model.task() {
            Task::Classification { .. } => self.classify(py, x),
            _ => squeezed(py, values_of(py, &self.model, x)?),
        }
    }

    /// The name of the class for every row.
    fn classify<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let codes = self.codes(py, x)?;
        let numpy = py.import(intern!(py, "numpy"))?;
        let names = numpy.call_method1(intern!(py, "array"), (self.classes(),))?;
        names.call_method1(intern!(py, "take"), (codes,))
    }

    /// The number of the class for every row, counted from 0.
    fn codes<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.model.task() {
            Task::Classification { .. } => codes_of(py, &self.model, x),
            other => Err(ParameterError::new_err(format!(
                "this is a {} model, which knows no classes; use predict",
                other.name()
            ))),
        }
    }

    /// Standard deviation of what will be observed at every row, where the model has error bars.
    fn predict_std<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        deviations_of(py, &self.model, x)
    }

    /// The probability of every class at every row, one column each, where the model knows them.
    fn predict_proba<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        probabilities_of(py, &self.model, x)
    }

    /// Lower and upper ends, for every row, of an interval that holds what will be observed with the probability
    /// `coverage`, where the model has held-out errors to tell.
    #[pyo3(signature = (x, coverage=0.9))]
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        coverage: f64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let values = values_of(py, &self.model, x)?;
        let (lower, upper) = self.model.interval_of(values.view(), coverage).map_err(raise)?;
        Ok((squeezed(py, lower)?, squeezed(py, upper)?))
    }

    /// The same function with equal vectors joined and vectors without weight left out.
    fn merge_duplicates(&self) -> Self {
        let mut model = (*self.model).clone();
        model.merge_duplicates();
        model.into()
    }

    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel { kernel: self.model.kernel().clone() }
    }

    /// The vectors, one per row, as the kernel sees them; no rows for a model of random features. A copy.
    #[getter]
    fn vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let none = || groat::Matrix::zeros(0, self.model.features());
        array2(py, self.model.expansion().map_or_else(none, |expansion| expansion.vectors().to_matrix()))
    }

    /// The weights: one row per vector, one column per output. A copy.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        copied(py, self.model.weights())
    }

    /// The constant of each output, or None. A copy.
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.model.bias().map(|bias| bias.to_vec().into_pyarray(py).into_any())
    }

    /// "regression", "classification", "one-class", "density" or "components".
    #[getter]
    fn task(&self) -> &'static str {
        self.model.task().name()
    }

    /// Names of the classes in the order of their numbers; empty unless this is a classifier.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.model.classes().to_vec()
    }

    /// "one-vs-rest" or "one-vs-one" for a classifier, which then has one output per class (one for two classes) or per
    /// pair of classes; None for another model.
    #[getter]
    fn decision(&self) -> Option<&'static str> {
        match self.model.task() {
            Task::Classification { decision: Decision::OneVsOne, .. } => Some("one-vs-one"),
            Task::Classification { .. } => Some("one-vs-rest"),
            _ => None,
        }
    }

    /// Whether predict_proba can tell.
    #[getter]
    fn has_probabilities(&self) -> bool {
        self.model.calibration().is_some()
    }

    /// The columns of the table that it was made from, each with its categories, or None for a column of numbers; empty
    /// for a model made from numbers alone.
    #[getter]
    fn columns(&self) -> Vec<(String, Option<Vec<String>>)> {
        let columns = self.model.inputs().map_or(&[][..], |inputs| inputs.columns());
        columns.iter().map(|column| (column.name.clone(), column.levels.clone())).collect()
    }

    /// Names of the targets, or empty.
    #[getter]
    fn target_names(&self) -> Vec<String> {
        match self.model.task() {
            Task::Regression { targets } => targets.clone(),
            _ => self.model.inputs().map_or_else(Vec::new, |inputs| {
                inputs.targets().iter().map(|target| target.name.clone()).collect()
            }),
        }
    }

    /// Names of the features, or empty.
    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.model.feature_names().to_vec()
    }

    /// What is subtracted from the features and what they are divided by, before the kernel sees them; or None.
    #[getter]
    fn standardisation<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let standardisation = self.model.standardisation()?;
        let array = |values: &[f64]| values.to_vec().into_pyarray(py).into_any();
        Some((array(standardisation.mean()), array(standardisation.scale())))
    }

    /// How the model came to be: method, rows and settings.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let record = self.model.record();
        let out = PyDict::new(py);
        out.set_item("method", &record.method)?;
        out.set_item("rows", record.rows)?;
        out.set_item("settings", record.settings.clone())?;
        Ok(out)
    }

    /// The number of vectors.
    #[getter]
    fn size(&self) -> usize {
        self.model.size()
    }

    /// The number of features it takes.
    #[getter]
    fn features(&self) -> usize {
        self.model.features()
    }

    /// The number of outputs it gives.
    #[getter]
    fn outputs(&self) -> usize {
        self.model.outputs()
    }

    /// Bytes of its numbers.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.model.memory_bytes()
    }

    fn __len__(&self) -> usize {
        self.model.size()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyModel>().is_ok_and(|other| other.get().model == self.model)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Model: {} with {} vectors of {} features, {}>",
            self.task(),
            self.size(),
            self.features(),
            self.model.kernel()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let rebuild = slf.get_type().getattr(intern!(py, "from_bytes"))?;
        (rebuild, (slf.get().to_bytes(py)?,)).into_pyobject(py)
    }
}
