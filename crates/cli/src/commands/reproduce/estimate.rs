//! A number obtained here, with what its realisations say about its uncertainty.
//!
//! An interval has the stated coverage for the mean over infinitely many realisations. It is Student's, corrected for
//! skewness and heavy tails ([`Shape`]), on the scale that fits: the logarithm for errors, sizes and ratios, the log odds
//! for rates, the number itself for what may be negative. So it never reaches below zero, nor above one for a rate. The
//! value is always the plain mean; a scale enters by its derivatives there.

use super::skewed::Shape;
use super::student;
use super::trial::{mean, median};
use groat_report::number;
use serde::{Deserialize, Serialize};

/// Coverage of every interval.
pub const COVERAGE: f64 = 0.99;

/// On which scale the uncertainty of a number is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Nothing is random.
    Exact,
    /// A number of one draw whose spread is not known: another seed gives another one.
    Single,
    /// A time, or a ratio of times: it belongs to the machine.
    Time,
    Linear,
    Log,
    Logit,
}

/// A number obtained here. Field names are part of the command's interface.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    pub value: f64,
    /// Ends of its interval; the value itself where nothing is random.
    pub low: f64,
    pub high: f64,
    /// Realisations that it is the mean of.
    pub runs: usize,
    pub scale: Scale,
    /// Standard error on that scale.
    pub error: f64,
    /// Degrees of freedom of that error.
    #[serde(skip)]
    pub freedom: f64,
}

/// Degrees of freedom of an error that is known.
const KNOWN: f64 = 1e9;

impl Scale {
    /// The number on this scale.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Scale::Log => value.ln(),
            Scale::Logit => (value / (1.0 - value)).ln(),
            Scale::Exact | Scale::Single | Scale::Time | Scale::Linear => value,
        }
    }

    /// How much a small change of the number changes it on this scale.
    pub fn slope(self, value: f64) -> f64 {
        match self {
            Scale::Log => 1.0 / value.abs(),
            Scale::Logit => 1.0 / (value * (1.0 - value)).abs(),
            Scale::Exact | Scale::Single | Scale::Time | Scale::Linear => 1.0,
        }
    }

    /// The second derivative of this scale over the first.
    fn bend(self, value: f64) -> f64 {
        match self {
            Scale::Log => -1.0 / value,
            Scale::Logit => (2.0 * value - 1.0) / (value * (1.0 - value)),
            Scale::Exact | Scale::Single | Scale::Time | Scale::Linear => 0.0,
        }
    }

    fn back(self, place: f64) -> f64 {
        match self {
            Scale::Log => place.exp(),
            Scale::Logit => 1.0 / (1.0 + (-place).exp()),
            Scale::Exact | Scale::Single | Scale::Time | Scale::Linear => place,
        }
    }

    /// Whether there is a place for the number.
    fn holds(self, value: f64) -> bool {
        self.of(value).is_finite()
    }
}

