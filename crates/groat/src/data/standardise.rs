//! Shifting and scaling every feature to mean 0 and standard deviation 1; sparse rows are scaled only.

use serde::{Deserialize, Serialize};

use super::moments::Moments;
use crate::error::{Error, Result, check_len};
use crate::matrix::{Matrix, PointSet, Points, Rows};

/// `(x - mean) / scale`, feature by feature. The standard deviation has divisor `n`.
///
/// ```
/// use groat::{Rows, data::Standardisation};
/// let x = Rows::new(&[1.0, 5.0, 3.0, 5.0], 2)?;
/// let standard = Standardisation::fit(x)?;
/// assert_eq!(standard.mean(), [2.0, 5.0]);
/// assert_eq!(standard.scale(), [1.0, 1.0]);
/// assert_eq!(standard.constant(), [1]); // the second feature never varies
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Standardisation {
    mean: Vec<f64>,
    scale: Vec<f64>,
    #[serde(default)]
    constant: Vec<usize>,
}

/// As it stands in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    mean: Vec<f64>,
    scale: Vec<f64>,
    #[serde(default)]
    constant: Vec<usize>,
}

impl TryFrom<Stored> for Standardisation {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let checked = Self::new(stored.mean, stored.scale)?;
        let mut constant = stored.constant;
        constant.retain(|&feature| feature < checked.mean.len());
        Ok(checked.with_constant(constant))
    }
}

impl Standardisation {
    /// From given numbers: finite means and finite scales above 0.
    pub fn new(mean: Vec<f64>, scale: Vec<f64>) -> Result<Self> {
        check_len("scales", mean.len(), scale.len())?;
        if let Some(bad) = mean.iter().find(|m| !m.is_finite()) {
            return Err(Error::parameter("mean", bad, "a finite number"));
        }
        scale.iter().try_for_each(|&s| crate::error::check_positive("scale", s))?;
        Ok(Self { mean, scale, constant: Vec::new() })
    }

    /// The means and standard deviations of `x`. A feature that does not vary gets scale 1. Sparse rows are scaled and
    /// not shifted, since a shift would fill them: their means are given as 0.
    pub fn fit<'a>(x: impl Into<Points<'a>>) -> Result<Self> {
        Moments::of(x.into())?.standardisation()
    }

    /// The same rounded to 40 binary digits of the deviations, after means and deviations have been made good to the last
    /// digit on these rows: rows come out with the same bits however they were cut into parts and in whatever order.
    pub(crate) fn rounded(mut self, x: Rows<'_>, weights: Option<&[f64]>) -> Self {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let total: f64 = (0..x.rows()).map(weight).sum();
        for j in 0..self.mean.len() {
            let (mut off, mut squares) = (Compensated::default(), Compensated::default());
            for (i, row) in x.iter().enumerate() {
                let (from, share) = (row[j] - self.mean[j], weight(i) / total);
                off.add(share * from);
                squares.add(share * from * from);
            }
            let (off, squares) = (off.sum(), squares.sum());
            if !self.constant.contains(&j) {
                self.scale[j] = (squares - off * off).max(0.0).sqrt();
            }
            let step = step(self.scale[j]);
            self.mean[j] = ((self.mean[j] + off) / step).round() * step;
            self.scale[j] = (self.scale[j] / step).round() * step;
        }
        self
    }

    /// Says which features did not vary.
    pub(super) fn with_constant(mut self, constant: Vec<usize>) -> Self {
        self.constant = constant;
        self
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.mean.len()
    }

    /// What is subtracted.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// What is divided by.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Features that did not vary where this was fitted.
    pub fn constant(&self) -> &[usize] {
        &self.constant
    }

    /// Standardises one sample in place.
    pub fn apply_row(&self, row: &mut [f64]) -> Result<()> {
        check_len("features", self.features(), row.len())?;
        self.shift_and_scale(row);
        Ok(())
    }

    /// Standardises a set of samples in place.
    pub fn apply(&self, x: &mut Matrix) -> Result<()> {
        check_len("features", self.features(), x.cols())?;
        (0..x.rows()).for_each(|i| self.shift_and_scale(x.row_mut(i)));
        Ok(())
    }

    /// Standardises a set of samples in place, dense or sparse. Sparse rows stay sparse where nothing is subtracted,
    /// as after a [`fit`](Self::fit) to sparse rows; otherwise they become dense.
    pub fn apply_points(&self, x: &mut PointSet) -> Result<()> {
        check_len("features", self.features(), x.cols())?;
        match x {
            PointSet::Dense(rows) => return self.apply(rows),
            PointSet::Sparse(rows) if self.mean.iter().all(|m| *m == 0.0) => {
                rows.entries_mut().for_each(|(j, v)| *v /= self.scale[j]);
            }
            PointSet::Sparse(rows) => {
                let mut dense = rows.to_matrix();
                self.apply(&mut dense)?;
                *x = PointSet::Dense(dense);
            }
        }
        Ok(())
    }

    /// The samples that standardised ones stand for, in place.
    pub fn undo(&self, x: &mut Matrix) -> Result<()> {
        check_len("features", self.features(), x.cols())?;
        for i in 0..x.rows() {
            for ((v, m), s) in x.row_mut(i).iter_mut().zip(&self.mean).zip(&self.scale) {
                *v = *v * s + m;
            }
        }
        Ok(())
    }

    fn shift_and_scale(&self, row: &mut [f64]) {
        for ((v, m), s) in row.iter_mut().zip(&self.mean).zip(&self.scale) {
            *v = (*v - m) / s;
        }
    }
}

