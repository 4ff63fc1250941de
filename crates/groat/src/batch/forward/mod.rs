//! Orthogonal least squares driven by leave-one-out (systems C1 to C6; Chen, Hong and Harris 2007).
//!
//! One engine builds `f(x) = b + sum_i beta_i k(x, c_i)` term by term for three tasks. At each stage the
//! candidate joins that gives the smallest leave-one-out error, which costs no refitting: with the chosen
//! columns made orthogonal, `w_i`, and `d_i = w_i'w_i + lambda_i`,
//!
//! ```text
//! g_n = w_n'y / d_n,   eps <- eps - g_n w_n,   eta <- eta - w_n^2 / d_n,   LOO error = eps / eta
//! ```
//!
//! starting from `eps = y`, `eta = 1`. The selection ends when the criterion stops falling.
//!
//! | type | task |
//! |---|---|
//! | [`Ols`] | regression and classification (and densities, by handing over to the next) |
//! | [`SparseDensity`] | density: the Parzen estimate is the target, the weights lie on the simplex |
//! | [`Parzen`] | the full Parzen window estimate |
//! | [`WidthSearch`] | the kernel width by leave-one-out or folds |
//!
//! **Cost.** One pass over the `N x M` candidate matrix per stage, about ten exact evaluations of `O(N n)`, and
//! memory for the matrix in single or double precision, or none (see [`Storage`]). Data that do not fit memory
//! are read batch by batch ([`Ols::fit_batches`]). The error rate as criterion
//! needs every candidate at every stage.
//!
//! **When not to use it.** It is greedy: with hundreds of terms kernel ridge regression is often more accurate.
//! Leave-one-out errors after a selection are optimistic, error rates most of all: they are not test errors.

mod basis;
mod batches;
mod columns;
mod density;
mod evidence;
#[cfg(feature = "files")]
mod file_batches;
mod loops;
mod ols;
mod outcome;
mod parzen;
mod pool;
mod refine;
mod select;
mod simplex;
mod source;
mod sparse_density;
mod streamed;
#[cfg(test)]
mod tests;
mod width;

pub use batches::Batches;
pub use density::Density;
#[cfg(feature = "files")]
pub use file_batches::FileBatches;
pub use ols::{ClassCriterion, ClassWeights, Ols, Penalty};
pub use parzen::{Parzen, likelihood_width};
pub use select::StopReason;
pub use simplex::SimplexProgram;
pub use source::Storage;
pub use sparse_density::{DensityEstimate, SparseDensity};
pub use width::{Validation, WidthSearch};
