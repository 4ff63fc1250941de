//! Cholesky factorisation `A = L L^T` of a symmetric positive definite matrix.
//!
//! Right-looking and blocked: factor a diagonal block, solve for the panel below it, subtract the
//! panel's outer product from what remains. Panel and remainder are cut into fixed tiles that rayon
//! hands to threads; every tile is updated by one sequential product per step, so the factor has the
//! same bits for any number of threads. `n^3 / 3` multiplications, no memory beyond the matrix.
//!
//! The factor replaces the lower triangle only. The strict upper triangle and a copy of the diagonal
//! still hold `A`, which is what [`Cholesky::refine`] and [`Cholesky::condition`] read.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::Reborrow;
use faer::{Accum, MatMut, MatRef, Par, Spec};
use rayon::prelude::*;

use super::product::{add_self_product, lower_tiles, row_tiles};
use super::view::View;
use crate::error::{Error, Result, Stop, check_len, check_stop};
use crate::norm_estimate::inverse_norm1;

/// Columns factored per step.
const BLOCK: usize = 192;
/// Right-hand sides solved together by one thread.
const SOLVE_COLUMNS: usize = 32;

/// The factor of a symmetric positive definite matrix.
///
/// ```
/// use groat_linalg::Cholesky;
/// let factor = Cholesky::factor(vec![4.0, 2.0, 2.0, 3.0], 2)?;
/// let mut x = [8.0, 7.0];
/// factor.solve(&mut x)?;
/// assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cholesky {
    n: usize,
    /// Column-major: `L` in the lower triangle, `A` in the strict upper one.
    data: Vec<f64>,
    /// The diagonal of `A`.
    diagonal: Vec<f64>,
}

impl Cholesky {
    /// Factors a full symmetric `n x n` matrix (both triangles filled, so its order does not matter).
    ///
    /// A NaN in the matrix is met as a pivot that is not positive.
    pub fn factor(a: Vec<f64>, n: usize) -> Result<Self> {
        Self::factor_unless(a, n, &|| false)
    }

    /// [`Cholesky::factor`], which takes minutes for a large matrix, unless a stop is asked for.
    pub fn factor_unless(mut a: Vec<f64>, n: usize, stop: Stop<'_>) -> Result<Self> {
        check_len("numbers in a symmetric matrix", n.saturating_mul(n), a.len())?;
        let diagonal = (0..n).map(|i| a[i * (n + 1)]).collect();
        factor_columns(MatMut::from_column_major_slice_mut(&mut a, n, n), stop)?;
        Ok(Cholesky { n, data: a, diagonal })
    }

    /// [`Cholesky::factor`] for use inside a task: stays on this thread.
    pub(crate) fn factor_small((mut a, n): (Vec<f64>, usize)) -> Result<Self> {
        let diagonal = (0..n).map(|i| a[i * (n + 1)]).collect();
        factor_diagonal(MatMut::from_column_major_slice_mut(&mut a, n, n))
            .map_err(|pivot| Error::NotPositiveDefinite { pivot })?;
        Ok(Cholesky { n, data: a, diagonal })
    }

    /// A factor that was found elsewhere: `L` in the lower triangle of `data`, the matrix above, and its diagonal.
    pub(crate) fn from_parts(n: usize, data: Vec<f64>, diagonal: Vec<f64>) -> Self {
        Cholesky { n, data, diagonal }
    }

    /// The factor whose [triangle](Self::triangle) this is, however it came here.
    ///
    /// ```
    /// use groat_linalg::Cholesky;
    /// let factor = Cholesky::factor(vec![4.0, 2.0, 2.0, 3.0], 2)?;
    /// let again = Cholesky::from_triangle(&factor.triangle(), 2)?;
    /// assert_eq!((again.triangle(), again.n()), (factor.triangle(), 2));
    /// # Ok::<(), groat_linalg::Error>(())
    /// ```
    pub fn from_triangle(triangle: &[f64], n: usize) -> Result<Self> {
        check_len("numbers in a triangle", n.saturating_mul(n.saturating_add(1)) / 2, triangle.len())?;
        let mut lower = vec![0.0; n * n];
        let mut from = triangle;
        for j in 0..n {
            let (column, rest) = from.split_at(n - j);
            if column[0].is_nan() || column[0] <= 0.0 {
                return Err(Error::NotPositiveDefinite { pivot: j });
            }
            lower[j * n + j..(j + 1) * n].copy_from_slice(column);
            from = rest;
        }
        let mut matrix = vec![0.0; n * n];
        add_self_product(View::column_major(&lower, n, n)?.t(), &mut matrix)?;
        for j in 0..n {
            (0..j).for_each(|i| lower[i + j * n] = matrix[j + i * n]);
        }
        let diagonal = (0..n).map(|i| matrix[i * (n + 1)]).collect();
        Ok(Cholesky { n, data: lower, diagonal })
    }

