//! Fits to rows that other processes hold: what is asked of those, and who asks.

use crate::arrays::{Input, finite_vector};
use crate::errors::{ParameterError, raise};
use crate::threads::detached;
use groat::batch::RowSums;
use groat::data::{Batches, RemoteSums, Standardisation, Visit};
use groat::{Error, Result};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Mutex;

/// Sums over some of the rows of a fit, for the process that holds them.
///
/// RowSums(map, mean, scale): the features as the fit sends them, and how rows are standardised, if they are.
#[pyclass(name = "RowSums", module = "groat._groat", frozen)]
pub(crate) struct PyRowSums {
    sums: RowSums,
    standardisation: Option<Standardisation>,
}

#[pymethods]
impl PyRowSums {
    #[new]
    #[pyo3(signature = (map, mean=None, scale=None))]
    fn new(map: &[u8], mean: Option<&Bound<'_, PyAny>>, scale: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let sums = RowSums::from_bytes(map).map_err(raise)?;
        Ok(Self { sums, standardisation: standardisation_of(mean, scale)? })
    }

    /// The sum over these rows of what the bytes ask for: numbers to be added to those of other rows.
    fn sum<'py>(
        &self,
        py: Python<'py>,
        pass_: &[u8],
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (x, y) = (Input::<f64>::rows_of("x", x)?, Input::<f64>::columns_of("y", y)?);
        let (x, y) = (x.rows()?, y.rows()?);
        let sum = || match &self.standardisation {
            None => self.sums.sum(pass_, x.into(), y),
            Some(standardisation) => {
                let mut copy = x.to_matrix();
                standardisation.apply(&mut copy)?;
                self.sums.sum(pass_, (&copy).into(), y)
            }
        };
        Ok(detached(py, sum)?.map_err(raise)?.into_pyarray(py).into_any())
    }

    /// Number of features.
    #[getter]
    fn size(&self) -> usize {
        self.sums.size()
    }
}

/// A number for every row by which rows are drawn: those with the least come first, wherever they stand.
#[pyfunction]
#[pyo3(signature = (x, seed=0))]
pub(crate) fn drawing_order<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let x = Input::<f64>::rows_of("x", x)?;
    let rows = x.rows()?;
    let order = detached(py, || groat::batch::drawing_order(rows.into(), seed))?;
    Ok(order.into_pyarray(py).into_any())
}

/// Means and deviations, where rows are standardised.
pub(crate) fn standardisation_of(
    mean: Option<&Bound<'_, PyAny>>,
    scale: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Standardisation>> {
    match (mean, scale) {
        (None, None) => Ok(None),
        (Some(mean), Some(scale)) => {
            let (mean, scale) = (finite_vector("mean", mean)?, finite_vector("scale", scale)?);
            Standardisation::new(mean, scale).map(Some).map_err(raise)
        }
        _ => Err(ParameterError::new_err("mean and scale belong together: give both or none")),
    }
}

/// Rows that a callable sums up: `sum(map, pass)` with bytes in and an array out.
pub(crate) struct Elsewhere {
    rows: usize,
    sum: Py<PyAny>,
    /// What the callable raised.
    raised: Mutex<Option<PyErr>>,
}

impl Elsewhere {
    pub(crate) fn new(rows: usize, sum: Py<PyAny>) -> Self {
        Self { rows, sum, raised: Mutex::new(None) }
    }

    /// What the callable raised, once.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }
}

impl RemoteSums for Elsewhere {
    fn sum(&self, map: &[u8], pass: &[u8]) -> Result<Vec<f64>> {
        Python::attach(|py| {
            let question = (PyBytes::new(py, map), PyBytes::new(py, pass));
            self.sum.call1(py, question).and_then(|sum| finite_vector("a sum over rows", sum.bind(py)))
        })
        .map_err(|error| {
            *self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            Error::Stopped
        })
    }
}

impl Batches for Elsewhere {
    fn read(&self, _: &mut Visit<'_>) -> Result<()> {
        Err(Error::parameter(
            "method",
            "one that reads rows",
            "nystrom, falkon or rff, whose rows may be elsewhere",
        ))
    }

    fn rows(&self) -> Option<usize> {
        Some(self.rows)
    }

    fn remote(&self) -> Option<&dyn RemoteSums> {
        Some(self)
    }
}
