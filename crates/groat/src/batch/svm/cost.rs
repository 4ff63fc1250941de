//! What a machine takes, from the sizes of its data.
//!
//! How many vectors there will be is not known before; a share of the rows that lies between those of clean and of noisy
//! data stands in, so that this says the order of magnitude and no more.

use super::{SupportVectorMachine, SvmForm};
use crate::batch::{Estimate, Sizes};
use crate::error::Result;
use crate::gram::KernelRows;
use crate::tune::Search;

/// Vectors that the solver works on, as a share of the rows.
const VECTORS: f64 = 0.3;
/// Rows of the kernel matrix that are evaluated for each of them.
const ROWS_PER_VECTOR: f64 = 2.5;
/// Multiplications of a product in the time of one kernel value in single precision, and in that of one of its features.
const PER_KERNEL: f64 = 20.0;
const PER_FEATURE: f64 = 1.5;
/// The same for the steps between the evaluations, for every row.
const PER_ROW: f64 = 150_000.0;
/// Solutions on the rows of the search that the search comes to, when the width is looked for and when it is given; more
/// for numbers, whose machines have two variables for each row and larger costs.
const SOLUTIONS: f64 = 75.0;
const SOLUTIONS_FOR_COST: f64 = 6.0;
const FOR_NUMBERS: f64 = 5.0;
const FOR_NUMBERS_WITH_NU: f64 = 20.0;

impl SupportVectorMachine {
    /// As [`Method::estimate`](crate::batch::Method::estimate).
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        let learnt = self.subsample.unwrap_or(usize::MAX).min(sizes.rows);
        let held = if self.chunk.is_some() { self.carry.min(learnt) } else { learnt };
        let sizes = Sizes { rows: held, ..*sizes };
        let machines = match self.form {
            SvmForm::Classes | SvmForm::NuClasses => sizes.answers * (sizes.answers - 1).max(1) / 2,
            _ => sizes.answers,
        };
        let plan = KernelRows::expected(&self.kernel, (held, sizes.features), sizes.bytes(), self.memory)?;
        let passes =
            if self.chunk.is_some() { self.chunk_passes as f64 * learnt as f64 / held as f64 } else { 1.0 };
        let left_out = if self.probabilities { self.folds as f64 } else { 0.0 };
        let solution = (1.0 + left_out) * passes * all_machines(&sizes, machines);
        let search = self.solutions()
            * all_machines(&Sizes { rows: self.selection_rows.min(held), ..sizes }, machines);
        let coefficients = 8 * (machines * held) as u64 + sizes.bytes();
        let solver = format!("blocks of the {held} rows, first those that violate their conditions most");
        Ok(Estimate::new(coefficients, solution + search, solver).with_matrix(plan))
    }

    /// Solutions that the search comes to.
    fn solutions(&self) -> f64 {
        let widths = self.widths != Search::Fixed && self.kernel.width().is_some();
        let values = if self.form.takes_nu() { self.nu.is_none() } else { self.costs != Search::Fixed };
        let longer = match self.form {
            SvmForm::OneClass => 0.0,
            SvmForm::Values => FOR_NUMBERS,
            SvmForm::NuValues => FOR_NUMBERS_WITH_NU,
            _ => 1.0,
        };
        longer
            * match (widths, values) {
                (true, _) => SOLUTIONS,
                (false, true) => SOLUTIONS_FOR_COST,
                (false, false) => 0.0,
            }
    }
}

/// Multiplications that one solution of all machines takes; those of pairs of classes have their own rows only.
fn all_machines(sizes: &Sizes, machines: usize) -> f64 {
    let share = if sizes.answers > 2 && machines > sizes.answers { 2.0 / sizes.answers as f64 } else { 1.0 };
    let n = share * sizes.rows as f64;
    let kernels = n * n * VECTORS * ROWS_PER_VECTOR * (PER_KERNEL + PER_FEATURE * sizes.filled);
    machines as f64 * (kernels + PER_ROW * n)
}
