//! Sums over rows of features, from which ridge regressions follow without the rows.

use crate::arrays::{Input, finite_vector, squeezed, vector};
use crate::errors::{ParameterError, raise};
use crate::threads::detached;
use groat::features::{FoldStatistics, Linear, Statistics};
use groat::{Error, Matrix, Result, Rows};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sums over rows of features and answers: what ridge regression on features needs to know of any number of rows.
///
/// Statistics(features, outputs=1, folds=1): no rows yet. Rows are added in pieces, by partial_fit, and sums that were made
/// apart are joined by merge: on which machine or in which order rows were seen changes the rounding of additions and nothing
/// else. solve gives the ridge regression with a free constant, for any ridge. With folds every row belongs to one part, and
/// validate judges ridges by parts that were left out, without another look at the rows.
#[pyclass(name = "Statistics", module = "groat._groat", frozen)]
pub(crate) struct PyStatistics {
    folds: Mutex<FoldStatistics>,
}

impl PyStatistics {
    fn held(&self) -> MutexGuard<'_, FoldStatistics> {
        self.folds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn total(&self) -> PyResult<Statistics> {
        self.held().total().map_err(raise)
    }
}

#[pymethods]
impl PyStatistics {
    #[new]
    #[pyo3(signature = (features, outputs=1, folds=1))]
    fn new(features: usize, outputs: usize, folds: usize) -> PyResult<Self> {
        for (name, value) in [("features", features), ("outputs", outputs), ("folds", folds)] {
            if !(1..=100_000).contains(&value) {
                let text = format!("{name} = {value} is not allowed: a number from 1 to 100000");
                return Err(ParameterError::new_err(text));
            }
        }
        Ok(Self { folds: Mutex::new(FoldStatistics::new(folds, features, outputs)) })
    }

    /// Adds rows of features with their answers. fold is the part that they belong to, counted from 0, or one number for each;
    /// without it rows take turns.
    #[pyo3(signature = (features, y, sample_weight=None, *, fold=None))]
    fn partial_fit<'py>(
        slf: Bound<'py, Self>,
        features: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        fold: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let (x, y) = (Input::<f64>::rows_of("features", features)?, Input::<f64>::columns_of("y", y)?);
        let (x, y) = (x.finite("features")?, y.finite("y")?);
        let weights = sample_weight.map(|weights| finite_vector("sample_weight", weights)).transpose()?;
        let this = slf.get();
        let parts = this.held().parts().len();
        let of = folds_of(fold, x.rows(), parts)?;
        detached(py, || add(&this.folds, x, y, weights.as_deref(), &of))?.map_err(raise)?;
        Ok(slf)
    }

    /// Adds the rows of other statistics, part by part.
    fn merge<'py>(slf: Bound<'py, Self>, other: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        // A copy first: the two may be the same.
        let other = other.get().held().clone();
        slf.get().held().merge(&other).map_err(raise)?;
        Ok(slf)
    }

    /// The weights of the features, one column per output, and the constants of the ridge regression to all rows.
    #[pyo3(signature = (alpha))]
    fn solve<'py>(&self, py: Python<'py>, alpha: f64) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let total = self.total()?;
        let solve = || -> Result<Linear> { Ok(total.solve(&[alpha])?.remove(0)) };
        let found = detached(py, solve)?;
        let Linear { weights, bias } = found.map_err(raise)?;
        Ok((squeezed(py, weights)?, bias.into_pyarray(py).into_any()))
    }

    /// For every ridge the mean square error on parts that a fit to the others did not see.
    fn validate<'py>(&self, py: Python<'py>, alphas: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let alphas = finite_vector("alphas", alphas)?;
        let folds = self.held().clone();
        if folds.parts().len() < 2 {
            return Err(ParameterError::new_err(
                "folds = 1 is not allowed: at least 2 parts, to leave one out",
            ));
        }
        let judges: Vec<usize> = (0..folds.parts().len()).collect();
        let errors = detached(py, || folds.validate(&alphas, &judges, &[]))?.map_err(raise)?;
        Ok(errors.into_pyarray(py).into_any())
    }

    /// The mean square error of a function of the features on all rows, one number per output.
    fn mean_squared_error<'py>(
        &self,
        py: Python<'py>,
        weights: &Bound<'py, PyAny>,
        constants: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let weights = Input::<f64>::columns_of("weights", weights)?.finite("weights")?.to_matrix();
        let function = Linear { weights, bias: finite_vector("constants", constants)? };
        let errors = self.total()?.mean_squared(&function).map_err(raise)?;
        Ok(errors.into_pyarray(py).into_any())
    }

    /// Number of features.
    #[getter]
    fn features(&self) -> usize {
        self.held().parts()[0].features()
    }

    /// Number of outputs.
    #[getter]
    fn outputs(&self) -> usize {
        self.held().parts()[0].outputs()
    }

    /// Rows of every part.
    #[getter]
    fn rows(&self) -> Vec<u64> {
        self.held().parts().iter().map(Statistics::rows).collect()
    }

    /// The sum of the rows' weights.
    #[getter]
    fn weight(&self) -> f64 {
        self.held().parts().iter().map(Statistics::weight).sum()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        let py = slf.py();
        let bytes: Result<Vec<Vec<u8>>> = slf.get().held().parts().iter().map(Statistics::to_bytes).collect();
        let bytes = bytes.map_err(raise)?;
        let parts = PyList::new(py, bytes.iter().map(|part| PyBytes::new(py, part)))?;
        Ok((py.get_type::<Self>().getattr("from_parts")?, (parts,)))
    }

    /// The statistics that a pickle was made from.
    #[staticmethod]
    fn from_parts(parts: Vec<Vec<u8>>) -> PyResult<Self> {
        let parts: Result<Vec<Statistics>> = parts.iter().map(|part| Statistics::from_bytes(part)).collect();
        let folds = parts.and_then(FoldStatistics::from_parts).map_err(raise)?;
        Ok(Self { folds: Mutex::new(folds) })
    }

    fn __repr__(&self) -> String {
        let (rows, folds) = (self.rows(), self.held().parts().len());
        let rows: u64 = rows.iter().sum();
        format!(
            "Statistics(features={}, outputs={}, folds={folds}): {rows} rows",
            self.features(),
            self.outputs()
        )
    }
}

