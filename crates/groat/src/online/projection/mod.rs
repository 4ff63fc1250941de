//! Projections: where the weight of a kernel that is not kept goes.
//!
//! A projection does two things: it *absorbs* a sample that does not enter the dictionary, and it
//! *releases* the weight of a vector that is about to leave.

mod fast;
mod least_squares;
mod nearest;
mod none;
mod orthogonal;

use super::model::{Model, Needs, Sample};
use super::presets::Values;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// One way to represent a kernel by others.
trait Project {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs;
    /// Adds `sample.weight` times (the image of) `k(x, .)` to the model. False if nothing was changed.
    fn absorb(&self, model: &mut Model, sample: &Sample<'_>) -> bool;
    /// Spreads the weight of vector `r` over the others.
    fn release(&self, model: &mut Model, r: usize);
}

/// A projection, chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Projection {
    /// Weights are dropped.
    None,
    /// Orthogonal in the RKHS.
    Orthogonal,
    /// Least squares over the vectors.
    LeastSquares,
    /// As if the others were orthonormal.
    Fast,
    /// All to the nearest vector.
    Nearest,
}

impl Projection {
    /// The projection that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(match values.text("projection")? {
            "orthogonal" => Projection::Orthogonal,
            "least-squares" => Projection::LeastSquares,
            "fast" => Projection::Fast,
            "nearest" => Projection::Nearest,
            _ => Projection::None,
        })
    }

    fn part(&self) -> &dyn Project {
        match self {
            Projection::None => &none::Drop,
            Projection::Orthogonal => &orthogonal::Orthogonal,
            Projection::LeastSquares => &least_squares::LeastSquares,
            Projection::Fast => &fast::Fast,
            Projection::Nearest => &nearest::Nearest,
        }
    }

    /// What it needs kept up to date.
    pub fn needs(&self) -> Needs {
        self.part().needs()
    }

    /// See [`Project::absorb`].
    pub fn absorb(&self, model: &mut Model, sample: &Sample<'_>) -> bool {
        model.len() > 0 && self.part().absorb(model, sample)
    }

    /// See [`Project::release`].
    pub fn release(&self, model: &mut Model, r: usize) {
        self.part().release(model, r);
    }
}

/// `alpha_i -= (alpha_r / c_r) c_i`: what the projections by a matrix column have in common.
fn subtract(alpha: &mut [f64], column: &[f64], r: usize) {
    let factor = alpha[r] / column[r];
    if factor.is_finite() {
        crate::simd::axpy(-factor, column, alpha);
    }
}
