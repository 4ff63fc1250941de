//! Mean and variance of every feature, in one reading of data that come in batches.

use super::standardise::Standardisation;
use crate::error::{Error, Result, check_len};
use crate::matrix::{CsrRows, Points, Rows};

/// A feature whose numbers are all smaller has squares that lose their digits or vanish.
const SMALLEST: f64 = 1e-145;

/// Mean and variance (divisor `n`) of each feature of the rows seen so far.
///
/// A batch is measured by the two-pass formula and then merged into those before it (Chan, Golub and LeVeque 1983,
/// eq. 2.1): with `n = a + b` rows and `delta` the difference of the two means,
///
/// ```text
/// mean = mean_a + delta b / n,   variance = (a variance_a + b variance_b) / n + delta^2 a b / n^2
/// ```
///
/// which loses no digits to cancellation, whatever the batches. A batch costs `O(n d)`, a sparse one its nonzeros and
/// `O(d)`.
///
/// ```
/// use groat::{Matrix, data::Moments};
/// let mut moments = Moments::new(1);
/// moments.push((&Matrix::column(vec![1.0, 2.0])).into())?;
/// moments.push((&Matrix::column(vec![6.0])).into())?;
/// assert_eq!((moments.rows(), moments.mean()), (3, &[3.0][..]));
/// assert!((moments.variance()[0] - 14.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    rows: usize,
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// The largest number of each feature, its sign apart.
    largest: Vec<f64>,
    /// Some rows came sparse.
    sparse: bool,
}

impl Moments {
    /// Of no rows yet.
    pub fn new(features: usize) -> Self {
        let zeros = || vec![0.0; features];
        Self { rows: 0, mean: zeros(), variance: zeros(), largest: zeros(), sparse: false }
    }

    /// Of these rows, all of whose numbers must be finite.
    pub fn of(x: Points<'_>) -> Result<Self> {
        Self::weighted(x, None)
    }

    /// Of these rows, of which a dense one with weight 2 counts like one that stands there twice. Sparse rows all count
    /// alike.
    pub(crate) fn weighted(x: Points<'_>, weights: Option<&[f64]>) -> Result<Self> {
        x.check_finite("features")?;
        let mut moments = Self { rows: x.rows(), ..Self::new(x.cols()) };
        match x {
            _ if x.is_empty() => {}
            Points::Dense(x) => moments.measure_dense(x, weights),
            Points::Sparse(x) => moments.measure_sparse(x),
        }
        Ok(moments)
    }

    fn measure_dense(&mut self, x: Rows<'_>, weights: Option<&[f64]>) {
        let weights = weights.filter(|weights| weights.iter().any(|weight| *weight > 0.0));
        // What each row is divided by: first, which keeps a sum of huge numbers finite.
        let n = weights.map_or(x.rows() as f64, |weights| weights.iter().sum());
        let divisor = |i: usize| weights.map_or(n, |weights| n / weights[i]);
        for (i, row) in x.iter().enumerate() {
            let n = divisor(i);
            self.mean.iter_mut().zip(row).for_each(|(mean, v)| *mean += v / n);
            self.largest.iter_mut().zip(row).for_each(|(most, v)| *most = most.max(v.abs()));
        }
        for (i, row) in x.iter().enumerate() {
            let n = divisor(i);
            for ((v, mean), variance) in row.iter().zip(&self.mean).zip(&mut self.variance) {
                *variance += (v - mean) * (v - mean) / n;
            }
        }
    }

    fn measure_sparse(&mut self, x: CsrRows<'_>) {
        self.sparse = true;
        let n = x.rows() as f64;
        let entries =
            || x.iter().flat_map(|(columns, values)| columns.iter().map(|c| *c as usize).zip(values));
        let mut stored = vec![0usize; x.cols()];
        for (j, v) in entries() {
            self.mean[j] += v / n;
            self.largest[j] = self.largest[j].max(v.abs());
            stored[j] += 1;
        }
        for (j, v) in entries() {
            self.variance[j] += (v - self.mean[j]) * (v - self.mean[j]) / n;
        }
        for ((variance, mean), stored) in self.variance.iter_mut().zip(&self.mean).zip(stored) {
            *variance += mean * mean * (n - stored as f64) / n;
        }
    }

    /// Takes a batch in.
    pub fn push(&mut self, x: Points<'_>) -> Result<()> {
        self.merge(&Self::of(x)?)
    }

