//! Costs from `kappa_i = 1 / Q_ii`, the squared distance of a vector from the span of the others: report
//! 836 (13). All of them in `O(m)` beside the inverse, where the report inverts `m` matrices.

use super::{Deterioration, Needs, Tracked};
use serde::{Deserialize, Serialize};

/// What `kappa` is weighed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kappa {
    /// `kappa_i` (KLMS).
    Plain,
    /// `kappa_i alpha_i^2`, the squared RKHS norm of the change of the model (MKLMS; SPL's distance is its root).
    SquaredChange,
    /// `kappa_i |alpha_i|`, the change of the output at the vector (fixed-budget KRLS).
    OutputChange,
}

impl Deterioration for Kappa {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        let Some(inverse) = &model.inverse else { return };
        for (i, cost) in out.iter_mut().enumerate() {
            let factor = match self {
                Kappa::Plain => 1.0,
                Kappa::SquaredChange => model.dictionary.squared_weight(i),
                Kappa::OutputChange => model.dictionary.magnitude(i),
            };
            *cost = factor / inverse.inverse().diagonal(i);
        }
    }
}
