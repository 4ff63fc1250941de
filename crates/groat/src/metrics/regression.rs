//! Errors of predicted numbers.

use crate::error::{Error, Result, check_len};
use serde::{Deserialize, Serialize};

/// Errors of predictions `p` of numbers `y`, over all rows (and outputs, if there are several).
///
/// ```
/// let errors = groat::metrics::RegressionErrors::of(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0])?;
/// assert_eq!(errors.mean_squared, 1.0 / 3.0);
/// assert_eq!(errors.r_squared, Some(0.5));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionErrors {
    /// How many numbers were compared.
    pub rows: usize,
    /// Mean of `(y - p)^2`.
    pub mean_squared: f64,
    /// Its root, in the unit of `y`.
    pub root_mean_squared: f64,
    /// Mean of `|y - p|`.
    pub mean_absolute: f64,
    /// Half of the `|y - p|` are no larger.
    pub median_absolute: f64,
    /// 90 % of the `|y - p|` are no larger.
    pub absolute_90: f64,
    /// 95 % of the `|y - p|` are no larger.
    pub absolute_95: f64,
    /// Largest `|y - p|`.
    pub largest: f64,
    /// `1 - sum (y - p)^2 / sum (y - mean y)^2`; nothing when `y` does not vary.
    pub r_squared: Option<f64>,
}

impl RegressionErrors {
    /// Compares truth and predictions of equal, non-zero length.
    pub fn of(truth: &[f64], predicted: &[f64]) -> Result<Self> {
        check_len("predictions", truth.len(), predicted.len())?;
        if truth.is_empty() {
            return Err(Error::TooFew { what: "an error measure", unit: "rows", needed: 1, found: 0 });
        }
        let n = truth.len() as f64;
        let mean = truth.iter().map(|y| y / n).sum::<f64>();
        let (mut squared, mut absolute, mut spread) = (0.0, 0.0, 0.0);
        let mut sorted = Vec::with_capacity(truth.len());
        for (y, p) in truth.iter().zip(predicted) {
            let e = y - p;
            squared += e * e / n;
            absolute += e.abs() / n;
            spread += (y - mean) * (y - mean) / n;
            sorted.push(e.abs());
        }
        // A NaN comes last, and so is not lost.
        sorted.sort_unstable_by(f64::total_cmp);
        // A constant has a mean that is off by rounding, and with it a tiny spread.
        let varies = spread.sqrt() > 1e-13 * mean.abs();
        Ok(Self {
            rows: truth.len(),
            mean_squared: squared,
            root_mean_squared: squared.sqrt(),
            mean_absolute: absolute,
            median_absolute: quantile(&sorted, 0.5),
            absolute_90: quantile(&sorted, 0.9),
            absolute_95: quantile(&sorted, 0.95),
            largest: quantile(&sorted, 1.0),
            r_squared: varies.then(|| 1.0 - squared / spread),
        })
    }
}

/// The value below which a part of the ascending numbers lies, between neighbours in proportion; NaN if one of them is.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len() - 1;
    if sorted[last].is_nan() {
        return f64::NAN;
    }
    let place = part * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    if below == above { below } else { below + place.fract() * (above - below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_and_mean_predictions() {
        let y = [1.0, -2.0, 5.0, 0.5];
        let perfect = RegressionErrors::of(&y, &y).unwrap();
        assert_eq!((perfect.mean_squared, perfect.r_squared, perfect.largest), (0.0, Some(1.0), 0.0));
        let mean = RegressionErrors::of(&y, &[1.125; 4]).unwrap();
        assert!(mean.r_squared.unwrap().abs() < 1e-15);
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let errors = RegressionErrors::of(&[0.0; 5], &[-4.0, 1.0, 2.0, -3.0, 0.0]).unwrap();
        assert_eq!((errors.median_absolute, errors.largest), (2.0, 4.0));
        assert!((errors.absolute_90 - 3.6).abs() < 1e-14);
        assert!(RegressionErrors::of(&[1.0; 2], &[f64::NAN, 1.0]).unwrap().median_absolute.is_nan());
    }

    #[test]
    fn odd_input() {
        assert_eq!(RegressionErrors::of(&[0.1; 3], &[0.1, 0.2, 0.1]).unwrap().r_squared, None);
        assert!(RegressionErrors::of(&[], &[]).is_err());
        assert!(RegressionErrors::of(&[1.0], &[]).is_err());
        assert!(RegressionErrors::of(&[1.0, 2.0], &[f64::NAN, 2.0]).unwrap().largest.is_nan());
    }
}
