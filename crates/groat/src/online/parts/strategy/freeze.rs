//! A largest dictionary that nothing enters.

use super::{Control, Cost, Needs, Values};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Nothing enters once there are `budget` vectors.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Freeze {
    /// Largest dictionary.
    budget: usize,
}

impl Freeze {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { budget: values.count("budget")? })
    }
}

impl Control for Freeze {
    fn admits(&self, size: usize) -> bool {
        size < self.budget
    }

    fn removes(&self) -> bool {
        false
    }

    fn needs(&self, _: &Cost) -> Needs {
        Needs::NONE
    }
}
