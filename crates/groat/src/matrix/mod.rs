//! Sets of rows: dense ([`Matrix`] owns, [`Rows`] borrows), sparse ([`Csr`] owns, [`CsrRows`] borrows), or
//! either ([`PointSet`] owns, [`Points`] borrows, [`Point`] is one row).
//!
//! A data set is `n` rows of `d` features. These types are all the public interface needs of matrices; linear
//! algebra stays behind `groat-linalg`.

mod csr;
mod dense;
mod point;
mod points;

pub use csr::{Csr, CsrRows};
pub use dense::{Matrix, Real, Rows};
pub use point::Point;
pub use points::{PointSet, Points};
