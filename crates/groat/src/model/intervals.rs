//! Intervals around predicted numbers that hold what will be observed with a given probability.

use super::{Model, Task};
use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, Points, Rows};
use std::collections::BTreeSet;

/// At most about so many errors are kept evenly, and as many again towards the largest.
const KEPT: usize = 256;

/// Absolute errors of predictions of rows that the model was not made from, of which an interval of any coverage follows.
///
/// With `n` such errors in ascending order, `p ± e_k` with `k = ceil((n + 1) coverage)` holds a new row that was drawn
/// like these with at least that probability, whatever the distribution is (split conformal prediction; Lei, G'Sell,
/// Rinaldo, Tibshirani and Wasserman 2018, section 2.2). Where the errors come from parts that were left out in turn, the
/// predictions of the whole model are a little better than those that were measured, and the statement holds nearly.
///
/// The width is the same everywhere: it says nothing of where the errors are larger. Of many errors a part is kept; the
/// next larger one that was kept then stands for one that was not, so that coverage is never lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// The places, from 1, of the kept errors in the ascending order of all; the last is their number.
    ranks: Vec<usize>,
    /// One row per output: its errors at these places.
    errors: Matrix,
}

impl Intervals {
    /// From predictions of rows that were kept apart, and what they truly were; one column per output.
    pub fn of(predictions: Rows<'_>, truth: Rows<'_>) -> Result<Self> {
        check_len("rows of the predictions", truth.rows(), predictions.rows())?;
        check_len("outputs of the predictions", truth.cols(), predictions.cols())?;
        let ranks = kept_ranks(truth.rows());
        let mut errors = Matrix::zeros(truth.cols(), ranks.len());
        for output in 0..truth.cols() {
            let pairs = predictions.iter().zip(truth.iter());
            let mut all: Vec<f64> = pairs.map(|(p, y)| (p[output] - y[output]).abs()).collect();
            all.sort_unstable_by(f64::total_cmp);
            errors.row_mut(output).iter_mut().zip(&ranks).for_each(|(error, rank)| *error = all[rank - 1]);
        }
        Self::from_parts(ranks, errors)
    }

    /// The places of the kept errors, and the errors.
    pub(super) fn parts(&self) -> (&[usize], &Matrix) {
        (&self.ranks, &self.errors)
    }

    /// From what [`parts`](Self::parts) gave. Nothing is believed of the numbers.
    pub(super) fn from_parts(ranks: Vec<usize>, errors: Matrix) -> Result<Self> {
        if ranks.is_empty() || errors.rows() == 0 {
            return Err(Error::TooFew { what: "an interval", unit: "errors", needed: 1, found: 0 });
        }
        check_len("errors of the intervals, one per place", ranks.len(), errors.cols())?;
        if ranks[0] == 0 || ranks.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Error::parameter("places of the intervals", ranks[0], "ascending numbers from 1"));
        }
        if let Some(bad) = errors.data().iter().find(|error| !error.is_finite() || **error < 0.0) {
            return Err(Error::parameter("an error of the intervals", bad, "a finite number, 0 or above"));
        }
        if let Some(row) = errors.view().iter().find(|row| row.windows(2).any(|pair| pair[0] > pair[1])) {
            return Err(Error::parameter("errors of the intervals", row[0], "ascending numbers"));
        }
        Ok(Self { ranks, errors })
    }

    /// An error unless these belong to predicted numbers, and to so many of them.
    pub(super) fn check_for(&self, task: &Task, outputs: usize) -> Result<()> {
        check_len("outputs of the intervals", outputs, self.errors.rows())?;
        match task {
            Task::Regression { .. } => Ok(()),
            other => Err(Error::parameter("intervals", other.name(), "a model that predicts numbers")),
        }
    }

    /// How many errors they come from.
    pub fn count(&self) -> usize {
        self.ranks.last().copied().unwrap_or(0)
    }

    /// How far on both sides of a prediction an interval of this coverage reaches, for each output. An error when the
    /// coverage is not between 0 and 1, or larger than these errors can speak for.
    pub fn half_widths(&self, coverage: f64) -> Result<Vec<f64>> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(Error::parameter("coverage", coverage, "a number above 0 and below 1"));
        }
        let rank = rank(self.count(), coverage);
        let at = self.ranks.partition_point(|kept| *kept < rank);
        if at == self.ranks.len() {
            // n / (n + 1) is the most that n errors can speak for.
            let needed = (coverage / (1.0 - coverage) * (1.0 - ROUNDING)).ceil() as usize;
            let what = "an interval of this coverage";
            return Err(Error::TooFew { what, unit: "held-out rows", needed, found: self.count() });
        }
        Ok(self.errors.view().iter().map(|errors| errors[at]).collect())
    }
}

/// What is forgiven of a product that should be a whole number.
const ROUNDING: f64 = 1e-12;

/// `ceil((n + 1) coverage)`, the place of the error that an interval reaches to.
fn rank(count: usize, coverage: f64) -> usize {
    ((count as f64 + 1.0) * coverage * (1.0 - ROUNDING)).ceil().max(1.0) as usize
}

/// The places that are kept among so many: all of few, else some evenly and more towards the largest.
fn kept_ranks(count: usize) -> Vec<usize> {
    if count <= 2 * KEPT {
        return (1..=count).collect();
    }
    let n = count as f64;
    let part = |j: usize| j as f64 / KEPT as f64;
    let even = (1..=KEPT).map(|j| (n * part(j)).ceil() as usize);
    let crowded = (0..KEPT).map(|j| count - (n.powf(part(j)).floor() as usize - 1));
    even.chain(crowded).map(|rank| rank.clamp(1, count)).collect::<BTreeSet<usize>>().into_iter().collect()
}