    /// Takes in the moments of other rows.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        check_len("features", self.mean.len(), other.mean.len())?;
        if self.rows == 0 {
            self.clone_from(other);
            return Ok(());
        }
        let n = (self.rows + other.rows) as f64;
        let (ours, theirs) = (self.rows as f64 / n, other.rows as f64 / n);
        for j in 0..self.mean.len() {
            let delta = other.mean[j] - self.mean[j];
            self.mean[j] += delta * theirs;
            self.variance[j] =
                self.variance[j] * ours + other.variance[j] * theirs + delta * delta * ours * theirs;
            self.largest[j] = self.largest[j].max(other.largest[j]);
        }
        self.rows += other.rows;
        self.sparse |= other.sparse;
        Ok(())
    }

    /// Rows seen so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The mean of each feature.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The mean squared distance of each feature from its mean.
    pub fn variance(&self) -> &[f64] {
        &self.variance
    }

    /// True when feature `j` had more than one value. A constant such as 0.1 has a mean that is off by rounding, and
    /// with it a tiny deviation, which does not count.
    fn varies(&self, j: usize) -> bool {
        self.variance[j].sqrt() > 1e-13 * self.mean[j].abs() && self.variance[j] > 0.0
    }

    /// What brings these rows to deviation 1 and, unless some came sparse, to mean 0: what is subtracted from sparse
    /// rows would fill them. A feature that does not vary gets scale 1.
    pub fn standardisation(&self) -> Result<Standardisation> {
        if self.rows == 0 {
            return Err(Error::TooFew { what: "standardisation", unit: "rows", needed: 1, found: 0 });
        }
        let features = 0..self.mean.len();
        if let Some(j) = features.clone().find(|&j| !self.variance[j].is_finite()) {
            let reason = format!("the numbers of feature {} are too large to square; divide them", j + 1);
            return Err(Error::numerical("measuring the features", reason));
        }
        if let Some(j) = features.clone().find(|&j| self.largest[j] > 0.0 && self.largest[j] < SMALLEST) {
            let reason = format!(
                "the numbers of feature {} are below {SMALLEST:e} and too small to square; multiply them, or leave the \
                 feature out",
                j + 1
            );
            return Err(Error::numerical("measuring the features", reason));
        }
        let scale = features.clone().map(|j| if self.varies(j) { self.variance[j].sqrt() } else { 1.0 });
        let mean = if self.sparse { vec![0.0; self.mean.len()] } else { self.mean.clone() };
        let constant = features.filter(|&j| !self.varies(j)).collect();
        Ok(Standardisation::new(mean, scale.collect())?.with_constant(constant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Matrix};
    use proptest::prelude::*;

    #[test]
    fn weights_count_as_repetitions() {
        let x = Matrix::from_vec(vec![1.0, -4.0, 2.5, 0.5, 7.0, 3.0], 3, 2).unwrap();
        let twice = x.view().select(&[0, 2, 2, 2]);
        let weighted = Moments::weighted((&x).into(), Some(&[1.0, 0.0, 3.0])).unwrap();
        let repeated = Moments::of((&twice).into()).unwrap();
        for j in 0..2 {
            assert!((weighted.mean()[j] - repeated.mean()[j]).abs() < 1e-14);
            assert!((weighted.variance()[j] - repeated.variance()[j]).abs() < 1e-14);
        }
        // Where nothing counts, all rows count alike.
        assert_eq!(
            Moments::weighted((&x).into(), Some(&[0.0; 3])).unwrap(),
            Moments::of((&x).into()).unwrap()
        );
    }

    /// By the definition, over all rows at once.
    fn slow(x: Rows<'_>) -> Vec<(f64, f64)> {
        let n = x.rows() as f64;
        let feature = |j: usize| {
            let values = || x.iter().map(|row| row[j]);
            let mean = values().sum::<f64>() / n;
            (mean, values().map(|v| (v - mean).powi(2)).sum::<f64>() / n)
        };
        (0..x.cols()).map(feature).collect()
    }

    /// The rows lie within about 1 of some number of this size: their means, and the differences of means, are off by
    /// a rounding of that size.
    fn close(moments: &Moments, x: Rows<'_>, size: f64) -> bool {
        let both = moments.mean().iter().zip(moments.variance());
        moments.rows() == x.rows()
            && both.zip(slow(x)).all(|((mean, variance), (m, v))| {
                (mean - m).abs() <= 1e-13 * size && (variance - v).abs() <= 1e-12 * v + 1e-13 * size
            })
    }

    proptest! {
        #[test]
        fn batches_merge_to_the_moments_of_all_rows(
            values in prop::collection::vec(-1.0f64..1.0, 2..120),
            cuts in prop::collection::vec(0usize..60, 0..4),
            shift in prop::sample::select(vec![0.0, 1.0, 1e6]),
        ) {
            let rows = values.len() / 2;
            let data = values[..2 * rows].iter().map(|v| v + shift).collect();
            let x = Matrix::from_vec(data, rows, 2).unwrap();
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows)).chain([rows]).collect();
            ends.sort_unstable();
            let (mut moments, mut start) = (Moments::new(2), 0);
            for end in ends {
                moments.push(x.view().slice(start, end).into()).unwrap();
                start = end;
            }
            prop_assert!(close(&moments, x.view(), 1.0 + shift));
        }

        #[test]
        fn sparse_rows_have_the_moments_of_dense_ones(
            values in prop::collection::vec(prop_oneof![3 => Just(0.0), 1 => -5.0f64..5.0], 3..90),
        ) {
            let rows = values.len() / 3;
            let x = Matrix::from_vec(values[..3 * rows].to_vec(), rows, 3).unwrap();
            let sparse = Csr::from_rows(x.view());
            let moments = Moments::of(Points::Sparse(sparse.view())).unwrap();
            prop_assert!(close(&moments, x.view(), 5.0));
            let standardisation = moments.standardisation().unwrap();
            prop_assert_eq!(standardisation.mean(), [0.0; 3]);
        }
    }

    #[test]
    fn constants_stay_constant_in_many_batches() {
        let batch = Matrix::from_vec([0.1, 7.0].repeat(500), 500, 2).unwrap();
        let mut moments = Moments::new(2);
        (0..50).for_each(|_| moments.push((&batch).into()).unwrap());
        assert_eq!(moments.standardisation().unwrap().constant(), [0, 1]);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        assert!(Moments::new(2).standardisation().is_err());
        assert!(Moments::new(2).push((&Matrix::zeros(1, 3)).into()).is_err());
        assert!(Moments::new(1).push((&Matrix::column(vec![f64::NAN])).into()).is_err());
        let mut empty = Moments::new(1);
        empty.push((&Matrix::zeros(0, 1)).into()).unwrap();
        assert_eq!(empty, Moments::new(1));
    }
}