    /// The numbers of `L`, column by column from the diagonal down.
    pub fn triangle(&self) -> Vec<f64> {
        let columns = (0..self.n).map(|j| &self.data[j * self.n + j..(j + 1) * self.n]);
        columns.flatten().copied().collect()
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Replaces each column of `rhs` (column-major, `n x k`) by the solution.
    pub fn solve(&self, rhs: &mut [f64]) -> Result<()> {
        self.check_rhs(rhs)?;
        let l = self.lower();
        self.for_columns(rhs, |mut part| {
            solve_lower_triangular_in_place(l, part.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(l.transpose(), part, Par::Seq);
        });
        Ok(())
    }

    /// Replaces each column of `rhs` (column-major, `n x k`) by `L^-1` times it: half of a solve.
    pub fn solve_lower(&self, rhs: &mut [f64]) -> Result<()> {
        self.check_rhs(rhs)?;
        let l = self.lower();
        self.for_columns(rhs, |part| solve_lower_triangular_in_place(l, part, Par::Seq));
        Ok(())
    }

    /// Replaces each column of `rhs` (column-major, `n x k`) by `L^-T` times it: the other half of a solve.
    pub fn solve_upper(&self, rhs: &mut [f64]) -> Result<()> {
        self.check_rhs(rhs)?;
        let l = self.lower();
        self.for_columns(rhs, |part| solve_upper_triangular_in_place(l.transpose(), part, Par::Seq));
        Ok(())
    }

    /// `L x` for one vector.
    pub fn lower_times(&self, x: &[f64]) -> Result<Vec<f64>> {
        check_len("numbers in a vector", self.n, x.len())?;
        let mut out = vec![0.0; self.n];
        for (j, x) in x.iter().enumerate() {
            let column = &self.data[j * self.n + j..(j + 1) * self.n];
            out[j..].iter_mut().zip(column).for_each(|(out, l)| *out += l * x);
        }
        Ok(out)
    }

    /// The factor `L M` of `L (M M^T) L^T`, where `M` is the other factor.
    ///
    /// ```
    /// use groat_linalg::Cholesky;
    /// let (one, other) = (Cholesky::factor(vec![4.0], 1)?, Cholesky::factor(vec![9.0], 1)?);
    /// assert_eq!(one.lower_times_lower(&other)?.triangle(), [6.0]);
    /// # Ok::<(), groat_linalg::Error>(())
    /// ```
    pub fn lower_times_lower(&self, other: &Cholesky) -> Result<Self> {
        check_len("rows of a factor", self.n, other.n)?;
        let n = self.n;
        let mut out = vec![0.0; n * n];
        let lower = BlockStructure::TriangularLower;
        let to = MatMut::from_column_major_slice_mut(&mut out, n, n);
        triangular_matmul(
            to,
            lower,
            Accum::Replace,
            self.lower(),
            lower,
            other.lower(),
            lower,
            1.0,
            Par::Seq,
        );
        let triangle: Vec<f64> = (0..n).flat_map(|j| &out[j * n + j..(j + 1) * n]).copied().collect();
        Self::from_triangle(&triangle, n)
    }

    /// One step of iterative refinement of `x` towards `A x = rhs`, both column-major `n x k`.
    ///
    /// Returns the relative residual `max_j |rhs_j - A x_j| / |rhs_j|` from *before* the step.
    pub fn refine(&self, rhs: &[f64], x: &mut [f64]) -> Result<f64> {
        self.check_rhs(rhs)?;
        check_len("numbers in the solution", rhs.len(), x.len())?;
        if rhs.is_empty() {
            return Ok(0.0);
        }
        let mut residual = rhs.to_vec();
        let mut worst = 0.0_f64;
        for (b, (x, r)) in rhs.chunks(self.n).zip(x.chunks(self.n).zip(residual.chunks_mut(self.n))) {
            for (r, ax) in r.iter_mut().zip(self.apply(x)) {
                *r -= ax;
            }
            let scale = norm2(b);
            if scale > 0.0 {
                worst = worst.max(norm2(r) / scale);
            }
        }
        self.solve(&mut residual)?;
        for (x, step) in x.iter_mut().zip(&residual) {
            *x += step;
        }
        Ok(worst)
    }

    /// Entry `(i, j)` of `L`, for `i >= j`.
    pub fn lower_entry(&self, i: usize, j: usize) -> f64 {
        self.data[i + j * self.n]
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        (0..self.n).map(|i| 2.0 * self.data[i * (self.n + 1)].ln()).sum()
    }

    /// The diagonal of `A^-1`, as the squared column norms of `L^-1` (`n^3 / 3` operations, threaded).
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        out.par_chunks_mut(SOLVE_COLUMNS).enumerate().for_each(|part| self.inverse_diagonal_part(part));
        out
    }

    /// [`Cholesky::inverse_diagonal`] unless a stop is asked for.
    pub fn inverse_diagonal_unless(&self, stop: Stop<'_>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.n];
        out.par_chunks_mut(SOLVE_COLUMNS).enumerate().try_for_each(|part| {
            self.inverse_diagonal_part(part);
            check_stop(stop)
        })?;
        Ok(out)
    }

    /// The entries of a fixed group of columns.
    fn inverse_diagonal_part(&self, (c, out): (usize, &mut [f64])) {
        // Column j of L^-1 is zero above row j, so the system can start there.
        let from = c * SOLVE_COLUMNS;
        let rows = self.n - from;
        let mut columns = vec![0.0; rows * out.len()];
        for j in 0..out.len() {
            columns[j * rows + j] = 1.0;
        }
        let tail = self.lower().submatrix(from, from, rows, rows);
        let view = MatMut::from_column_major_slice_mut(&mut columns, rows, out.len());
        solve_lower_triangular_in_place(tail, view, Par::Seq);
        for (out, column) in out.iter_mut().zip(columns.chunks(rows)) {
            *out = column.iter().map(|v| v * v).sum();
        }
    }

    /// An estimate of the condition number `|A|_1 |A^-1|_1` (a lower bound, rarely more than 3 times
    /// too small), from a handful of solves.
    pub fn condition(&self) -> Result<f64> {
        let norm = self.absolute_column_sums().into_iter().fold(0.0, f64::max);
        Ok(norm * inverse_norm1(self.n, |x| self.solve(x))?)
    }

    /// `A x`, from the untouched upper triangle.
    fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.sum_over_columns(|j, above, y| {
            let mut sum = self.diagonal[j] * x[j];
            for ((a, xi), yi) in above.iter().zip(x).zip(y.iter_mut()) {
                sum += a * xi;
                *yi += a * x[j];
            }
            y[j] += sum;
        })
    }