/// The unit in which a mean beside this deviation is told: 40 binary digits below it.
fn step(scale: f64) -> f64 {
    const DIGITS: i32 = 40;
    // The exponent of the next power of two above, whatever is to be rounded.
    let exponent = if scale.is_normal() { (scale.to_bits() >> 52) as i32 - 1022 } else { 1 };
    2f64.powi(exponent - DIGITS)
}

/// A sum that carries along what rounding takes from it (Neumaier 1974).
#[derive(Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let (large, small) =
            if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    fn sum(&self) -> f64 {
        self.sum + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    #[test]
    fn the_result_has_mean_0_and_deviation_1_and_is_undone() {
        let data: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17) + 100.0 * f64::from(i % 2)).collect();
        let raw = Matrix::from_vec(data, 30, 2).unwrap();
        let standardisation = Standardisation::fit(raw.view()).unwrap();
        let mut x = raw.clone();
        standardisation.apply(&mut x).unwrap();
        let mut back = x.clone();
        standardisation.undo(&mut back).unwrap();
        assert!(back.data().iter().zip(raw.data()).all(|(a, b)| (a - b).abs() < 1e-12));
        let again = Standardisation::fit(x.view()).unwrap();
        for j in 0..2 {
            assert!(again.mean()[j].abs() < 1e-14 && (again.scale()[j] - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn constants_are_found_in_spite_of_rounding() {
        let x = Matrix::column(vec![0.1; 1000]);
        assert_eq!(Standardisation::fit(x.view()).unwrap().constant(), [0]);
        let x = Matrix::column(vec![0.0; 3]);
        assert_eq!(Standardisation::fit(x.view()).unwrap().scale(), [1.0]);
    }

    #[test]
    fn sparse_rows_stay_sparse_unless_something_is_subtracted() {
        let dense = Matrix::from_vec(vec![0.0, 2.0, 0.0, 0.0, 4.0, 0.0], 3, 2).unwrap();
        let sparse = Csr::from_rows(dense.view());
        let scaled = Standardisation::fit(sparse.view()).unwrap();
        let full = Standardisation::fit(dense.view()).unwrap();
        assert_eq!((scaled.mean(), scaled.scale()), (&[0.0, 0.0][..], full.scale()));
        for (standardisation, stays) in [(scaled, true), (full, false)] {
            let (mut points, mut rows) = (PointSet::from(sparse.clone()), dense.clone());
            standardisation.apply_points(&mut points).unwrap();
            standardisation.apply(&mut rows).unwrap();
            assert_eq!(matches!(points, PointSet::Sparse(_)), stays);
            assert_eq!(points.view().to_matrix(), rows);
        }
    }

    #[test]
    fn extremes_are_errors_not_nans() {
        assert!(Standardisation::fit(Matrix::column(vec![1.0, f64::NAN]).view()).is_err());
        assert!(Standardisation::fit(Matrix::column(vec![1e300, -1e300]).view()).is_err());
        assert!(Standardisation::fit(Matrix::zeros(0, 2).view()).is_err());
        assert!(Standardisation::new(vec![0.0], vec![0.0]).is_err());
        assert!(serde_json::from_str::<Standardisation>(r#"{"mean":[0],"scale":[0]}"#).is_err());
        assert!(serde_json::from_str::<Standardisation>(r#"{"mean":[0],"scale":[1,2]}"#).is_err());
    }

    #[test]
    fn rounded_numbers_do_not_depend_on_the_order_of_rows() {
        let number = |i: usize| (i as f64 * 12.9898).sin() * 43758.5453 % 1.0;
        let row = |i: usize| [1e3 + number(i), 1e-7 * number(3 * i + 1), 5.0];
        let x: Vec<f64> = (0..5000).flat_map(row).collect();
        let turned: Vec<f64> = (0..5000).rev().flat_map(|i| row((i * 7) % 5000)).collect();
        let rounded = |x: &[f64]| {
            let x = Rows::new(x, 3).unwrap();
            Standardisation::fit(x).unwrap().rounded(x, None)
        };
        let (one, other) = (rounded(&x), rounded(&turned));
        assert_eq!(one, other);
        let plain = Standardisation::fit(Rows::new(&x, 3).unwrap()).unwrap();
        for j in 0..3 {
            // A plain sum of so many numbers loses that much.
            let lost = 5000.0 * f64::EPSILON * plain.mean[j].abs();
            assert!((one.mean[j] - plain.mean[j]).abs() <= 1e-12 * plain.scale[j] + lost);
            assert!((one.scale[j] / plain.scale[j] - 1.0).abs() < 1e-11);
        }
        let twice = vec![2.0; 5000];
        let x = Rows::new(&x, 3).unwrap();
        assert_eq!(Standardisation::fit(x).unwrap().rounded(x, Some(&twice)), one);
    }
}