impl Estimate {
    /// A number in which nothing is random.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value, runs: 1, scale: Scale::Exact, error: 0.0, freedom: KNOWN }
    }

    /// A time or a ratio of times, which another machine would not repeat.
    pub fn time(value: f64) -> Self {
        Self { scale: Scale::Time, ..Self::exact(value) }
    }

    /// A number of one draw whose spread is not known.
    pub fn one_draw(value: f64) -> Self {
        Self { scale: Scale::Single, ..Self::exact(value) }
    }

    /// A mean whose values may be negative.
    pub fn mean(values: &[f64]) -> Self {
        Self::on(Scale::Linear, mean(values.iter().copied()), Shape::of(values), values.len())
    }

    /// A mean of errors, sizes or other positive numbers.
    pub fn positive(values: &[f64]) -> Self {
        Self::on(Scale::Log, mean(values.iter().copied()), Shape::of(values), values.len())
    }

    /// A mean of shares between 0 and 1, each of `trials` cases. If all realisations have none or all of their cases,
    /// the interval is Wilson's for all cases together.
    pub fn rate(values: &[f64], trials: usize) -> Self {
        let share = mean(values.iter().copied());
        if share <= 0.0 || share >= 1.0 {
            return Self { runs: values.len(), ..Self::counted(share, trials * values.len()) };
        }
        Self::on(Scale::Logit, share, Shape::of(values), values.len())
    }

    /// One share of `trials` cases: Wilson's interval.
    pub fn counted(share: f64, trials: usize) -> Self {
        let (n, z) = (trials as f64, student::quantile(1.0 - COVERAGE, KNOWN));
        let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let low = if share > 0.0 { (middle - half).max(0.0) } else { 0.0 };
        let high = if share < 1.0 { (middle + half).min(1.0) } else { 1.0 };
        // None and all have no place among the log odds; their error is that of the middle.
        let scale = if Scale::Logit.holds(share) { Scale::Logit } else { Scale::Linear };
        let error = (middle * (1.0 - middle) / n).sqrt() * scale.slope(middle);
        Self { value: share, low, high, runs: 1, scale, error, freedom: KNOWN }
    }

    /// The mean of `a` over the mean of `b`, both from the same realisations: with `r` their ratio, its error is the
    /// one of the mean of `a - r b`, over the mean of `b`.
    pub fn ratio(a: &[f64], b: &[f64]) -> Self {
        let below = mean(b.iter().copied());
        let ratio = mean(a.iter().copied()) / below;
        let rests: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - ratio * b) / below).collect();
        Self::on(Scale::Log, ratio, Shape::of(&rests), rests.len())
    }

    /// The ratio of two mean shares, both from the same realisations of `trials` cases. If there is no case at all
    /// above, the interval is Wilson's for none of all cases, over the mean below.
    pub fn ratio_of_rates(a: &[f64], b: &[f64], trials: usize) -> Self {
        if a.iter().any(|share| *share > 0.0) {
            return Self::ratio(a, b);
        }
        Self::rate(a, trials).times(1.0 / mean(b.iter().copied()))
    }

    /// The median of positive numbers (the upper one of two), between the ranks that hold it with the coverage,
    /// whatever the distribution.
    pub fn median(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let value = median(values.iter().copied());
        let n = sorted.len();
        // The rank of the median is binomial: the largest k with P(rank < k) at most half of what is left out.
        let (mut term, mut sum, mut k) = (0.5_f64.powi(n as i32), 0.0, 0);
        while k < n / 2 && sum + term <= 0.5 * (1.0 - COVERAGE) {
            sum += term;
            term *= (n - k) as f64 / (k + 1) as f64;
            k += 1;
        }
        let at = |rank: usize| sorted.get(rank).copied().unwrap_or(f64::NAN);
        let (low, high) = (at(k.saturating_sub(1)), at(n - k.max(1)));
        let error = (high / low).ln() / (2.0 * student::quantile(1.0 - COVERAGE, n as f64 - 1.0));
        Self { value, low, high, runs: n, scale: Scale::Log, error, freedom: n as f64 - 1.0 }
    }

    /// A positive number of a single sample, whose spread is that of the same number in other samples.
    pub fn single(value: f64, others: &[f64]) -> Self {
        let n = others.len() as f64;
        let deviation = Shape::of(others).error * n.sqrt();
        Self::on(Scale::Log, value, Shape::even(deviation, (n - 1.0).max(1.0)), 1)
    }

    /// The same number in another unit.
    pub fn times(self, factor: f64) -> Self {
        let scale = if self.scale == Scale::Logit { Scale::Log } else { self.scale };
        let error = match (self.scale, scale) {
            // From log odds to logarithms.
            (Scale::Logit, _) => self.error / Scale::Logit.slope(self.value) * Scale::Log.slope(self.value),
            (_, Scale::Linear) => self.error * factor.abs(),
            _ => self.error,
        };
        let place = |v: f64| v * factor;
        Self { value: place(self.value), low: place(self.low), high: place(self.high), error, scale, ..self }
    }

    /// A rate on the scale of the number itself.
    pub fn unbounded(self) -> Self {
        if self.scale != Scale::Logit || !self.scale.holds(self.value) {
            return self;
        }
        Self { scale: Scale::Linear, error: self.error / Scale::Logit.slope(self.value), ..self }
    }

    /// The deviation of one realisation, on the scale of the error.
    pub fn deviation(&self) -> f64 {
        self.error * (self.runs as f64).sqrt()
    }

    /// The standard error on the side of `target`, on the scale: the interval reaches as many of them as Student's
    /// quantile says. Intervals of skewed values have two.
    pub fn error_towards(&self, target: f64) -> f64 {
        let end = if target < self.value { self.low } else { self.high };
        let half = (self.scale.of(end) - self.scale.of(self.value)).abs();
        let error = half / student::quantile(1.0 - COVERAGE, self.freedom);
        if error.is_finite() { error } else { self.error }
    }

    /// The standard error in the unit of the number.
    pub fn plain_error(&self) -> f64 {
        self.error / self.scale.slope(self.value)
    }

    /// Whether realisations say how far the number strays.
    pub fn is_random(&self) -> bool {
        !matches!(self.scale, Scale::Exact | Scale::Single | Scale::Time)
    }

    /// The interval as text; empty where nothing is random.
    pub fn interval(&self) -> String {
        if self.is_random() {
            format!("{} .. {}", number(self.low), number(self.high))
        } else {
            String::new()
        }
    }

    /// An estimate with an error in its own unit, brought to a scale.
    fn on(scale: Scale, value: f64, shape: Shape, runs: usize) -> Self {
        let scale = if scale.holds(value) { scale } else { Scale::Linear };
        let (below, above) = shape.reach(1.0 - COVERAGE, scale.bend(value) * shape.error);
        let error = shape.error * scale.slope(value);
        let place = scale.of(value);
        let (low, high) = (scale.back(place - below * error), scale.back(place + above * error));
        Self { value, low, high, runs, scale, error, freedom: shape.freedom }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn intervals_stay_where_the_number_can_be() {
        let skewed = [1e-3, 2e-3, 5e-2, 1e-3, 4e-1];
        let found = Estimate::positive(&skewed);
        assert!(found.low > 0.0 && (found.value - skewed.iter().sum::<f64>() / 5.0).abs() < 1e-15);
        assert!(Estimate::rate(&[0.01, 0.0, 0.03], 100).low > 0.0);
        let none = Estimate::rate(&[0.0, 0.0], 50);
        assert!(none.low == 0.0 && (0.05..0.08).contains(&none.high), "{none:?}");
        assert!(Estimate::counted(1.0, 10).high == 1.0);
        assert!(Estimate::mean(&[-1.0, 1.5]).low < -1.0);
    }

    #[test]
    fn wilsons_interval_is_the_textbooks() {
        // 10 of 100 with z = 2.575829, worked out in another program.
        let found = Estimate::counted(0.1, 100);
        assert!((found.low - 0.046026).abs() < 2e-6 && (found.high - 0.203751).abs() < 2e-6, "{found:?}");
    }

    #[test]
    fn none_of_many_still_has_an_interval() {
        let (none, some) = (Estimate::ratio_of_rates(&[0.0; 20], &[0.2; 20], 1000), [0.2; 20]);
        // Wilson's for none of 20,000, over 0.2.
        assert!(none.low == 0.0 && (none.high - 6.6349 / 20006.6349 / 0.2).abs() < 1e-6, "{none:?}");
        assert!(none.error_towards(1.0) > 0.0);
        assert_eq!(Estimate::ratio_of_rates(&[0.1; 20], &some, 1000).value, 0.5);
    }

    #[test]
    fn paired_ratios_know_that_they_are_paired() {
        let b: Vec<f64> = (1..=50).map(f64::from).collect();
        let a: Vec<f64> = b.iter().map(|b| 2.0 * b).collect();
        let found = Estimate::ratio(&a, &b);
        assert!((found.value - 2.0).abs() < 1e-15 && found.error < 1e-12);
    }

    /// The share of intervals that hold the truth, for skewed values, is about the coverage.
    #[test]
    fn coverage_is_as_stated() {
        let mut generator = Pcg64::seed_from_u64(1);
        let (mut mean_held, mut median_held, mut rate_held, mut skewed_held) = (0, 0, 0, 0);
        const SETS: usize = 4000;
        for _ in 0..SETS {
            // A sum of four exponentials: mean 4, half as skewed as one of them.
            let values: Vec<f64> = (0..40)
                .map(|_| (0..4).map(|_| -(1.0 - generator.random::<f64>()).ln()).sum::<f64>())
                .collect();
            let held = |e: Estimate, truth: f64| usize::from(e.low <= truth && truth <= e.high);
            mean_held += held(Estimate::positive(&values), 4.0);
            median_held += held(Estimate::median(&values), 3.672_06);
            let hits: Vec<f64> = (0..20)
                .map(|_| (0..50).filter(|_| generator.random::<f64>() < 0.1).count() as f64 / 50.0)
                .collect();
            rate_held += held(Estimate::rate(&hits, 50), 0.1);
            // One exponential: twice as skewed, and half as many values.
            let skewed: Vec<f64> = (0..20).map(|_| -(1.0 - generator.random::<f64>()).ln()).collect();
            skewed_held += held(Estimate::positive(&skewed), 1.0);
        }
        for held in [mean_held, median_held, rate_held, skewed_held] {
            let share = held as f64 / SETS as f64;
            assert!((0.982..0.998).contains(&share), "{share}");
        }
    }
}
