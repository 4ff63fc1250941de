//! A window of numbers that shrinks when their mean has changed: ADWIN2 (Bifet, Gavalda, Learning from time-changing data
//! with adaptive windowing, 2007, figure 2 and theorem 3.1), `O(log n)` memory and `O(log n)` time a check.
//!
//! The window is kept as buckets of `2^i` numbers, at most [`ROOM`] of each size, of which only sums and squared
//! deviations are known. At every [`CLOCK`]-th number all cuts between buckets are tried, oldest first; where the means
//! of both sides differ by more than the bound of the theorem, in the form with the window's variance, the oldest bucket is
//! dropped and the search begins anew. Settings and order are those of river's `drift.ADWIN`, whose alarms it repeats
//! (`reference/adwin`).

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Buckets of one size; one more makes the oldest two into one of the next size.
const ROOM: usize = 5;
/// Numbers between two searches for a cut.
const CLOCK: u64 = 32;
/// No search in a window of at most so many numbers.
const GRACE: f64 = 10.0;
/// Least numbers on either side of a cut.
const SIDE: f64 = 5.0;
/// The share of false alarms that the bound allows.
const DELTA: f64 = 0.002;

/// Sum and squared deviations from the mean of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Bucket {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Bucket {
    /// Both together.
    fn with(self, other: Bucket) -> Bucket {
        let between = self.between(other);
        Bucket {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares + between,
        }
    }

    /// What is left of this when `part` of it is taken away.
    fn without(self, part: Bucket) -> Bucket {
        let rest = Bucket { count: self.count - part.count, sum: self.sum - part.sum, squares: 0.0 };
        Bucket { squares: (self.squares - part.squares - rest.between(part)).max(0.0), ..rest }
    }

    /// Squared deviations that come from the difference of the means.
    fn between(self, other: Bucket) -> f64 {
        if self.count == 0.0 || other.count == 0.0 {
            return 0.0;
        }
        let apart = self.mean() - other.mean();
        self.count * other.count * apart * apart / (self.count + other.count)
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }
}

/// A window of numbers that shrinks when their mean has changed: ADWIN2, as it watches the errors of a
/// [`Session`](super::Session).
///
/// ```
/// use groat::online::AdaptiveWindow;
/// let mut window = AdaptiveWindow::default();
/// let alarms = (0..400).filter(|i| window.push(if *i < 200 { 0.0 } else { 1.0 })).count();
/// assert!(alarms > 0 && window.width() < 300);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveWindow {
    /// Buckets by size, each list with the oldest first.
    sizes: Vec<Vec<Bucket>>,
    whole: Bucket,
    ticks: u64,
}

impl AdaptiveWindow {
    /// Numbers in the window.
    pub fn width(&self) -> u64 {
        self.whole.count as u64
    }

    /// Their mean; 0 for an empty window.
    pub fn mean(&self) -> f64 {
        if self.whole.count > 0.0 { self.whole.mean() } else { 0.0 }
    }

    /// Takes in a number; true when the mean has changed and the window has shrunk.
    pub fn push(&mut self, value: f64) -> bool {
        let one = Bucket { count: 1.0, sum: value, squares: 0.0 };
        self.whole = self.whole.with(one);
        self.insert(0, one);
        self.ticks += 1;
        if !self.ticks.is_multiple_of(CLOCK) || self.whole.count <= GRACE {
            return false;
        }
        let mut changed = false;
        while self.has_cut() {
            self.drop_oldest();
            changed = true;
        }
        changed
    }

    fn insert(&mut self, size: usize, bucket: Bucket) {
        if self.sizes.len() == size {
            self.sizes.push(Vec::new());
        }
        self.sizes[size].push(bucket);
        if self.sizes[size].len() > ROOM {
            let (first, second) = (self.sizes[size].remove(0), self.sizes[size].remove(0));
            self.insert(size + 1, first.with(second));
        }
    }

    /// True when the means of two sides of some cut differ too much.
    fn has_cut(&self) -> bool {
        let mut older = Bucket::default();
        let buckets = self.sizes.iter().rev().flatten();
        buckets.into_iter().any(|bucket| {
            older.count += bucket.count;
            older.sum += bucket.sum;
            let newer = Bucket {
                count: self.whole.count - older.count,
                sum: self.whole.sum - older.sum,
                squares: 0.0,
            };
            older.count >= SIDE && newer.count >= SIDE && self.differ(older, newer)
        })
    }

