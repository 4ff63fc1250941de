//! Sparse, online and scalable kernel learning.
//!
//! A kernel model is `f(x) = b + sum_i alpha_i k(v_i, x)`. This crate finds models with very few `v_i`.
//!
//! ```text
//! data ──► learner ──► Model ──► predict / reduce / export / plot
//! ```
//!
//! Start with [`Kernel`] (what `k` is), [`Model`] (the one fitted model) and
//! [`batch::KernelRidge`] (the simplest learner).
//!
//! Samples are `&[f64]`; a set of samples is a borrowed row-major view, [`Rows`]. No type of another
//! crate's matrices stands in the public interface. Every random choice takes a seed, and the same
//! input, settings and seed give the same bits on one thread or many.

pub mod batch;
pub mod data;
pub mod error;
pub mod expansion;
pub mod features;
pub mod gram;
pub mod kernels;
pub mod matrix;
mod memory;
pub mod metrics;
pub mod model;
pub mod neighbours;
pub mod online;
pub mod persist;
pub mod settings;
mod simd;
#[doc(hidden)]
pub mod testing;
pub mod tune;

pub use error::{Error, Place, Result};
pub use expansion::Expansion;
pub use kernels::Kernel;
pub use matrix::{Csr, CsrRows, Matrix, PointSet, Points, Real, Rows};
pub use model::Model;
