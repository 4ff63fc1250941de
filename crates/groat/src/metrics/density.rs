//! How well a density estimate foretells rows.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The log density that an estimate gives to rows: the larger, the better it foretold them.
///
/// ```
/// let score = groat::metrics::DensityScore::of(&[-1.0, -3.0])?;
/// assert_eq!((score.mean_log_density, score.standard_error), (-2.0, 1.0));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityScore {
    /// How many rows there were.
    pub rows: usize,
    /// Mean of `log p(x)`.
    pub mean_log_density: f64,
    /// Standard error of that mean.
    pub standard_error: f64,
}

impl DensityScore {
    /// From the log density of each row.
    pub fn of(log_densities: &[f64]) -> Result<Self> {
        if log_densities.is_empty() {
            return Err(Error::TooFew { what: "a log density", unit: "rows", needed: 1, found: 0 });
        }
        let n = log_densities.len() as f64;
        let mean = log_densities.iter().sum::<f64>() / n;
        let squares: f64 = log_densities.iter().map(|l| (l - mean).powi(2)).sum();
        let standard_error = (squares / (n - 1.0).max(1.0) / n).sqrt();
        Ok(Self { rows: log_densities.len(), mean_log_density: mean, standard_error })
    }
}
