//! Exact kernel ridge regression.

use crate::batch::{BatchLearner, Goal};
use crate::settings::params;
use groat::batch::KernelRidge;
use pyo3::prelude::*;

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
        let params = params!(py; kernel, task, width, ridge, bias, standardise, leave_one_out, selection_rows,
            memory, seed);
        let mut method = KernelRidge { bias, leave_one_out, ..KernelRidge::default() };
        (method.kernel, method.widths) = params.kernel_and_width()?;
        (method.ridge, method.ridges) = params.ridge(method.ridge)?;
        method.selection_rows = params.count("selection_rows")?.unwrap_or(method.selection_rows);
        method.memory = params.whole("memory")?.into();
        method.seed = params.whole("seed")?.unwrap_or(method.seed);
        let base = BatchLearner::new(Box::new(method), Goal::named(task)?, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}
