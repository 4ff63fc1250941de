//! Weighing predictors by how they did, with guarantees that hold for every sequence of targets.
//!
//! Two rules run side by side. [`Bernstein`] is Bernstein online aggregation with linearised losses (Wintenberger, Optimal
//! learning with Bernstein online aggregation, 2017, algorithm 1 with one rate per predictor): its regret against the best
//! *convex combination* of the predictors is of order `sqrt(n log K)`. [`Polynomial`] is ML-Poly (Gaillard, Stoltz, van Erven,
//! A second-order bound with excess losses, 2014, figure 2): its regret against the best *single* predictor is of order
//! `sqrt(K log n sum r^2)`, small where one of them is clearly best. A second polynomial rule weighs the two, so the result is
//! at most little worse than either. No rule has a scale or a rate to be chosen: all are invariant to the units of the target.

use crate::error::Result;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use serde::{Deserialize, Serialize};

/// ML-Poly on squared losses: weights `eta_k (R_k)_+`, with `eta_k = 1 / (B^2 + sum r_k^2)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Polynomial {
    /// `R_k`.
    #[serde(with = "bits")]
    regrets: Vec<f64>,
    /// `1 / eta_k`.
    #[serde(with = "bits")]
    squares: Vec<f64>,
    /// The largest `r^2` so far.
    #[serde(with = "bits")]
    largest: Vec<f64>,
}

impl Polynomial {
    /// For `count` predictors.
    pub fn new(count: usize) -> Self {
        Self { regrets: vec![0.0; count], squares: vec![0.0; count], largest: vec![0.0] }
    }

    /// The weighted prediction.
    pub fn mix(&self, predictions: &[f64]) -> f64 {
        let weight =
            |(regret, square): (&f64, &f64)| if *square > 0.0 { regret.max(0.0) / square } else { 0.0 };
        weighted(predictions, self.regrets.iter().zip(&self.squares).map(weight))
    }

    /// Takes in the target that `predictions`, mixed to `mixed`, were for.
    pub fn learn(&mut self, predictions: &[f64], mixed: f64, target: f64) {
        let own = (mixed - target) * (mixed - target);
        let excess = |prediction: &f64| own - (prediction - target) * (prediction - target);
        let largest = predictions.iter().map(excess).map(|r| r * r).fold(self.largest[0], f64::max);
        let grown = largest - self.largest[0];
        for ((regret, square), prediction) in self.regrets.iter_mut().zip(&mut self.squares).zip(predictions)
        {
            let r = excess(prediction);
            *regret += r;
            *square += r * r + grown;
        }
        self.largest[0] = largest;
    }

    /// Fails unless a state read from a file fits `count` predictors.
    pub fn check(&self, count: usize) -> Result<()> {
        check_saved("regrets", &self.regrets, count)?;
        check_saved("squared regrets", &self.squares, count)?;
        check_saved("largest regret", &self.largest, 1)
    }
}

/// Bernstein online aggregation: weights `pi_k eta_k exp(eta_k L_k)`, where `pi_k` is the weight at the start, `L_k` sums
/// `r_k - eta_k r_k^2`, the regrets `r_k` are those of the gradient of the squared loss, and
/// `eta_k = min(1 / max |r_k|, sqrt(log K / sum r_k^2))`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bernstein {
    #[serde(with = "bits")]
    regrets: Vec<f64>,
    #[serde(with = "bits")]
    squares: Vec<f64>,
    #[serde(with = "bits")]
    largest: Vec<f64>,
    /// What follows from these, the highest being 1 times its weight at the start.
    #[serde(with = "bits")]
    weights: Vec<f64>,
    /// The weights at the start.
    #[serde(with = "bits")]
    prior: Vec<f64>,
}

impl Bernstein {
    /// For predictors with these weights at the start.
    pub fn new(prior: Vec<f64>) -> Self {
        let zeros = vec![0.0; prior.len()];
        Self { regrets: zeros.clone(), squares: zeros.clone(), largest: zeros, weights: prior.clone(), prior }
    }

    /// `eta_k`; 0 before a predictor differed from the mix.
    fn rate(&self, k: usize) -> f64 {
        if self.squares[k] > 0.0 {
            let count = (self.regrets.len() as f64).ln();
            (1.0 / self.largest[k]).min((count / self.squares[k]).sqrt())
        } else {
            0.0
        }
    }

    /// Finds the weights again, up to a common factor.
    fn weigh(&mut self) {
        for k in 0..self.weights.len() {
            let rate = self.rate(k);
            self.weights[k] = if rate > 0.0 { rate.ln() + rate * self.regrets[k] } else { 0.0 };
        }
        let highest = self.weights.iter().copied().fold(f64::MIN, f64::max);
        let pairs = self.weights.iter_mut().zip(&self.prior);
        pairs.for_each(|(weight, prior)| *weight = prior * (*weight - highest).exp());
    }

    /// The weighted prediction.
    pub fn mix(&self, predictions: &[f64]) -> f64 {
        weighted(predictions, self.weights.iter().copied())
    }

    /// Takes in the target that `predictions`, mixed to `mixed`, were for.
    pub fn learn(&mut self, predictions: &[f64], mixed: f64, target: f64) {
        for (k, prediction) in predictions.iter().enumerate() {
            let r = 2.0 * (mixed - target) * (mixed - prediction);
            self.squares[k] += r * r;
            self.largest[k] = self.largest[k].max(r.abs());
            self.regrets[k] += r - self.rate(k) * r * r;
        }
        self.weigh();
    }

    /// The share of each predictor in the mix.
    pub fn shares(&self) -> Vec<f64> {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter().map(|weight| weight / sum).collect()
    }

