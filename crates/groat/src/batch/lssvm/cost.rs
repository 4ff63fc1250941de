//! What a least-squares SVM takes, from the sizes of its data.

use super::LeastSquaresSvm;
use crate::batch::{Estimate, Method, Sizes};
use crate::error::Result;
use crate::gram::{Form, Plan};

/// The share of the matrix that is not 0 where the kernel has a support: the data decide, which are not known yet.
const FILLED: f64 = 0.01;
/// Bytes of an entry, of which half are stored.
const ENTRY: f64 = 6.0;
/// Multiplications of a product in the time of one entry that is assembled, ordered and factorised.
const PER_ENTRY: f64 = 5000.0;

impl LeastSquaresSvm {
    /// As [`Method::estimate`](crate::batch::Method::estimate).
    pub(super) fn estimated(&self, sizes: &Sizes) -> Result<Estimate> {
        if self.support.is_none() && self.kernel.support().is_none() {
            return self.as_ridge(&self.kernel, &self.widths).estimate(sizes);
        }
        let entries = FILLED * (sizes.rows as f64).powi(2);
        let limit = self.memory.limit();
        let plan = Plan { form: Form::Sparse, bytes: ((ENTRY * entries) as u64).min(limit), limit };
        let solver = "a sparse kernel matrix, of which one entry in a hundred is taken not to be 0";
        Ok(Estimate::new(plan.bytes, entries * PER_ENTRY, solver).with_matrix(plan))
    }
}