    fn absolute_column_sums(&self) -> Vec<f64> {
        self.sum_over_columns(|j, above, y| {
            let mut sum = self.diagonal[j].abs();
            for (a, yi) in above.iter().zip(y.iter_mut()) {
                sum += a.abs();
                *yi += a.abs();
            }
            y[j] += sum;
        })
    }

    /// Adds up what `visit(j, A[..j, j], y)` puts into `y`; fixed groups of columns, summed in order.
    fn sum_over_columns(&self, visit: impl Fn(usize, &[f64], &mut [f64]) + Sync) -> Vec<f64> {
        const GROUP: usize = 512;
        let n = self.n;
        let parts: Vec<Vec<f64>> = (0..n.div_ceil(GROUP))
            .into_par_iter()
            .map(|g| {
                let mut y = vec![0.0; n];
                for j in g * GROUP..((g + 1) * GROUP).min(n) {
                    visit(j, &self.data[j * n..j * n + j], &mut y);
                }
                y
            })
            .collect();
        let mut total = vec![0.0; n];
        for part in parts {
            for (t, p) in total.iter_mut().zip(part) {
                *t += p;
            }
        }
        total
    }

    pub(crate) fn lower(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.n, self.n)
    }

    fn check_rhs(&self, rhs: &[f64]) -> Result<()> {
        let columns = rhs.len().checked_div(self.n).unwrap_or(0);
        check_len("numbers in the right-hand side", columns * self.n, rhs.len())
    }

    /// Runs `work` on fixed groups of columns.
    fn for_columns(&self, rhs: &mut [f64], work: impl Fn(MatMut<'_, f64>) + Sync) {
        if self.n > 0 {
            rhs.par_chunks_mut(self.n * SOLVE_COLUMNS).for_each(|chunk| {
                let k = chunk.len() / self.n;
                work(MatMut::from_column_major_slice_mut(chunk, self.n, k));
            });
        }
    }
}

