//! The absolute loss: every error pulls alike.

use super::Measure;
use serde::{Deserialize, Serialize};

/// `|e|`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Absolute;

impl Measure for Absolute {
    fn value(&self, y: f64, output: f64) -> f64 {
        (y - output).abs()
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        let e = y - output;
        if e == 0.0 { 0.0 } else { e.signum() }
    }
}
