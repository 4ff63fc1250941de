//! The first rows of a stream, kept until what is found from them (scales, widths) has settled.
//!
//! Nothing is known of the scale of a stream before its first row, and each row must be answered before the next one
//! comes. So scales are found again after 2, 4, 8, ... rows, until [`FirstRows::MOST`]: whoever uses them starts anew with
//! better scales and learns from the kept rows a second time. All of that together costs less than twice `MOST` steps, and
//! less than 60 for who is [brief](FirstRows::brief).
//!
//! Where the stream may wander, the newest `MOST` rows are kept from then on, and after 512, 1024, ... rows it is seen
//! whether the scales still suit them.

use super::basis::check_saved;
use super::bits;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Pairs of rows whose distances give a width are drawn from at most so many rows.
const FOR_DISTANCES: usize = 64;

/// Rows after which scales are found where that should be rare.
const BRIEF: [u64; 4] = [2, 4, 16, 32];

/// A mean that is off by so many scales, or a scale by such a factor, no longer suits.
const OFF: f64 = 3.0;

/// The rows seen until now, as long as there are few; then the newest, or none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FirstRows {
    dimension: usize,
    #[serde(with = "bits")]
    x: Vec<f64>,
    #[serde(with = "bits")]
    y: Vec<f64>,
    /// Rows seen.
    seen: u64,
    /// The newest rows are kept when there are many.
    rolls: bool,
    /// Scales are found at fewer times, and from fewer rows.
    brief: bool,
    settled: bool,
}

impl FirstRows {
    /// Rows after which scales stay as they are.
    pub const MOST: usize = 256;

    /// None yet; all are let go when there were enough.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, x: Vec::new(), y: Vec::new(), seen: 0, rolls: false, brief: false, settled: false }
    }

    /// None yet; for whoever learns so much from a row that learning from it twice should be rare: scales are found after
    /// 2, 4, 16 and 32 rows, and then all are let go.
    pub fn brief(dimension: usize) -> Self {
        Self { brief: true, ..Self::new(dimension) }
    }

    /// Rows that are kept at most.
    fn most(&self) -> usize {
        if self.brief { BRIEF[BRIEF.len() - 1] as usize } else { Self::MOST }
    }

    /// None yet; the newest are kept when there were enough.
    pub fn rolling(dimension: usize) -> Self {
        Self { rolls: true, ..Self::new(dimension) }
    }

    /// Keeps a row; true when scales should be found again.
    pub fn push(&mut self, x: &[f64], y: f64) -> bool {
        if self.settled {
            return false;
        }
        let at = (self.seen % self.most() as u64) as usize;
        if self.len() < self.most() {
            self.x.extend_from_slice(x);
            self.y.push(y);
        } else {
            self.x[at * self.dimension..][..self.dimension].copy_from_slice(x);
            self.y[at] = y;
        }
        self.seen += 1;
        if self.brief { BRIEF.contains(&self.seen) } else { self.seen > 1 && self.seen.is_power_of_two() }
    }

    /// How many rows can come before scales might be found again.
    pub fn quiet(&self) -> usize {
        if self.settled {
            return usize::MAX;
        }
        usize::try_from((self.seen + 1).next_power_of_two() - self.seen - 1).unwrap_or(usize::MAX)
    }

    /// True when there were so many rows that scales are only found again where they no longer suit.
    pub fn is_full(&self) -> bool {
        self.seen > Self::MOST as u64
    }

    /// Lets the rows go once there are enough.
    pub fn settle(&mut self) {
        if self.len() >= self.most() && !self.rolls {
            (self.x, self.y, self.settled) = (Vec::new(), Vec::new(), true);
        }
    }

    /// Features of a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Rows kept.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// The rows with their targets, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let oldest = if self.len() < Self::MOST { 0 } else { (self.seen % Self::MOST as u64) as usize };
        let order = (oldest..self.len()).chain(0..oldest);
        order.map(|i| (&self.x[i * self.dimension..(i + 1) * self.dimension], self.y[i]))
    }

    /// Bytes of the rows.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.x.as_slice()) + size_of_val(self.y.as_slice())
    }

    /// Fails unless rows read from a file fit samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let rows = self.y.len();
        if self.dimension != dimension
            || rows > self.most()
            || (rows as u64) > self.seen
            || self.settled && rows > 0
        {
            return Err(Error::parse(
                "saved state of a learner",
                "first rows",
                "they do not fit its samples",
            ));
        }
        check_saved("first rows", &self.x, rows * dimension)?;
        check_saved("targets of the first rows", &self.y, rows)
    }
}

/// Which features are the past of the same column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lags {
    /// Features come in groups of so many lags, the newest first; 0 where they are no series.
    pub count: usize,
    /// The last group is the past of the target.
    pub of_target: bool,
}

impl Lags {
    /// No series.
    pub const NONE: Lags = Lags { count: 0, of_target: false };

    /// The feature that holds the newest known value of the target.
    pub fn newest(&self, dimension: usize) -> Option<usize> {
        (self.of_target && self.count > 0 && self.count <= dimension).then(|| dimension - self.count)
    }
}

/// What is subtracted from features and target, and what they are divided by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scale {
    #[serde(with = "bits")]
    mean: Vec<f64>,
    #[serde(with = "bits")]
    scale: Vec<f64>,
    /// Mean and scale of the target.
    #[serde(with = "bits")]
    target: Vec<f64>,
}

