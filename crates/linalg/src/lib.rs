//! Dense and sparse linear algebra for groat: the one door to faer.
//!
//! Everything takes and returns plain slices of `f64`; no type of another crate appears. The algebra
//! inside one block is faer's and runs on one thread. The loops over blocks are ours, run by rayon over
//! a partition that depends on the sizes alone, and partial sums are added in a fixed order: **the same
//! input gives the same bits on one thread or many**.
//!
//! | part | what |
//! |---|---|
//! | [`View`], [`ViewMut`] | a slice seen as a matrix, in either order |
//! | [`product`], [`self_product`] | threaded products |
//! | [`Cholesky`] | symmetric positive definite systems, their inverse's diagonal, condition |
//! | [`eigh`] | all eigenpairs of a symmetric matrix |
//! | [`least_squares`] | tall systems by QR with column pivoting |
//!
//! Not meant for tiny matrices in hot loops (an online step of 30 x 30): calls allocate.

mod dense;
mod error;
mod norm_estimate;

pub use dense::cholesky::Cholesky;
pub use dense::eigen::{Eigen, eigh};
pub use dense::least_squares::least_squares;
pub use dense::product::{Write, product, self_product};
pub use dense::view::{View, ViewMut};
pub use error::{Error, Result};
