//! Projections: where the weight of a kernel that is not kept goes.
//!
//! A projection does two things: it *absorbs* a sample that does not enter the dictionary, and it
//! *releases* the weight of a vector that is about to leave.

mod fast;
mod least_squares;
mod nearest;
mod none;
mod orthogonal;

use super::part_table;
use crate::online::state::{Needs, Sample, Tracked};

/// One way to represent a kernel by others.
pub(crate) trait Project {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }
    /// Adds `sample.weight` times (the image of) `k(x, .)` to a model of one output that is not empty. False if nothing
    /// was changed.
    fn absorb(&self, model: &mut Tracked, sample: &Sample<'_>) -> bool;
    /// Spreads the weights of vector `r` over the others, output by output.
    fn release(&self, model: &mut Tracked, r: usize);
}

part_table! {
    /// A projection, chosen by name.
    #[derive(Copy)]
    "projection": Projection of Project {
        None(none::Drop) = "none", [], |_| Ok(none::Drop), "the weight is dropped";
        Orthogonal(orthogonal::Orthogonal) = "orthogonal", [], |_| Ok(orthogonal::Orthogonal),
            "orthogonal projection in the RKHS: outputs at the other vectors are kept (KLMS, SPL)";
        LeastSquares(least_squares::LeastSquares) = "least-squares", [], |_| Ok(least_squares::LeastSquares),
            "least squared change over all vectors (LS)";
        Fast(fast::Fast) = "fast", [], |_| Ok(fast::Fast),
            "as if the other kernels were orthonormal: weights move by k (FKLMS)";
        Nearest(nearest::Nearest) = "nearest", [], |_| Ok(nearest::Nearest),
            "the nearest vector takes the weight (quantisation)";
    }
}

impl Projection {
    /// Weights are dropped.
    pub const DROP: Projection = Projection::None(none::Drop);

    /// Removes vector `r` after its weights went where the projection says.
    pub fn remove(&self, model: &mut Tracked, r: usize) {
        self.release(model, r);
        model.remove(r);
    }
}

/// `alpha_i -= (alpha_r / c_r) c_i`: what the projections by a matrix column have in common.
fn subtract(alpha: &mut [f64], column: &[f64], r: usize) {
    let factor = alpha[r] / column[r];
    if factor.is_finite() {
        crate::simd::axpy(-factor, column, alpha);
    }
}
