//! Density estimates as mixtures of a few Gaussians (system C5).
//!
//! | type | what it is for |
//! |---|---|
//! | [`Density`] | a mixture of Gaussians that share their widths: evaluate, draw from, turn into a model |
//! | [`Parzen`] | the full Parzen window estimate, a Gaussian on every row |
//! | [`GrownDensity`] | as few of them as do as well, found by expectation maximisation and held-out rows: the default |
//! | [`SparseDensity`] | a few of them: the Parzen estimate is the target of a selection by leave-one-out, the weights lie on the simplex |
//! | [`SimplexProgram`] | a quadratic program on the simplex, by which those weights are found |
//!
//! **Cost.** That of the [selection](super::forward), five times more where the width is to be found, and `O(N^2 d)`
//! for the Parzen estimate.
//!
//! **When not to use it.** In many dimensions a mixture of equal Gaussians needs many of them, and a density is a poor
//! judge of anything but itself: to tell classes apart, classify.

mod by_task;
mod cost;
mod grown;
mod mixture;
mod parzen;
mod refine;
mod simplex;
mod sparse;

pub(super) use by_task::ByTask;
pub use grown::{Grown, GrownDensity};
pub use mixture::Density;
pub use parzen::{Parzen, likelihood_width};
pub use simplex::SimplexProgram;
pub use sparse::{DensityEstimate, SparseDensity};
