//! Intervals whose long-run coverage is what was asked for, whatever the stream does.
//!
//! The interval is `prediction +- q s`, where `s` follows the size of recent errors and `q` is moved after each sample:
//! up by `gamma c` if the target lay outside, down by `gamma (1 - c)` if it lay inside, `c` being the coverage. Summed
//! over `n` samples, the share outside differs from `1 - c` by exactly `(q_n - q_0) / (gamma n)`, which goes to zero for
//! every sequence with bounded `|error| / s`: adaptive conformal inference (Gibbs, Candes, Adaptive conformal inference
//! under distribution shift, 2021, proposition 4.1) in the form of quantile tracking (Angelopoulos, Candes, Tibshirani,
//! Conformal PID control for time series prediction, 2023, section 2.1), with scores divided by a running scale.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How far `q` moves, in units of the running scale.
const GAMMA: f64 = 0.1;
/// Samples over which the size of errors is taken.
const MEMORY: f64 = 50.0;

/// The half width of the interval, and how often it held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Intervals {
    coverage: f64,
    quantile: f64,
    /// Running mean of squared errors, over at most [`MEMORY`] samples.
    square: f64,
    weight: f64,
    asked: u64,
    held: u64,
}

impl Intervals {
    /// Intervals that hold `coverage` of all targets.
    pub fn new(coverage: f64) -> Result<Self> {
        if !(0.01..=0.999).contains(&coverage) {
            return Err(Error::parameter("coverage", coverage, "0.01 to 0.999"));
        }
        // Errors are roughly normal to begin with; the rule mends what is wrong with that.
        let quantile = normal_quantile(0.5 + coverage / 2.0);
        Ok(Self { coverage, quantile, square: 0.0, weight: 0.0, asked: 0, held: 0 })
    }

    /// The share of targets that should lie inside.
    pub fn coverage(&self) -> f64 {
        self.coverage
    }

    /// Half the width of the next interval; nothing before two errors are known.
    pub fn half_width(&self) -> Option<f64> {
        let half = self.quantile.max(0.0) * self.square.sqrt();
        (self.weight >= 2.0 && half.is_finite()).then_some(half)
    }

    /// Takes in the error of a prediction.
    pub fn learn(&mut self, error: f64) {
        if let Some(half) = self.half_width() {
            let inside = error.abs() <= half;
            self.asked += 1;
            self.held += u64::from(inside);
            self.quantile += GAMMA * if inside { self.coverage - 1.0 } else { self.coverage };
        }
        self.weight = (self.weight + 1.0).min(MEMORY);
        let square = (error * error).min(f64::MAX);
        self.square += (square - self.square) / self.weight;
    }

    /// The share of targets that lay inside, once there was an interval.
    pub fn held(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.held as f64 / self.asked as f64)
    }

    /// Fails unless numbers read from a file are sound.
    pub fn check(&self) -> Result<()> {
        Self::new(self.coverage)?;
        let sound = [self.quantile, self.square, self.weight].iter().all(|value| value.is_finite());
        if sound && self.held <= self.asked {
            return Ok(());
        }
        Err(Error::parse("saved session", "intervals", "its numbers are not sound"))
    }
}

/// The quantile of the standard normal distribution, to three digits (Abramowitz, Stegun, 26.2.23).
fn normal_quantile(p: f64) -> f64 {
    let t = (-2.0 * (1.0 - p).ln()).sqrt();
    let over = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    t - over / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// The share inside after `n` errors of which error `i` has the size `scale(i)`.
    fn share(coverage: f64, n: usize, scale: impl Fn(usize) -> f64) -> f64 {
        let mut intervals = Intervals::new(coverage).unwrap();
        let mut draws = Pcg64::seed_from_u64(4);
        for i in 0..n {
            let normal: f64 = (0..12).map(|_| draws.random_range(0.0..1.0)).sum::<f64>() - 6.0;
            intervals.learn(scale(i) * normal);
        }
        intervals.held().unwrap()
    }

    #[test]
    fn coverage_holds_on_steady_abrupt_and_slow_streams() {
        for coverage in [0.5, 0.8, 0.9, 0.95] {
            let steady = share(coverage, 5000, |_| 1.0);
            let abrupt = share(coverage, 5000, |i| if i < 2500 { 1.0 } else { 20.0 });
            let slow = share(coverage, 5000, |i| 1e-3 * (1.0 + i as f64 / 100.0));
            for found in [steady, abrupt, slow] {
                assert!((found - coverage).abs() < 0.01, "{coverage}: {found}");
            }
        }
    }

    /// The identity of the module's head, to rounding.
    #[test]
    fn the_shortfall_is_what_the_quantile_moved() {
        let mut intervals = Intervals::new(0.9).unwrap();
        let start = intervals.quantile;
        for i in 0..777_u32 {
            intervals.learn(f64::from(i * i % 97) - 40.0);
        }
        let outside = 1.0 - intervals.held().unwrap();
        let moved = (intervals.quantile - start) / (GAMMA * intervals.asked as f64);
        assert!((outside - 0.1 - moved).abs() < 1e-12);
    }

    #[test]
    fn normal_quantiles_are_close() {
        for (p, want) in [(0.95, 1.6449), (0.975, 1.96), (0.75, 0.6745)] {
            assert!((normal_quantile(p) - want).abs() < 1e-3);
        }
    }
}
