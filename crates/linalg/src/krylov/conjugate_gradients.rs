//! Preconditioned conjugate gradients (Hestenes and Stiefel 1952), several right-hand sides side by side.

use super::vector::{combine, dots};
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
    /// The largest relative residual reached, by the recursion.
    pub residual: f64,
}

/// Solves `A x = b` for symmetric positive definite `A` and `K` right-hand sides, starting from the `x` given.
///
/// `apply(v, out)` writes `A v`; `precondition(r, out)` writes `M^-1 r` for a symmetric positive definite
/// `M` near `A`. The error after `k` steps falls like `((sqrt c - 1) / (sqrt c + 1))^k`, where `c` is the
/// condition number of `M^-1 A`. Each right-hand side goes its own way, and rests when it is there; only the
/// passes over the matrix are shared. Memory: four vectors each.
pub fn conjugate_gradients<const K: usize>(
    mut apply: impl FnMut(&[[f64; K]], &mut [[f64; K]]) -> Result<()>,
    mut precondition: impl FnMut(&[[f64; K]], &mut [[f64; K]]) -> Result<()>,
    b: &[[f64; K]],
    x: &mut [[f64; K]],
    settings: CgSettings,
) -> Result<CgReport> {
    check_len("numbers in the solution", b.len(), x.len())?;
    let lanes = |f: &dyn Fn(usize) -> f64| -> [f64; K] { std::array::from_fn(f) };
    let scale = dots(b, b).map(f64::sqrt);
    // The solution for b = 0 is 0, whatever the start.
    let live = lanes(&|k| f64::from(scale[k] != 0.0));
    combine([0.0; K], b, live, x);
    let zero = vec![[0.0; K]; b.len()];
    let (mut r, mut z, mut q) = (zero.clone(), zero.clone(), zero);
    apply(x, &mut r)?;
    combine([1.0; K], b, [-1.0; K], &mut r);
    precondition(&r, &mut z)?;
    let mut p = z.clone();
    let mut rz = dots(&r, &z);
    let relative = |r: &[[f64; K]]| {
        let squared = dots(r, r);
        lanes(&|k| if scale[k] > 0.0 { squared[k].sqrt() / scale[k] } else { 0.0 })
    };
    let mut residual = relative(&r);
    for iterations in 0..settings.max_iterations {
        let active = residual.map(|residual| residual.is_nan() || residual > settings.tolerance);
        if !active.contains(&true) {
            return Ok(CgReport { iterations, residual: largest(residual) });
        }
        apply(&p, &mut q)?;
        let curvature = dots(&p, &q);
        // Also catches NaN, which compares as false.
        if let Some(k) = (0..K).find(|&k| active[k] && !(curvature[k] > 0.0 && rz[k] > 0.0)) {
            return Err(Error::Indefinite { curvature: curvature[k] / dots(&p, &p)[k], iterations });
        }
        let step = lanes(&|k| if active[k] { rz[k] / curvature[k] } else { 0.0 });
        combine(step, &p, [1.0; K], x);
        combine(step.map(|s| -s), &q, [1.0; K], &mut r);
        residual = relative(&r);
        precondition(&r, &mut z)?;
        let next = dots(&r, &z);
        let turn = lanes(&|k| if active[k] { next[k] / rz[k] } else { 0.0 });
        combine([1.0; K], &z, turn, &mut p);
        rz = next;
    }
    let residual = largest(residual);
    if residual <= settings.tolerance {
        return Ok(CgReport { iterations: settings.max_iterations, residual });
    }
    Err(Error::NoConvergence { iterations: settings.max_iterations, residual, wanted: settings.tolerance })
}

/// The largest of some numbers; NaN if one of them is.
fn largest<const K: usize>(values: [f64; K]) -> f64 {
    values.into_iter().fold(0.0, |most, v| if v.is_nan() { v } else { v.max(most) })
}
