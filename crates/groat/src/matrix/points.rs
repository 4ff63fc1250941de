//! Rows that are dense or sparse, whichever the data are.

use super::{Csr, CsrRows, Matrix, Point, Rows};
use crate::error::{Error, Result, check_len};
use std::borrow::Cow;

/// Borrowed rows, dense or sparse. What takes it takes [`Rows`] and [`CsrRows`] by `into()`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Points<'a> {
    /// Every number is stored.
    Dense(Rows<'a>),
    /// Only nonzeros are stored.
    Sparse(CsrRows<'a>),
}

/// Owned rows, dense or sparse.
#[derive(Clone, Debug, PartialEq)]
pub enum PointSet {
    /// Every number is stored.
    Dense(Matrix),
    /// Only nonzeros are stored.
    Sparse(Csr),
}

impl<'a> From<Rows<'a>> for Points<'a> {
    fn from(rows: Rows<'a>) -> Self {
        Points::Dense(rows)
    }
}

impl<'a> From<CsrRows<'a>> for Points<'a> {
    fn from(rows: CsrRows<'a>) -> Self {
        Points::Sparse(rows)
    }
}

impl<'a> From<&'a Matrix> for Points<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Points::Dense(matrix.view())
    }
}

impl<'a> From<&'a PointSet> for Points<'a> {
    fn from(set: &'a PointSet) -> Self {
        set.view()
    }
}

impl From<Matrix> for PointSet {
    fn from(matrix: Matrix) -> Self {
        PointSet::Dense(matrix)
    }
}

impl From<Csr> for PointSet {
    fn from(rows: Csr) -> Self {
        PointSet::Sparse(rows)
    }
}

impl<'a> Points<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Points::Dense(x) => x.rows(),
            Points::Sparse(x) => x.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Points::Dense(x) => x.cols(),
            Points::Sparse(x) => x.cols(),
        }
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows() == 0
    }

    /// The rows where they are dense.
    pub fn dense(&self) -> Option<Rows<'a>> {
        match self {
            Points::Dense(x) => Some(*x),
            Points::Sparse(_) => None,
        }
    }

    /// The rows where they are dense, and otherwise an error that says what wants them so, e.g. "dense rows for a
    /// density".
    pub fn require_dense(&self, expected: &'static str) -> Result<Rows<'a>> {
        self.dense().ok_or_else(|| Error::parameter("features", "sparse", expected))
    }

    /// Row `i` as it is stored.
    pub fn point(&self, i: usize) -> Point<'a> {
        match self {
            Points::Dense(x) => Point::Dense(x.row(i)),
            Points::Sparse(x) => {
                let (columns, values) = x.row(i);
                Point::Sparse(columns, values)
            }
        }
    }

    /// Rows `start..end` as a view.
    pub fn slice(&self, start: usize, end: usize) -> Self {
        match self {
            Points::Dense(x) => Points::Dense(x.slice(start, end)),
            Points::Sparse(x) => Points::Sparse(x.slice(start, end)),
        }
    }

    /// A copy of the rows with the given indices, in that order.
    pub fn select(&self, indices: &[usize]) -> PointSet {
        match self {
            Points::Dense(x) => PointSet::Dense(x.select(indices)),
            Points::Sparse(x) => PointSet::Sparse(x.select(indices)),
        }
    }

    /// An owned copy.
    pub fn to_set(&self) -> PointSet {
        match self {
            Points::Dense(x) => PointSet::Dense(x.to_matrix()),
            Points::Sparse(x) => PointSet::Sparse(x.to_csr()),
        }
    }

    /// Row `i` with its zeros.
    pub fn row(&self, i: usize) -> Cow<'a, [f64]> {
        self.point(i).with_zeros(self.cols())
    }

    /// All rows with their zeros: for few rows, or where the caller knows that there is room.
    pub fn to_matrix(&self) -> Matrix {
        match self {
            Points::Dense(x) => x.to_matrix(),
            Points::Sparse(x) => x.to_matrix(),
        }
    }

    /// Bytes of the stored numbers.
    pub fn bytes(&self) -> u64 {
        match self {
            Points::Dense(x) => 8 * x.data().len() as u64,
            Points::Sparse(x) => 12 * x.nonzeros() as u64 + 8 * x.rows() as u64,
        }
    }

    /// An error that names the first NaN or infinity, if there is one.
    pub fn check_finite(&self, what: &'static str) -> Result<()> {
        match self {
            Points::Dense(x) => x.check_finite(what),
            Points::Sparse(x) => x.check_finite(what),
        }
    }
}

impl PointSet {
    /// These rows after each other: dense where all of them are, parts without rows apart.
    pub fn joined(parts: &[Points<'_>]) -> Result<PointSet> {
        let cols = parts.first().map_or(0, Points::cols);
        parts.iter().try_for_each(|part| check_len("features per row", cols, part.cols()))?;
        let parts = || parts.iter().filter(|part| !part.is_empty());
        if parts().all(|part| part.dense().is_some()) {
            let numbers: Vec<f64> =
                parts().filter_map(Points::dense).flat_map(|x| x.data()).copied().collect();
            let rows = parts().map(Points::rows).sum();
            return Matrix::from_vec(numbers, rows, cols).map(PointSet::Dense);
        }
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for part in parts() {
            let sparse = match part {
                Points::Dense(x) => Csr::from_rows(*x),
                Points::Sparse(x) => x.to_csr(),
            };
            for (of_row, numbers) in sparse.view().iter() {
                columns.extend_from_slice(of_row);
                values.extend_from_slice(numbers);
                starts.push(columns.len());
            }
        }
        Csr::new(cols, starts, columns, values).map(PointSet::Sparse)
    }

    /// The rows with their zeros; nothing is copied where they are dense.
    pub fn into_matrix(self) -> Matrix {
        match self {
            PointSet::Dense(x) => x,
            PointSet::Sparse(x) => x.to_matrix(),
        }
    }

    /// The borrowed view.
    pub fn view(&self) -> Points<'_> {
        match self {
            PointSet::Dense(x) => Points::Dense(x.view()),
            PointSet::Sparse(x) => Points::Sparse(x.view()),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.view().rows()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.view().cols()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_as_they_are_stored() {
        let a = Matrix::from_vec(vec![1.0, 0.0, 0.0, 2.0], 2, 2).unwrap();
        let none = Matrix::zeros(0, 2);
        let sparse = Csr::from_rows(a.view());
        let both = PointSet::joined(&[Points::from(&none), Points::from(&a), Points::from(&a)]).unwrap();
        assert!(matches!(both, PointSet::Dense(_)));
        let mixed = PointSet::joined(&[Points::from(&none), sparse.view().into(), Points::from(&a)]).unwrap();
        assert!(matches!(mixed, PointSet::Sparse(_)));
        assert_eq!(mixed.view().to_matrix(), both.into_matrix());
        assert!(PointSet::joined(&[Points::from(&none), Points::from(&Matrix::zeros(1, 3))]).is_err());
    }
}
