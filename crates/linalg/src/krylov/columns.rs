//! Conjugate gradients for any number of right-hand sides, one after the other in memory.
//!
//! The same iteration as [`conjugate_gradients`](super::conjugate_gradients), for operators that take all columns in one
//! pass and whose number is not known to the compiler.

use super::conjugate_gradients::{CgReport, CgSettings};
use super::vector::dot;
use crate::error::{Error, Result, check_len};

/// Solves `A x = b` for symmetric positive definite `A` and right-hand sides of length `n`, column-major, from the `x`
/// given. `apply(v, out)` writes `A v` and `precondition(r, out)` writes `M^-1 r`, for all columns. A column that is there
/// rests.
///
/// Convergence is judged by `sqrt(r' M^-1 r)` against `sqrt(b' M^-1 b)`, which is the error in the norm of `A` where `M` is
/// near `A`. An iteration that comes to rest short of the tolerance because no digit is left reports the residual it has.
pub fn conjugate_gradient_columns(
    mut apply: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    mut precondition: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    n: usize,
    b: &[f64],
    x: &mut [f64],
    settings: CgSettings,
) -> Result<CgReport> {
    check_len("numbers in the solution", b.len(), x.len())?;
    let each = |x: &[f64], y: &[f64]| -> Vec<f64> {
        x.chunks_exact(n.max(1)).zip(y.chunks_exact(n.max(1))).map(|(x, y)| dot(x, y)).collect()
    };
    let mut z = vec![0.0; b.len()];
    precondition(b, &mut z)?;
    let scale = each(b, &z);
    let (mut r, mut q) = (vec![0.0; b.len()], vec![0.0; b.len()]);
    if x.iter().any(|v| *v != 0.0) {
        apply(x, &mut r)?;
    }
    r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
    precondition(&r, &mut z)?;
    let mut p = z.clone();
    let mut rz = each(&r, &z);
    let relative = |rz: &[f64]| -> Vec<f64> {
        let share = |(rz, scale): (&f64, &f64)| if *scale > 0.0 { (rz / scale).sqrt() } else { 0.0 };
        rz.iter().zip(&scale).map(share).collect()
    };
    let mut iterations = 0;
    loop {
        let residual = relative(&rz);
        let active: Vec<bool> = residual.iter().map(|v| v.is_nan() || *v > settings.tolerance).collect();
        let worst =
            residual.iter().copied().fold(0.0, |most: f64, v| if v.is_nan() { v } else { v.max(most) });
        if !active.contains(&true) {
            return Ok(CgReport { iterations, residual: worst });
        }
        if iterations == settings.max_iterations {
            return Err(Error::NoConvergence { iterations, residual: worst, wanted: settings.tolerance });
        }
        apply(&p, &mut q)?;
        let curvature = each(&p, &q);
        if let Some(k) = (0..curvature.len()).find(|&k| active[k] && !(curvature[k] > 0.0 && rz[k] > 0.0)) {
            return Err(Error::Indefinite { curvature: curvature[k], iterations });
        }
        for k in (0..curvature.len()).filter(|&k| active[k]) {
            let (from, to, step) = (k * n, (k + 1) * n, rz[k] / curvature[k]);
            x[from..to].iter_mut().zip(&p[from..to]).for_each(|(x, p)| *x += step * p);
            r[from..to].iter_mut().zip(&q[from..to]).for_each(|(r, q)| *r -= step * q);
        }
        precondition(&r, &mut z)?;
        let next = each(&r, &z);
        for k in 0..next.len() {
            let turn = if active[k] { next[k] / rz[k] } else { 0.0 };
            let (from, to) = (k * n, (k + 1) * n);
            p[from..to].iter_mut().zip(&z[from..to]).for_each(|(p, z)| *p = z + turn * *p);
        }
        rz = next;
        iterations += 1;
    }
}
