//! Fast projection, `K_RR ~ I`: weights move by kernel values. Report 836 (16). `O(m)`.
//!
//! Sound when the vectors are far apart; in a crowd it adds more than it takes.

use super::{Model, Needs, Project, Sample};
use crate::simd::axpy;

/// Fast projection.
pub(super) struct Fast;

impl Project for Fast {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn absorb(&self, model: &mut Model, sample: &Sample<'_>) -> bool {
        axpy(sample.weight, sample.k, &mut model.dictionary.alpha);
        true
    }

    fn release(&self, model: &mut Model, r: usize) {
        let Model { dictionary, scratch, .. } = model;
        let weight = dictionary.alpha[r];
        let k = scratch.rows.of(dictionary, r);
        k[r] = 0.0;
        axpy(weight, k, &mut dictionary.alpha);
    }
}
