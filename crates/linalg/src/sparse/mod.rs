//! Sparse symmetric matrices: storage, orderings, direct solution.

pub(crate) mod cholesky;
pub(crate) mod matrix;
pub(crate) mod order;
