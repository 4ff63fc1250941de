//! What a sparse density takes, from the sizes of its data.

use super::SparseDensity;
use crate::batch::{Estimate, Method, Sizes};
use crate::error::Result;

/// Selections that the choice of a width comes to for each width, on its parts and on all rows.
const SELECTIONS: f64 = 6.0;
/// Multiplications of a product in the time of one kernel value of the Parzen estimate, and times that each is looked at.
const PER_KERNEL: f64 = 30.0;
const PARZEN_PASSES: f64 = 30.0;
/// The same for one row and kernel of the refinement.
const PER_REFINED: f64 = 60.0;

impl SparseDensity {
    /// As [`Method::estimate`].
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        let rows = self.selection_rows.min(sizes.rows);
        let n = rows as f64;
        let selection = self.engine.estimate(&Sizes { rows, ..*sizes })?;
        let widths = if self.width.is_some() { 1.0 } else { SELECTIONS * self.multiples.len() as f64 };
        let parzen = if self.parzen_width.is_some() { 1.0 } else { PARZEN_PASSES };
        let kernels = parzen * n * n * (PER_KERNEL + sizes.filled);
        let refined = (self.refinement * self.engine.max_terms.min(rows)) as f64
            * sizes.rows as f64
            * (PER_REFINED + sizes.filled);
        let solver =
            format!("a Parzen estimate of {rows} rows, then few of its kernels with weights of their own");
        Ok(Estimate { work: widths * selection.work + kernels + refined, solver, ..selection })
    }
}
