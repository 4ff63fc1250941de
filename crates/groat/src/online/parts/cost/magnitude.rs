//! Truncation by the magnitude of the weight, report 836 section 2.

use super::{Deterioration, Needs, Tracked};
use serde::{Deserialize, Serialize};

/// `|alpha_i|`: the magnitude, since a signed one would take the most negative weight for the least.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Magnitude;

impl Deterioration for Magnitude {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        for (i, cost) in out.iter_mut().enumerate() {
            *cost = model.dictionary.magnitude(i);
        }
    }
}
