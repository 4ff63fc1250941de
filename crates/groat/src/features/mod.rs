//! Explicit features: what makes kernel methods linear in the number of rows.
//!
//! | part | what |
//! |---|---|
//! | [`Nystrom`], [`LandmarkRule`] | functions of landmarks, and how landmarks are found |
//! | [`RandomFeatures`] | cosines of random frequencies, for shift-invariant kernels |
//! | [`Statistics`], [`FoldStatistics`] | the sums that ridge regression on features needs, to be added and sent |
//! | [`Linear`], [`FeatureExpansion`] | a linear function of features, alone and with random features |

mod folds;
mod landmarks;
mod map;
mod nystrom;
mod pivots;
mod random;
mod sent;
mod spectral;
mod statistics;

#[cfg(test)]
mod tests;

pub use folds::FoldStatistics;
pub use landmarks::LandmarkRule;
pub use map::Precision;
pub(crate) use map::{FeatureMap, Passing, Ready};
pub use nystrom::Nystrom;
pub(crate) use pivots::pivots;
pub use random::{FeatureExpansion, RandomFeatures};
pub use statistics::{Linear, Statistics};
