//! Kernel matrices and sums over points of any kind, without a provider.

use crate::error::{Result, check_len};
use crate::kernels::{Kernel, Packed, sums, symmetric, whole};
use crate::matrix::{Matrix, Point, Points, Rows};

/// The symmetric matrix `k(x_i, x_j)` in double precision. The caller knows that there is room for it; see
/// [`Gram`](super::Gram) for one that looks first.
pub fn matrix<'a>(kernel: &Kernel, x: impl Into<Points<'a>>) -> Result<Matrix> {
    let x = x.into();
    Ok(symmetric(&(x, &Packed::new(kernel, x, x)?), x.cols()))
}

/// The matrix `k(a_i, b_j)` in double precision.
pub fn cross<'a, 'b>(kernel: &Kernel, a: impl Into<Points<'a>>, b: impl Into<Points<'b>>) -> Result<Matrix> {
    let (a, b) = (a.into(), b.into());
    Ok(whole(&(a, &Packed::new(kernel, b, a)?)))
}

/// `f(x_i) = sum_j k(x_i, v_j) w_j` for every row of `x`, without storing the matrix. Row `j` of `weights` belongs to
/// `v_j`; each of its columns is one output.
///
/// ```
/// use groat::{Csr, Kernel, Rows, gram};
/// // Two sparse vectors of 100,000 features, and a sparse row that equals the first of them.
/// let v = Csr::new(100_000, vec![0, 2, 3], vec![7, 80_000, 3], vec![1.0, 2.0, 3.0])?;
/// let x = Csr::new(100_000, vec![0, 2], vec![7, 80_000], vec![1.0, 2.0])?;
/// let f = gram::weighted_sum(&Kernel::gaussian(2.0), x.view(), v.view(), Rows::new(&[5.0, 1.0], 1)?)?;
/// assert!((f[(0, 0)] - (5.0 + (-14f64 / 8.0).exp())).abs() < 1e-15);
/// # Ok::<(), groat::Error>(())
/// ```
pub fn weighted_sum<'a, 'b>(
    kernel: &Kernel,
    x: impl Into<Points<'a>>,
    v: impl Into<Points<'b>>,
    weights: Rows<'_>,
) -> Result<Matrix> {
    let (x, v) = (x.into(), v.into());
    check_len("rows of weights", v.rows(), weights.rows())?;
    Ok(sums(&(x, &Packed::new(kernel, v, x)?), weights))
}

/// `k(x_i, x_i)` for every row.
pub fn diagonal<'a>(kernel: &Kernel, x: impl Into<Points<'a>>) -> Vec<f64> {
    let x = x.into();
    if kernel.is_radial() {
        return vec![1.0; x.rows()];
    }
    let evaluator = kernel.evaluator::<f64>();
    (0..x.rows())
        .map(|i| match x.point(i) {
            Point::Dense(row) | Point::Sparse(_, row) => evaluator.eval(row, row),
        })
        .collect()
}
