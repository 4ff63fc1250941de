//! Preconditioned conjugate gradients (Hestenes and Stiefel 1952).

use super::vector::{combine, dot, norm};
use crate::error::{Error, Result, check_len};

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct CgSettings {
    /// Relative residual `|b - A x| / |b|` to reach.
    pub tolerance: f64,
    /// Give up after this many products.
    pub max_iterations: usize,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CgReport {
    /// Products with the matrix.
    pub iterations: usize,
    /// The relative residual reached, by the recursion.
    pub residual: f64,
}

/// Solves `A x = b` for symmetric positive definite `A`, starting from the `x` given.
///
/// `apply(v, out)` writes `A v`; `precondition(r, out)` writes `M^-1 r` for a symmetric positive definite
/// `M` near `A`. The error after `k` steps falls like `((sqrt c - 1) / (sqrt c + 1))^k`, where `c` is the
/// condition number of `M^-1 A`. Memory: four vectors.
pub fn conjugate_gradients(
    mut apply: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    mut precondition: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    b: &[f64],
    x: &mut [f64],
    settings: CgSettings,
) -> Result<CgReport> {
    check_len("numbers in the solution", b.len(), x.len())?;
    let n = b.len();
    let scale = norm(b);
    if scale == 0.0 {
        x.fill(0.0);
        return Ok(CgReport { iterations: 0, residual: 0.0 });
    }
    let (mut r, mut z, mut q) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    apply(x, &mut r)?;
    combine(1.0, b, -1.0, &mut r);
    precondition(&r, &mut z)?;
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    let mut residual = norm(&r) / scale;
    for iterations in 0..settings.max_iterations {
        if residual <= settings.tolerance {
            return Ok(CgReport { iterations, residual });
        }
        apply(&p, &mut q)?;
        let curvature = dot(&p, &q);
        // Also catches NaN, which compares as false.
        if !(curvature > 0.0 && rz > 0.0) {
            return Err(Error::Indefinite { curvature: curvature / dot(&p, &p), iterations });
        }
        let step = rz / curvature;
        combine(step, &p, 1.0, x);
        combine(-step, &q, 1.0, &mut r);
        residual = norm(&r) / scale;
        precondition(&r, &mut z)?;
        let next = dot(&r, &z);
        combine(1.0, &z, next / rz, &mut p);
        rz = next;
    }
    if residual <= settings.tolerance {
        return Ok(CgReport { iterations: settings.max_iterations, residual });
    }
    Err(Error::NoConvergence { iterations: settings.max_iterations, residual, wanted: settings.tolerance })
}