    /// The test of theorem 3.1 with the variance of the window.
    fn differ(&self, older: Bucket, newer: Bucket) -> bool {
        let confidence = (2.0 * self.whole.count.ln() / DELTA).ln();
        let sizes = 1.0 / (older.count - SIDE + 1.0) + 1.0 / (newer.count - SIDE + 1.0);
        let variance = self.whole.squares / self.whole.count;
        let bound = (2.0 * sizes * variance * confidence).sqrt() + 2.0 / 3.0 * confidence * sizes;
        (older.mean() - newer.mean()).abs() > bound
    }

    fn drop_oldest(&mut self) {
        let Some(largest) = self.sizes.last_mut() else { return };
        let oldest = largest.remove(0);
        self.whole = self.whole.without(oldest);
        while self.sizes.last().is_some_and(Vec::is_empty) {
            self.sizes.pop();
        }
    }

    /// Fails unless a window read from a file is sound.
    pub fn check(&self) -> Result<()> {
        let sound = |bucket: &Bucket| {
            bucket.count.is_finite()
                && bucket.sum.is_finite()
                && bucket.squares.is_finite()
                && bucket.count >= 0.0
        };
        let all = self.sizes.iter().flatten().all(sound) && sound(&self.whole);
        if all && self.sizes.len() < 64 && self.sizes.iter().all(|size| size.len() <= ROOM) {
            return Ok(());
        }
        Err(Error::parse("saved session", "adaptive window", "its numbers are not sound"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The recorded alarms of river's ADWIN, with the widths that its windows then had.
    #[derive(Deserialize)]
    struct Sequence {
        name: String,
        width: f64,
        alarms: Vec<u64>,
        widths: Vec<f64>,
        last: f64,
    }

    /// The levels of `reference/adwin/make.py`.
    fn level(name: &str, i: u64) -> f64 {
        match name {
            "abrupt" if i < 1000 => 0.2,
            "abrupt" if i < 2200 => 0.5,
            "abrupt" => 0.3,
            "slow" => 0.2 + 0.4 * i as f64 / 4000.0,
            "small" if i < 1500 => 0.2,
            "small" => 0.24,
            _ => 0.5,
        }
    }

    #[test]
    fn alarms_are_those_of_river() {
        let text = include_str!("../../../../../reference/adwin/adwin.json");
        let recorded: serde_json::Value = serde_json::from_str(text).unwrap();
        let sequences: Vec<Sequence> = serde_json::from_value(recorded["sequences"].clone()).unwrap();
        for sequence in sequences {
            let mut window = AdaptiveWindow::default();
            let (mut alarms, mut widths) = (Vec::new(), Vec::new());
            for i in 0..4000 {
                let draw = (i * 7919 % 1009) as f64 / 1009.0;
                if window.push(level(&sequence.name, i) + sequence.width * (draw - 0.5)) {
                    alarms.push(i + 1);
                    widths.push(window.whole.count);
                    // River's detector starts with an empty window after an alarm; the paper's goes on.
                    window = AdaptiveWindow::default();
                }
            }
            assert_eq!((alarms, widths), (sequence.alarms, sequence.widths), "{}", sequence.name);
            assert_eq!(window.whole.count, sequence.last, "{}", sequence.name);
        }
    }

    proptest! {
        /// Sums and squared deviations of the window are those of the numbers in it.
        #[test]
        fn buckets_hold_what_they_say(values in proptest::collection::vec(0.0_f64..1.0, 1..400), jump in 0.0_f64..2.0) {
            let mut window = AdaptiveWindow::default();
            let values: Vec<f64> = values.iter().enumerate().map(|(i, v)| if i < 200 { *v } else { v + jump }).collect();
            for value in &values {
                window.push(*value);
            }
            let kept = &values[values.len() - window.width() as usize..];
            let mean = kept.iter().sum::<f64>() / kept.len() as f64;
            let squares: f64 = kept.iter().map(|v| (v - mean) * (v - mean)).sum();
            prop_assert!((window.mean() - mean).abs() < 1e-9);
            prop_assert!((window.whole.squares - squares).abs() < 1e-6 * (1.0 + squares));
        }
    }
}
