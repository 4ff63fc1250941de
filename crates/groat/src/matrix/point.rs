//! One row, dense or sparse, and what two of them have in common.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One row of [`Points`](super::Points).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point<'a> {
    /// Every number.
    Dense(&'a [f64]),
    /// The columns of the nonzeros, ascending, and their values.
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> Point<'a> {
    /// All `columns` numbers of the row.
    pub fn with_zeros(self, columns: usize) -> Cow<'a, [f64]> {
        match self {
            Point::Dense(row) => Cow::Borrowed(row),
            Point::Sparse(at, values) => {
                let mut row = vec![0.0; columns];
                at.iter().zip(values).for_each(|(c, v)| row[*c as usize] = *v);
                Cow::Owned(row)
            }
        }
    }

    /// `|x|^2`, added up in the order of the columns.
    pub fn squared_length(&self) -> f64 {
        let (Point::Dense(values) | Point::Sparse(_, values)) = *self;
        values.iter().map(|v| v * v).sum()
    }

    /// `|x - y|^2` from the differences themselves: nothing cancels.
    ///
    /// ```
    /// use groat::matrix::Point;
    /// let (x, y) = (Point::Sparse(&[1, 3], &[2.0, 5.0]), Point::Dense(&[7.0, 1.0, 0.0, 2.0]));
    /// assert_eq!(x.squared_distance(y), 49.0 + 1.0 + 9.0);
    /// ```
    pub fn squared_distance(&self, other: Point<'a>) -> f64 {
        let square = |(a, b): (f64, f64)| (a - b) * (a - b);
        match (*self, other) {
            (Point::Dense(x), Point::Dense(y)) => x.iter().copied().zip(y.iter().copied()).map(square).sum(),
            _ => self.pairs(other).map(square).sum(),
        }
    }

    /// What tells a row from others: the columns of its nonzeros and their bits, whether it is dense or sparse.
    pub(crate) fn key(self) -> Vec<(u32, u64)> {
        self.nonzeros().collect()
    }

    /// A number that is the same for rows of the same [`key`](Self::key), and seldom for others.
    pub(crate) fn mark(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.nonzeros().for_each(|nonzero| nonzero.hash(&mut hasher));
        hasher.finish()
    }

    fn nonzeros(self) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        self.entries().filter(|(_, v)| *v != 0.0).map(|(column, v)| (column, v.to_bits()))
    }

    /// The numbers of both rows, column by column; columns in which both are zero may be left out.
    fn pairs(self, other: Point<'a>) -> impl Iterator<Item = (f64, f64)> + use<'a> {
        let (mut left, mut right) = (self.entries().peekable(), other.entries().peekable());
        std::iter::from_fn(move || match (left.peek().copied(), right.peek().copied()) {
            (Some((i, a)), Some((j, b))) => {
                if i <= j {
                    left.next();
                }
                if j <= i {
                    right.next();
                }
                Some((if i <= j { a } else { 0.0 }, if j <= i { b } else { 0.0 }))
            }
            (Some((_, a)), None) => {
                left.next();
                Some((a, 0.0))
            }
            (None, Some((_, b))) => {
                right.next();
                Some((0.0, b))
            }
            (None, None) => None,
        })
    }

    /// The stored numbers with their columns.
    fn entries(self) -> impl Iterator<Item = (u32, f64)> + use<'a> {
        let (columns, values): (&[u32], &[f64]) = match self {
            Point::Dense(values) => (&[], values),
            Point::Sparse(columns, values) => (columns, values),
        };
        let dense = columns.is_empty();
        let column = move |k: usize| if dense { k as u32 } else { columns[k] };
        values.iter().enumerate().map(move |(k, v)| (column(k), *v))
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::{Csr, Matrix, Points};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sparse_rows_and_dense_ones_agree(
            cells in prop::collection::vec(prop_oneof![3 => Just(0.0), 2 => -2.0f64..2.0], 2..40),
        ) {
            let cols = cells.len() / 2;
            let dense = Matrix::from_vec(cells[..2 * cols].to_vec(), 2, cols).unwrap();
            let sparse = Csr::from_rows(dense.view());
            let (dense, sparse) = (Points::from(&dense), Points::from(sparse.view()));
            let (x, y) = (dense.point(0), dense.point(1));
            let squared: f64 = (0..cols).map(|k| (cells[k] - cells[cols + k]).powi(2)).sum();
            for (a, b) in [(x, y), (x, sparse.point(1)), (sparse.point(0), y), (sparse.point(0), sparse.point(1))] {
                prop_assert_eq!(a.squared_distance(b), squared);
                prop_assert_eq!(b.squared_distance(a), squared);
                prop_assert_eq!(a.squared_length(), cells[..cols].iter().map(|v| v * v).sum::<f64>());
                prop_assert_eq!(&a.with_zeros(cols)[..], &cells[..cols]);
                prop_assert_eq!(a.key(), x.key());
                prop_assert_eq!(a.key() == b.key(), cells[..cols] == cells[cols..2 * cols]);
            }
        }
    }
}
