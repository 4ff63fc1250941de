//! Rows in any of the forms that Python has them in: arrays of any type and order, SciPy's sparse matrices, frames.
//!
//! An array of another type than float64 is converted block by block, so that no second copy of the whole is made:
//! a fit writes the blocks into the one set of rows that it keeps, a prediction forgets each after use.

use crate::arrays::{contiguous, vector};
use crate::errors::{DataError, ShapeError, raise};
use crate::threads::detached;
use groat::data::{Column, Dataset, InputOptions, Inputs, Table};
use groat::{Csr, Matrix, PointSet, Points, Result, Rows};
use numpy::{PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

/// Rows that are converted, and predicted, at a time.
const BLOCK: usize = 16_384;

/// Rows as they were given.
pub(crate) enum Given<'py> {
    /// A two-dimensional array.
    Array(Bound<'py, PyUntypedArray>),
    /// A sparse matrix.
    Sparse(Csr),
    /// Named columns.
    Columns(Vec<String>, Vec<Column>),
}

impl<'py> Given<'py> {
    /// `what` names the argument in errors.
    pub(crate) fn of(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.cast::<PyUntypedArray>().is_err() {
            if let Ok(columns) = object.cast::<PyDict>() {
                return columns_of(columns);
            }
            if object.hasattr(intern!(py, "tocsr"))? {
                return csr_of(what, object).map(Self::Sparse);
            }
            if object.hasattr(intern!(py, "columns"))? {
                let frames = py.import(intern!(py, "groat.frames"))?;
                let columns = frames.call_method1(intern!(py, "columns_of"), (object,))?;
                return columns_of(columns.cast()?);
            }
        }
        let array = contiguous_if_listed(what, object)?;
        match array.ndim() {
            2 if array.shape()[1] > 0 => Ok(Self::Array(array)),
            2 => Err(ShapeError::new_err(format!("{what} has no columns"))),
            dimensions => Err(ShapeError::new_err(format!(
                "{what} has {dimensions} dimension(s), but needs 2: one row per sample; \
                 reshape(-1, 1) makes one feature, reshape(1, -1) one sample"
            ))),
        }
    }

    /// Rows like those that inputs were made of, or plain ones where there are none, in a copy that the caller keeps.
    pub(crate) fn like(self, what: &str, inputs: Option<&Inputs>) -> PyResult<PointSet> {
        match (self, inputs) {
            (Self::Columns(names, columns), Some(inputs)) => {
                inputs.apply(&Table::new(names, columns).map_err(raise)?).map_err(raise)
            }
            (given, _) => Ok(given.into_samples(what, None, Vec::new())?.0),
        }
    }

    /// The samples, in a copy that the caller keeps, and what a table's are made of. `target` is the column that is to be
    /// predicted, where that has a name, and `categorical` names columns of numbers that stand for categories.
    pub(crate) fn into_samples(
        self,
        what: &str,
        target: Option<(String, Column)>,
        categorical: Vec<String>,
    ) -> PyResult<(PointSet, Option<Inputs>)> {
        match self {
            Self::Array(array) => Ok((whole(what, &array)?.into(), None)),
            Self::Sparse(rows) => Ok((PointSet::Sparse(rows), None)),
            Self::Columns(mut names, mut columns) => {
                let mut options = InputOptions { categorical, ..Default::default() };
                if let Some((name, column)) = target {
                    options.targets = vec![name.clone()];
                    names.push(name);
                    columns.push(column);
                }
                let table = Table::new(names, columns).map_err(raise)?;
                let inputs = Inputs::fit(&table, &options).map_err(raise)?;
                Ok((inputs.apply(&table).map_err(raise)?, Some(inputs)))
            }
        }
    }
}

/// The data with what is known of their columns.
pub(crate) fn described(
    data: Dataset,
    inputs: Option<Inputs>,
    names: Option<Vec<String>>,
) -> PyResult<Dataset> {
    match (inputs, names) {
        (Some(inputs), None) => data.with_inputs(inputs),
        (None, Some(names)) => data.with_features(names),
        (None, None) => Ok(data),
        (Some(_), Some(_)) => {
            return Err(DataError::new_err("feature_names are given, but x has names itself"));
        }
    }
    .map_err(raise)
}

/// What is said of rows, one row each, worked out block by block with the interpreter free; `inputs` make rows of a table.
/// Where `alone` says that one row is answered without other threads, it stays on this one: handing it over takes longer.
pub(crate) fn answered(
    py: Python<'_>,
    inputs: Option<&Inputs>,
    x: &Bound<'_, PyAny>,
    alone: bool,
    answer: impl Fn(Points<'_>) -> Result<Matrix> + Sync,
) -> PyResult<Matrix> {
    let answer = &answer;
    match Given::of("x", x)? {
        Given::Array(array) => {
            let rows = array.shape()[0];
            if rows <= BLOCK {
                let block = Lent::of("x", array.as_any())?;
                let block = block.rows()?;
                let found = match alone && rows == 1 {
                    true => py.detach(|| answer(block.into())),
                    false => detached(py, || answer(block.into()))?,
                };
                return found.map_err(raise);
            }
            let mut found = Vec::new();
            for start in (0..rows).step_by(BLOCK) {
                let block = Lent::slice("x", &array, start, (start + BLOCK).min(rows))?;
                let block = block.rows()?;
                found.push(detached(py, || answer(block.into()))?.map_err(raise)?);
                py.check_signals()?;
            }
            joined(found, rows)
        }
        Given::Sparse(rows) => in_blocks(py, rows.view().into(), answer),
        Given::Columns(names, columns) => {
            let Some(inputs) = inputs else {
                let text = "x has named columns, but the model was made from numbers without names";
                return Err(DataError::new_err(text));
            };
            let table = Table::new(names, columns).map_err(raise)?;
            let x = detached(py, || inputs.apply(&table))?.map_err(raise)?;
            in_blocks(py, x.view(), answer)
        }
    }
}

/// The answers for rows that are at hand.
fn in_blocks(
    py: Python<'_>,
    x: Points<'_>,
    answer: &(impl Fn(Points<'_>) -> Result<Matrix> + Sync),
) -> PyResult<Matrix> {
    if x.rows() <= BLOCK {
        return detached(py, || answer(x))?.map_err(raise);
    }
    let mut found = Vec::new();
    for start in (0..x.rows()).step_by(BLOCK) {
        let block = x.slice(start, (start + BLOCK).min(x.rows()));
        found.push(detached(py, || answer(block))?.map_err(raise)?);
        py.check_signals()?;
    }
    joined(found, x.rows())
}

/// The blocks of an answer as one.
fn joined(blocks: Vec<Matrix>, rows: usize) -> PyResult<Matrix> {
    let columns = blocks.first().map_or(0, Matrix::cols);
    let mut data = Vec::with_capacity(rows * columns);
    blocks.into_iter().for_each(|block| data.extend(block.into_data()));
    Matrix::from_vec(data, rows, columns).map_err(raise)
}

/// Some rows of an array as doubles in order: read where they lie if they are that, else converted.
struct Lent<'py> {
    array: numpy::PyReadonlyArray2<'py, f64>,
}

impl<'py> Lent<'py> {
    fn of(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = contiguous::<f64>(what, object)?;
        let array = array.cast::<PyArray2<f64>>()?;
        let array = array.try_readonly().map_err(|e| DataError::new_err(format!("{what}: {e}")))?;
        Ok(Self { array })
    }

    fn slice(what: &str, array: &Bound<'py, PyUntypedArray>, start: usize, end: usize) -> PyResult<Self> {
        let slice = PySlice::new(array.py(), start as isize, end as isize, 1);
        Self::of(what, &array.as_any().get_item(slice)?)
    }

    fn rows(&self) -> PyResult<Rows<'_>> {
        let data = self.array.as_slice().map_err(|e| DataError::new_err(e.to_string()))?;
        Rows::new(data, self.array.shape()[1]).map_err(raise)
    }
}

/// A list of lists becomes an array; an array stays what it is.
fn contiguous_if_listed<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    match object.cast::<PyUntypedArray>() {
        Ok(array) => Ok(array.clone()),
        Err(_) => contiguous::<f64>(what, object),
    }
}

/// All rows as doubles.
fn whole(what: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<Matrix> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    let mut data = Vec::new();
    if rows.checked_mul(columns).is_none_or(|numbers| data.try_reserve_exact(numbers).is_err()) {
        crate::arrays::check_room::<f64>(rows, columns)?;
    }
    for start in (0..rows).step_by(BLOCK) {
        let block = Lent::slice(what, array, start, (start + BLOCK).min(rows))?;
        data.extend_from_slice(block.rows()?.data());
    }
    Matrix::from_vec(data, rows, columns).map_err(raise)
}

/// A sparse matrix of SciPy.
fn csr_of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Csr> {
    let py = object.py();
    let mut csr = object.call_method0(intern!(py, "tocsr"))?;
    if !csr.getattr(intern!(py, "has_canonical_format"))?.is_truthy()? {
        csr = csr.call_method0(intern!(py, "copy"))?;
        csr.call_method0(intern!(py, "sum_duplicates"))?;
    }
    let part = |name: &str| csr.getattr(name);
    let whole_numbers = |name: &str| -> PyResult<Vec<i64>> {
        let wanted = (numpy::dtype::<i64>(py),);
        let numbers = part(name)?.call_method1(intern!(py, "astype"), wanted)?;
        numbers.cast::<numpy::PyArray1<i64>>()?.to_vec().map_err(|e| DataError::new_err(e.to_string()))
    };
    let unsound = |_| DataError::new_err(format!("{what} is a sparse matrix whose indices are not sound"));
    let starts = whole_numbers("indptr")?.into_iter().map(usize::try_from);
    let starts = starts.collect::<std::result::Result<Vec<_>, _>>().map_err(unsound)?;
    let columns = whole_numbers("indices")?.into_iter().map(u32::try_from);
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>().map_err(unsound)?;
    let (_, width): (usize, usize) = part("shape")?.extract()?;
    Csr::new(width, starts, columns, vector(what, &part("data")?)?).map_err(raise)
}

/// Columns by name, each an array of numbers or a list of texts, None where one is missing.
fn columns_of<'py>(columns: &Bound<'py, PyDict>) -> PyResult<Given<'py>> {
    let (mut names, mut found) = (Vec::new(), Vec::new());
    for (name, values) in columns.iter() {
        let name: String = name.extract()?;
        found.push(column_of(&name, &values)?);
        names.push(name);
    }
    if names.is_empty() {
        return Err(ShapeError::new_err("x has no columns"));
    }
    Ok(Given::Columns(names, found))
}

/// One column.
fn column_of(name: &str, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    if values.cast::<PyUntypedArray>().is_ok() {
        return vector(name, values).map(Column::Numeric);
    }
    let texts: Vec<Option<String>> = values.extract().map_err(|_| {
        DataError::new_err(format!("column {name:?} holds neither numbers nor texts: give it as one of them"))
    })?;
    Ok(Column::Text(texts.into_iter().collect()))
}
