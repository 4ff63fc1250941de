//! From a width and a ridge to better ones nearby.

use crate::kernels::{Kernel, Width};
use rayon::prelude::*;
use std::collections::HashSet;

/// Steps to neighbours, in pairs of opposites: of the width by roots of two, of the ridge by roots of ten.
const PAIRS: [[Steps; 2]; 3] = [[(1, 0), (-1, 0)], [(0, -1), (0, 1)], [(1, -1), (-1, 1)]];
/// A neighbour must lower the score by this share.
const BETTER: f64 = 0.002;
/// Ridges below this are lost in rounding.
const LEAST_RIDGE: f64 = 1e-10;

/// Steps of the width and of the ridge away from a start.
pub(crate) type Steps = (i32, i32);

/// Where a walk may go, and how far.
pub(crate) struct Walk {
    /// Whether the width may change, and the ridge.
    pub widths: bool,
    pub ridges: bool,
    /// Places that may be tried.
    pub most: usize,
}

/// A place with its score, of which the least is wanted, and what else is known of it.
pub(crate) struct Place<T> {
    pub at: Steps,
    pub score: f64,
    pub found: T,
}

impl Walk {
    /// Goes on to a better neighbour as long as there is one; opposite neighbours are judged side by side. `judge` has
    /// none for a place that cannot be.
    pub(crate) fn from<T: Send>(
        &self,
        start: Place<T>,
        stop: &(dyn Fn() -> bool + Sync),
        judge: impl Fn(Steps) -> Option<Place<T>> + Sync,
    ) -> (Place<T>, Vec<(Steps, f64)>) {
        let mut tried = HashSet::from([start.at]);
        let mut scores = vec![(start.at, start.score)];
        let (mut best, mut moved) = (start, true);
        while std::mem::take(&mut moved) {
            for pair in PAIRS {
                let next = pair.map(|step| (best.at.0 + step.0, best.at.1 + step.1));
                let room = self.most.saturating_sub(tried.len());
                let allowed = (pair[0].0 == 0 || self.widths) && (pair[0].1 == 0 || self.ridges);
                let next: Vec<Steps> =
                    next.into_iter().filter(|at| allowed && !tried.contains(at)).take(room).collect();
                if stop() {
                    return (best, scores);
                }
                tried.extend(&next);
                let found: Vec<Option<Place<T>>> = next.into_par_iter().map(&judge).collect();
                for place in found.into_iter().flatten() {
                    scores.push((place.at, place.score));
                    if place.score < (1.0 - BETTER) * best.score {
                        (best, moved) = (place, true);
                    }
                }
            }
        }
        (best, scores)
    }
}

/// The kernel and the ridge so many steps from others; none where there is no width, or the ridge is too small.
pub(crate) fn stepped(kernel: &Kernel, ridge: f64, at: Steps) -> Option<(Kernel, f64)> {
    let ridge = ridge * 10f64.powf(f64::from(at.1) / 2.0);
    let factor = 2f64.powf(f64::from(at.0) / 2.0);
    let kernel = if at.0 == 0 { kernel.clone() } else { scaled(kernel, factor)? };
    (ridge > LEAST_RIDGE).then_some((kernel, ridge))
}

/// A kernel whose widths are multiplied by a factor.
pub(crate) fn scaled(kernel: &Kernel, factor: f64) -> Option<Kernel> {
    match kernel.width()? {
        Width::Shared(width) => Some(kernel.with_width(width * factor)),
        Width::PerFeature(widths) => {
            Some(kernel.with_width(widths.iter().map(|w| w * factor).collect::<Vec<f64>>()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bowl whose lowest place is some steps away.
    fn bowl(lowest: Steps) -> impl Fn(Steps) -> Option<Place<()>> + Sync {
        move |at| {
            let away = |a: i32, b: i32| f64::from((a - b).pow(2));
            let score = 1.0 + away(at.0, lowest.0) + away(at.1, lowest.1);
            Some(Place { at, score, found: () })
        }
    }

    fn end(walk: &Walk, lowest: Steps) -> (Steps, usize) {
        let judge = bowl(lowest);
        let (best, scores) = walk.from(judge((0, 0)).unwrap(), &|| false, judge);
        (best.at, scores.len())
    }

    #[test]
    fn a_walk_ends_in_the_lowest_place_it_may_go_to() {
        let free = Walk { widths: true, ridges: true, most: 100 };
        for lowest in [(0, 0), (2, -1), (-3, 3), (4, 4)] {
            assert_eq!(end(&free, lowest).0, lowest);
        }
        assert_eq!(end(&Walk { ridges: false, ..free }, (2, -1)).0, (2, 0));
        let (_, tried) = end(&Walk { most: 5, widths: true, ridges: true }, (9, 9));
        assert_eq!(tried, 5);
    }

    #[test]
    fn no_place_is_judged_twice_and_a_stop_is_heard() {
        let walk = Walk { widths: true, ridges: true, most: 100 };
        let judge = bowl((3, -2));
        let (_, scores) = walk.from(judge((0, 0)).unwrap(), &|| false, &judge);
        let distinct: HashSet<Steps> = scores.iter().map(|(at, _)| *at).collect();
        assert_eq!(distinct.len(), scores.len());
        let (best, scores) = walk.from(judge((0, 0)).unwrap(), &|| true, &judge);
        assert_eq!((best.at, scores.len()), ((0, 0), 1));
    }
}
