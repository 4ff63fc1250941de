//! The 1-norm of an inverse that is only known through solves.

use crate::error::Result;

/// At most this many rounds; two or three are usual.
const ROUNDS: usize = 5;

/// Estimates `|A^-1|_1` for symmetric `A` from calls of `solve` (which replaces `b` by `A^-1 b`).
///
/// Maximises the convex function `|A^-1 x|_1` over the unit ball of the 1-norm, whose corners are the
/// unit vectors, by following subgradients (Hager 1984; Higham 1988). The alternating vector at the end
/// guards against the known counterexamples.
pub(crate) fn inverse_norm1(n: usize, solve: impl Fn(&mut [f64]) -> Result<()>) -> Result<f64> {
    if n == 0 {
        return Ok(0.0);
    }
    let mut x = vec![1.0 / n as f64; n];
    solve(&mut x)?;
    let mut best = norm1(&x);
    let mut previous = usize::MAX;
    for _ in 0..ROUNDS {
        let mut subgradient: Vec<f64> = x.iter().map(|&v| if v < 0.0 { -1.0 } else { 1.0 }).collect();
        solve(&mut subgradient)?;
        let corner = largest(&subgradient);
        if corner == previous {
            break;
        }
        previous = corner;
        x.fill(0.0);
        x[corner] = 1.0;
        solve(&mut x)?;
        let value = norm1(&x);
        if value <= best {
            break;
        }
        best = value;
    }
    let step = 1.0 / (n.max(2) - 1) as f64;
    let mut guard: Vec<f64> =
        (0..n).map(|i| (1.0 + i as f64 * step) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    solve(&mut guard)?;
    Ok(best.max(2.0 * norm1(&guard) / (3.0 * n as f64)))
}

fn norm1(x: &[f64]) -> f64 {
    x.iter().map(|v| v.abs()).sum()
}

fn largest(x: &[f64]) -> usize {
    (0..x.len()).fold(0, |best, i| if x[i].abs() > x[best].abs() { i } else { best })
}
