//! Truncation costs, report 836 section 2: by age and by magnitude of the weight.

use super::{Deterioration, Model, Needs};
use serde::{Deserialize, Serialize};

/// Which end of the order of insertion leaves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The vector that entered first (age truncation, windows).
    Oldest,
    /// The vector that entered last.
    Newest,
}

impl Deterioration for Order {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn costs(&self, _: &mut Model, out: &mut [f64]) {
        let last = out.len();
        for (i, cost) in out.iter_mut().enumerate() {
            *cost = match self {
                Order::Oldest => i as f64,
                Order::Newest => (last - i) as f64,
            };
        }
    }
}

/// `|alpha_i|`: the magnitude, since a signed one would take the most negative weight for the least.
pub(super) struct Magnitude;

impl Deterioration for Magnitude {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn costs(&self, model: &mut Model, out: &mut [f64]) {
        for (cost, alpha) in out.iter_mut().zip(&model.dictionary.alpha) {
            *cost = alpha.abs();
        }
    }
}
