//! Finding settings: where a search looks, how a setting is judged, which is taken.
//!
//! A search runs over a grid of kernels, in turn or side by side, widens the grid where the best lies at its end, and may go
//! on to one width per feature, or walk on to better neighbours. A judge says how good a kernel is, by leave-one-out or on folds; the best, the most stable
//! or the smallest within one standard error is taken. Progress is told and requests to stop are heard in one place.

mod grid;
mod judgement;
mod support;
mod trials;
mod walk;

pub(crate) use grid::Ladder;
pub use grid::Search;
pub use judgement::Validation;
pub(crate) use judgement::{Judgement, by_folds, losses, mean_squared};
pub use trials::Trial;
pub(crate) use trials::{Trials, best, smallest_within_one_standard_error, stablest};
pub(crate) use walk::{Place, Steps, Walk, scaled, stepped};

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
