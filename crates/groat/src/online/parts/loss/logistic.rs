//! The logistic loss: minus the log-likelihood of the label.

use super::{Meaning, Measure};
use serde::{Deserialize, Serialize};

/// `log(1 + exp(-y f))`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Logistic;

impl Measure for Logistic {
    fn value(&self, y: f64, output: f64) -> f64 {
        (-y * output).max(0.0) + (-(y * output).abs()).exp().ln_1p()
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        y / (1.0 + (y * output).exp())
    }

    fn meaning(&self) -> Meaning {
        Meaning::LogOdds
    }
}
