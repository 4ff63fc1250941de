//! A slice seen as a matrix.

use faer::{MatMut, MatRef};

use crate::error::{Result, check_len};

/// A borrowed matrix, row- or column-major without gaps.
///
/// ```
/// use groat_linalg::View;
/// let a = View::row_major(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3)?;
/// assert_eq!(a.t().rows(), 3);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    inner: MatRef<'a, f64>,
}

impl<'a> View<'a> {
    /// `data` as `rows` rows of `cols` numbers.
    pub fn row_major(data: &'a [f64], rows: usize, cols: usize) -> Result<Self> {
        Ok(View::column_major(data, cols, rows)?.t())
    }

    /// `data` as `cols` columns of `rows` numbers.
    pub fn column_major(data: &'a [f64], rows: usize, cols: usize) -> Result<Self> {
        check_len("numbers in a matrix", rows.saturating_mul(cols), data.len())?;
        Ok(View { inner: MatRef::from_column_major_slice(data, rows, cols) })
    }

    /// The transposed matrix; nothing is moved.
    pub fn t(self) -> Self {
        View { inner: self.inner.transpose() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.inner.nrows()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.inner.ncols()
    }

    pub(crate) fn faer(self) -> MatRef<'a, f64> {
        self.inner
    }
}

/// A matrix to be written to, row- or column-major without gaps.
#[derive(Debug)]
pub struct ViewMut<'a> {
    inner: MatMut<'a, f64>,
}

impl<'a> ViewMut<'a> {
    /// `data` as `rows` rows of `cols` numbers.
    pub fn row_major(data: &'a mut [f64], rows: usize, cols: usize) -> Result<Self> {
        Ok(ViewMut { inner: ViewMut::column_major(data, cols, rows)?.inner.transpose_mut() })
    }

    /// `data` as `cols` columns of `rows` numbers.
    pub fn column_major(data: &'a mut [f64], rows: usize, cols: usize) -> Result<Self> {
        check_len("numbers in a matrix", rows.saturating_mul(cols), data.len())?;
        Ok(ViewMut { inner: MatMut::from_column_major_slice_mut(data, rows, cols) })
    }

    pub(crate) fn faer(self) -> MatMut<'a, f64> {
        self.inner
    }
}
