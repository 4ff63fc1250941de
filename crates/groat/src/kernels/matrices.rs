//! Kernel matrices and weighted sums, in blocks and on all threads.
//!
//! Work is cut into blocks of a fixed number of rows, whatever the number of threads, and every entry is
//! computed by the same instructions in the same order: the result does not depend on the threads.

use super::block::{TILE, block, scratch_len};
use super::{Centres, Evaluator, Kernel};
use crate::error::{Result, check_len};
use crate::matrix::{Matrix, Real, Rows};
use crate::simd::{axpy, dot};
use rayon::prelude::*;

/// Rows of one block of work.
const BLOCK_ROWS: usize = 64;

/// Up to this many features an entry is computed faster than it is copied from the other side of the diagonal.
const CHEAP_FEATURES: usize = 24;

impl Kernel {
    /// The matrix `k(a_i, b_j)`.
    pub fn cross<T: Real>(&self, a: Rows<'_, T>, b: Rows<'_, T>) -> Result<Matrix<T>> {
        check_len("features per row", a.cols(), b.cols())?;
        self.check_for(a.cols())?;
        let mut out = Matrix::zeros(a.rows(), b.rows());
        let (evaluator, centres) = (self.evaluator(), Centres::from_rows(b));
        let n = b.rows();
        if n == 0 {
            return Ok(out);
        }
        out.data_mut().par_chunks_mut(BLOCK_ROWS * n).enumerate().for_each(|(c, out)| {
            fill(&evaluator, a.slice(c * BLOCK_ROWS, c * BLOCK_ROWS + out.len() / n), &centres, 0, out);
        });
        Ok(out)
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
        self.check_for(x.cols())?;
        let n = x.rows();
        if n == 0 || x.cols() <= CHEAP_FEATURES {
            return self.cross(x, x);
        }
        let mut out = Matrix::zeros(n, n);
        let (evaluator, centres) = (self.evaluator(), Centres::from_rows(x));
        out.data_mut().par_chunks_mut(BLOCK_ROWS * n).enumerate().for_each(|(c, out)| {
            let start = c * BLOCK_ROWS;
            fill(&evaluator, x.slice(start, start + out.len() / n), &centres, start, out);
        });
        mirror(out.data_mut(), n, 0);
        Ok(out)
    }

    /// `f(x_i) = sum_j k(x_i, v_j) w_j` for every row of `x`, without storing the matrix. Row `j` of `weights`
    /// belongs to `v_j`; each of its columns is one output.
    pub fn weighted_sum<T: Real>(
        &self,
        x: Rows<'_, T>,
        v: Rows<'_, T>,
        weights: Rows<'_, T>,
    ) -> Result<Matrix<T>> {
        check_len("features per row", v.cols(), x.cols())?;
        check_len("rows of weights", v.rows(), weights.rows())?;
        self.check_for(x.cols())?;
        let (n, outputs) = (v.rows(), weights.cols());
        let mut out = Matrix::zeros(x.rows(), outputs);
        let (evaluator, centres) = (self.evaluator(), Centres::from_rows(v));
        let single: Vec<T> = if outputs == 1 { weights.data().to_vec() } else { Vec::new() };
        out.data_mut().par_chunks_mut(BLOCK_ROWS * outputs).enumerate().for_each(|(c, out)| {
            let rows = x.slice(c * BLOCK_ROWS, c * BLOCK_ROWS + out.len() / outputs);
            let mut scratch = vec![T::default(); scratch_len(x.cols())];
            let mut values = vec![T::default(); rows.rows() * TILE.min(n)];
            for first in (0..n).step_by(TILE) {
                let columns = TILE.min(n - first);
                block(&evaluator, rows.data(), &centres, first, columns, &mut values, columns, &mut scratch);
                for (k, out) in values.chunks_exact(columns).zip(out.chunks_exact_mut(outputs)) {
                    if outputs == 1 {
                        out[0] = out[0] + dot(k, &single[first..first + columns]);
                    } else {
                        for (k, w) in k.iter().zip(weights.slice(first, first + columns).iter()) {
                            axpy(*k, w, out);
                        }
                    }
                }
            }
        });
        Ok(out)
    }
}

/// Kernel values of `rows` against the centres from number `from` on, one whole row of `out` for each row.
fn fill<T: Real>(
    evaluator: &Evaluator<T>,
    rows: Rows<'_, T>,
    centres: &Centres<T>,
    from: usize,
    out: &mut [T],
) {
    let n = centres.len();
    let mut scratch = vec![T::default(); scratch_len(rows.cols())];
    for first in (from..n).step_by(TILE) {
        let columns = TILE.min(n - first);
        block(evaluator, rows.data(), centres, first, columns, &mut out[first..], n, &mut scratch);
    }
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
