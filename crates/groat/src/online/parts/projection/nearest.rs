//! Quantisation: the nearest vector takes the whole weight (Chen et al. 2012). `O(m d)`.

use super::{Project, Sample, Tracked};
use serde::{Deserialize, Serialize};

/// All weight to the nearest vector.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Nearest;

impl Project for Nearest {
    fn absorb(&self, model: &mut Tracked, sample: &Sample<'_>) -> bool {
        let Some((i, _)) = sample.nearest(&model.dictionary) else { return false };
        model.dictionary.alpha[i] += sample.weight;
        true
    }

    fn release(&self, model: &mut Tracked, r: usize) {
        let Tracked { dictionary, scratch, .. } = model;
        let k = scratch.rows.of(dictionary, r);
        let nearest = (0..k.len()).filter(|i| *i != r).max_by(|a, b| k[*a].total_cmp(&k[*b]));
        if let Some(i) = nearest {
            dictionary.columns_mut().for_each(|alpha| alpha[i] += alpha[r]);
        }
    }
}
