//! The hinge loss: a sample pulls until it lies on the right side with a margin.

use super::{Meaning, Measure};
use serde::{Deserialize, Serialize};

/// `max(0, 1 - y f)`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Hinge;

impl Measure for Hinge {
    fn value(&self, y: f64, output: f64) -> f64 {
        (1.0 - y * output).max(0.0)
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        if y * output < 1.0 { y } else { 0.0 }
    }

    fn meaning(&self) -> Meaning {
        Meaning::Side
    }
}
