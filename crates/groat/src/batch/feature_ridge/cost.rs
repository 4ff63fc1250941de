//! Which way of solving is quicker, from the sizes alone.
//!
//! In units of one multiplication of a matrix product: the sums of a direct solution take `n M^2 / 2`, and the rows are gone
//! through once more to refine it. A pass over the rows takes `PER_KERNEL + d` for each of its `n M` kernels of `d` features
//! (the kernel, and two products with vectors). Conjugate gradients take some passes, the fewer the more rows `s` their
//! preconditioner has been made from, which takes `s M^2 / 2`: the sample is as large as makes both together least.
//! Factorisations, `M^3` in all, are common to both. Hence few features, or few rows for each, are solved directly, and
//! from about a hundred rows for each of a thousand features on conjugate gradients are quicker.

use super::FeatureSolver;
use crate::error::{Result, size};
use crate::features::Statistics;
use crate::gram::Memory;

/// Multiplications of a product in the time of one kernel and its two products, roughly.
const PER_KERNEL: f64 = 25.0;
/// Features of a row where nothing is known of them.
const TYPICAL: usize = 10;
/// Rows of the sample that the preconditioner is made from, for each feature: one of these.
const SAMPLES: [usize; 8] = [3, 6, 12, 25, 50, 100, 200, 400];
/// The share of a residual that a pass leaves, times the root of the sample's rows for each feature, and at most: roughly.
const LEFT: f64 = 2.0;
const MOST_LEFT: f64 = 0.8;
/// The residual that passes end at, as a rule.
const RESIDUAL: f64 = 1e-8;

/// Passes until conjugate gradients are there, as a rule, with a preconditioner from so many rows.
fn passes(sample: f64, features: f64) -> f64 {
    let left = (LEFT * (features / sample).sqrt()).min(MOST_LEFT);
    RESIDUAL.ln() / left.ln()
}

/// A way of solving and what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plan {
    pub iterative: bool,
    /// Rows that the preconditioner of an iterative solution is made from.
    pub sample: usize,
    /// Bytes of sums and factors.
    pub bytes: u64,
    /// Multiplications.
    pub work: f64,
}

impl Plan {
    /// The quicker way, unless one was asked for or does not fit the memory, for rows of which nothing more is known.
    pub(super) fn choose(
        solver: FeatureSolver,
        rows: usize,
        features: usize,
        parts: usize,
        memory: Memory,
    ) -> Result<Self> {
        Self::among(solver, rows, (features, TYPICAL), parts, rows, memory)
    }

    /// The same for so many features of rows of so many, where `drawn` rows are at hand for a sample.
    pub(super) fn among(
        solver: FeatureSolver,
        rows: usize,
        (features, dimension): (usize, usize),
        parts: usize,
        drawn: usize,
        memory: Memory,
    ) -> Result<Self> {
        let (n, m) = (rows as f64, features as f64);
        let pass = n * m * (PER_KERNEL + dimension as f64);
        let direct = n * m * m / 2.0 + 2.0 * pass + m.powi(3);
        let with = |share: usize| {
            let sample = (share * features).min(drawn);
            let work = passes(sample as f64, m) * pass + sample as f64 * m * m / 2.0 + m.powi(3);
            (sample, work)
        };
        let least = |a: (usize, f64), b: (usize, f64)| if b.1 < a.1 { b } else { a };
        let (sample, iterative) = SAMPLES[1..].iter().map(|&share| with(share)).fold(with(SAMPLES[0]), least);
        // The sums of every part, their total, its whitened form and its factor.
        let bytes = Statistics::bytes_for(features) * (parts as u64 + 3);
        let least = Statistics::bytes_for(features) * 5;
        let quicker = iterative < direct || !memory.holds(bytes);
        let iterative_wanted = match solver {
            FeatureSolver::Auto => quicker && rows > SAMPLES[0] * features,
            FeatureSolver::Direct => false,
            FeatureSolver::Iterative => true,
        };
        let bytes = if iterative_wanted { least } else { bytes };
        memory.check("features", bytes, "take a lower rank or allow more memory")?;
        let work = if iterative_wanted { iterative } else { direct };
        Ok(Self { iterative: iterative_wanted, sample, bytes, work })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_follows_the_sizes() {
        let plan = |rows: usize, features: usize, dimension: usize, drawn: usize| {
            let memory = Memory::from(Some(1 << 40));
            Plan::among(FeatureSolver::Auto, rows, (features, dimension), 2, drawn, memory).unwrap()
        };
        // Few rows for each feature, few features, dear kernels, or a small sample: direct.
        for (rows, features, dimension, drawn) in [
            (10_000, 2000, 8, 10_000),
            (1_000_000, 200, 8, 1_000_000),
            (1_000_000, 1000, 500, 1_000_000),
            (1_000_000, 1000, 8, 10_000),
        ] {
            assert!(
                !plan(rows, features, dimension, drawn).iterative,
                "{rows} {features} {dimension} {drawn}"
            );
        }
        let large = plan(1_000_000, 1000, 8, 1_000_000);
        assert!(large.iterative && (50_000..=200_000).contains(&large.sample), "{large:?}");
        // More landmarks than sums could be made for in time.
        assert!(plan(1_000_000, 10_000, 8, 1_000_000).iterative);
    }
}
