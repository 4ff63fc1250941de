//! Choosing the support of a compact kernel.

use crate::arrays::{Input, array2};
use crate::errors::raise;
use crate::kernel::{PyKernel, kernel_of};
use crate::settings::whole;
use crate::threads::detached;
use groat::tune::{SupportRule, SupportTuning};
use groat::{Kernel, Matrix};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Points of the curve, unless told otherwise.
const POINTS: u64 = 64;
/// More points than any curve needs.
const MOST_POINTS: u64 = 100_000;

/// The support that a rule chooses for a radial kernel on the rows of x.
///
/// rule: "combined=GAMMA", "alignment=MU", "sparsity=TAU" or "memory=BYTES". The answer holds the kernel with that
/// support, its alignment and sparsity, the standard error of the support (None when all pairs of rows were used),
/// and the curve: one row of support, alignment and sparsity per point.
#[pyfunction]
#[pyo3(signature = (kernel, x, rule="combined=1", *, seed=None, points=None))]
pub(crate) fn tune_support<'py>(
    py: Python<'py>,
    kernel: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    rule: &str,
    seed: Option<&Bound<'py, PyAny>>,
    points: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let kernel: Kernel = kernel_of(kernel)?;
    let rule: SupportRule = rule.parse().map_err(raise)?;
    let seed = seed.map_or(Ok(0), |seed| whole("seed", seed))?;
    let points = points.map_or(Ok(POINTS), |points| whole("points", points))?.min(MOST_POINTS) as usize;
    let x = Input::<f64>::rows_of("x", x)?;
    let rows = x.finite("x")?;
    let (tuned, choice, curve) = detached(py, || {
        let tuning = SupportTuning::for_kernel(&kernel, rows, seed)?;
        let choice = tuning.choose(rule)?;
        let curve = tuning.curve(points);
        groat::Result::Ok((tuning.kernel_with(choice.support), choice, curve))
    })?
    .map_err(raise)?;
    let numbers: Vec<f64> = curve.iter().flat_map(|p| [p.support, p.alignment, p.sparsity]).collect();
    let out = PyDict::new(py);
    out.set_item("kernel", PyKernel { kernel: tuned })?;
    out.set_item("support", choice.support)?;
    out.set_item("alignment", choice.alignment)?;
    out.set_item("sparsity", choice.sparsity)?;
    out.set_item("error", choice.error)?;
    out.set_item("curve", array2(py, Matrix::from_vec(numbers, curve.len(), 3).map_err(raise)?)?)?;
    Ok(out)
}
