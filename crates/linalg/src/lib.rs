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
//! | [`product`], [`self_product`], [`add_self_product`] | threaded products |
//! | [`add_self_product_single`] | the same product in single precision, added up in double |
//! | [`product_single`] | a product in single precision on one thread |
//! | [`Cholesky`] | symmetric positive definite systems, their inverse's diagonal, condition |
//! | [`PivotedCholesky`] | the rows of a semidefinite matrix that carry something new, and their factor |
//! | [`eigh`] | all eigenpairs of a symmetric matrix |
//! | [`least_squares`] | tall systems by QR with column pivoting |
//! | [`SparseSymmetric`] | half-stored sparse matrices, assembled and multiplied in parallel |
//! | [`reverse_cuthill_mckee`], [`minimum_degree`] | orderings |
//! | [`SparseAnalysis`], [`SparseCholesky`] | direct sparse solution, its cost known beforehand |
//! | [`conjugate_gradients`], [`conjugate_gradient_columns`], [`BlockJacobi`] | iterative solution |
//! | [`Lanczos`] | the few largest eigenpairs of an operator |
//!
//! Not meant for tiny matrices in hot loops (an online step of 30 x 30): calls allocate.

mod dense;
mod error;
mod krylov;
mod norm_estimate;
mod sparse;

pub use dense::cholesky::Cholesky;
pub use dense::eigen::{Eigen, eigh};
pub use dense::least_squares::least_squares;
pub use dense::pivoted::PivotedCholesky;
pub use dense::product::{
    Write, add_self_product, add_self_product_single, product, product_single, self_product,
};
pub use dense::view::{View, ViewMut};
pub use error::{Error, Result, Stop};
pub use krylov::columns::conjugate_gradient_columns;
pub use krylov::conjugate_gradients::{CgReport, CgSettings, conjugate_gradients};
pub use krylov::lanczos::{Lanczos, LargestPairs};
pub use krylov::precondition::BlockJacobi;
pub use sparse::cholesky::{Ordering, SparseAnalysis, SparseCholesky};
pub use sparse::matrix::{Bandwidth, SparseSymmetric};
pub use sparse::order::{minimum_degree, reverse_cuthill_mckee};
