//! Cholesky factorisation with diagonal pivoting: the order of the rows, and how many of them carry anything new.
//!
//! At every step the row with the largest remaining diagonal comes next; that diagonal is what the rows before cannot
//! explain of it. The factorisation ends where all that remains is below a share of the largest diagonal, so it finds the
//! numerical rank of a positive semidefinite matrix and never divides by what is rounding (Higham, Accuracy and Stability
//! of Numerical Algorithms, 2nd edition, section 10.3; the blocked form is that of LAPACK's `pstrf`, Hammarling, Higham,
//! Lucas 2007). `n r^2` operations for rank `r`, most of them in matrix products.

use faer::linalg::matmul::matmul;
use faer::prelude::Reborrow;
use faer::{Accum, MatMut, MatRef, Par};

use super::cholesky::{Cholesky, subtract_outer};
use crate::error::{Error, Result, check_len};

/// Columns between two updates of what remains.
const PANEL: usize = 64;

/// The factor of the rows that carry something new, in the order in which they were taken.
#[derive(Clone, Debug)]
pub struct PivotedCholesky {
    /// The rows that were taken, in order.
    pub order: Vec<usize>,
    /// The factor of the matrix of these rows.
    pub factor: Cholesky,
    /// The largest diagonal that was left when it ended; 0 when every row was taken.
    pub left: f64,
}

impl PivotedCholesky {
    /// Factors a full symmetric positive semidefinite `n x n` matrix up to the share `cutoff` of its largest diagonal.
    ///
    /// ```
    /// use groat_linalg::PivotedCholesky;
    /// // The second row is the first again.
    /// let found = PivotedCholesky::factor(&[4.0, 4.0, 1.0, 4.0, 4.0, 1.0, 1.0, 1.0, 9.0], 3, 1e-12)?;
    /// assert_eq!((found.order.len(), found.order[0]), (2, 2));
    /// # Ok::<(), groat_linalg::Error>(())
    /// ```
    pub fn factor(a: &[f64], n: usize, cutoff: f64) -> Result<Self> {
        check_len("numbers in a symmetric matrix", n.saturating_mul(n), a.len())?;
        if let Some(at) = a.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { row: at % n, column: at / n });
        }
        let remaining: Vec<f64> = (0..n).map(|i| a[i * (n + 1)]).collect();
        let largest = remaining.iter().copied().fold(0.0, f64::max);
        let mut work = Work { n, w: a.to_vec(), order: (0..n).collect(), remaining, dots: vec![0.0; n] };
        let (rank, left) = work.run(cutoff * largest);
        let mut data = vec![0.0; rank * rank];
        let mut diagonal = Vec::with_capacity(rank);
        for j in 0..rank {
            for i in 0..rank {
                data[i + j * rank] =
                    if i >= j { work.w[i + j * n] } else { a[work.order[i] + work.order[j] * n] };
            }
            diagonal.push(a[work.order[j] * (n + 1)]);
        }
        work.order.truncate(rank);
        Ok(Self { order: work.order, factor: Cholesky::from_parts(rank, data, diagonal), left })
    }
}

/// The lower triangle while it is worked on.
struct Work {
    n: usize,
    /// Column-major: `L` in the columns that are done, the remainder (as of the last panel) beyond.
    w: Vec<f64>,
    order: Vec<usize>,
    /// The diagonal of the remainder as of the last panel: in `w` a walk along it would miss the cache at every step.
    remaining: Vec<f64>,
    /// For each row the squares of its entries in this panel.
    dots: Vec<f64>,
}

impl Work {
    /// Returns the rank and the largest diagonal that was left.
    fn run(&mut self, stop: f64) -> (usize, f64) {
        let n = self.n;
        for start in (0..n).step_by(PANEL) {
            let end = (start + PANEL).min(n);
            self.dots.fill(0.0);
            for j in start..end {
                let (pivot, value) = self.largest(j);
                if value.is_nan() || value <= stop {
                    return (j, value);
                }
                self.swap(j, pivot);
                self.column(start, j, value.sqrt());
            }
            let view = MatMut::from_column_major_slice_mut(&mut self.w, n, n);
            let (done, rest) = view.split_at_col_mut(end);
            let panel = done.rb().subcols(start, end - start).subrows(end, n - end);
            subtract_outer(panel, rest.split_at_row_mut(end).1);
            (end..n).for_each(|i| self.remaining[i] = self.w[i * (n + 1)]);
        }
        (n, 0.0)
    }

    /// The row from `j` on with the largest remaining diagonal, the first of equals.
    fn largest(&self, j: usize) -> (usize, f64) {
        let mut found = (j, f64::NEG_INFINITY);
        for (i, (diagonal, dot)) in self.remaining.iter().zip(&self.dots).enumerate().skip(j) {
            let value = diagonal - dot;
            if value > found.1 {
                found = (i, value);
            }
        }
        found
    }

    /// Exchanges rows and columns `j < p`.
    fn swap(&mut self, j: usize, p: usize) {
        if j == p {
            return;
        }
        let n = self.n;
        self.order.swap(j, p);
        self.remaining.swap(j, p);
        self.dots.swap(j, p);
        (0..j).for_each(|k| self.w.swap(j + k * n, p + k * n));
        (j + 1..p).for_each(|k| self.w.swap(k + j * n, p + k * n));
        (p + 1..n).for_each(|k| self.w.swap(k + j * n, k + p * n));
        self.w.swap(j * (n + 1), p * (n + 1));
    }

    /// Writes column `j` of the factor; columns from `start` on have not been subtracted yet.
    fn column(&mut self, start: usize, j: usize, root: f64) {
        let n = self.n;
        let (before, rest) = self.w.split_at_mut(j * n);
        let column = &mut rest[..n];
        let earlier = MatRef::from_column_major_slice(&before[start * n..], n, j - start);
        let below = MatMut::from_column_major_slice_mut(&mut column[j + 1..], n - j - 1, 1);
        let (at, under) = (earlier.subrows(j, 1), earlier.subrows(j + 1, n - j - 1));
        matmul(below, Accum::Add, under, at.transpose(), -1.0, Par::Seq);
        column[j] = root;
        for (c, dot) in column[j + 1..].iter_mut().zip(&mut self.dots[j + 1..]) {
            *c /= root;
            *dot += *c * *c;
        }
    }
}
