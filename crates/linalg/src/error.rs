//! What can go wrong, as data.

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured.
        what: &'static str,
        /// The size that was needed.
        expected: usize,
        /// The size that came.
        found: usize,
    },
    /// A matrix holds NaN or infinity.
    #[error("the matrix holds a number that is not finite at row {row}, column {column} (from 0)")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
    },
    /// A factorisation met a pivot that is not a positive number.
    #[error("the matrix is not positive definite (pivot {pivot}, counted from 0)")]
    NotPositiveDefinite {
        /// Row of the matrix, in the caller's numbering.
        pivot: usize,
    },
    /// The columns of a least-squares problem are linearly dependent.
    #[error("only {rank} of {columns} columns are linearly independent")]
    RankDeficient {
        /// Numerical rank.
        rank: usize,
        /// Number of columns.
        columns: usize,
    },
    /// A sparse matrix or an ordering breaks the rules of its format.
    #[error("column {column} (from 0) is not well-formed")]
    Structure {
        /// The first such column.
        column: usize,
    },
    /// Something does not fit: into memory, or into the index type.
    #[error("{what} is too large ({needed} needed)")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Bytes or entries needed.
        needed: u64,
    },
    /// An iteration for positive definite matrices met a direction of negative curvature.
    #[error("the matrix is not positive definite (curvature {curvature:e} after {iterations} iterations)")]
    Indefinite {
        /// `p^T A p / p^T p` for the direction met.
        curvature: f64,
        /// Iterations spent.
        iterations: usize,
    },
    /// An iteration did not reach its goal.
    #[error("no convergence after {iterations} iterations (residual {residual:e}, wanted {wanted:e})")]
    NoConvergence {
        /// Iterations spent.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
        /// Relative residual wanted.
        wanted: f64,
    },
    /// The caller asked the work to stop.
    #[error("stopped on request")]
    Stopped,
}

/// Asked now and then by long work: true ends it with [`Error::Stopped`].
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Fails once a stop is asked for.
pub(crate) fn check_stop(stop: Stop<'_>) -> Result<()> {
    if stop() { Err(Error::Stopped) } else { Ok(()) }
}

/// Fails unless `found == expected`.
pub(crate) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}
