//! Sorted pairs with prefix sums.

use super::SupportRule;
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use rayon::prelude::*;

/// One point of the alignment and sparsity curves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CurvePoint {
    /// `C`.
    pub support: f64,
    /// `A(C)` of 003 (3).
    pub alignment: f64,
    /// `S(C)` of 003 (7).
    pub sparsity: f64,
}

/// Pairs of rows, sorted by distance.
#[derive(Debug)]
pub(super) struct Pairs {
    n: f64,
    power: usize,
    /// Entries of the matrix that each pair stands for: 2 when all pairs are here.
    weight: f64,
    /// Ascending.
    distances: Vec<f64>,
    /// `moments[k][j]` is the sum of `(r / largest)^j K^2` over the `k` nearest pairs; flat, `2 power + 1` each.
    moments: Vec<f64>,
}

impl Pairs {
    /// From squared distances; `n` is the number of rows.
    pub(super) fn new(base: &Kernel, power: u32, mut squared: Vec<f64>, n: usize) -> Pairs {
        squared.par_sort_unstable_by(f64::total_cmp);
        let mut values = squared.clone();
        base.evaluator::<f64>().radial(&mut values);
        let distances: Vec<f64> = squared.iter().map(|s| s.sqrt()).collect();
        let (power, rows) = (power as usize, n as f64);
        let terms = 2 * power + 1;
        let scale = distances.last().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
        let mut moments = vec![0.0; terms * (distances.len() + 1)];
        let mut running = vec![0.0; terms];
        for ((r, k), out) in distances.iter().zip(&values).zip(moments[terms..].chunks_exact_mut(terms)) {
            let mut term = k * k;
            for (sum, out) in running.iter_mut().zip(out) {
                *sum += term;
                *out = *sum;
                term *= r / scale;
            }
        }
        let weight = rows * (rows - 1.0) / distances.len() as f64;
        Pairs { n: rows, power, weight, distances, moments }
    }

    /// The largest distance.
    pub(super) fn largest(&self) -> f64 {
        self.distances.last().copied().unwrap_or(0.0)
    }

    /// The smallest positive distance not below the given share of the pairs.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let at = ((share * self.distances.len() as f64) as usize).min(self.distances.len() - 1);
        let tail = &self.distances[at..];
        tail.iter().copied().find(|r| *r > 0.0).unwrap_or(self.largest())
    }

    /// Alignment and sparsity at a support.
    pub(super) fn at(&self, support: f64) -> CurvePoint {
        self.at_count(support, self.distances.partition_point(|r| *r < support))
    }

    /// The same when the number of nearer pairs is known.
    fn at_count(&self, support: f64, nearer: usize) -> CurvePoint {
        let terms = 2 * self.power + 1;
        let moments = &self.moments[nearer * terms..(nearer + 1) * terms];
        let all = self.moments[self.moments.len() - terms];
        // sum (1 - r/C)^p K^2 = sum_j binomial(p, j) (-1/C)^j sum r^j K^2
        let tapered = |p: usize| {
            let step = -self.largest() / support;
            let (mut coefficient, mut sum) = (1.0, 0.0);
            for (j, moment) in moments.iter().enumerate().take(p + 1) {
                sum += coefficient * moment;
                coefficient *= step * (p - j) as f64 / (j + 1) as f64;
            }
            sum
        };
        let norm = self.n + self.weight * all;
        let cross = self.n + self.weight * tapered(self.power);
        let own = self.n + self.weight * tapered(2 * self.power);
        let sparsity = 1.0 - (self.n + self.weight * nearer as f64) / (self.n * self.n);
        CurvePoint { support, alignment: cross / (norm * own).sqrt(), sparsity }
    }

    /// Pairs nearer than the support of a given sparsity.
    pub(super) fn expected_hits(&self, tau: f64) -> f64 {
        ((1.0 - tau) * self.n * self.n - self.n) / self.weight
    }

    /// The support that a rule chooses.
    pub(super) fn choose(&self, rule: SupportRule) -> Result<f64> {
        match rule {
            SupportRule::Combined(gamma) => Ok(self.best_combined(gamma)),
            SupportRule::Alignment(mu) => self.smallest_aligned(mu),
            SupportRule::Sparsity(tau) => self.largest_sparse(tau),
            SupportRule::Memory(bytes) => self.largest_sparse(super::rule::sparsity_for(bytes, self.n)?),
            SupportRule::Auto(_) => self.smallest_aligned(super::AUTO_ALIGNMENT),
            SupportRule::Given(support) => Ok(support),
        }
    }

    /// 003 (8). Between two distances `S` is constant and `A` grows, so the maximum lies at a distance.
    fn best_combined(&self, gamma: f64) -> f64 {
        let score = |k: usize| {
            let r = self.distances[k];
            // Of equal distances the first counts: only strictly nearer pairs are nonzero.
            if r == 0.0 || (k > 0 && self.distances[k - 1] == r) {
                return (f64::NEG_INFINITY, k);
            }
            let point = self.at_count(r, k);
            (point.alignment + gamma * point.sparsity, k)
        };
        let best = (0..self.distances.len()).into_par_iter().map(score).reduce(
            || (f64::NEG_INFINITY, usize::MAX),
            |a, b| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a },
        );
        self.distances.get(best.1).copied().unwrap_or(self.largest())
    }

    /// 003 (9): `A` grows with `C`, so the sparsest matrix has the smallest `C`.
    fn smallest_aligned(&self, mu: f64) -> Result<f64> {
        let mut low = self.quantile(0.0);
        if self.at(low).alignment >= mu {
            return Ok(low);
        }
        let mut high = self.largest();
        for _ in 0..60 {
            if self.at(high).alignment >= mu {
                break;
            }
            (low, high) = (high, 2.0 * high);
        }
        if self.at(high).alignment < mu {
            return Err(Error::parameter("alignment", mu, "a number below 1 that a support can reach"));
        }
        while high - low > 1e-14 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.at(middle).alignment >= mu {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(high)
    }

    /// 003 (10): the largest `C` that leaves enough zeros is one of the distances.
    fn largest_sparse(&self, tau: f64) -> Result<f64> {
        let allowed = self.expected_hits(tau);
        // Rounding must not lose a pair that just fits.
        let allowed = (allowed + 1e-9 * allowed.abs()).floor();
        if allowed < 0.0 {
            return Err(Error::parameter("sparsity", tau, "at most 1 - 1/n: the diagonal is never zero"));
        }
        match self.distances.get(allowed as usize) {
            Some(r) if *r > 0.0 => Ok(*r),
            Some(_) => Err(Error::parameter("sparsity", tau, "less: too many rows are equal")),
            None => Err(Error::parameter("sparsity", tau, "above 0: otherwise no support is needed")),
        }
    }
}
