//! Methods that know a matrix only by its products with vectors.

pub(crate) mod columns;
pub(crate) mod conjugate_gradients;
pub(crate) mod lanczos;
pub(crate) mod precondition;
mod vector;
