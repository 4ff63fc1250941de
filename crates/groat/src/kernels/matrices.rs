//! Kernel matrices and weighted sums, in blocks and on all threads.
//!
//! Work is cut into blocks of a fixed number of rows, whatever the number of threads, and every entry is
//! computed by the same instructions in the same order: the result does not depend on the threads.

use super::block::{TILE, block, scratch_len};
use super::{Centres, Evaluator, Kernel, Packed};
use crate::error::{Result, check_len};
use crate::matrix::{Matrix, Points, Real, Rows};
use crate::simd::{axpy, dot};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of one block of work.
const BLOCK_ROWS: usize = 64;

/// Up to this many features an entry is computed faster than it is copied from the other side of the diagonal.
const CHEAP_FEATURES: usize = 24;

impl Kernel {
    /// The matrix `k(a_i, b_j)`.
    pub fn cross<T: Real>(&self, a: Rows<'_, T>, b: Rows<'_, T>) -> Result<Matrix<T>> {
        Ok(whole(&Direct::new(self, a, b)?))
    }

    /// The symmetric matrix `k(x_i, x_j)`. With many features one half is computed and the other mirrored; the
    /// bits are the same either way, as no operation depends on the order of its two arguments.
    ///
    /// ```
    /// use groat::{Kernel, Rows};
    /// let k = Kernel::gaussian(1.0).gram(Rows::new(&[0.0, 1.0, 3.0], 1)?)?;
    /// assert_eq!(k[(0, 2)], k[(2, 0)]);
    /// assert!((k[(0, 2)] - (-4.5f64).exp()).abs() < 1e-16);
    /// # Ok::<(), groat::Error>(())
    /// ```
    pub fn gram<T: Real>(&self, x: Rows<'_, T>) -> Result<Matrix<T>> {
        Ok(symmetric(&Direct::new(self, x, x)?, x.cols()))
    }

    /// `f(x_i) = sum_j k(x_i, v_j) w_j` for every row of `x`, without storing the matrix. Row `j` of `weights`
    /// belongs to `v_j`; each of its columns is one output.
    pub fn weighted_sum<T: Real>(
        &self,
        x: Rows<'_, T>,
        v: Rows<'_, T>,
        weights: Rows<'_, T>,
    ) -> Result<Matrix<T>> {
        check_len("rows of weights", v.rows(), weights.rows())?;
        Ok(sums(&Direct::new(self, x, v)?, weights))
    }
}

/// A kernel matrix of which any block can be had.
pub(crate) trait Blocks<T>: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn columns(&self) -> usize;
    /// Columns that are worth having at a time, a multiple of eight.
    fn tile(&self) -> usize {
        TILE
    }
    /// Writes `columns` columns of `rows`, from `first` on (a multiple of eight); row `i` of the block starts at
    /// `out[i * stride]`.
    fn block(&self, rows: Range<usize>, first: usize, columns: usize, out: &mut [T], stride: usize);
}

/// Dense rows of either number type, compared feature by feature.
struct Direct<'a, T> {
    evaluator: Evaluator<T>,
    rows: Rows<'a, T>,
    centres: Centres<T>,
}

impl<'a, T: Real> Direct<'a, T> {
    fn new(kernel: &Kernel, rows: Rows<'a, T>, centres: Rows<'_, T>) -> Result<Self> {
        check_len("features per row", centres.cols(), rows.cols())?;
        kernel.check_for(rows.cols())?;
        Ok(Self { evaluator: kernel.evaluator(), rows, centres: Centres::from_rows(centres) })
    }
}

impl<T: Real> Blocks<T> for Direct<'_, T> {
    fn rows(&self) -> usize {
        self.rows.rows()
    }

    fn columns(&self) -> usize {
        self.centres.len()
    }

    fn block(&self, rows: Range<usize>, first: usize, columns: usize, out: &mut [T], stride: usize) {
        direct(
            &self.evaluator,
            self.rows.slice(rows.start, rows.end),
            &self.centres,
            first,
            columns,
            out,
            stride,
        );
    }
}

