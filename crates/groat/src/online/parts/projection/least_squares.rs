//! Least-squares projection: least squared change over all vectors, the one that leaves included.
//!
//! A vector: `beta_i = alpha_i - alpha_r (Q Q)_ir / (Q Q)_rr`, which is the pseudo-inverse of report 836
//! (14) without one. A sample is the vector that enters and leaves at once; with the grown inverse
//! written out, `beta = alpha + w (nu + s Q nu / (1 + nu . nu))`. `O(m^2)`.

use super::{Needs, Project, Sample, Tracked, subtract};
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Least-squares projection.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LeastSquares;

impl Project for LeastSquares {
    fn needs(&self) -> Needs {
        Needs::INVERSE
    }

    fn absorb(&self, model: &mut Tracked, sample: &Sample<'_>) -> bool {
        let Tracked { dictionary, inverse, scratch, .. } = model;
        let Some(inverse) = inverse else { return false };
        let (column, _) = scratch.two(inverse.len());
        inverse.inverse().multiply(sample.image, column);
        let factor = sample.residual.max(0.0) / (1.0 + dot(sample.image, sample.image));
        axpy(sample.weight, sample.image, &mut dictionary.alpha);
        axpy(sample.weight * factor, column, &mut dictionary.alpha);
        true
    }

    fn release(&self, model: &mut Tracked, r: usize) {
        let Tracked { dictionary, inverse, scratch, .. } = model;
        if let Some(inverse) = inverse {
            let (column, squared) = scratch.two(inverse.len());
            inverse.inverse().column(r, column);
            inverse.inverse().multiply(column, squared);
            dictionary.columns_mut().for_each(|alpha| subtract(alpha, squared, r));
        }
    }
}
