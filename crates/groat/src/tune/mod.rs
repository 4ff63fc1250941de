//! Finding settings: where a search starts.

mod support;

pub use support::{CurvePoint, SupportChoice, SupportRule, SupportTuning};

use crate::matrix::Points;
use rand::{RngExt, SeedableRng, seq::index};
use rand_pcg::Pcg64;

/// At most `most` of the row numbers `0..n`, drawn without repetition and in ascending order.
pub fn sample_rows(n: usize, most: usize, seed: u64) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut rows = index::sample(&mut Pcg64::seed_from_u64(seed), n, most).into_vec();
    rows.sort_unstable();
    rows
}

/// The median distance between two different rows, from up to 2,000 random pairs; 1 if no two rows differ.
///
/// The usual first guess of a kernel width, and the middle of the grids that are searched around it.
pub fn typical_distance<'a>(x: impl Into<Points<'a>>, seed: u64) -> f64 {
    let x = x.into();
    let n = x.rows();
    if n < 2 {
        return 1.0;
    }
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut distances: Vec<f64> = (0..2000)
        .filter_map(|_| {
            let (i, j) = (rng.random_range(0..n), rng.random_range(0..n));
            let square = x.point(i).squared_distance(x.point(j));
            (square > 0.0 && square.is_finite()).then(|| square.sqrt())
        })
        .collect();
    if distances.is_empty() {
        return 1.0;
    }
    let middle = distances.len() / 2;
    *distances.select_nth_unstable_by(middle, f64::total_cmp).1
}