impl Scale {
    /// Nothing is changed.
    pub fn identity(dimension: usize) -> Self {
        Self { mean: vec![0.0; dimension], scale: vec![1.0; dimension], target: vec![0.0, 1.0] }
    }

    /// Mean and standard deviation of each column over the rows. Lags of a column are scaled alike, those of the target
    /// as the target, so that differences between them keep their meaning.
    pub fn of(rows: &FirstRows, lags: Lags) -> Self {
        let d = rows.dimension;
        let group = if lags.count > 0 && d.is_multiple_of(lags.count) { lags.count } else { 1 };
        let mut found = Self::identity(d);
        for first in (0..d).step_by(group.max(1)) {
            let (mean, scale) =
                moments(|| rows.iter().flat_map(move |(x, _)| &x[first..first + group]).copied());
            found.mean[first..first + group].fill(mean);
            found.scale[first..first + group].fill(scale);
        }
        let past = lags.newest(d).map_or(d, |newest| newest);
        let (mean, scale) =
            moments(|| rows.iter().flat_map(move |(x, y)| x[past..].iter().copied().chain([y])));
        found.target = vec![mean, scale];
        found.mean[past..].fill(mean);
        found.scale[past..].fill(scale);
        found
    }

    /// True when another scale differs so much that what was learnt in this one is of little use.
    pub fn is_far_from(&self, other: &Self) -> bool {
        let far = |a: (f64, f64), b: (f64, f64)| {
            (a.0 - b.0).abs() > OFF * a.1 || a.1 > OFF * b.1 || b.1 > OFF * a.1
        };
        let pairs = |scale: &Self| -> Vec<(f64, f64)> {
            let own = scale.mean.iter().copied().zip(scale.scale.iter().copied());
            own.chain([(scale.target[0], scale.target[1])]).collect()
        };
        pairs(self).into_iter().zip(pairs(other)).any(|(a, b)| far(a, b))
    }

    /// The same features and an unchanged target, for losses whose targets are labels.
    pub fn with_bare_target(mut self) -> Self {
        self.target = vec![0.0, 1.0];
        self
    }

    /// Scales a sample.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (((out, x), mean), scale) in out.iter_mut().zip(x).zip(&self.mean).zip(&self.scale) {
            *out = (x - mean) / scale;
        }
    }

    /// Scales a target.
    pub fn target(&self, y: f64) -> f64 {
        (y - self.target[0]) / self.target[1]
    }

    /// The target that a scaled one stands for.
    pub fn undo(&self, t: f64) -> f64 {
        self.target[0] + self.target[1] * t
    }

    /// What a scaled deviation is divided by.
    pub fn target_scale(&self) -> f64 {
        self.target[1]
    }

    /// What is subtracted from the features.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// What the features are divided by.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Bytes of its numbers.
    pub fn memory_bytes(&self) -> usize {
        (2 * self.mean.len() + 2) * size_of::<f64>()
    }

    /// Fails unless a scale read from a file fits samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        check_saved("means", &self.mean, dimension)?;
        check_saved("scales", &self.scale, dimension)?;
        check_saved("mean and scale of the target", &self.target, 2)?;
        if self.scale.iter().chain(&self.target[1..]).all(|scale| *scale > 0.0) {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "scales", "they must be above 0"))
    }
}

/// Magnitudes whose squares and sums are within the range of numbers.
const SQUARED_SAFELY: std::ops::Range<f64> = 1e-100..1e100;

/// Mean and standard deviation, in two passes; a constant has its magnitude for scale, and 0 the scale 1.
fn moments<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> (f64, f64) {
    let largest = values().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let unit = if largest.is_normal() && !SQUARED_SAFELY.contains(&largest) { largest } else { 1.0 };
    let (count, sum) = values().fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value / unit));
    if count == 0.0 {
        return (0.0, 1.0);
    }
    let mean = sum / count;
    let squares = values().map(|value| (value / unit - mean) * (value / unit - mean)).sum::<f64>();
    let (mean, deviation) = (unit * mean, unit * (squares / count).sqrt());
    let usable = |scale: f64| scale.is_normal() && mean.is_finite();
    match [deviation, mean.abs()].into_iter().find(|scale| usable(*scale) && *scale > 1e-12 * mean.abs()) {
        Some(scale) => (mean, scale),
        None if mean.is_finite() => (mean, 1.0),
        None => (0.0, 1.0),
    }
}

/// The median distance between samples, of which at most [`FOR_DISTANCES`] are looked at, spread evenly; 1 where it
/// would be 0.
pub(crate) fn median_distance(samples: &[Vec<f64>]) -> f64 {
    let count = samples.len().min(FOR_DISTANCES);
    let at = |i: usize| &samples[i * (samples.len() - 1) / (count - 1).max(1)];
    let mut distances = Vec::with_capacity(count * count / 2);
    for i in 1..count {
        for j in 0..i {
            let squares = at(i).iter().zip(at(j)).map(|(a, b)| (a - b) * (a - b));
            distances.push(squares.sum::<f64>().sqrt());
        }
    }
    if distances.is_empty() {
        return 1.0;
    }
    let middle = distances.len() / 2;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    if median.is_normal() && *median > 1e-9 { *median } else { 1.0 }
}