/// Kernel values of dense rows against the centres `first..first + columns`, tile by tile.
pub(super) fn direct<T: Real>(
    evaluator: &Evaluator<T>,
    rows: Rows<'_, T>,
    centres: &Centres<T>,
    first: usize,
    columns: usize,
    out: &mut [T],
    stride: usize,
) {
    let mut scratch = vec![T::default(); scratch_len(rows.cols())];
    for start in (0..columns).step_by(TILE) {
        let width = TILE.min(columns - start);
        block(evaluator, rows.data(), centres, first + start, width, &mut out[start..], stride, &mut scratch);
    }
}

/// Points of any kind and those they are compared with.
impl Blocks<f64> for (Points<'_>, &Packed) {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.1.len()
    }

    fn tile(&self) -> usize {
        self.1.tile()
    }

    fn block(&self, rows: Range<usize>, first: usize, columns: usize, out: &mut [f64], stride: usize) {
        self.1.block(self.0.slice(rows.start, rows.end), first, columns, out, stride);
    }
}

/// The whole matrix.
pub(crate) fn whole<T: Real>(kernels: &impl Blocks<T>) -> Matrix<T> {
    let n = kernels.columns();
    let mut out = Matrix::zeros(kernels.rows(), n);
    if n > 0 {
        out.data_mut().par_chunks_mut(BLOCK_ROWS * n).enumerate().for_each(|(c, out)| {
            let start = c * BLOCK_ROWS;
            kernels.block(start..start + out.len() / n, 0, n, out, n);
        });
    }
    out
}

/// The whole matrix, which is known to be symmetric, of points with `features` columns.
pub(crate) fn symmetric<T: Real>(kernels: &impl Blocks<T>, features: usize) -> Matrix<T> {
    let n = kernels.columns();
    if n == 0 || features <= CHEAP_FEATURES {
        return whole(kernels);
    }
    let mut out = Matrix::zeros(n, n);
    out.data_mut().par_chunks_mut(BLOCK_ROWS * n).enumerate().for_each(|(c, out)| {
        let start = c * BLOCK_ROWS;
        kernels.block(start..start + out.len() / n, start, n - start, &mut out[start..], n);
    });
    mirror(out.data_mut(), n, 0);
    out
}

/// The matrix times `weights` (a row for each of its columns); no more than a block is held at a time.
pub(crate) fn sums<T: Real>(kernels: &impl Blocks<T>, weights: Rows<'_, T>) -> Matrix<T> {
    let (n, tile, outputs) = (kernels.columns(), kernels.tile(), weights.cols());
    let mut out = Matrix::zeros(kernels.rows(), outputs);
    let block = |(c, out): (usize, &mut [T])| {
        let (start, count) = (c * BLOCK_ROWS, out.len() / outputs);
        let mut values = vec![T::default(); count * tile.min(n)];
        for first in (0..n).step_by(tile) {
            let columns = tile.min(n - first);
            kernels.block(start..start + count, first, columns, &mut values, columns);
            let weights = weights.slice(first, first + columns);
            for (k, out) in values.chunks_exact(columns).zip(out.chunks_exact_mut(outputs)) {
                if outputs == 1 {
                    out[0] = out[0] + dot(k, weights.data());
                } else {
                    k.iter().zip(weights.iter()).for_each(|(k, w)| axpy(*k, w, out));
                }
            }
        }
    };
    match kernels.rows() <= BLOCK_ROWS {
        // Waking another thread would take longer than the work.
        true => out.data_mut().chunks_mut(BLOCK_ROWS * outputs).enumerate().for_each(block),
        false => out.data_mut().par_chunks_mut(BLOCK_ROWS * outputs).enumerate().for_each(block),
    }
    out
}

/// Copies what stands right of the diagonal to the left of it. `rows` are the rows `first..` of an `n x n`
/// matrix, of which the columns from `first` on are to be made symmetric.
fn mirror<T: Real>(rows: &mut [T], n: usize, first: usize) {
    let count = rows.len() / n;
    if count <= BLOCK_ROWS {
        for i in 0..count {
            for j in 0..i {
                rows[i * n + first + j] = rows[j * n + first + i];
            }
        }
        return;
    }
    // Halves at a multiple of the block, so that the leaves agree with the blocks of `gram`.
    let half = (count / 2).next_multiple_of(BLOCK_ROWS);
    let (top, bottom) = rows.split_at_mut(half * n);
    bottom.par_chunks_mut(BLOCK_ROWS * n).enumerate().for_each(|(c, block)| {
        let start = half + c * BLOCK_ROWS;
        transpose_into(top, n, first, first + start, half, block);
    });
    rayon::join(|| mirror(top, n, first), || mirror(bottom, n, first + half));
}