fn norm2(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Factors in place, block column by block column.
///
/// A matrix with more rows than columns is the left part of a larger one: its columns are eliminated, and
/// the caller subtracts the outer product of the rows below from what is not here.
pub(crate) fn factor_columns(a: MatMut<'_, f64>, stop: Stop<'_>) -> Result<()> {
    let mut rest = a;
    let mut done = 0;
    while rest.ncols() > 0 {
        check_stop(stop)?;
        let width = BLOCK.min(rest.ncols());
        let (mut block, _, mut panel, mut trailing) = rest.split_at_mut(width, width);
        factor_diagonal(block.as_mut())
            .map_err(|pivot| Error::NotPositiveDefinite { pivot: done + pivot })?;
        solve_panel(block.rb(), panel.as_mut());
        subtract_outer(panel.rb(), trailing.as_mut());
        rest = trailing;
        done += width;
    }
    Ok(())
}

/// Factors one diagonal block on this thread; the error is the pivot that failed.
fn factor_diagonal(mut block: MatMut<'_, f64>) -> std::result::Result<(), usize> {
    let n = block.nrows();
    let params = Spec::default();
    let mut memory = MemBuffer::new(llt::cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
    let stack = MemStack::new(&mut memory);
    // In a copy, because faer uses the upper triangle as scratch and ours still holds A.
    let mut copy = block.rb().to_owned();
    llt::cholesky_in_place(copy.as_mut(), Default::default(), Par::Seq, stack, params)
        .map_err(|llt::LltError::NonPositivePivot { index }| index)?;
    // Infinities pass the comparison inside; they end here as NaN or infinity on the diagonal.
    if let Some(pivot) = (0..n).find(|&i| !(copy[(i, i)] > 0.0 && copy[(i, i)].is_finite())) {
        return Err(pivot);
    }
    block.copy_from_triangular_lower(copy.as_ref());
    Ok(())
}

/// `panel <- panel L^-T`, by strips of rows.
fn solve_panel(l: MatRef<'_, f64>, panel: MatMut<'_, f64>) {
    for_row_strips(panel, |strip| solve_lower_triangular_in_place(l, strip.transpose_mut(), Par::Seq));
}

/// Runs `work` on fixed groups of rows.
pub(crate) fn for_row_strips(panel: MatMut<'_, f64>, work: impl Fn(MatMut<'_, f64>) + Sync) {
    let mut strips = Vec::new();
    row_tiles(panel, 0, 0, &mut strips);
    strips.into_par_iter().with_max_len(1).for_each(|strip| work(strip.part));
}

/// `trailing <- trailing - panel panel^T` on the lower triangle (of the first columns, if it has fewer).
pub(crate) fn subtract_outer(panel: MatRef<'_, f64>, trailing: MatMut<'_, f64>) {
    lower_tiles(trailing).into_par_iter().with_max_len(1).for_each(|tile| {
        let left = panel.subrows(tile.row, tile.part.nrows());
        let right = panel.subrows(tile.col, tile.part.ncols()).transpose();
        // The upper half of a diagonal tile still holds A and must stay.
        let shape =
            if tile.row == tile.col { BlockStructure::TriangularLower } else { BlockStructure::Rectangular };
        let full = BlockStructure::Rectangular;
        triangular_matmul(tile.part, shape, Accum::Add, left, full, right, full, -1.0, Par::Seq);
    });
}
