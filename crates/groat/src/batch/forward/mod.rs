//! Orthogonal least squares driven by leave-one-out (systems C1 to C4 and C6; Chen, Hong and Harris 2007).
//!
//! One engine builds `f(x) = b + sum_i beta_i k(x, c_i)` term by term. At each stage the
//! candidate joins that gives the smallest leave-one-out error, which costs no refitting: with the chosen
//! columns made orthogonal, `w_i`, and `d_i = w_i'w_i + lambda_i`,
//!
//! ```text
//! g_n = w_n'y / d_n,   eps <- eps - g_n w_n,   eta <- eta - w_n^2 / d_n,   LOO error = eps / eta
//! ```
//!
//! starting from `eps = y`, `eta = 1`. The selection ends when the criterion stops falling.
//!
//! | type | what it is for |
//! |---|---|
//! | [`Ols`] | regression and classification; a density is handed over to [`SparseDensity`](super::density::SparseDensity), which uses the same engine |
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
mod build;
mod columns;
mod cost;
mod evidence;
mod loops;
mod ols;
mod outcome;
mod pool;
mod select;
mod source;
mod streamed;
#[cfg(test)]
mod tests;
mod width;

pub use crate::data::Batches;
#[cfg(feature = "files")]
pub use crate::data::FileBatches;
pub(super) use build::build;
pub use ols::{ClassCriterion, ClassWeights, Ols, Penalty};
pub use select::StopReason;
pub(super) use select::{Criterion, Objective, Selection, stop_note};
pub use source::Storage;
pub use width::WidthSearch;

pub use crate::tune::Validation;
