//! How many vectors: the wish, and the size that fulfils it.

use super::held::Excess;
use super::samples::Losses;
use std::fmt;

/// A size that was tried: its losses on held-out rows, and how they differ from those of the full machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    pub size: usize,
    pub losses: Losses,
    pub excess: Excess,
}

/// What is wanted of the size of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Size {
    /// The smallest model whose error is at most so much above that of the full machine, as a share of it; or a few
    /// times as much where the difference on the same rows is within its standard error.
    Within(f64),
    /// The smallest whose error is within one standard error of the best of all sizes.
    Smallest,
    /// The one with the least error.
    Best,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Within(share) => write!(f, "within {} % of the full machine", 100.0 * share),
            Size::Smallest => f.write_str("the smallest within one standard error of the best"),
            Size::Best => f.write_str("the least error"),
        }
    }
}

/// An error of this share of the target's deviation is small enough: a function without noise could be followed for ever.
const FLOOR: f64 = 0.005;

/// How many times the tolerance an error may lie above that of the full machine where the rows cannot tell whether it does:
/// of a small model, and of a large one.
const NEAR: [f64; 2] = [2.5, 5.0];

/// How many standard errors a difference may be for that: what costs many vectors more must be clear.
const DOUBTFUL: [f64; 2] = [1.0, 2.0];

/// How many times the smoothed error rate may in any case, which sees margins too and so varies less.
const SMOOTHED: [f64; 2] = [2.0, 10.0];

/// Vectors of a large model, from which on more of them must pay clearly.
const LARGE: usize = 100;

/// Doublings without a better model after which the best of all sizes is known.
const TURNED: usize = 2;

impl Size {
    /// What is allowed above the full machine where nothing else is said.
    pub const TOLERANCE: f64 = 0.02;

    /// Of sizes in ascending order, from 0 on: the place of the one to keep, given the losses of the full machine, and
    /// whether the wish is fulfilled there.
    pub(super) fn choose(self, curve: &[Tried], full: &Losses, classes: bool) -> (usize, bool) {
        let errors: Vec<f64> = curve.iter().map(|tried| tried.losses.error(classes)).collect();
        let best = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
        let enough = |at: usize| match self {
            Size::Best => at == best,
            Size::Within(share) => {
                // Without any term there is the mean alone, whose error is the deviation of the target.
                let floor = FLOOR * errors[0];
                let limit = |times: f64| full.error(classes) * (1.0 + times * share);
                // A rate knows no less than one row.
                let floor = if classes { limit(1.0) + 1.0 / full.weight } else { floor };
                let within = |times: f64| errors[at] <= limit(times).max(floor);
                let large = usize::from(curve[at].size >= LARGE);
                let sound = full.doubt * (1.0 + SMOOTHED[large] * share);
                let near = !classes || curve[at].losses.doubt <= sound;
                near && (within(1.0) || (within(NEAR[large]) && curve[at].excess.within(DOUBTFUL[large])))
            }
            Size::Smallest => {
                let bar = standard_error(errors[best], curve[best].losses.weight, classes);
                errors[at] <= errors[best] + bar
            }
        };
        match (0..errors.len()).find(|&at| enough(at)) {
            Some(at) => (at, true),
            None => (best, false),
        }
    }

    /// The size to try next, if any: twice the largest until the wish is fulfilled (or the curve has turned, where the
    /// best is to be known), then one between the smallest that is enough and the one below it, until they are close.
    pub(super) fn next(self, curve: &[Tried], full: &Losses, classes: bool, close: f64) -> Option<usize> {
        let (at, reached) = self.choose(curve, full, classes);
        let largest = curve.last()?.size;
        let errors: Vec<f64> = curve.iter().map(|tried| tried.losses.error(classes)).collect();
        let best = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]))?;
        // A curve that has turned far above the full machine will turn again: a line is followed by a few kernels, which do
        // worse than it at first.
        let there = errors[best] <= full.error(classes) * (1.0 + Self::TOLERANCE);
        let settled = matches!(self, Size::Within(_)) || (there && best + TURNED < curve.len());
        if !reached || !settled {
            return Some(2 * largest);
        }
        if self == Size::Best || at == 0 {
            return None;
        }
        let (below, enough) = (curve[at - 1].size, curve[at].size);
        let between = if below == 0 { enough / 2 } else { ((below * enough) as f64).sqrt().round() as usize };
        let apart = enough as f64 > close * below as f64 && between > below && between < enough;
        apart.then_some(between)
    }
}

