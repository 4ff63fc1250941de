//! Where a search looks.

use crate::error::{Error, Result, check_positive};
use std::ops::RangeInclusive;

/// How a setting is found.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// From a grid made for the data, widened while the best value lies at its end.
    Auto,
    /// As given elsewhere in the parameters; nothing is tried.
    Fixed,
    /// From these values.
    Grid(Vec<f64>),
}

impl Search {
    /// An error for a grid that is empty or holds a value that is not above 0.
    pub(crate) fn check(&self, name: &'static str) -> Result<()> {
        match self {
            Search::Grid(values) if values.is_empty() => {
                Err(Error::parameter(name, "an empty grid", "at least one value"))
            }
            Search::Grid(values) => values.iter().try_for_each(|v| check_positive(name, *v)),
            Search::Auto | Search::Fixed => Ok(()),
        }
    }
}

/// Values around a centre, each the root of two times the one below: rung `k` is `centre 2^(k/2)`.
#[derive(Clone, Debug)]
pub(crate) struct Ladder {
    centre: f64,
    /// Rungs that are tried first.
    first: RangeInclusive<i32>,
    /// How far it may be widened at either end.
    last: RangeInclusive<i32>,
}

impl Ladder {
    pub fn new(centre: f64, first: RangeInclusive<i32>, last: RangeInclusive<i32>) -> Self {
        Self { centre, first, last }
    }

    /// The value of a rung.
    pub fn at(&self, rung: i32) -> f64 {
        self.centre * 2f64.powf(f64::from(rung) / 2.0)
    }

    /// The values that are tried first.
    pub fn values(&self) -> Vec<f64> {
        self.first.clone().map(|rung| self.at(rung)).collect()
    }

    /// One more rung, where the best value stands at an end that may be widened.
    pub fn widen(&mut self, is_best: impl Fn(f64) -> bool) -> Option<f64> {
        let (low, high) = (*self.first.start(), *self.first.end());
        let rung = if is_best(self.at(low)) && low > *self.last.start() {
            self.first = low - 1..=high;
            low - 1
        } else if is_best(self.at(high)) && high < *self.last.end() {
            self.first = low..=high + 1;
            high + 1
        } else {
            return None;
        };
        Some(self.at(rung))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_grows_where_the_best_stands() {
        let mut ladder = Ladder::new(3.0, 0..=2, -1..=4);
        assert_eq!(ladder.values(), [3.0, 3.0 * 2f64.sqrt(), 6.0]);
        assert_eq!(ladder.widen(|v| v == 4.0), None);
        assert_eq!(ladder.widen(|v| v == 6.0), Some(6.0 * 2f64.powf(0.5)));
        assert_eq!(ladder.widen(|v| v == 6.0), None, "no longer at the end");
        assert_eq!(ladder.widen(|v| v == 3.0), Some(3.0 * 2f64.powf(-0.5)));
        assert_eq!(ladder.widen(|v| v < 3.0), None, "as far as it goes");
    }
}
