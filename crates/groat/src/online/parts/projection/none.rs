//! No projection: the weight is lost (truncation, windows).

use super::{Project, Sample, Tracked};
use serde::{Deserialize, Serialize};

/// Drops weights.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Drop;

impl Project for Drop {
    fn absorb(&self, _: &mut Tracked, _: &Sample<'_>) -> bool {
        false
    }

    fn release(&self, _: &mut Tracked, _: usize) {}
}
