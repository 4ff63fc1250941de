//! Sparse symmetric matrices: storage, orderings, direct solution.

pub(crate) mod cholesky;
mod frontal;
pub(crate) mod matrix;
pub(crate) mod order;
mod selected;
mod supernodes;
