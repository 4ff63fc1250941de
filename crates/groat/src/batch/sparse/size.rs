//! How many vectors: the wish, and the size that fulfils it.

use super::samples::Losses;
use std::fmt;

/// What is wanted of the size of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Size {
    /// The smallest model whose error is at most so much above that of the full machine, as a share of it.
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

impl Size {
    /// What is allowed above the full machine where nothing else is said.
    pub const TOLERANCE: f64 = 0.02;

    /// The number of terms, given the losses after 0, 1, 2, ... terms and those of the full machine, and whether the
    /// wish is fulfilled there.
    pub(super) fn choose(self, curve: &[Losses], full: &Losses, classes: bool) -> (usize, bool) {
        let errors = smoothed(curve, classes);
        let best = (0..errors.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
        // Without any term there is the mean alone, whose error is the deviation of the target.
        let floor = if classes { 0.0 } else { FLOOR * curve[0].error(false) };
        let limit = match self {
            Size::Best => return (best, true),
            Size::Within(share) => (full.error(classes) * (1.0 + share)).max(floor),
            Size::Smallest => errors[best] + standard_error(errors[best], curve[best].weight, classes),
        };
        // A rate that is counted on few rows is reached by luck; the mean square error, which varies less, must be near too.
        let share = if let Size::Within(share) = self { share } else { Self::TOLERANCE };
        let near = full.mean_squared() * (1.0 + NEAR * share).powi(2);
        let sound = |m: usize| !classes || curve[m].mean_squared() <= near || matches!(self, Size::Smallest);
        match (0..errors.len()).find(|&m| errors[m] <= limit && sound(m)) {
            Some(size) => (size, true),
            None => (best, false),
        }
    }
}

/// An error of this share of the target's deviation is small enough: a function without noise could be followed for ever.
const FLOOR: f64 = 0.005;

/// How many times the tolerance the root mean square error of class codes may lie above that of the full machine.
const NEAR: f64 = 2.0;

/// Sizes over which an error rate is averaged, as a share of the size: counts of wrong rows jump up and down, and the
/// first dip is luck.
const WINDOW: f64 = 0.2;

fn smoothed(curve: &[Losses], classes: bool) -> Vec<f64> {
    let errors: Vec<f64> = curve.iter().map(|losses| losses.error(classes)).collect();
    if !classes {
        return errors;
    }
    let mean = |m: usize| {
        let reach = (m as f64 * WINDOW) as usize;
        let window = &errors[m - reach..(m + reach + 1).min(errors.len())];
        window.iter().sum::<f64>() / window.len() as f64
    };
    (0..errors.len()).map(mean).collect()
}

/// Of a rate, or of the root of a mean of about normal squares.
fn standard_error(error: f64, rows: f64, classes: bool) -> f64 {
    if classes { (error * (1.0 - error) / rows).max(0.0).sqrt() } else { error / (2.0 * rows).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(errors: &[f64]) -> Vec<Losses> {
        errors.iter().map(|e| Losses { squares: 200.0 * e * e, wrong: 200.0 * e, weight: 200.0 }).collect()
    }

    #[test]
    fn sizes_follow_the_wish() {
        let curve = curve(&[1.0, 0.6, 0.45, 0.42, 0.405, 0.399, 0.4, 0.41]);
        let full = Losses { squares: 200.0 * 0.16, wrong: 80.0, weight: 200.0 };
        assert_eq!(Size::Within(0.02).choose(&curve, &full, false), (4, true));
        assert_eq!(Size::Within(0.1).choose(&curve, &full, false), (3, true));
        assert_eq!(Size::Best.choose(&curve, &full, false), (5, true));
        // The standard error of 0.399 from 200 rows is 0.02.
        assert_eq!(Size::Smallest.choose(&curve, &full, false), (4, true));
        let better = Losses { squares: 200.0 * 0.09, wrong: 60.0, weight: 200.0 };
        assert_eq!(Size::Within(0.02).choose(&curve, &better, false), (5, false));
    }

    #[test]
    fn a_lucky_dip_of_an_error_rate_is_no_reason_to_stop() {
        let mut errors: Vec<f64> = (0..60).map(|m| 0.5 - 0.005 * f64::from(m)).collect();
        errors[20] = 0.22;
        let full = Losses { squares: 200.0 * 0.25, wrong: 50.0, weight: 200.0 };
        let (size, reached) = Size::Within(0.02).choose(&curve(&errors), &full, true);
        assert!(size > 45 && reached, "{size}");
        // Nor is a rate that is right while the answers themselves are far off.
        let sure = Losses { squares: 200.0 * 0.01, ..full };
        assert!(!Size::Within(0.02).choose(&curve(&errors), &sure, true).1);
    }
}
