//! Vector operations with a fixed order of sums.

use rayon::prelude::*;

/// Below this length a thread costs more than it brings.
const CHUNK: usize = 16384;

/// `x . y`: sums over fixed chunks, added in order.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    if x.len() <= CHUNK {
        return dot_short(x, y);
    }
    let parts: Vec<f64> =
        x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK)).map(|(x, y)| dot_short(x, y)).collect();
    parts.into_iter().sum()
}

/// Eight running sums, so that the compiler can keep the processor's adders busy.
fn dot_short(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        for l in 0..8 {
            sums[l] += x[l] * y[l];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Euclidean norm.
pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// `y <- a x + b y`.
pub(crate) fn combine(a: f64, x: &[f64], b: f64, y: &mut [f64]) {
    y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = a * x + b * *y;
        }
    });
}
