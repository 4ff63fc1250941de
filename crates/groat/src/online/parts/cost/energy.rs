//! The two further fast costs that report 836 proposes in section 5: `K_RR ~ I` in the cost as well.
//!
//! The second as printed, `alpha_i^2 (k_ii - sum_j k_ij^2)`, diverges: in a crowd the bracket is negative,
//! and then the largest weight is the cheapest. The bracket is cut at 0, and ties go to the smaller weight.

use super::{Deterioration, Needs, Tracked, least};
use serde::{Deserialize, Serialize};

/// `k_ii - sum_j k_ij^2`, or `alpha_i^2 max(0, ...)` if weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Energy {
    /// The second variant.
    pub weighted: bool,
}

impl Deterioration for Energy {
    fn needs(&self) -> Needs {
        Needs::ENERGY.with_weights(self.weighted)
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        let (dictionary, Some(energy)) = (&model.dictionary, &model.energy) else { return };
        for (i, cost) in out.iter_mut().enumerate() {
            let rest = dictionary.diagonal(i) - energy.squares[i];
            *cost = if self.weighted { dictionary.squared_weight(i) * rest.max(0.0) } else { rest };
        }
    }

    fn least(&self, model: &mut Tracked, out: &mut [f64]) -> (usize, f64) {
        self.costs(model, out);
        let (mut at, cost) = least(out);
        if self.weighted {
            let magnitude = |i| model.dictionary.magnitude(i);
            for i in 0..out.len() {
                if out[i] == cost && magnitude(i) < magnitude(at) {
                    at = i;
                }
            }
        }
        (at, cost)
    }
}
