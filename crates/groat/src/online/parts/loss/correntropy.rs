//! The maximum correntropy criterion: beyond its width an error hardly pulls (Zhao, Chen, Principe 2011).

use super::Measure;
use crate::error::Result;
use crate::online::presets::Values;
use serde::{Deserialize, Serialize};

/// `w^2 (1 - exp(-e^2 / (2 w^2)))`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Correntropy {
    width: f64,
}

impl Correntropy {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { width: values.number("loss_scale")? })
    }
}

impl Measure for Correntropy {
    fn value(&self, y: f64, output: f64) -> f64 {
        -(self.width * self.width) * (-0.5 * ((y - output) / self.width).powi(2)).exp_m1()
    }

    fn pull(&self, y: f64, output: f64) -> f64 {
        let e = y - output;
        e * (-0.5 * (e / self.width).powi(2)).exp()
    }

    fn is_convex(&self) -> bool {
        false
    }
}
