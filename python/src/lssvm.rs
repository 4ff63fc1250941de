//! The least-squares support vector machine.

use crate::batch::{BatchLearner, Goal};
use crate::errors::{ParameterError, raise};
use crate::kernel::kernel_of;
use crate::settings::params;
use groat::batch::{LeastSquaresSvm, Search};
use pyo3::prelude::*;

/// The least-squares support vector machine: ridge regression with a constant, dense or sparse.
///
/// With a kernel of compact support ("gaussian:width=1,support=2") the system is sparse. support: a rule by which
/// the support is chosen, "sparsity=0.99", "alignment=0.8", "combined=1" or "memory=BYTES". solver: "auto",
/// "dense", "sparse" or "iterative". shift: meet a matrix that is not positive definite by a larger ridge.
#[pyclass(name = "LeastSquaresSvm", module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct PyLeastSquaresSvm;

#[pymethods]
impl PyLeastSquaresSvm {
    #[new]
    #[pyo3(signature = (kernel=None, *, task="regression", ridge=1.0, support=None, solver="auto",
        leave_one_out=false, shift=false, tolerance=None, standardise=false, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        task: &str,
        ridge: f64,
        support: Option<&str>,
        solver: &str,
        leave_one_out: bool,
        shift: bool,
        tolerance: Option<&Bound<'_, PyAny>>,
        standardise: bool,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let params = params!(py; kernel, task, ridge, support, solver, leave_one_out, shift, tolerance,
            standardise, memory, seed);
        let default = LeastSquaresSvm::default();
        let method = LeastSquaresSvm {
            widths: Search::Fixed,
            ridges: Search::Fixed,
            kernel: kernel.map_or(Ok(default.kernel), kernel_of)?,
            support: support.map(str::parse).transpose().map_err(raise)?,
            ridge,
            solver: solver.parse().map_err(raise)?,
            leave_one_out,
            shift,
            tolerance: params.number("tolerance")?.unwrap_or(default.tolerance),
            memory: params.whole("memory")?.unwrap_or(default.memory),
            seed: params.whole("seed")?.unwrap_or(default.seed),
        };
        if !(ridge.is_finite() && ridge >= 0.0) {
            let text = format!("ridge = {ridge} is not allowed: a finite number, 0 or above");
            return Err(ParameterError::new_err(text));
        }
        let base = BatchLearner::new(Box::new(method), Goal::named(task)?, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}
