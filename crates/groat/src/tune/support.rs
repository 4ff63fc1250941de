//! Choosing the support of a compact kernel (system D4).
//!
//! How much does the sparse `K_C` still tell of `K`? The alignment of 003 (3), with `K_ii = 1`,
//!
//! ```text
//! A(C) = <K, K_C> / (|K| |K_C|)         S(C) = share of zeros in K_C, 003 (7)
//! ```
//!
//! grows with `C`, while the sparsity falls in steps at the pairwise distances. For integer `nu` both sums
//! in `A` are polynomials in `1 / C` over the pairs nearer than `C`, so after sorting the distances, prefix
//! sums of `r^j K^2` for `j = 0 .. 2 nu` give `A` and `S` at any `C` in `O(nu)`. Up to 1,500 rows all pairs
//! are used; above, a million random pairs and the exact diagonal, with a standard error from eight disjoint
//! parts of the sample. For supports so small that few sampled pairs fall below them, neighbours of
//! sampled rows are counted instead.
//!
//! Three rules: (8) the largest `A + gamma S`, which lies at one of the distances and has many local maxima,
//! so all are tried; (9) the sparsest matrix with `A >= mu`; (10) the best aligned one with `S >= tau`, where
//! `tau` may come from the memory at hand.

mod curve;
mod rule;

pub use curve::CurvePoint;
pub use rule::{SupportChoice, SupportRule};

use crate::error::{Error, Result};
use crate::gram::SparseGram;
use crate::kernels::Kernel;
use crate::matrix::Rows;
use curve::Pairs;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// Alignment that is taken when nothing else is asked for.
const AUTO_ALIGNMENT: f64 = 0.95;
/// Rows up to which all pairs are used.
const EXACT_ROWS: usize = 1500;
/// Random pairs used above.
const SAMPLED_PAIRS: usize = 1_000_000;
/// Parts of the sample that tell its error.
const PARTS: usize = 8;
/// Sampled pairs below the support that are enough to place it.
const ENOUGH_HITS: f64 = 1000.0;

/// Alignment and sparsity of one kernel on one data set, at every support.
///
/// ```
/// use groat::{Kernel, Rows, tune::{SupportRule, SupportTuning}};
/// let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 10.0).collect();
/// let x = Rows::new(&x, 1)?;
/// let tuning = SupportTuning::for_kernel(&Kernel::gaussian(0.5), x, 0)?;
/// let choice = tuning.choose(SupportRule::Sparsity(0.9))?;
/// assert!(choice.sparsity >= 0.9 && choice.alignment > 0.5);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Debug)]
pub struct SupportTuning<'a> {
    x: Rows<'a>,
    base: Kernel,
    /// Whole: the curves are sums of whole powers of the distances.
    power: u32,
    pairs: Pairs,
    /// Disjoint parts of the sample; empty when all pairs are used.
    parts: Vec<Pairs>,
    seed: u64,
}

impl<'a> SupportTuning<'a> {
    /// Prepares the curves for a radial kernel, with the power fit for the data, or for a compact one, with
    /// its own power, which must be a whole number (its support is not used).
    pub fn for_kernel(kernel: &Kernel, x: Rows<'a>, seed: u64) -> Result<Self> {
        kernel.check_for(x.cols())?;
        x.check_finite("the features")?;
        let (base, power) = match kernel {
            Kernel::Compact { power, .. } if power.fract() != 0.0 => {
                return Err(Error::parameter(
                    "power",
                    power,
                    "a whole number where the support is to be chosen",
                ));
            }
            Kernel::Compact { base, power, .. } => ((**base).clone(), *power as u32),
            Kernel::Wendland { .. } => {
                return Err(Error::parameter("kernel", kernel, "one whose support is not its width"));
            }
            other if other.is_radial() => match Kernel::compact_for(other.clone(), 1.0, x.cols()) {
                Kernel::Compact { base, power, .. } => (*base, power as u32),
                _ => (other.clone(), 1),
            },
            other => return Err(Error::parameter("kernel", other, "a radial kernel")),
        };
        let n = x.rows();
        if n < 3 {
            return Err(Error::TooFew { what: "choosing a support", unit: "rows", needed: 3, found: n });
        }
        let exact = n <= EXACT_ROWS;
        let squared = if exact { all_pairs(&base, x)? } else { random_pairs(&base, x, seed)? };
        let parts = if exact {
            Vec::new()
        } else {
            let size = squared.len().div_ceil(PARTS);
            squared.par_chunks(size).map(|part| Pairs::new(&base, power, part.to_vec(), n)).collect()
        };
        let pairs = Pairs::new(&base, power, squared, n);
        if pairs.largest() == 0.0 {
            return Err(Error::Numerical {
                what: "choosing a support",
                reason: "all rows are equal".to_owned(),
            });
        }
        Ok(Self { x, base, power, pairs, parts, seed })
    }

    /// True when all pairs of rows are used, false when a sample is.
    pub fn is_exact(&self) -> bool {
        self.parts.is_empty()
    }

