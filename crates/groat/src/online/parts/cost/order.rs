//! Truncation by age, report 836 section 2, and its reverse.

use super::{Deterioration, Needs, Tracked};
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

    fn costs(&self, _: &mut Tracked, out: &mut [f64]) {
        let last = out.len();
        for (i, cost) in out.iter_mut().enumerate() {
            *cost = match self {
                Order::Oldest => i as f64,
                Order::Newest => (last - i) as f64,
            };
        }
    }
}