/// The part of every row.
fn folds_of(fold: Option<&Bound<'_, PyAny>>, rows: usize, parts: usize) -> PyResult<Vec<usize>> {
    let wrong = |value: f64| {
        ParameterError::new_err(format!(
            "fold = {value} is not allowed: a whole number from 0 to {}",
            parts - 1
        ))
    };
    let part = |value: f64| {
        let sound = value >= 0.0 && value < parts as f64 && value.fract() == 0.0;
        if sound { Ok(value as usize) } else { Err(wrong(value)) }
    };
    match fold {
        None => Ok((0..rows).map(|i| i % parts).collect()),
        Some(one) if one.extract::<f64>().is_ok() => Ok(vec![part(one.extract()?)?; rows]),
        Some(each) => {
            let each = vector("fold", each)?;
            if each.len() != rows {
                let error = Error::Shape { what: "folds, one per row", expected: rows, found: each.len() };
                return Err(raise(error));
            }
            each.into_iter().map(part).collect()
        }
    }
}

/// Adds all rows or none: sums of their own are made first.
fn add(
    folds: &Mutex<FoldStatistics>,
    x: Rows<'_>,
    y: Rows<'_>,
    weights: Option<&[f64]>,
    of: &[usize],
) -> Result<()> {
    let (parts, features, outputs) = {
        let held = folds.lock().unwrap_or_else(PoisonError::into_inner);
        (held.parts().len(), held.parts()[0].features(), held.parts()[0].outputs())
    };
    if y.rows() != x.rows() {
        return Err(Error::Shape { what: "rows of the target", expected: x.rows(), found: y.rows() });
    }
    if let Some(found) = weights.map(<[f64]>::len).filter(|found| *found != x.rows()) {
        return Err(Error::Shape { what: "sample weights", expected: x.rows(), found });
    }
    let mut new = FoldStatistics::new(parts, features, outputs);
    for part in 0..parts {
        let Some(into) = new.part_mut(part) else { continue };
        if parts == 1 {
            into.push(x, y, weights)?;
            continue;
        }
        let chosen: Vec<usize> = (0..of.len()).filter(|&i| of[i] == part).collect();
        let (some, answers): (Matrix, Matrix) = (x.select(&chosen), y.select(&chosen));
        let weights: Option<Vec<f64>> = weights.map(|weights| chosen.iter().map(|&i| weights[i]).collect());
        into.push(some.view(), answers.view(), weights.as_deref())?;
    }
    folds.lock().unwrap_or_else(PoisonError::into_inner).merge(&new)
}
