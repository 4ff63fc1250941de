//! Costs of the fast techniques, report 836 (17) and (18): a vector is cheap when another one is near.
//!
//! The nearest neighbours are kept in a table, so all costs take `O(m)`. For kernels with `k(x,x) = 1`
//! and `k >= 0`; elsewhere `|k|` normalised takes their place.

use super::{Deterioration, Needs, Tracked};
use crate::online::state::dictionary::Dictionary;
use serde::{Deserialize, Serialize};

/// `1 - max_j k_ij`, times `alpha_i^2` if weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Crowding {
    /// FMKLMS instead of FKLMS.
    pub weighted: bool,
}

impl Crowding {
    fn cost(&self, coherence: f64, dictionary: &Dictionary, i: usize) -> f64 {
        (1.0 - coherence) * if self.weighted { dictionary.squared_weight(i) } else { 1.0 }
    }
}

impl Deterioration for Crowding {
    fn needs(&self) -> Needs {
        Needs::NEIGHBOURS.with_weights(self.weighted)
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        let Some(neighbours) = &model.neighbours else { return };
        for (i, (cost, rho)) in out.iter_mut().zip(&neighbours.coherence).enumerate() {
            *cost = self.cost(*rho, &model.dictionary, i);
        }
    }

    /// From the row of kernel values that is there anyway: no table, no memory beyond the model.
    fn of_newest(&self, model: &mut Tracked, k: &[f64], _: &mut [f64]) -> f64 {
        let dictionary = &model.dictionary;
        let last = dictionary.len() - 1;
        let coherence = dictionary.largest_coherence(k, dictionary.diagonal(last));
        self.cost(coherence, dictionary, last)
    }

    fn needs_for_newest(&self) -> Needs {
        Needs::NONE.with_weights(self.weighted)
    }
}
