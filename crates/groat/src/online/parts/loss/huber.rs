//! Huber's loss: large errors pull no harder than one at the threshold (Huber 1964).

use super::Measure;
use crate::error::Result;
use crate::online::presets::Values;
use serde::{Deserialize, Serialize};

/// `e^2 / 2` up to the threshold, then linear.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Huber {
    threshold: f64,
}

impl Huber {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { threshold: values.number("loss_scale")? })
    }
}

impl Measure for Huber {
    fn value(&self, y: f64, output: f64) -> f64 {
        let e = (y - output).abs();
        if e > self.threshold { self.threshold * (e - 0.5 * self.threshold) } else { 0.5 * e * e }
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        (y - output).clamp(-self.threshold, self.threshold)
    }
}
