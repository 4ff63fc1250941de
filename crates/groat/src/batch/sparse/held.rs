//! Answers to rows that were held out from what answers them, and how two models compare on the same of them.

use super::climb::Part;
use super::samples::{Losses, Samples};
use crate::matrix::Matrix;

/// Answers to the held-out rows of every part, and what each of them costs.
pub(super) struct Held {
    pub answers: Vec<Matrix>,
    rows: Vec<Vec<Losses>>,
}

impl Held {
    pub(super) fn new(samples: &Samples<'_>, parts: &[Part], answers: Vec<Matrix>) -> Self {
        let of = |(part, answers): (&Part, &Matrix)| {
            part.held.iter().enumerate().map(|(k, &row)| samples.loss(row, answers.row(k))).collect()
        };
        Self { rows: parts.iter().zip(&answers).map(of).collect(), answers }
    }

    /// The losses on all parts, or on all but one.
    pub(super) fn total(&self, without: Option<usize>) -> Losses {
        let mut total = Losses::default();
        self.parts(without).for_each(|losses| total.add(losses));
        total
    }

    /// How much more these answers cost than others to the same rows, of all parts or of all but one.
    pub(super) fn excess(&self, other: &Held, without: Option<usize>, classes: bool) -> Excess {
        let cost = |losses: &Losses| if classes { losses.wrong } else { losses.squares };
        let mut excess = Excess::default();
        for (own, others) in self.parts(without).zip(other.parts(without)) {
            excess.add(cost(own) - cost(others));
        }
        excess
    }

    fn parts(&self, without: Option<usize>) -> impl Iterator<Item = &Losses> {
        self.rows.iter().enumerate().filter(move |(k, _)| Some(*k) != without).flat_map(|(_, rows)| rows)
    }
}

/// Differences of the losses of two models, row by row. What both find hard is in both, so that their mean is known much
/// better than the mean loss of either.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Excess {
    sum: f64,
    squares: f64,
    rows: f64,
}

impl Excess {
    fn add(&mut self, difference: f64) {
        self.sum += difference;
        self.squares += difference * difference;
        self.rows += 1.0;
    }

    /// Whether the mean difference is no larger than so many times its standard error: more rows might show none.
    pub(super) fn within(&self, times: f64) -> bool {
        let rows = self.rows.max(1.0);
        let mean = self.sum / rows;
        let variance = (self.squares / rows - mean * mean).max(0.0);
        mean <= times * (variance / rows).sqrt()
    }
}

#[cfg(test)]
impl Excess {
    /// One that more rows would not undo.
    pub(super) fn certain() -> Self {
        Self { sum: 100.0, squares: 100.0, rows: 100.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excess(differences: &[f64]) -> Excess {
        let mut excess = Excess::default();
        differences.iter().for_each(|d| excess.add(*d));
        excess
    }

    #[test]
    fn a_difference_is_in_doubt_where_its_standard_error_is_larger() {
        // Of 100 rows 3 are now wrong and 2 right: 0.01 above, and as many as 5 differ.
        let mut mixed = vec![0.0; 95];
        mixed.extend([1.0, 1.0, 1.0, -1.0, -1.0]);
        assert!(excess(&mixed).within(1.0));
        // The standard error of 5 more among 100 is 0.0218.
        let mut worse = vec![0.0; 95];
        worse.extend([1.0; 5]);
        assert!(!excess(&worse).within(2.2) && excess(&worse).within(2.4));
        // A constant difference is certain, however small; one downwards is none to care about.
        assert!(!excess(&[1e-6; 50]).within(1.0));
        assert!(excess(&[-1.0; 50]).within(1.0));
    }
}
