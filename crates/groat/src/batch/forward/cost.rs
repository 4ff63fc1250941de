//! What the selection of vectors one by one takes, from the sizes of its data.

use super::Ols;
use crate::batch::{Estimate, Sizes};
use crate::error::Result;
use crate::gram::{Need, Plan};

/// Terms that are chosen, as a share of the candidates.
const TERMS: f64 = 0.25;
/// Selections that the evidence procedure comes to before it settles.
const SELECTIONS: f64 = 10.0;
/// Widths that a search compares.
const WIDTHS: f64 = 10.0;
/// Multiplications of a product in the time of one entry that a term passes over, and of one kernel value.
const PER_ENTRY: f64 = 15.0;
const PER_KERNEL: f64 = 25.0;

impl Ols {
    /// As [`Method::estimate`](crate::batch::Method::estimate).
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        self.check_candidates(sizes.rows)?;
        let candidates = self.candidate_count(sizes.rows);
        let plan = Plan::choose(Need::RoughProducts, candidates, sizes.rows, sizes.bytes(), self.memory)?;
        let selection = |rows: usize| {
            let entries = rows as f64 * self.candidate_count(rows) as f64;
            let terms = (TERMS * self.candidate_count(rows) as f64).min(self.max_terms as f64);
            let passes = SELECTIONS.min(self.passes as f64);
            entries * (PER_KERNEL + sizes.filled + passes * terms * PER_ENTRY)
        };
        let widths =
            self.search.as_ref().map_or(0.0, |search| WIDTHS * selection(search.rows.min(sizes.rows)));
        let solver = format!("vectors chosen one by one among {candidates} candidates");
        Ok(Estimate::new(sizes.bytes(), selection(sizes.rows) + widths, solver).with_matrix(plan))
    }
}
