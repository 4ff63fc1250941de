//! What a density takes, from the sizes of its data.

use super::grown::{JUDGED_ROWS, MOST, PARTS, PARZEN_ROWS, ROWS_PER_KERNEL, STEPS};
use super::sparse::MULTIPLES;
use super::{GrownDensity, SparseDensity};
use crate::batch::{Estimate, Method, Sizes};
use crate::error::Result;

/// Selections that the choice of a width comes to for each width, on its parts and on all rows.
const SELECTIONS: f64 = 6.0;
/// Multiplications of a product in the time of one kernel value of the Parzen estimate, and times that each is looked at.
const PER_KERNEL: f64 = 30.0;
const PARZEN_PASSES: f64 = 30.0;
/// The same for one row and kernel of a step of expectation maximisation.
const PER_REFINED: f64 = 60.0;
/// Kernels of all sizes that are usually tried, as multiples of the largest that there may be.
const GROWTH: f64 = 0.5;

/// Work for the width of a Parzen estimate.
fn parzen_work(rows: f64, given: bool, features: f64) -> f64 {
    let passes = if given { 1.0 } else { PARZEN_PASSES };
    passes * rows * rows * (PER_KERNEL + features)
}

impl SparseDensity {
    /// As [`Method::estimate`].
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        let selection = self.engine.estimate(sizes)?;
        let widths = if self.width.is_some() { 1.0 } else { SELECTIONS * MULTIPLES.len() as f64 };
        let parzen = parzen_work(sizes.rows as f64, self.parzen_width.is_some(), sizes.filled);
        let refined = (self.refinement * self.engine.max_terms.min(sizes.rows)) as f64
            * sizes.rows as f64
            * (PER_REFINED + sizes.filled);
        let solver = format!(
            "a Parzen estimate of {} rows, then few of its kernels with weights of their own",
            sizes.rows
        );
        Ok(Estimate { work: widths * selection.work + parzen + refined, solver, ..selection })
    }
}

impl GrownDensity {
    /// As [`Method::estimate`].
    pub(super) fn estimated(&self, sizes: &Sizes) -> Estimate {
        let judged = sizes.rows.min(JUDGED_ROWS);
        let most = self.max_terms.unwrap_or(MOST).min(judged / ROWS_PER_KERNEL).max(1);
        let parzen = parzen_work(judged as f64, self.parzen_width.is_some(), sizes.filled);
        let steps = (STEPS * PARTS * judged + STEPS * sizes.rows) as f64;
        let grown = GROWTH * steps * most as f64 * (PER_REFINED + sizes.filled);
        let bytes = 16 * (sizes.features * sizes.rows.min(PARZEN_ROWS)) as u64;
        let solver = format!(
            "mixtures of up to {most} kernels by expectation maximisation, beside a Parzen estimate of {judged} rows"
        );
        Estimate::new(bytes, parzen + grown, solver)
    }
}
