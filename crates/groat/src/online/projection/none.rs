//! No projection: the weight is lost (truncation, windows).

use super::{Model, Needs, Project, Sample};

/// Drops weights.
pub(super) struct Drop;

impl Project for Drop {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn absorb(&self, _: &mut Model, _: &Sample<'_>) -> bool {
        false
    }

    fn release(&self, _: &mut Model, _: usize) {}
}