    /// The kernel with a given support.
    pub fn kernel_with(&self, support: f64) -> Kernel {
        Kernel::compact(self.base.clone(), support, self.power)
    }

    /// `A(C)` and `S(C)`.
    pub fn at(&self, support: f64) -> CurvePoint {
        self.pairs.at(support)
    }

    /// The largest support worth a look: there the taper hardly changes the kernel any more.
    fn farthest(&self) -> f64 {
        4.0 * self.pairs.largest()
    }

    /// The curves at `points` supports, evenly spaced in the logarithm between the 0.1 % quantile of the
    /// distances and four times the largest.
    pub fn curve(&self, points: usize) -> Vec<CurvePoint> {
        let (low, high) = (self.pairs.quantile(0.001), self.farthest());
        let step = (high / low).ln() / (points.max(2) - 1) as f64;
        (0..points).map(|k| self.at(low * (step * k as f64).exp())).collect()
    }

    /// The support that a rule chooses.
    pub fn choose(&self, rule: SupportRule) -> Result<SupportChoice> {
        rule.check()?;
        let n = self.x.rows() as f64;
        if let SupportRule::Auto(bytes) = rule {
            let aligned = self.choose(SupportRule::Alignment(AUTO_ALIGNMENT))?;
            let fits = rule::bytes_for(aligned.sparsity, n) <= bytes as f64;
            return if fits { Ok(aligned) } else { self.choose(SupportRule::Memory(bytes)) };
        }
        let tau = match rule {
            SupportRule::Sparsity(tau) => Some(tau),
            SupportRule::Memory(bytes) => Some(rule::sparsity_for(bytes, n)?),
            _ => None,
        };
        if let (SupportRule::Memory(_), Some(0.0)) = (rule, tau) {
            return Ok(SupportChoice::new(self.at(self.farthest()), None));
        }
        if let Some(tau) = tau.filter(|tau| !self.is_exact() && self.pairs.expected_hits(*tau) < ENOUGH_HITS)
        {
            return self.choose_by_counting(tau);
        }
        let rule = tau.map_or(rule, SupportRule::Sparsity);
        let support = self.pairs.choose(rule)?;
        let parts: Vec<f64> = self.parts.iter().filter_map(|p| p.choose(rule).ok()).collect();
        let given = matches!(rule, SupportRule::Given(_));
        let error = (!self.is_exact() && !given).then(|| rule::standard_error(&parts));
        Ok(SupportChoice::new(self.at(support), error))
    }

    /// Finds the support at which rows have `(1 - tau) n` neighbours on average, by counting them.
    fn choose_by_counting(&self, tau: f64) -> Result<SupportChoice> {
        let (n, d) = (self.x.rows() as f64, self.x.cols() as f64);
        let wanted = (1.0 - tau) * n * n;
        let mut support = self.pairs.quantile((wanted / (n * n)).max(1.0 / SAMPLED_PAIRS as f64));
        let mut expected = SparseGram::expect(&self.kernel_with(support), self.x, self.seed)?;
        for _ in 0..12 {
            // Without its diagonal the count grows about like the volume of a ball.
            let ratio = (wanted - n).max(1.0) / (expected.nonzeros - n).max(1.0);
            if (ratio - 1.0).abs() < 1e-3 {
                break;
            }
            support *= ratio.powf(1.0 / d).clamp(0.25, 4.0);
            expected = SparseGram::expect(&self.kernel_with(support), self.x, self.seed)?;
        }
        let point = CurvePoint { sparsity: 1.0 - expected.nonzeros / (n * n), ..self.at(support) };
        let relative = expected.error / expected.nonzeros / d;
        Ok(SupportChoice::new(point, Some(relative * support)))
    }
}

/// Squared distances of all pairs.
fn all_pairs(base: &Kernel, x: Rows<'_>) -> Result<Vec<f64>> {
    let scaled = base.distance_coordinates(x);
    let x = Rows::new(&scaled, x.cols())?;
    let rows: Vec<Vec<f64>> = (1..x.rows())
        .into_par_iter()
        .map(|i| (0..i).map(|j| squared_distance(x.row(i), x.row(j))).collect())
        .collect();
    Ok(rows.concat())
}

/// Squared distances of random pairs of different rows.
fn random_pairs(base: &Kernel, x: Rows<'_>, seed: u64) -> Result<Vec<f64>> {
    let scaled = base.distance_coordinates(x);
    let x = Rows::new(&scaled, x.cols())?;
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut pair = || {
        let (i, j) = (rng.random_range(0..x.rows()), rng.random_range(0..x.rows() - 1));
        (i, if j >= i { j + 1 } else { j })
    };
    let chosen: Vec<(usize, usize)> = (0..SAMPLED_PAIRS).map(|_| pair()).collect();
    Ok(chosen.par_iter().map(|&(i, j)| squared_distance(x.row(i), x.row(j))).collect())
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests;
