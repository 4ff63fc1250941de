//! Nothing leaves.

use super::{Control, Cost, Needs};
use serde::{Deserialize, Serialize};

/// A dictionary without bound.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Unlimited;

impl Control for Unlimited {
    fn removes(&self) -> bool {
        false
    }

    fn needs(&self, _: &Cost) -> Needs {
        Needs::NONE
    }
}
