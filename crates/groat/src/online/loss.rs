//! Losses: what pulls the output at a sample, and how hard.

use super::presets::Values;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A loss of target and output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Loss {
    /// `e^2 / 2`.
    Squared,
    /// `|e|`.
    Absolute,
    /// `e^2 / 2` up to the threshold, then linear.
    Huber(f64),
    /// `w^2 (1 - exp(-e^2 / (2 w^2)))`.
    Correntropy(f64),
    /// `max(0, 1 - y f)`.
    Hinge,
    /// `log(1 + exp(-y f))`.
    Logistic,
}

impl Loss {
    /// The loss that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(match values.text("loss")? {
            "absolute" => Loss::Absolute,
            "huber" => Loss::Huber(values.number("loss_scale")?),
            "correntropy" => Loss::Correntropy(values.number("loss_scale")?),
            "hinge" => Loss::Hinge,
            "logistic" => Loss::Logistic,
            _ => Loss::Squared,
        })
    }

    /// The loss itself.
    pub fn value(&self, y: f64, output: f64) -> f64 {
        let e = y - output;
        match *self {
            Loss::Squared => 0.5 * e * e,
            Loss::Absolute => e.abs(),
            Loss::Huber(threshold) if e.abs() > threshold => threshold * (e.abs() - 0.5 * threshold),
            Loss::Huber(_) => 0.5 * e * e,
            Loss::Correntropy(width) => -(width * width) * (-0.5 * (e / width).powi(2)).exp_m1(),
            Loss::Hinge => (1.0 - y * output).max(0.0),
            Loss::Logistic => (-y * output).max(0.0) + (-(y * output).abs()).exp().ln_1p(),
        }
    }

    /// Minus the derivative by the output: the error itself for the squared loss.
    pub fn pull(&self, y: f64, output: f64) -> f64 {
        let e = y - output;
        match *self {
            Loss::Squared => e,
            Loss::Absolute if e == 0.0 => 0.0,
            Loss::Absolute => e.signum(),
            Loss::Huber(threshold) => e.clamp(-threshold, threshold),
            Loss::Correntropy(width) => e * (-0.5 * (e / width).powi(2)).exp(),
            Loss::Hinge => {
                if y * output < 1.0 {
                    y
                } else {
                    0.0
                }
            }
            Loss::Logistic => y / (1.0 + (y * output).exp()),
        }
    }

    /// An error unless the target is one that the loss is made for.
    pub fn check_target(&self, y: f64) -> Result<()> {
        match self {
            Loss::Hinge | Loss::Logistic if y != 1.0 && y != -1.0 => {
                Err(Error::parameter("target", y, "-1 or 1 with a classification loss"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_is_minus_the_derivative() {
        let regression = [Loss::Squared, Loss::Absolute, Loss::Huber(0.75), Loss::Correntropy(0.9)];
        for loss in regression.into_iter().chain([Loss::Hinge, Loss::Logistic]) {
            for (y, f) in [(1.0, 0.3), (-1.0, 0.4), (1.0, 1.7), (-1.0, -0.2), (1.0, -2.0)] {
                let h = 1e-6;
                let slope = (loss.value(y, f + h) - loss.value(y, f - h)) / (2.0 * h);
                assert!((loss.pull(y, f) + slope).abs() < 1e-7, "{loss:?} at {y}, {f}");
            }
        }
    }
}
