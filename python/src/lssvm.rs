//! The least-squares support vector machine.

use crate::batch::{BatchLearner, Goal};
use crate::errors::raise;
use crate::settings::{not_allowed, params};
use groat::batch::LeastSquaresSvm;
use groat::tune::SupportRule;
use pyo3::prelude::*;

/// The least-squares support vector machine: ridge regression with a constant, dense or sparse.
///
/// width and ridge as in KernelRidge: numbers, sequences to choose from by leave-one-out, or None for a search.
/// With a kernel of compact support ("gaussian:width=1,support=2") the system is sparse. support: a rule by which
/// the support is chosen, "auto", "sparsity=0.99", "alignment=0.8", "combined=1" or "memory=BYTES", or the support
/// itself, a number. solver: "auto", "dense", "sparse" or "iterative". shift: meet a matrix that is not positive definite by a larger ridge.
#[pyclass(name = "LeastSquaresSvm", module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct PyLeastSquaresSvm;

#[pymethods]
impl PyLeastSquaresSvm {
    #[new]
    #[pyo3(signature = (kernel=None, *, task="regression", width=None, ridge=None, support=None, solver="auto",
        leave_one_out=false, shift=false, tolerance=None, standardise=false, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        task: &str,
        width: Option<&Bound<'_, PyAny>>,
        ridge: Option<&Bound<'_, PyAny>>,
        support: Option<&Bound<'_, PyAny>>,
        solver: &str,
        leave_one_out: bool,
        shift: bool,
        tolerance: Option<&Bound<'_, PyAny>>,
        standardise: bool,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let params = params!(py; kernel, task, width, ridge, support, solver, leave_one_out, shift, tolerance,
            standardise, memory, seed);
        let default = LeastSquaresSvm::default();
        let (kernel, widths) = params.kernel_and_width()?;
        let (ridge, ridges) = params.ridge(default.ridge)?;
        let method = LeastSquaresSvm {
            kernel,
            widths,
            support: support.map(support_of).transpose()?,
            ridge,
            ridges,
            solver: solver.parse().map_err(raise)?,
            leave_one_out,
            shift,
            tolerance: params.number("tolerance")?.unwrap_or(default.tolerance),
            memory: params.whole("memory")?.into(),
            seed: params.whole("seed")?.unwrap_or(default.seed),
            ..default
        };
        let base = BatchLearner::new(Box::new(method), Goal::named(task)?, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// A support, or the rule by which one is chosen.
fn support_of(object: &Bound<'_, PyAny>) -> PyResult<SupportRule> {
    let text = match object.extract::<f64>() {
        Ok(support) => support.to_string(),
        Err(_) => object
            .extract::<String>()
            .map_err(|_| not_allowed("support", object, "a number, or a rule such as \"sparsity=0.99\""))?,
    };
    text.parse().map_err(raise)
}
