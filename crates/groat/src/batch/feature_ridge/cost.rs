//! Which way of solving is quicker, from the sizes alone.
//!
//! In units of one multiplication of a matrix product: the sums of a direct solution take `n M^2 / 2`, and the rows are gone
//! through once more to refine it. A pass over the rows takes `PER_KERNEL + d` for each of its `n M` kernels of `d` features
//! (the kernel, and two products with vectors), about half of that with kernels in single precision. Conjugate gradients take
//! some passes, most of them so where they may (`solve.rs`), the fewer the more rows `s` their preconditioner has been made
//! from, which takes `s M^2 / 2`: the sample is as large as makes both together least. Where landmarks depend on each other
//! so much that rows are multiplied by `L^-1`, that is another `n M^2 / 2` for every pass. Factorisations, `M^3` in all, are
//! common to both. Hence few features, few rows for each, or dependent landmarks are solved directly, and from about a
//! hundred rows for each of a thousand features on conjugate gradients are quicker.

use super::FeatureSolver;
use crate::error::{Result, size};
use crate::features::Statistics;
use crate::gram::Memory;

/// Multiplications of a product in the time of one kernel and its two products, roughly.
const PER_KERNEL: f64 = 25.0;
/// The share of a pass that is left with kernels in single precision, and how many passes stay in double.
const SINGLE: f64 = 0.5;
const IN_DOUBLE: f64 = 3.0;
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

/// What is known of the features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    /// How many there are.
    pub size: usize,
    /// Numbers of a row that they are made from.
    pub dimension: usize,
    /// Whether every row is multiplied by `L^-1`.
    pub whitened: bool,
    /// Whether passes may take kernels in single precision.
    pub single: bool,
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
        let features = Features { size: features, dimension: TYPICAL, whitened: false, single: true };
        Self::among(solver, rows, features, parts, rows, memory)
    }

    /// The same for these features, where `drawn` rows are at hand for a sample.
    pub(super) fn among(
        solver: FeatureSolver,
        rows: usize,
        Features { size: features, dimension, whitened, single }: Features,
        parts: usize,
        drawn: usize,
        memory: Memory,
    ) -> Result<Self> {
        let (n, m) = (rows as f64, features as f64);
        let whitening = if whitened { m / 2.0 } else { 0.0 };
        let pass = n * m * (PER_KERNEL + dimension as f64 + whitening);
        let direct = n * m * m / 2.0 + 2.0 * pass + m.powi(3);
        let with = |share: usize| {
            let sample = (share * features).min(drawn);
            let steps = passes(sample as f64, m);
            let steps = if single { SINGLE * steps + IN_DOUBLE } else { steps };
            let work = steps * pass + sample as f64 * m * (m / 2.0 + whitening) + m.powi(3);
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
            let features = Features { size: features, dimension, whitened: false, single: true };
            Plan::among(FeatureSolver::Auto, rows, features, 2, drawn, memory).unwrap()
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
        // The same with landmarks that depend on each other: every pass would multiply rows by `L^-1`.
        let dependent = Features { size: 1000, dimension: 8, whitened: true, single: false };
        let memory = Memory::from(Some(1 << 40));
        let plan_for = |features| Plan::among(FeatureSolver::Auto, 1_000_000, features, 2, 1_000_000, memory);
        assert!(!plan_for(dependent).unwrap().iterative);
        // More landmarks than sums could be made for in time.
        assert!(plan(1_000_000, 10_000, 8, 1_000_000).iterative);
    }
}
