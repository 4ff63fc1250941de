//! Gram matrices too large to be stored densely.
//!
//! A kernel with compact support (003 (1)) has a Gram matrix that is mostly zeros. [`SparseGram`]
//! assembles it through a neighbour search, never forming the `n^2` entries, straight into symmetric
//! compressed storage, and knows what it will take before it takes it.

mod sparse;

pub use groat_linalg::Bandwidth;
pub use sparse::{Expected, SparseGram};
