//! Exact kernel ridge regression.

use crate::batch::{BatchLearner, Goal};
use crate::settings::{count, kernel_and_width, number_or_search, whole};
use groat::batch::{KernelRidge, Search};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Exact kernel ridge regression and one-vs-rest classification: every sample stays in the model.
///
/// width: a number, a sequence to choose from, "auto" for a search, or None: a search when the kernel is given
/// by its name alone, else the kernel's own width. ridge: a number, a sequence, or None for a search. Choices
/// are made by the leave-one-out error, which is exact.
#[pyclass(name = "KernelRidge", module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct PyKernelRidge;

#[pymethods]
impl PyKernelRidge {
    #[new]
    #[pyo3(signature = (kernel=None, *, task="regression", width=None, ridge=None, bias=true,
        standardise=false, leave_one_out=true, selection_rows=None, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        task: &str,
        width: Option<&Bound<'_, PyAny>>,
        ridge: Option<&Bound<'_, PyAny>>,
        bias: bool,
        standardise: bool,
        leave_one_out: bool,
        selection_rows: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let mut method = KernelRidge { bias, leave_one_out, ..KernelRidge::default() };
        (method.kernel, method.widths) = kernel_and_width(kernel, width)?;
        let (value, search) =
            ridge.map_or(Ok((None, Search::Auto)), |ridge| number_or_search("ridge", ridge))?;
        (method.ridge, method.ridges) = (value.unwrap_or(method.ridge), search);
        if let Some(rows) = selection_rows {
            method.selection_rows = count("selection_rows", rows)?;
        }
        if let Some(bytes) = memory {
            method.memory = whole("memory", bytes)?;
        }
        if let Some(number) = seed {
            method.seed = whole("seed", number)?;
        }
        let params = PyDict::new(py);
        params.set_item("kernel", kernel)?;
        params.set_item("task", task)?;
        params.set_item("width", width)?;
        params.set_item("ridge", ridge)?;
        params.set_item("bias", bias)?;
        params.set_item("standardise", standardise)?;
        params.set_item("leave_one_out", leave_one_out)?;
        params.set_item("selection_rows", selection_rows)?;
        params.set_item("memory", memory)?;
        params.set_item("seed", seed)?;
        let base = BatchLearner::new(Box::new(method), Goal::named(task)?, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}
