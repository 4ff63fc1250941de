//! The squared loss, which least squares and the LMS family follow.

use super::Measure;
use serde::{Deserialize, Serialize};

/// `e^2 / 2`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Squared;

impl Measure for Squared {
    fn value(&self, y: f64, output: f64) -> f64 {
        0.5 * (y - output) * (y - output)
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        y - output
    }
}
