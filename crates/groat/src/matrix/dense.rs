//! Row-major matrices: [`Matrix`] owns, [`Rows`] borrows. Rows are stored one after the other without gaps.

use crate::error::{Error, Result, check_len};
use crate::memory::zeroed;
use crate::simd::Lane;

/// The two number types that kernels can be evaluated in: `f64` and `f32`.
pub trait Real: Lane {}

impl Real for f64 {}
impl Real for f32 {}

/// A borrowed row-major set of rows.
///
/// ```
/// use groat::Rows;
/// let x = Rows::new(&[1.0, 2.0, 3.0, 4.0], 2)?;
/// assert_eq!((x.rows(), x.cols()), (2, 2));
/// assert_eq!(x.row(1), &[3.0, 4.0]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows<'a, T = f64> {
    data: &'a [T],
    rows: usize,
    cols: usize,
}

impl<'a, T: Real> Rows<'a, T> {
    /// Views `data` as rows of `cols` numbers; its length must be a multiple of `cols`.
    pub fn new(data: &'a [T], cols: usize) -> Result<Self> {
        if cols == 0 {
            return Err(Error::parameter("columns", 0, "at least 1"));
        }
        let rows = data.len() / cols;
        check_len("numbers in a row-major array", rows * cols, data.len())?;
        Ok(Self { data, rows, cols })
    }

    /// One sample as a set of one row.
    pub fn one(row: &'a [T]) -> Self {
        Self { data: row, rows: 1, cols: row.len() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// All numbers, row by row.
    pub fn data(&self) -> &'a [T] {
        self.data
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &'a [T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [T]> + Clone + use<'a, T> {
        let (data, cols) = (self.data, self.cols);
        (0..self.rows).map(move |i| &data[i * cols..(i + 1) * cols])
    }

    /// Rows `start..end` as a view.
    pub fn slice(&self, start: usize, end: usize) -> Rows<'a, T> {
        Rows { data: &self.data[start * self.cols..end * self.cols], rows: end - start, cols: self.cols }
    }

    /// A copy of the rows with the given indices, in that order.
    pub fn select(&self, indices: &[usize]) -> Matrix<T> {
        let mut data = Vec::with_capacity(indices.len() * self.cols);
        for &i in indices {
            data.extend_from_slice(self.row(i));
        }
        Matrix { data, rows: indices.len(), cols: self.cols }
    }

    /// An owned copy.
    pub fn to_matrix(&self) -> Matrix<T> {
        Matrix { data: self.data.to_vec(), rows: self.rows, cols: self.cols }
    }

    /// An error that names the first NaN or infinity, if there is one.
    pub fn check_finite(&self, what: &'static str) -> Result<()> {
        match self.data.iter().position(|v| !v.to_f64().is_finite()) {
            None => Ok(()),
            Some(at) => Err(Error::NotFinite {
                what,
                row: at / self.cols,
                column: at % self.cols,
                value: self.data[at].to_f64(),
            }),
        }
    }
}

/// An owned row-major matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T = f64> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Real> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { data: zeroed(rows * cols), rows, cols }
    }

    /// Takes `data` as `rows` rows of `cols` numbers.
    pub fn from_vec(data: Vec<T>, rows: usize, cols: usize) -> Result<Self> {
        check_len("numbers in a row-major array", rows.saturating_mul(cols), data.len())?;
        Ok(Self { data, rows, cols })
    }

    /// One column from a vector.
    pub fn column(data: Vec<T>) -> Self {
        Self { rows: data.len(), cols: 1, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The borrowed view.
    pub fn view(&self) -> Rows<'_, T> {
        Rows { data: &self.data, rows: self.rows, cols: self.cols }
    }

    /// All numbers, row by row.
    pub fn data(&self) -> &[T] {
        &self.data
    }

    /// All numbers, row by row, to be changed in place.
    pub fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The numbers themselves, row by row.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to be changed in place.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Appends one row.
    pub fn push_row(&mut self, row: &[T]) -> Result<()> {
        check_len("numbers in a row", self.cols, row.len())?;
        self.data.extend_from_slice(row);
        self.rows += 1;
        Ok(())
    }

    /// Copies column `j`.
    pub fn column_to_vec(&self, j: usize) -> Vec<T> {
        (0..self.rows).map(|i| self.data[i * self.cols + j]).collect()
    }
}

impl<T> std::ops::Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> std::ops::IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}