/// `block[i][first + j] = top[j][column + i]` for all rows of `block` and `j < half`, in small squares.
fn transpose_into<T: Real>(top: &[T], n: usize, first: usize, column: usize, half: usize, block: &mut [T]) {
    const SQUARE: usize = 16;
    let count = block.len() / n;
    for j0 in (0..half).step_by(SQUARE) {
        let j1 = (j0 + SQUARE).min(half);
        for i0 in (0..count).step_by(SQUARE) {
            for i in i0..(i0 + SQUARE).min(count) {
                let to = &mut block[i * n + first + j0..i * n + first + j1];
                for (j, to) in (j0..j1).zip(to) {
                    *to = top[j * n + column + i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Width;
    use crate::matrix::Csr;
    use proptest::prelude::*;

    fn kernels(dim: usize) -> Vec<Kernel> {
        let width = Width::Shared(0.7);
        let ard = Width::PerFeature((0..dim).map(|k| 0.5 + 0.3 * k as f64).collect());
        vec![
            Kernel::Gaussian { width: width.clone() },
            Kernel::Gaussian { width: ard.clone() },
            Kernel::Laplacian { width: ard.clone() },
            Kernel::Matern32 { width: width.clone() },
            Kernel::Matern52 { width: ard.clone() },
            Kernel::InverseMultiquadric { width: width.clone() },
            Kernel::Wendland { width: 2.0.into(), dimension: 3, smoothness: 1 },
            Kernel::compact(Kernel::Gaussian { width }, 2.5, 3),
            Kernel::compact(Kernel::Matern32 { width: ard }, 2.5, 5),
            Kernel::Polynomial { degree: 3, scale: 0.5, offset: 1.0 },
            Kernel::Linear,
            Kernel::Sigmoid { scale: 0.2, offset: 0.1 },
        ]
    }

    /// The formulas of the documentation, term by term.
    fn textbook(kernel: &Kernel, x: &[f64], y: &[f64]) -> f64 {
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        let t = |width: &Width| {
            let w = |k: usize| match width {
                Width::Shared(w) => *w,
                Width::PerFeature(w) => w[k],
            };
            (0..x.len()).map(|k| ((x[k] - y[k]) / w(k)).powi(2)).sum::<f64>().sqrt()
        };
        match kernel {
            Kernel::Gaussian { width } => (-t(width).powi(2) / 2.0).exp(),
            Kernel::Laplacian { width } => (-t(width)).exp(),
            Kernel::Matern32 { width } => (1.0 + 3f64.sqrt() * t(width)) * (-3f64.sqrt() * t(width)).exp(),
            Kernel::Matern52 { width } => {
                let t = t(width);
                (1.0 + 5f64.sqrt() * t + 5.0 * t * t / 3.0) * (-5f64.sqrt() * t).exp()
            }
            Kernel::InverseMultiquadric { width } => 1.0 / (1.0 + t(width).powi(2)).sqrt(),
            Kernel::Wendland { width, dimension: 3, smoothness: 1 } => {
                let t = t(width);
                (1.0 - t).max(0.0).powi(4) * (4.0 * t + 1.0)
            }
            Kernel::Wendland { .. } => unreachable!("not among the kernels tested here"),
            Kernel::Compact { base, support, power } => {
                // The distance that the base kernel sees.
                let r = match base.width().unwrap() {
                    Width::Shared(_) => t(&Width::Shared(1.0)),
                    width => t(width),
                };
                (1.0 - r / support).max(0.0).powf(*power) * textbook(base, x, y)
            }
            Kernel::Polynomial { degree, scale, offset } => (scale * dot + offset).powi(*degree as i32),
            Kernel::Linear => dot,
            Kernel::Sigmoid { scale, offset } => (scale * dot + offset).tanh(),
        }
    }

    /// How far rounding may carry a value: relative for the radial kernels, which lose nothing to
    /// cancellation, and relative to the sum of magnitudes for those of an inner product.
    fn tolerance(kernel: &Kernel, x: &[f64], y: &[f64]) -> f64 {
        let magnitude = if kernel.is_radial() {
            textbook(kernel, x, y).max(1e-3)
        } else {
            let absolute = |v: &[f64]| v.iter().map(|a| a.abs()).collect::<Vec<_>>();
            1.0 + textbook(kernel, &absolute(x), &absolute(y))
        };
        1e-13 * magnitude
    }

    fn points(n: usize, dim: usize, seed: f64) -> Matrix {
        let data = (0..n * dim).map(|i| ((i as f64 + seed) * 12.9898).sin() * 1.5).collect();
        Matrix::from_vec(data, n, dim).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn all_forms_agree_with_the_textbook(n in 1usize..150, m in 1usize..40, dim in 1usize..34, seed in 0.0..1e3) {
            let (a, b) = (points(n, dim, seed), points(m, dim, seed + 0.5));
            let w = points(m, 3, seed + 7.0);
            for kernel in kernels(dim) {
                let (cross, gram) = (kernel.cross(a.view(), b.view()).unwrap(), kernel.gram(a.view()).unwrap());
                let sums = kernel.weighted_sum(a.view(), b.view(), w.view()).unwrap();
                let single = kernel.weighted_sum(a.view(), b.view(), Matrix::column(w.column_to_vec(1)).view()).unwrap();
                let centres = Centres::from_rows(b.view());
                let mut row = vec![0.0; m];
                for i in 0..n {
                    kernel.evaluator().row(a.row(i), &centres, &mut row);
                    let mut want_sum = [0.0; 3];
                    for j in 0..m {
                        let want = textbook(&kernel, a.row(i), b.row(j));
                        let close = |v: f64| (v - want).abs() <= tolerance(&kernel, a.row(i), b.row(j));
                        prop_assert!(close(cross[(i, j)]), "{kernel} {} {want}", cross[(i, j)]);
                        prop_assert!(close(row[j]) && close(kernel.eval(a.row(i), b.row(j))));
                        for o in 0..3 { want_sum[o] += want * w[(j, o)]; }
                    }
                    for o in 0..3 { prop_assert!((sums[(i, o)] - want_sum[o]).abs() < 1e-10 * (1.0 + want_sum[o].abs())); }
                    prop_assert!((single[(i, 0)] - want_sum[1]).abs() < 1e-10 * (1.0 + want_sum[1].abs()));
                    for j in 0..n {
                        let want = textbook(&kernel, a.row(i), a.row(j));
                        prop_assert!((gram[(i, j)] - want).abs() <= tolerance(&kernel, a.row(i), a.row(j)));
                        prop_assert_eq!(gram[(i, j)], gram[(j, i)]);
                    }
                    if kernel.is_radial() { prop_assert_eq!(gram[(i, i)], 1.0); }
                }
            }
        }
    }

    /// Rows of which about a third of the numbers differ from zero, and some rows twice.
    fn sparse_points(n: usize, dim: usize, seed: f64) -> Matrix {
        let mut x = points(n, dim, seed);
        x.data_mut().iter_mut().filter(|v| v.abs() < 1.3).for_each(|v| *v = 0.0);
        for i in (3..n).step_by(3) {
            let (before, row) = x.data_mut().split_at_mut(i * dim);
            row[..dim].copy_from_slice(&before[(i - 2) * dim..(i - 1) * dim]);
            // A near duplicate: its distance would be lost in the lengths.
            row[0] += if i % 2 == 0 { 1e-7 } else { 0.0 };
        }
        x
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sparse_rows_give_the_values_of_dense_ones(n in 1usize..90, m in 1usize..40, dim in 1usize..60, seed in 0.0..1e3) {
            let (a, b) = (sparse_points(n, dim, seed), sparse_points(m, dim, seed + 0.5));
            let (sparse_a, sparse_b) = (Csr::from_rows(a.view()), Csr::from_rows(b.view()));
            let (dense_a, dense_b) = (Points::from(&a), Points::from(&b));
            let (sparse_a, sparse_b) = (Points::from(sparse_a.view()), Points::from(sparse_b.view()));
            let w = points(m, 2, seed + 7.0);
            for kernel in kernels(dim) {
                let want = kernel.cross(a.view(), b.view()).unwrap();
                let want_sums = kernel.weighted_sum(a.view(), b.view(), w.view()).unwrap();
                let near = |got: &Matrix, want: &Matrix| {
                    got.data().iter().zip(want.data()).all(|(g, w)| (g - w).abs() <= 1e-12 * (1.0 + w.abs()))
                };
                for (x, y) in [(sparse_a, sparse_b), (sparse_a, dense_b), (dense_a, sparse_b), (dense_a, dense_b)] {
                    let packed = Packed::new(&kernel, y, x).unwrap();
                    prop_assert!(near(&whole(&(x, &packed)), &want), "{}", kernel);
                    prop_assert!(near(&sums(&(x, &packed), w.view()), &want_sums), "{}", kernel);
                    let mut piece = vec![0.0; m - 8 * (m / 16)];
                    packed.row(x.point(n - 1), 8 * (m / 16), &mut piece);
                    let last = whole(&(x.slice(n - 1, n), &packed));
                    prop_assert_eq!(&piece[..], &last.data()[8 * (m / 16)..]);
                }
                let gram = symmetric(&(sparse_a, &Packed::new(&kernel, sparse_a, sparse_a).unwrap()), dim);
                prop_assert!(near(&gram, &kernel.gram(a.view()).unwrap()), "{}", kernel);
                for i in 0..n {
                    for j in 0..n {
                        prop_assert_eq!(gram[(i, j)], gram[(j, i)]);
                        if kernel.is_radial() && a.row(i) == a.row(j) { prop_assert_eq!(gram[(i, j)], 1.0); }
                    }
                }
            }
        }
    }

    #[test]
    fn single_precision_follows_double() {
        let (a, b) = (points(70, 5, 1.0), points(90, 5, 2.0));
        let narrow = |m: &Matrix| {
            Matrix::from_vec(m.data().iter().map(|v| *v as f32).collect(), m.rows(), m.cols()).unwrap()
        };
        for kernel in kernels(5) {
            let wide = kernel.cross(a.view(), b.view()).unwrap();
            let single = kernel.cross(narrow(&a).view(), narrow(&b).view()).unwrap();
            for (s, w) in single.data().iter().zip(wide.data()) {
                assert!((f64::from(*s) - w).abs() < 2e-6 * (1.0 + w.abs()), "{kernel}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let (x, w) = (points(333, 6, 3.0), points(333, 2, 4.0));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let kernel = Kernel::gaussian(0.9);
                (kernel.gram(x.view()).unwrap(), kernel.weighted_sum(x.view(), x.view(), w.view()).unwrap())
            })
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn extreme_widths_give_numbers() {
        let x = Rows::<f64>::new(&[0.0, 0.0, 1.0, 1e-3], 1).unwrap();
        for width in [1e-300, 1e-160, 1e-6, 1e6, 1e160, 1e300] {
            for kernel in kernels(1) {
                let gram = kernel.with_width(width).gram(x).unwrap();
                assert!(gram.data().iter().all(|v| v.is_finite()), "{kernel} {width}");
            }
        }
    }

    #[test]
    fn distances_beyond_the_number_range_give_numbers() {
        let x = Rows::<f64>::new(&[-1e200, 0.0, 1e200, 1e308, -1e308], 1).unwrap();
        for kernel in kernels(1).into_iter().filter(Kernel::is_radial) {
            let gram = kernel.gram(x).unwrap();
            for i in 0..5 {
                for j in 0..5 {
                    assert_eq!(gram[(i, j)], f64::from(u8::from(i == j)), "{kernel}: {}", gram[(i, j)]);
                }
            }
            // Sparse rows are divided by such widths first, which may itself leave the range.
            if matches!(kernel.width(), Some(Width::PerFeature(_))) {
                continue;
            }
            let sparse = Csr::from_rows(x);
            let points = Points::from(sparse.view());
            assert_eq!(whole(&(points, &Packed::new(&kernel, points, points).unwrap())), gram, "{kernel}");
        }
    }

    #[test]
    fn wrong_shapes_are_errors() {
        let (a, b) = (points(3, 2, 0.0), points(3, 4, 0.0));
        assert!(Kernel::Linear.cross(a.view(), b.view()).is_err());
        assert!(Kernel::gaussian(vec![1.0]).gram(a.view()).is_err());
        assert!(Kernel::gaussian(-1.0).gram(a.view()).is_err());
        assert!(Kernel::Linear.weighted_sum(a.view(), a.view(), points(2, 1, 0.0).view()).is_err());
    }
}