    /// Fails unless a state read from a file fits `count` predictors.
    pub fn check(&self, count: usize) -> Result<()> {
        check_saved("regrets", &self.regrets, count)?;
        check_saved("squared regrets", &self.squares, count)?;
        check_saved("weights of the mix", &self.weights, count)?;
        check_saved("weights at the start", &self.prior, count)?;
        check_saved("largest regrets", &self.largest, count)
    }
}

/// The mean of predictions under weights that need not sum to 1; the plain one where all are 0.
fn weighted(predictions: &[f64], weights: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (prediction, weight) in predictions.iter().zip(weights) {
        sum += weight * prediction;
        total += weight;
    }
    if total > 0.0 && sum.is_finite() && total.is_finite() {
        return sum / total;
    }
    predictions.iter().sum::<f64>() / predictions.len().max(1) as f64
}

/// The two rules and the one that weighs them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Mixer {
    combination: Bernstein,
    single: Polynomial,
    both: Polynomial,
}

impl Mixer {
    /// For predictors that do not learn, and after them those that do, which start with this weight, the others with 1. The
    /// regret of the combination against a predictor of weight `w` at the start grows by `log(1 / w)` over its rate.
    pub fn new(plain: usize, learners: usize, weight: f64) -> Self {
        let prior = [vec![1.0; plain], vec![weight; learners]].concat();
        let single = Polynomial::new(prior.len());
        Self { combination: Bernstein::new(prior), single, both: Polynomial::new(2) }
    }

    /// The mixed prediction.
    pub fn mix(&self, predictions: &[f64]) -> f64 {
        self.both.mix(&[self.combination.mix(predictions), self.single.mix(predictions)])
    }

    /// Takes in the target that `predictions` were for; returns what they were mixed to. Where there are fewer predictions
    /// than predictors the last ones sleep: they count as if they had said what the others were mixed to (Freund,
    /// Schapire, Singer, Warmuth, Using and combining predictors that specialize, 1997).
    pub fn learn(&mut self, predictions: &[f64], target: f64) -> f64 {
        let parts = [self.combination.mix(predictions), self.single.mix(predictions)];
        let mixed = self.both.mix(&parts);
        self.combination.learn(predictions, parts[0], target);
        self.single.learn(predictions, parts[1], target);
        self.both.learn(&parts, mixed, target);
        mixed
    }

    /// The share of each predictor in the combination.
    pub fn shares(&self) -> Vec<f64> {
        self.combination.shares()
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        (7 * self.single.regrets.len() + 6) * size_of::<f64>()
    }

    /// Fails unless a state read from a file fits `count` predictors.
    pub fn check(&self, count: usize) -> Result<()> {
        self.combination.check(count)?;
        self.single.check(count)?;
        self.both.check(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squared(a: f64, b: f64) -> f64 {
        (a - b) * (a - b)
    }

    proptest! {
        /// Theorem 5 of ML-Poly: with `r` in `[-b, b]` the regret is at most
        /// `sqrt(K (b^2 + sum r^2) (1 + log(1 + sum r^2 / b^2)))`, whatever the targets are.
        #[test]
        fn the_regret_of_the_polynomial_rule_is_bounded(
            rows in proptest::collection::vec((proptest::array::uniform4(-1.0_f64..1.0), -1.0_f64..1.0), 1..300)
        ) {
            let mut rule = Polynomial::new(4);
            let (mut regret, mut squares) = ([0.0; 4], [0.0; 4]);
            for (predictions, target) in &rows {
                let mixed = rule.mix(predictions);
                for k in 0..4 {
                    let r = squared(mixed, *target) - squared(predictions[k], *target);
                    regret[k] += r;
                    squares[k] += r * r;
                }
                rule.learn(predictions, mixed, *target);
            }
            for k in 0..4 {
                let bound = 16.0 + squares[k];
                let bound = (4.0 * bound * (1.0 + (1.0 + squares[k] / 16.0).ln() * 2.0)).sqrt();
                prop_assert!(regret[k] <= bound, "{} > {bound}", regret[k]);
            }
        }

        /// Against the best fixed combination of two predictors, found on a grid, the Bernstein rule loses `O(sqrt(n log K))`.
        #[test]
        fn the_regret_of_the_bernstein_rule_is_bounded(
            rows in proptest::collection::vec((proptest::array::uniform2(-1.0_f64..1.0), -1.0_f64..1.0), 1..300)
        ) {
            let mut rule = Bernstein::new(vec![1.0; 2]);
            let mut own = 0.0;
            for (predictions, target) in &rows {
                let mixed = rule.mix(predictions);
                own += squared(mixed, *target);
                rule.learn(predictions, mixed, *target);
            }
            let best = (0..=20).map(|i| {
                let share = f64::from(i) / 20.0;
                rows.iter().map(|(p, y)| squared(share * p[0] + (1.0 - share) * p[1], *y)).sum::<f64>()
            }).fold(f64::MAX, f64::min);
            let n = rows.len() as f64;
            prop_assert!(own - best <= 16.0 * ((n * 2.0_f64.ln()).sqrt() + 4.0), "{own} and {best}");
        }

        /// Other units of the target change nothing but the rounding.
        #[test]
        fn the_mix_does_not_depend_on_units(
            rows in proptest::collection::vec((proptest::array::uniform3(-1.0_f64..1.0), -1.0_f64..1.0), 1..60)
        ) {
            let (mut plain, mut scaled) = (Mixer::new(2, 1, 0.5), Mixer::new(2, 1, 0.5));
            for (predictions, target) in &rows {
                let large = predictions.map(|p| p * 1024.0);
                let (a, b) = (plain.learn(predictions, *target), scaled.learn(&large, target * 1024.0));
                prop_assert!((a * 1024.0 - b).abs() <= 1e-6, "{a} and {b}");
            }
        }
    }
}
