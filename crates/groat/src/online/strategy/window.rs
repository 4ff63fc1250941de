//! A sliding window: the oldest vector leaves.

use super::{Control, Hand};
use serde::{Deserialize, Serialize};

/// The last `tau` vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Window {
    /// How many.
    pub tau: usize,
}

impl Control for Window {
    fn after(&self, hand: &mut Hand<'_>) -> usize {
        let excess = hand.model.len().saturating_sub(self.tau);
        for _ in 0..excess {
            hand.remove(0);
        }
        excess
    }
}
