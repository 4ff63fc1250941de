//! Rows of which few numbers differ from 0: [`Csr`] owns, [`CsrRows`] borrows.

use super::{Matrix, Rows};
use crate::error::{Error, Result, check_len};

/// A set of sparse rows (compressed sparse rows): for each row the columns of its nonzeros, ascending, and their
/// values. Memory is `12 N + 8 n` bytes for `N` nonzeros in `n` rows.
///
/// ```
/// use groat::Csr;
/// let x = Csr::new(5, vec![0, 2, 2, 3], vec![1, 4, 0], vec![2.0, -1.0, 7.0])?;
/// assert_eq!((x.rows(), x.cols(), x.nonzeros()), (3, 5, 3));
/// assert_eq!(x.view().row(0), (&[1, 4][..], &[2.0, -1.0][..]));
/// assert_eq!(x.to_matrix().row(2), [7.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// Borrowed sparse rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CsrRows<'a> {
    cols: usize,
    /// One more than there are rows; they count from the beginning of `columns` and `values`, which may be those of
    /// a larger set.
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f64],
}

impl Csr {
    /// Rows of `cols` features: row `i` has the nonzeros `starts[i]..starts[i + 1]` of `columns` (ascending within
    /// the row) and `values`.
    pub fn new(cols: usize, starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        if cols == 0 || cols - 1 > u32::MAX as usize {
            return Err(Error::parameter("columns", cols, "at least 1, at most 2^32"));
        }
        check_len("values, one per column index", columns.len(), values.len())?;
        let whole = starts.first() == Some(&0) && starts.last() == Some(&columns.len());
        if !whole || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            let expected = "ascending from 0 to the number of nonzeros";
            return Err(Error::parameter("starts of sparse rows", starts.len(), expected));
        }
        for row in starts.windows(2) {
            let row = &columns[row[0]..row[1]];
            let ascending = row.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || row.last().is_some_and(|last| *last as usize >= cols) {
                let expected = "ascending and below the number of features";
                return Err(Error::parameter("column indices of a sparse row", row.len(), expected));
            }
        }
        Ok(Self { cols, starts, columns, values })
    }

    /// The nonzeros of dense rows.
    pub fn from_rows(rows: Rows<'_>) -> Self {
        let mut out = Self { cols: rows.cols(), starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in rows.iter() {
            for (j, v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                out.columns.push(j as u32);
                out.values.push(*v);
            }
            out.starts.push(out.columns.len());
        }
        out
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Stored numbers.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// The borrowed view.
    pub fn view(&self) -> CsrRows<'_> {
        CsrRows { cols: self.cols, starts: &self.starts, columns: &self.columns, values: &self.values }
    }

    /// Dense rows.
    pub fn to_matrix(&self) -> Matrix {
        self.view().to_matrix()
    }

    /// Where each row starts, the columns and the values, as [`new`](Self::new) takes them.
    pub fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// The stored numbers with their columns, to be changed in place.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (usize, &mut f64)> {
        self.columns.iter().map(|c| *c as usize).zip(&mut self.values)
    }
}

impl<'a> CsrRows<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Stored numbers.
    pub fn nonzeros(&self) -> usize {
        self.starts[self.rows()] - self.starts[0]
    }

    /// Columns and values of the nonzeros of row `i`.
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a [u32], &'a [f64])> + Clone + use<'a> {
        let rows = *self;
        (0..rows.rows()).map(move |i| rows.row(i))
    }

    /// Rows `start..end` as a view.
    pub fn slice(&self, start: usize, end: usize) -> Self {
        Self { starts: &self.starts[start..=end], ..*self }
    }

    /// A copy of the rows with the given indices, in that order.
    pub fn select(&self, indices: &[usize]) -> Csr {
        let mut out = Csr { cols: self.cols, starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for &i in indices {
            let (columns, values) = self.row(i);
            out.columns.extend_from_slice(columns);
            out.values.extend_from_slice(values);
            out.starts.push(out.columns.len());
        }
        out
    }

    /// An owned copy.
    pub fn to_csr(&self) -> Csr {
        let range = self.starts[0]..self.starts[self.rows()];
        Csr {
            cols: self.cols,
            starts: self.starts.iter().map(|s| s - range.start).collect(),
            columns: self.columns[range.clone()].to_vec(),
            values: self.values[range].to_vec(),
        }
    }

    /// Writes row `i` into `out`, zeros included.
    pub fn scatter(&self, i: usize, out: &mut [f64]) {
        out.fill(0.0);
        let (columns, values) = self.row(i);
        columns.iter().zip(values).for_each(|(c, v)| out[*c as usize] = *v);
    }

    /// Dense rows.
    pub fn to_matrix(&self) -> Matrix {
        let mut out = Matrix::zeros(self.rows(), self.cols);
        (0..self.rows()).for_each(|i| self.scatter(i, out.row_mut(i)));
        out
    }

    /// An error that names the first NaN or infinity, if there is one.
    pub fn check_finite(&self, what: &'static str) -> Result<()> {
        for (row, (columns, values)) in self.iter().enumerate() {
            if let Some(at) = values.iter().position(|v| !v.is_finite()) {
                let column = columns[at] as usize;
                return Err(Error::NotFinite { what, row, column, value: values[at] });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_as_they_were_given() {
        let dense = Matrix::from_vec(vec![0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, -1.0], 3, 3).unwrap();
        let sparse = Csr::from_rows(dense.view());
        assert_eq!((sparse.nonzeros(), sparse.to_matrix()), (4, dense.clone()));
        assert_eq!(sparse.view().select(&[2, 0]).to_matrix(), dense.view().select(&[2, 0]));
        assert_eq!(sparse.view().slice(1, 3).to_csr().to_matrix(), dense.view().slice(1, 3).to_matrix());
        assert_eq!(sparse.view().slice(1, 3).nonzeros(), 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = |starts: &[usize], columns: &[u32], values: &[f64]| {
            Csr::new(2, starts.to_vec(), columns.to_vec(), values.to_vec()).is_err()
        };
        assert!(wrong(&[], &[], &[]) && wrong(&[1], &[], &[]) && wrong(&[0, 1], &[], &[]));
        assert!(wrong(&[0, 2, 1], &[0], &[1.0]) && wrong(&[0, 1], &[2], &[1.0]));
        assert!(wrong(&[0, 2], &[1, 0], &[1.0, 1.0]) && wrong(&[0, 2], &[1, 1], &[1.0, 1.0]));
        assert!(wrong(&[0, 1], &[0], &[]));
        assert!(Csr::new(0, vec![0], vec![], vec![]).is_err());
        assert!(Csr::new(usize::MAX, vec![0], vec![], vec![]).is_err());
        let bad = Csr::new(2, vec![0, 0, 1], vec![1], vec![f64::NAN]).unwrap();
        assert!(matches!(bad.view().check_finite("x"), Err(Error::NotFinite { row: 1, column: 1, .. })));
    }
}
