//! NumPy arrays in and out.
//!
//! A C-contiguous array of the right type is read where it lies; anything else is converted by NumPy first.
//! (`as_slice` alone would not do: it also accepts Fortran order, and then gives the numbers in that order.)

use crate::errors::{DataError, MemoryLimitError, NotFiniteError, ShapeError};
use groat::{Matrix, Real, Rows};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1,
    PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A set of rows, borrowed from Python.
pub(crate) struct Input<'py, T: Element = f64> {
    array: PyReadonlyArray2<'py, T>,
}

impl<'py, T: Element + Real> Input<'py, T> {
    /// Two-dimensional data: one row per sample. `what` names the argument in errors.
    pub(crate) fn rows_of(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = contiguous::<T>(what, object)?;
        match array.ndim() {
            2 => Self::new(what, &array),
            dimensions => Err(ShapeError::new_err(format!(
                "{what} has {dimensions} dimension(s), but needs 2: one row per sample; \
                 reshape(-1, 1) makes one feature, reshape(1, -1) one sample"
            ))),
        }
    }

    /// A target: one number per sample, or one row per sample.
    pub(crate) fn columns_of(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = contiguous::<T>(what, object)?;
        match array.ndim() {
            1 => Self::new(what, &array.call_method1(intern!(array.py(), "reshape"), ((-1, 1),))?),
            2 => Self::new(what, &array),
            dimensions => {
                Err(ShapeError::new_err(format!("{what} has {dimensions} dimension(s), but needs 1 or 2")))
            }
        }
    }

    fn new(what: &str, array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = array.cast::<PyArray2<T>>()?;
        if array.shape()[1] == 0 {
            return Err(ShapeError::new_err(format!("{what} has no columns")));
        }
        let array = array.try_readonly().map_err(|e| DataError::new_err(format!("{what}: {e}")))?;
        Ok(Self { array })
    }

    /// The rows.
    pub(crate) fn rows(&self) -> PyResult<Rows<'_, T>> {
        let data = self.array.as_slice().map_err(|e| DataError::new_err(e.to_string()))?;
        Rows::new(data, self.array.shape()[1]).map_err(crate::errors::raise)
    }

    /// The rows, if every number is finite.
    pub(crate) fn finite(&self, what: &'static str) -> PyResult<Rows<'_, T>> {
        let rows = self.rows()?;
        rows.check_finite(what).map_err(crate::errors::raise)?;
        Ok(rows)
    }
}

/// One number per sample, copied.
pub(crate) fn vector(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = contiguous::<f64>(what, object)?;
    let Ok(array) = array.cast::<PyArray1<f64>>() else {
        return Err(ShapeError::new_err(format!("{what} has {} dimension(s), but needs 1", array.ndim())));
    };
    array.to_vec().map_err(|e| DataError::new_err(format!("{what}: {e}")))
}

/// As [`vector`], and every number is finite.
pub(crate) fn finite_vector(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let values = vector(what, object)?;
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(values),
        Some(at) => Err(NotFiniteError::new_err(format!("{what} holds {} at position {at}", values[at]))),
    }
}

/// The array itself where it is C-contiguous, aligned and of type `T`, else a converted copy.
pub(crate) fn contiguous<'py, T: Element>(
    what: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let unusable = |error: PyErr| {
        let wrapped = DataError::new_err(format!("{what} cannot be read as an array of numbers: {error}"));
        wrapped.set_cause(py, Some(error));
        wrapped
    };
    let array = numpy.call_method1(intern!(py, "asarray"), (object,)).map_err(unusable)?;
    let array = array.cast_into::<PyUntypedArray>()?;
    // Complex numbers and dates would be cut down to numbers without a word.
    let kind = array.dtype().kind();
    if !b"biufO".contains(&kind) {
        return Err(DataError::new_err(format!("{what} holds {}, not real numbers", array.dtype())));
    }
    let wanted = PyDict::new(py);
    wanted.set_item(intern!(py, "dtype"), dtype::<T>(py))?;
    wanted.set_item(intern!(py, "requirements"), PyList::new(py, ["C", "A"])?)?;
    let array = numpy.call_method(intern!(py, "require"), (array,), Some(&wanted)).map_err(unusable)?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.is_c_contiguous() {
        Ok(array)
    } else {
        Err(DataError::new_err(format!("{what} cannot be laid out row by row")))
    }
}

/// Whether an object is an array of single precision, so that the work shall be done in it.
pub(crate) fn is_single(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    object.cast::<PyUntypedArray>().is_ok_and(|a| a.dtype().is_equiv_to(&dtype::<f32>(py)))
}

/// A matrix as a two-dimensional array, without copying.
pub(crate) fn array2<T: Element + Real>(py: Python<'_>, matrix: Matrix<T>) -> PyResult<Bound<'_, PyAny>> {
    let shape = [matrix.rows(), matrix.cols()];
    Ok(matrix.into_data().into_pyarray(py).reshape(shape)?.into_any())
}

/// As [`array2`], but a single column becomes a one-dimensional array.
pub(crate) fn squeezed<T: Element + Real>(py: Python<'_>, matrix: Matrix<T>) -> PyResult<Bound<'_, PyAny>> {
    match matrix.cols() {
        1 => Ok(matrix.into_data().into_pyarray(py).into_any()),
        _ => array2(py, matrix),
    }
}

/// Borrowed rows as a two-dimensional array of their own.
pub(crate) fn copied<'py>(py: Python<'py>, rows: Rows<'_>) -> PyResult<Bound<'py, PyAny>> {
    array2(py, rows.to_matrix())
}

/// An error when the system would not give the memory for a result of this size, before it is asked for.
pub(crate) fn check_room<T>(rows: usize, columns: usize) -> PyResult<()> {
    // A compiler may leave out an allocation that nobody looks at, and call it a success.
    let room = |n| std::hint::black_box(&mut Vec::<T>::new()).try_reserve_exact(n).is_ok();
    let room = rows.checked_mul(columns).is_some_and(room);
    if room {
        return Ok(());
    }
    Err(MemoryLimitError::new_err(format!("there is not enough memory for a {rows} x {columns} matrix")))
}

/// One sample: read where it lies if it is a contiguous array of doubles, which keeps single steps cheap.
pub(crate) enum Sample<'py> {
    Lent(PyReadonlyArray1<'py, f64>),
    Copied(Vec<f64>),
}

impl<'py> Sample<'py> {
    pub(crate) fn of(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArray1<f64>>()
            && let Ok(lent) = array.try_readonly()
            && lent.as_slice().is_ok()
        {
            return Ok(Sample::Lent(lent));
        }
        vector(what, object).map(Sample::Copied)
    }

    pub(crate) fn numbers(&self) -> PyResult<&[f64]> {
        match self {
            Sample::Lent(array) => array.as_slice().map_err(|e| DataError::new_err(e.to_string())),
            Sample::Copied(numbers) => Ok(numbers),
        }
    }
}
