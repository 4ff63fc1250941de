//! Quantisation: the nearest vector takes the whole weight (Chen et al. 2012). `O(m d)`.

use super::{Model, Needs, Project, Sample};

/// All weight to the nearest vector.
pub(super) struct Nearest;

impl Project for Nearest {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn absorb(&self, model: &mut Model, sample: &Sample<'_>) -> bool {
        let Some((i, _)) = sample.nearest(&model.dictionary) else { return false };
        model.dictionary.alpha[i] += sample.weight;
        true
    }

    fn release(&self, model: &mut Model, r: usize) {
        let Model { dictionary, scratch, .. } = model;
        let k = scratch.rows.of(dictionary, r);
        let nearest = (0..k.len()).filter(|i| *i != r).max_by(|a, b| k[*a].total_cmp(&k[*b]));
        if let Some(i) = nearest {
            dictionary.alpha[i] += dictionary.alpha[r];
        }
    }
}
