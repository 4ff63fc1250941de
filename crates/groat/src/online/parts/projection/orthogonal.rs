//! Orthogonal projection in the RKHS: the outputs at the vectors that stay do not change.
//!
//! A sample: `alpha += w Q k`, Pothin and Richard (12). A vector: `beta_i = alpha_i - alpha_r Q_ir / Q_rr`,
//! report 836 (12), Pothin and Richard (20). `O(m)` beside the inverse.

use super::{Needs, Project, Sample, Tracked, subtract};
use serde::{Deserialize, Serialize};

/// Orthogonal projection.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Orthogonal;

impl Project for Orthogonal {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn absorb(&self, model: &mut Tracked, sample: &Sample<'_>) -> bool {
        model.add_image(sample.weight, sample);
        true
    }

    /// In a basis there is nothing to do: the removal itself projects.
    fn release(&self, model: &mut Tracked, r: usize) {
        let Tracked { dictionary, inverse, scratch, .. } = model;
        if let Some(inverse) = inverse {
            let (column, _) = scratch.two(inverse.len());
            inverse.inverse().column(r, column);
            dictionary.columns_mut().for_each(|alpha| subtract(alpha, column, r));
        }
    }
}
