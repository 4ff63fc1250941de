//! The watch for drift that runs beside every learner, for any series of numbers.

use crate::errors::{DataError, NotFiniteError};
use groat::online::AdaptiveWindow;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// A window of numbers that shrinks when their mean has changed (ADWIN2; Bifet, Gavalda, 2007).
#[pyclass(module = "groat._groat", frozen)]
pub(crate) struct DriftWindow {
    window: Mutex<AdaptiveWindow>,
}

impl DriftWindow {
    fn with<T>(&self, work: impl FnOnce(&mut AdaptiveWindow) -> T) -> T {
        work(&mut self.window.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl DriftWindow {
    #[new]
    fn new() -> Self {
        Self { window: Mutex::default() }
    }

    /// Takes in a number; true when the mean has changed.
    fn push(&self, value: f64) -> PyResult<bool> {
        if !value.is_finite() {
            return Err(NotFiniteError::new_err(format!("the value is {value}, expected a finite number")));
        }
        Ok(self.with(|window| window.push(value)))
    }

    /// Numbers in the window.
    #[getter]
    fn width(&self) -> u64 {
        self.with(|window| window.width())
    }

    /// Their mean; 0 for an empty window.
    #[getter]
    fn mean(&self) -> f64 {
        self.with(|window| window.mean())
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(|window| serde_json::to_vec(window));
        Ok(PyBytes::new(py, &bytes.map_err(|e| DataError::new_err(e.to_string()))?))
    }

    fn __setstate__(&self, state: &[u8]) -> PyResult<()> {
        let window: AdaptiveWindow =
            serde_json::from_slice(state).map_err(|e| DataError::new_err(e.to_string()))?;
        window.check().map_err(crate::errors::raise)?;
        self.with(|held| *held = window);
        Ok(())
    }
}
