//! Kernel matrices: one provider for all learners.
//!
//! [`Gram`] is the matrix `k(a_i, b_j)` over dense or sparse points. The caller says what it will do with it
//! ([`Need`]) and how much memory there is ([`Memory`]); it then stands in double precision, in single precision with
//! sums in double, as its nonzeros, or nowhere ([`Form`]), and gives rows, blocks, products and its diagonal alike.
//! A [`Plan`] says beforehand what that takes, or refuses. [`RowCache`] keeps the latest rows under a limit.
//!
//! A kernel with compact support (003 (1)) has a matrix that is mostly zeros. [`SparseGram`] assembles it through
//! a neighbour search, never forming the `n^2` entries, straight into symmetric compressed storage.
//!
//! Where no matrix is wanted, [`weighted_sum`] gives `sum_j k(x_i, v_j) w_j`, and [`matrix`] and [`cross`] give
//! matrices to callers who know that there is room.

mod cache;
mod evaluate;
mod growing;
mod latest;
pub(crate) mod loops;
mod memory;
mod near;
mod provider;
mod rows;
mod side;
mod sparse;
mod stored;
mod symmetric;

pub(crate) use crate::kernels::Single;
pub use cache::RowCache;
pub use evaluate::{cross, diagonal, matrix, weighted_sum};
pub use groat_linalg::Bandwidth;
pub(crate) use growing::Growing;
pub use memory::{Form, Memory, Need, Plan};
pub(crate) use near::NearSums;
pub use provider::Gram;
pub(crate) use rows::KernelRows;
pub(crate) use side::Side;
pub use sparse::{Expected, SparseGram};
pub(crate) use stored::Stored;
pub(crate) use symmetric::Symmetric;
