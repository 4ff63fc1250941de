//! A sliding window: the oldest vector leaves.

use super::{Control, Cost, Needs, Reducer, Values};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// The last `tau` vectors.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Window {
    /// How many.
    tau: usize,
}

impl Window {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { tau: values.count("tau")? })
    }
}

impl Control for Window {
    fn removes(&self) -> bool {
        true
    }

    fn needs(&self, _: &Cost) -> Needs {
        Needs::NONE
    }

    fn after(&self, reducer: &mut Reducer<'_>) -> usize {
        let excess = reducer.model.len().saturating_sub(self.tau);
        for _ in 0..excess {
            reducer.remove(0);
        }
        excess
    }
}
