//! Fast projection, `K_RR ~ I`: weights move by kernel values. Report 836 (16). `O(m)`.
//!
//! Sound when the vectors are far apart; in a crowd it adds more than it takes.

use super::{Project, Sample, Tracked};
use crate::simd::axpy;
use serde::{Deserialize, Serialize};

/// Fast projection.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Fast;

impl Project for Fast {
    fn absorb(&self, model: &mut Tracked, sample: &Sample<'_>) -> bool {
        axpy(sample.weight, sample.k, &mut model.dictionary.alpha);
        true
    }

    fn release(&self, model: &mut Tracked, r: usize) {
        let Tracked { dictionary, scratch, .. } = model;
        let k = scratch.rows.of(dictionary, r);
        k[r] = 0.0;
        dictionary.columns_mut().for_each(|alpha| axpy(alpha[r], k, alpha));
    }
}