impl Model {
    /// Remembers how far off predictions of rows were that the model was not made from.
    pub fn with_intervals(mut self, intervals: Option<Intervals>) -> Result<Self> {
        if let Some(intervals) = &intervals {
            intervals.check_for(&self.task, self.outputs())?;
        }
        self.intervals = intervals;
        Ok(self)
    }

    /// How far off predictions of other rows were, where that is known.
    pub fn intervals(&self) -> Option<&Intervals> {
        self.intervals.as_ref()
    }

    /// Lower and upper ends of an interval for every row and output that holds what will be observed with the
    /// probability `coverage`. An error for a model without [`Intervals`].
    pub fn interval<'x>(&self, x: impl Into<Points<'x>>, coverage: f64) -> Result<(Matrix, Matrix)> {
        self.interval_of(self.values(x)?.view(), coverage)
    }

    /// [`interval`](Self::interval) of rows whose [`values`](Self::values) are known.
    pub fn interval_of(&self, values: Rows<'_>, coverage: f64) -> Result<(Matrix, Matrix)> {
        check_len("values per row", self.outputs(), values.cols())?;
        let Some(intervals) = &self.intervals else {
            return Err(Error::parameter("model", self.task.name(), "one with prediction intervals"));
        };
        let half = intervals.half_widths(coverage)?;
        let (mut lower, mut upper) = (values.to_matrix(), values.to_matrix());
        for row in 0..values.rows() {
            lower.row_mut(row).iter_mut().zip(&half).for_each(|(end, half)| *end -= half);
            upper.row_mut(row).iter_mut().zip(&half).for_each(|(end, half)| *end += half);
        }
        Ok((lower, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// From errors of one output.
    fn of(errors: &[f64]) -> Intervals {
        Intervals::of(Matrix::column(errors.to_vec()).view(), Matrix::zeros(errors.len(), 1).view()).unwrap()
    }

    proptest! {
        /// Any one of n + 1 different errors is as likely the new one: the others' interval must hold it in a share of
        /// the cases that is at least the coverage, and above it by less than one case.
        #[test]
        fn each_of_the_errors_may_be_the_new_one(
            seeds in proptest::collection::btree_set(1u32..1_000_000, 5..60),
            coverage in 0.05f64..0.8,
        ) {
            let all: Vec<f64> = seeds.into_iter().map(f64::from).collect();
            let mut inside = 0;
            for new in 0..all.len() {
                let others: Vec<f64> = (0..all.len()).filter(|i| *i != new).map(|i| all[i]).collect();
                inside += usize::from(all[new] <= of(&others).half_widths(coverage).unwrap()[0]);
            }
            let share = inside as f64 / all.len() as f64;
            prop_assert!(share >= coverage - 1e-9, "{share} of {coverage}");
            prop_assert!(share < coverage + 1.0 / all.len() as f64, "{share} of {coverage}");
        }

        #[test]
        fn what_is_not_kept_costs_width_and_never_coverage(count in 513usize..200_000, coverage in 0.01f64..0.995) {
            let ranks = kept_ranks(count);
            prop_assert!(ranks.len() <= 2 * KEPT && ranks[ranks.len() - 1] == count);
            let exact = rank(count, coverage);
            let kept = ranks[ranks.partition_point(|kept| *kept < exact)];
            prop_assert!(kept >= exact && kept - exact <= count / KEPT + 1, "{exact} became {kept}");
            // In the tail a place is off by a small part of what is left above it.
            let above = count - exact;
            prop_assert!(above == 0 || (kept - exact) as f64 <= 1.0 + 0.06 * above as f64, "{exact} {kept}");
        }
    }

    #[test]
    fn the_place_is_the_smallest_that_covers() {
        let ten: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(of(&ten).half_widths(0.9).unwrap(), [9.0]);
        assert_eq!(of(&ten).half_widths(0.5).unwrap(), [5.0]);
        assert_eq!(of(&ten).half_widths(0.55).unwrap(), [6.0]);
        let hundred: Vec<f64> = (1..=99).map(f64::from).collect();
        assert_eq!([0.55, 0.57, 0.29].map(|c| of(&hundred).half_widths(c).unwrap()[0]), [55.0, 57.0, 29.0]);
    }

    #[test]
    fn nonsense_is_refused() {
        let some = of(&[3.0, 1.0, 2.0]);
        assert!(matches!(some.half_widths(0.9), Err(Error::TooFew { needed: 9, found: 3, .. })));
        for coverage in [0.0, 1.0, -0.5, f64::NAN] {
            assert!(some.half_widths(coverage).is_err());
        }
        assert!(Intervals::of(Matrix::zeros(0, 1).view(), Matrix::zeros(0, 1).view()).is_err());
        assert!(Intervals::of(Rows::one(&[f64::NAN]), Rows::one(&[0.0])).is_err());
        let row = |errors: &[f64]| Matrix::from_vec(errors.to_vec(), 1, errors.len()).unwrap();
        assert!(Intervals::from_parts(vec![1, 2], row(&[0.5, 1.0])).is_ok());
        assert!(Intervals::from_parts(vec![1, 2], row(&[0.5])).is_err());
        assert!(Intervals::from_parts(vec![2, 1], row(&[0.5, 1.0])).is_err());
        assert!(Intervals::from_parts(vec![0, 1], row(&[0.5, 1.0])).is_err());
        assert!(Intervals::from_parts(vec![1, 2], row(&[1.0, 0.5])).is_err());
        assert!(Intervals::from_parts(vec![1, 2], row(&[-1.0, 0.5])).is_err());
        assert!(some.check_for(&Task::Density, 1).is_err());
        assert!(some.check_for(&Task::regression(), 2).is_err());
    }
}
