//! Losses: what pulls the output at a sample, and how hard.

mod absolute;
mod correntropy;
mod hinge;
mod huber;
mod logistic;
mod squared;

use super::part_table;
use crate::error::{Error, Result};

/// What an output means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It is the answer.
    Number,
    /// Targets are the labels -1 and 1, and its sign is the answer.
    Side,
    /// The same, and it is the logarithm of the odds of the label 1.
    LogOdds,
}

/// A loss of target and output.
pub(crate) trait Measure {
    /// The loss itself.
    fn value(&self, y: f64, output: f64) -> f64;
    /// Minus the derivative by the output: the error itself for the squared loss.
    fn pull(&self, y: f64, output: f64) -> f64;
    /// True when no local minimum can hide the least value.
    fn is_convex(&self) -> bool {
        true
    }
    /// What an output means that was learnt under this loss.
    fn meaning(&self) -> Meaning {
        Meaning::Number
    }
}

part_table! {
    /// A loss, chosen by name.
    #[derive(Copy)]
    "loss": Loss of Measure {
        Squared(squared::Squared) = "squared", [], |_| Ok(squared::Squared), "e^2 / 2";
        Absolute(absolute::Absolute) = "absolute", [], |_| Ok(absolute::Absolute),
            "|e|: the sign of the error counts, not its size";
        Huber(huber::Huber) = "huber", [("loss_scale", "1")], huber::Huber::new,
            "quadratic up to loss_scale, then linear";
        Correntropy(correntropy::Correntropy) = "correntropy", [("loss_scale", "1")], correntropy::Correntropy::new,
            "1 - exp(-e^2 / (2 loss_scale^2)): outliers do not count";
        Hinge(hinge::Hinge) = "hinge", [], |_| Ok(hinge::Hinge), "max(0, 1 - y f), labels -1 and 1";
        Logistic(logistic::Logistic) = "logistic", [], |_| Ok(logistic::Logistic),
            "log(1 + exp(-y f)), labels -1 and 1";
    }
}

impl Loss {
    /// An error unless the target is one that the loss is made for.
    pub fn check_target(&self, y: f64) -> Result<()> {
        if self.meaning() != Meaning::Number && y != 1.0 && y != -1.0 {
            return Err(Error::parameter("target", y, "-1 or 1 with a classification loss"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::presets::Values;

    #[test]
    fn the_pull_is_minus_the_derivative() {
        for name in NAMES {
            let loss = Loss::new(&Values::of(&[("loss", name), ("loss_scale", "0.75")])).unwrap();
            for (y, f) in [(1.0, 0.3), (-1.0, 0.4), (1.0, 1.7), (-1.0, -0.2), (1.0, -2.0)] {
                let h = 1e-6;
                let slope = (loss.value(y, f + h) - loss.value(y, f - h)) / (2.0 * h);
                assert!((loss.pull(y, f) + slope).abs() < 1e-7, "{loss:?} at {y}, {f}");
            }
        }
    }
}
