//! Class labels of any type that NumPy can sort.

use crate::errors::{DataError, NotFiniteError, ShapeError};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The labels of the classes.
pub(crate) struct Labels {
    /// The distinct labels, sorted: an array of the caller's own type.
    pub(crate) values: Py<PyAny>,
    /// The labels as text, for the model.
    pub(crate) names: Vec<String>,
}

impl Labels {
    /// From one label per sample; with the place of each sample's label among them.
    pub(crate) fn of(y: &Bound<'_, PyAny>) -> PyResult<(Self, Vec<usize>)> {
        let py = y.py();
        let unusable = |error: PyErr| {
            let wrapped = DataError::new_err(format!("y cannot be used as class labels: {error}"));
            wrapped.set_cause(py, Some(error));
            wrapped
        };
        let numpy = py.import(intern!(py, "numpy"))?;
        let y = numpy.call_method1(intern!(py, "asarray"), (y,)).map_err(unusable)?;
        let dimensions = y.cast::<PyUntypedArray>()?.ndim();
        if dimensions != 1 {
            let text = format!("y has {dimensions} dimension(s), but class labels need 1");
            return Err(ShapeError::new_err(text));
        }
        // NaN differs from itself, so it cannot be a class.
        let same = y.rich_compare(&y, pyo3::pyclass::CompareOp::Eq).map_err(unusable)?;
        if !numpy.call_method1(intern!(py, "all"), (same,))?.is_truthy()? {
            return Err(NotFiniteError::new_err("y holds labels that are missing (NaN or NaT)"));
        }
        let wanted = PyDict::new(py);
        wanted.set_item(intern!(py, "return_inverse"), true)?;
        let found = numpy.call_method(intern!(py, "unique"), (y,), Some(&wanted)).map_err(unusable)?;
        let (values, codes): (Bound<'_, PyAny>, Bound<'_, PyAny>) = found.extract()?;
        let codes = codes.call_method1(intern!(py, "astype"), (numpy::dtype::<i64>(py),))?;
        let codes = codes.cast::<PyArray1<i64>>()?.to_vec().map_err(|e| DataError::new_err(e.to_string()))?;
        let codes = codes.into_iter().map(|code| code as usize).collect();
        Ok((Self::from_values(&values)?, codes))
    }

    /// From the distinct labels alone.
    pub(crate) fn from_values(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let names = values.try_iter()?.map(|label| name_of(&label?));
        Ok(Self { names: names.collect::<PyResult<_>>()?, values: values.clone().unbind() })
    }

    /// The labels for an array of codes.
    pub(crate) fn take<'py>(&self, codes: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = codes.py();
        self.values.bind(py).call_method1(intern!(py, "take"), (codes,))
    }
}

/// A label as the command reads it from a file: 1.0 is spelled 1 there.
fn name_of(label: &Bound<'_, PyAny>) -> PyResult<String> {
    match label.cast::<pyo3::types::PyFloat>() {
        Ok(number) => Ok(groat::data::Cell::Number(number.value()).to_string()),
        Err(_) => Ok(label.str()?.to_string()),
    }
}
