//! Which way of solving is quicker, from the sizes alone.
//!
//! In units of one multiplication of a matrix product: the sums of a direct solution take `n M^2 / 2`; a pass of
//! conjugate gradients takes `PER_KERNEL` for each of its `n M` kernels (the kernel, and two products with vectors, which are
//! bound by memory), and some `PASSES` of them are needed, besides the sums over a sample. Factorisations, `M^3` in all, are
//! common to both. Hence many landmarks, from about two thousand on, are solved iteratively.

use super::FeatureSolver;
use crate::error::{Result, size};
use crate::features::Statistics;
use crate::gram::Memory;

/// Multiplications of a product in the time of one kernel and its two products: measured, see `comparisons/scale`.
const PER_KERNEL: f64 = 40.0;
/// Passes until conjugate gradients are there, as a rule.
const PASSES: f64 = 25.0;
/// Rows of the sample that the preconditioner is made from, for each feature.
pub(super) const SAMPLE: usize = 3;

/// A way of solving and what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub iterative: bool,
    /// Bytes of sums and factors.
    pub bytes: u64,
    /// Multiplications.
    pub work: f64,
}

impl Plan {
    /// The quicker way, unless one was asked for or does not fit the memory.
    pub(super) fn choose(
        solver: FeatureSolver,
        rows: usize,
        features: usize,
        parts: usize,
        memory: Memory,
    ) -> Result<Self> {
        let (n, m) = (rows as f64, features as f64);
        let sample = n.min((SAMPLE * features) as f64);
        let direct = n * m * m / 2.0 + m.powi(3);
        let iterative = PASSES * PER_KERNEL * n * m + sample * m * m / 2.0 + m.powi(3);
        // The sums of every part, their total, its whitened form and its factor.
        let bytes = Statistics::bytes_for(features) * (parts as u64 + 3);
        let least = Statistics::bytes_for(features) * 5;
        let quicker = iterative < direct || !memory.holds(bytes);
        let iterative_wanted = match solver {
            FeatureSolver::Auto => quicker && rows > SAMPLE * features,
            FeatureSolver::Direct => false,
            FeatureSolver::Iterative => true,
        };
        let bytes = if iterative_wanted { least } else { bytes };
        memory.check("features", bytes, "take a lower rank or allow more memory")?;
        let work = if iterative_wanted { iterative } else { direct };
        Ok(Self { iterative: iterative_wanted, bytes, work })
    }

    /// The choice in words.
    pub(super) fn text(&self, rows: usize, features: usize) -> String {
        let way = if self.iterative {
            "conjugate gradients with a sampled preconditioner"
        } else {
            "normal equations in one pass"
        };
        format!(
            "{rows} rows, {features} features: solved by {way}; sums and factors take {}",
            size(self.bytes)
        )
    }
}
