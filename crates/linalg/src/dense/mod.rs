//! Dense matrices.

pub(crate) mod cholesky;
pub(crate) mod eigen;
pub(crate) mod least_squares;
pub(crate) mod pivoted;
pub(crate) mod product;
pub(crate) mod view;
