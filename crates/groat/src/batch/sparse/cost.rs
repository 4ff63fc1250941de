//! What the default fit takes, from the sizes of its data: what it takes time with is the full machine on the rows that
//! choices are made on, tried and tried again, and the selection of vectors from it.

use super::Sparse;
use super::expected::{PARTS, REPEATED};
use crate::batch::{Estimate, Sizes};
use crate::error::Result;
use crate::tune::Search;

/// Candidates that the selection has where nothing is said: all rows while there are few, and a number between those
/// of data that need few vectors and of data that need many.
const CANDIDATES: usize = 1700;
/// Widths and ridges that the full machine tries.
const TRIALS: f64 = 20.0;
/// Multiplications of a product in the time of one entry of a matrix that is evaluated or passed over.
const PER_ENTRY: f64 = 40.0;
/// Matrices of rows and candidates that the selection passes over, once its settings are known, and that there are at
/// the same time.
const PASSES: f64 = 20.0;
const MATRICES: f64 = 6.0;

impl Sparse {
    /// As [`Method::estimate`](crate::batch::Method::estimate).
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        let rows = self.selection_rows.min(sizes.rows);
        let m = self.candidates.unwrap_or(CANDIDATES).min(rows) as f64;
        let (n, s) = (sizes.rows as f64, rows as f64);
        let searches = self.widths != Search::Fixed || self.ridges != Search::Fixed;
        let trials = if searches { TRIALS } else { 1.0 };
        // Up to some rows everything is chosen anew without each part of them.
        let repeated = if self.estimate && sizes.rows <= REPEATED { 1.0 + PARTS as f64 } else { 1.0 };
        let one = s * m * (m + PER_ENTRY + sizes.filled);
        let passes = PASSES * s * m * PER_ENTRY;
        let weights = n * m * (PER_ENTRY + sizes.filled);
        let work = repeated * (trials * one + passes) + weights;
        let bytes = 8 * (MATRICES * s * m) as u64;
        self.memory.check("the kernels of candidates", bytes, "take fewer candidates or selection_rows")?;
        let solver =
            format!("the full machine on {rows} rows and {m} candidates, then the fewest vectors as good");
        Ok(Estimate::new(bytes, work, solver))
    }
}