/// The standard error of a root mean square error, or of a rate, from so many rows.
fn standard_error(error: f64, rows: f64, classes: bool) -> f64 {
    if classes { (error * (1.0 - error) / rows).sqrt() } else { error / (2.0 * rows).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model with that error on 200 rows, all of them off alike.
    fn at(size: usize, error: f64) -> Tried {
        let losses = Losses {
            squares: 200.0 * error * error,
            wrong: 200.0 * error,
            doubt: 200.0 * error,
            weight: 200.0,
        };
        Tried { size, losses, excess: Excess::certain() }
    }

    fn curve(errors: &[f64]) -> Vec<Tried> {
        errors.iter().enumerate().map(|(size, error)| at(size, *error)).collect()
    }

    #[test]
    fn the_smallest_size_that_fulfils_the_wish() {
        let curve = curve(&[1.0, 0.6, 0.5, 0.42, 0.405, 0.399, 0.4]);
        let full = at(200, 0.4).losses;
        assert_eq!(Size::Within(0.02).choose(&curve, &full, false), (4, true));
        assert_eq!(Size::Within(0.1).choose(&curve, &full, false), (3, true));
        assert_eq!(Size::Best.choose(&curve, &full, false), (5, true));
        // The standard error of 0.399 from 200 rows is 0.02.
        assert_eq!(Size::Smallest.choose(&curve, &full, false), (4, true));
        assert_eq!(Size::Within(0.02).choose(&curve, &at(200, 0.3).losses, false), (5, false));
    }

    #[test]
    fn a_difference_that_the_rows_cannot_tell_is_none() {
        let mut curve = curve(&[1.0, 0.6, 0.5, 0.435, 0.418, 0.405]);
        let full = at(200, 0.4).losses;
        curve.iter_mut().for_each(|tried| tried.excess = Excess::default());
        assert_eq!(Size::Within(0.02).choose(&curve, &full, false), (4, true));
        // Margins tell more than rates do.
        assert_eq!(Size::Within(0.02).choose(&curve, &full, true), (5, true));
        // The larger a model is, the more clearly must more vectors pay.
        curve.iter_mut().for_each(|tried| tried.size += 200);
        assert_eq!(Size::Within(0.02).choose(&curve, &full, false), (3, true));
        // But a stated tolerance of none is none.
        assert_eq!(Size::Within(0.0).choose(&curve, &full, false), (5, false));
    }

    #[test]
    fn a_rate_that_is_right_while_the_answers_are_far_off_is_luck() {
        let curve = curve(&[0.5, 0.4, 0.3, 0.25, 0.2]);
        let sure = Losses { squares: 200.0 * 0.01, wrong: 50.0, doubt: 20.0, weight: 200.0 };
        assert!(!Size::Within(0.02).choose(&curve, &sure, true).1);
    }

    #[test]
    fn the_best_size_is_not_known_far_above_the_full_machine() {
        let curve = vec![at(0, 1.0), at(1, 0.6), at(4, 0.8), at(8, 0.7)];
        for wish in [Size::Best, Size::Smallest] {
            assert_eq!(wish.next(&curve, &at(200, 0.4).losses, false, 1.2), Some(16));
        }
        assert_eq!(Size::Best.next(&curve, &at(200, 0.595).losses, false, 1.2), None);
    }

    /// The error falls as one over the root of the size.
    #[test]
    fn sizes_double_and_then_close_in() {
        for wish in [3usize, 17, 64, 100, 333] {
            let at = |size: usize| at(size, 1.0 / (size as f64 + 0.1).sqrt());
            let full = at(wish).losses;
            let mut tried = vec![at(0), at(4)];
            while let Some(next) = Size::Within(1e-9).next(&tried, &full, false, 1.2) {
                assert!(tried.iter().all(|tried| tried.size != next));
                tried.push(at(next));
                tried.sort_by_key(|tried| tried.size);
            }
            let (place, reached) = Size::Within(1e-9).choose(&tried, &full, false);
            let size = tried[place].size;
            assert!(reached && size >= wish && size as f64 <= 1.2 * wish as f64 + 1.0, "{wish}: {size}");
        }
    }
}
