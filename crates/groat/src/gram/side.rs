//! One side of a kernel matrix, packed once for points of the other that come later.

use super::{Stored, Symmetric};
use crate::error::Result;
use crate::kernels::{Kernel, Packed, sums, whole};
use crate::matrix::{Matrix, Point, Points, Real, Rows};
use std::ops::Range;

/// The points that belong to the columns of a kernel matrix, ready for rows that are not all known yet: landmarks, the
/// vectors of a model, or samples that candidates are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// Apart, since it is large and stands within models.
    packed: Box<Packed>,
}

impl Side {
    /// `points` for queries like `like`: many or few at a time, dense or sparse.
    pub(crate) fn new(kernel: &Kernel, points: Points<'_>, like: Points<'_>) -> Result<Self> {
        Ok(Self { packed: Box::new(Packed::new(kernel, points, like)?) })
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Kernel values of one query with the points from number `first` on (a multiple of eight), as far as `out` goes.
    pub(crate) fn row(&self, query: Point<'_>, first: usize, out: &mut [f64]) {
        self.packed.row(query, first, out);
    }

    /// Kernel values of some rows of `x` with all points, row after row, on this thread.
    pub(crate) fn rows(&self, x: Points<'_>, rows: Range<usize>, out: &mut [f64]) {
        self.packed.rows(x, rows, 0, self.len(), out);
    }

    /// Kernel values of all rows of `x`, row after row, on this thread.
    pub(crate) fn block(&self, x: Points<'_>, out: &mut [f64]) {
        self.packed.block(x, 0, self.len(), out, self.len());
    }

    /// Kernel values of all rows of `x`, on all threads.
    pub(crate) fn matrix(&self, x: Points<'_>) -> Matrix {
        whole(&(x, &*self.packed))
    }

    /// `sum_j k(x_i, v_j) w_j` for every row of `x`; row `j` of `weights` belongs to the point `v_j`.
    pub(crate) fn sums(&self, x: Points<'_>, weights: Rows<'_>) -> Matrix {
        sums(&(x, &*self.packed), weights)
    }

    /// The matrix with the rows of `x`, kept; column `j` is multiplied by `factors[j]`, where there are any.
    pub(crate) fn stored<T: Real>(&self, x: Points<'_>, factors: Option<&[f64]>) -> Stored<T> {
        let columns = self.len();
        Stored::fill_many(columns, x.rows(), self.packed.together(), |i, out| {
            self.rows(x, i..i + out.len() / columns.max(1), out);
            if let Some(factors) = factors {
                for row in out.chunks_mut(columns.max(1)) {
                    row.iter_mut().zip(factors).for_each(|(v, factor)| *v *= factor);
                }
            }
        })
    }

    /// Half of the symmetric matrix with `x`, which are the points themselves, kept in single precision.
    pub(crate) fn half(&self, x: Points<'_>) -> Symmetric {
        Symmetric::new(&self.packed, x)
    }
}
