//! What any learner has to beat: the last known value of the target, its running mean, and linear least squares.

use crate::error::Result;
use crate::online::methods::{AnyMethod, Method};
use crate::online::presets;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::first_rows::{Lags, Scale};
use crate::settings::Settings;
use serde::{Deserialize, Serialize};

/// Beyond so many features the linear model, which costs their square a sample, is left out.
const MOST_FEATURES: usize = 200;

/// Names of the baselines, in the order of their errors.
pub const BASELINES: [&str; 3] = ["last value", "running mean", "linear RLS"];

/// The baselines, which predict and learn beside a learner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Baselines {
    lags: Lags,
    dimension: usize,
    /// Last target, sum of targets, sums of squared errors of the three.
    #[serde(with = "bits")]
    numbers: Vec<f64>,
    count: u64,
    linear: Option<AnyMethod>,
    #[serde(skip)]
    row: Vec<f64>,
}

const LAST: usize = 0;
const SUM: usize = 1;
const SQUARES: usize = 2;

impl Baselines {
    /// For samples of `dimension` features.
    pub fn new(dimension: usize, lags: Lags) -> Result<Self> {
        let linear = if dimension <= MOST_FEATURES { Some(least_squares(dimension)?) } else { None };
        let numbers = vec![0.0; SQUARES + BASELINES.len()];
        Ok(Self { lags, dimension, numbers, count: 0, linear, row: Vec::new() })
    }

    /// What each would say of a sample; the linear model sees it scaled.
    pub fn predict(&mut self, x: &[f64], scale: &Scale) -> [Option<f64>; 3] {
        let seen = self.count > 0;
        let last = match self.lags.newest(x.len()) {
            Some(newest) => Some(x[newest]),
            None => seen.then(|| self.numbers[LAST]),
        };
        if !seen {
            // Before the first target nothing else is known.
            return [last; 3];
        }
        self.sample(x, scale);
        let linear = self.linear.as_ref().map(|linear| scale.undo(linear.output(&self.row)));
        let mean = self.numbers[SUM] / self.count as f64;
        [last, Some(mean), linear.filter(|output| output.is_finite())]
    }

    /// Learns from a sample, having predicted it. Returns the predictions.
    pub fn learn(&mut self, x: &[f64], y: f64, scale: &Scale) -> [Option<f64>; 3] {
        let said = self.predict(x, scale);
        for (sum, prediction) in self.numbers[SQUARES..].iter_mut().zip(said) {
            let error = y - prediction.unwrap_or(0.0);
            *sum = (*sum + error * error).min(f64::MAX);
        }
        self.sample(x, scale);
        self.numbers[LAST] = y;
        self.numbers[SUM] = (self.numbers[SUM] + y).clamp(f64::MIN, f64::MAX);
        self.count += 1;
        if let Some(linear) = &mut self.linear {
            linear.step(&self.row, scale.target(y));
        }
        said
    }

    /// The linear model starts again in other units.
    pub fn renew<'a>(&mut self, rows: impl Iterator<Item = (&'a [f64], f64)>, scale: &Scale) -> Result<()> {
        if self.linear.is_none() {
            return Ok(());
        }
        let mut linear = least_squares(self.dimension)?;
        for (x, y) in rows {
            self.sample(x, scale);
            linear.step(&self.row, scale.target(y));
        }
        self.linear = Some(linear);
        Ok(())
    }

    /// The scaled sample with a constant, as the linear model sees it.
    fn sample(&mut self, x: &[f64], scale: &Scale) {
        self.row.resize(x.len() + 1, 1.0);
        scale.apply(x, &mut self.row);
    }

    /// Mean squared error of each, over all samples; nothing for the one that is left out.
    pub fn mean_squared(&self) -> [Option<f64>; 3] {
        let mean = |i: usize| (self.count > 0).then(|| self.numbers[SQUARES + i] / self.count as f64);
        [mean(0), mean(1), if self.linear.is_some() { mean(2) } else { None }]
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.numbers.as_slice()) + self.linear.as_ref().map_or(0, Method::memory_bytes)
    }

    /// Fails unless a state read from a file fits samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        check_saved("baselines", &self.numbers, SQUARES + BASELINES.len())?;
        crate::error::check_len("features of the baselines", dimension, self.dimension)?;
        self.linear.as_ref().map_or(Ok(()), |linear| linear.check(dimension + 1))
    }
}

/// Linear least squares without forgetting, with a constant.
fn least_squares(dimension: usize) -> Result<AnyMethod> {
    let settings = Settings::new().with("lambda", 1).with("ridge", 1e-3);
    presets::find("rls")?.build(None, dimension + 1, &settings)
}
