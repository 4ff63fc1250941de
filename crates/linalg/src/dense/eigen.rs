//! All eigenpairs of a symmetric matrix.

use faer::{MatRef, Side};

use crate::error::{Error, Result, check_len};

/// Eigenvalues in ascending order with orthonormal eigenvectors.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// Ascending.
    pub values: Vec<f64>,
    /// Column-major: vector `j` is `vectors[j * n..(j + 1) * n]`.
    pub vectors: Vec<f64>,
}

impl Eigen {
    /// Eigenvector `j`.
    pub fn vector(&self, j: usize) -> &[f64] {
        let n = self.vectors.len() / self.values.len();
        &self.vectors[j * n..(j + 1) * n]
    }
}

/// All eigenpairs of a symmetric `n x n` matrix, on one thread (about `9 n^3` operations).
///
/// ```
/// let e = groat_linalg::eigh(&[2.0, 1.0, 1.0, 2.0], 2)?;
/// assert!((e.values[0] - 1.0).abs() < 1e-14 && (e.values[1] - 3.0).abs() < 1e-14);
/// # Ok::<(), groat_linalg::Error>(())
/// ```
pub fn eigh(a: &[f64], n: usize) -> Result<Eigen> {
    check_len("numbers in a symmetric matrix", n.saturating_mul(n), a.len())?;
    if let Some(at) = a.iter().position(|v| !v.is_finite()) {
        return Err(Error::NotFinite { row: at % n, column: at / n });
    }
    let decomposition = MatRef::from_column_major_slice(a, n, n)
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| Error::NoConvergence { iterations: n, residual: f64::NAN, wanted: f64::EPSILON })?;
    let values = decomposition.S().column_vector().iter().copied().collect();
    let u = decomposition.U();
    let mut vectors = Vec::with_capacity(n * n);
    for j in 0..n {
        vectors.extend(u.col(j).iter().copied());
    }
    Ok(Eigen { values, vectors })
}
