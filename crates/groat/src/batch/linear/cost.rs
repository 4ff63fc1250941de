//! What a linear machine takes, from the sizes of its data.

use super::{COSTS, LinearLoss, LinearMachine};
use crate::batch::{Estimate, Sizes};
use crate::error::Result;
use crate::tune::Search;

/// Readings of the rows until a solution is found, as a rule; fewer while costs are compared.
const READINGS: f64 = 350.0;
const ROUGH_READINGS: f64 = 100.0;
/// Multiplications of a matrix product in the time of one number that is read on one thread, of one row, and of one row
/// of logistic regression, whose steps are found iteratively.
const PER_NUMBER: f64 = 25.0;
const PER_ROW: f64 = 1500.0;
const PER_LOGISTIC_ROW: f64 = 7000.0;
/// Costs that two threads try side by side.
const SIDE_BY_SIDE: f64 = 2.0;

impl LinearMachine {
    /// As [`Method::estimate`](crate::batch::Method::estimate).
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        let outputs = sizes.outputs();
        let per_row = if self.loss == LinearLoss::Logistic { PER_LOGISTIC_ROW } else { PER_ROW };
        let reading = |rows: usize| rows as f64 * (per_row + PER_NUMBER * sizes.filled) * outputs as f64;
        let costs = match &self.costs {
            Search::Fixed => 0,
            Search::Grid(costs) => costs.len(),
            Search::Auto => COSTS.len(),
        };
        let tried = (costs * self.folds) as f64 / SIDE_BY_SIDE;
        let search = tried * ROUGH_READINGS * reading(self.selection_rows.min(sizes.rows));
        let bytes = 8 * (4 * sizes.rows + outputs * sizes.features) as u64;
        Ok(Estimate::new(
            bytes,
            READINGS * reading(sizes.rows) + search,
            "dual coordinate descent, row by row",
        ))
    }
}
