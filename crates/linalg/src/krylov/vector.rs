//! Vector operations with a fixed order of sums.

use rayon::prelude::*;

/// Below this length a thread costs more than it brings.
const CHUNK: usize = 8192;

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

/// `x . y` lane by lane, for vectors that stand side by side.
pub(crate) fn dots<const K: usize>(x: &[[f64; K]], y: &[[f64; K]]) -> [f64; K] {
    let chunk = |x: &[[f64; K]], y: &[[f64; K]]| {
        // Four running sums per lane keep the adders busy.
        let mut sums = [[0.0; K]; 4];
        for (at, (x, y)) in x.iter().zip(y).enumerate() {
            (0..K).for_each(|k| sums[at % 4][k] += x[k] * y[k]);
        }
        std::array::from_fn(|k| (sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]))
    };
    if x.len() <= CHUNK {
        return chunk(x, y);
    }
    let parts: Vec<[f64; K]> =
        x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK)).map(|(x, y)| chunk(x, y)).collect();
    parts.into_iter().fold([0.0; K], |total, part| std::array::from_fn(|k| total[k] + part[k]))
}

/// `y <- a x + b y`, lane by lane.
pub(crate) fn combine<const K: usize>(a: [f64; K], x: &[[f64; K]], b: [f64; K], y: &mut [[f64; K]]) {
    let chunk = |(y, x): (&mut [[f64; K]], &[[f64; K]])| {
        for (y, x) in y.iter_mut().zip(x) {
            (0..K).for_each(|k| y[k] = a[k] * x[k] + b[k] * y[k]);
        }
    };
    if x.len() <= CHUNK {
        return chunk((y, x));
    }
    y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(chunk);
}
