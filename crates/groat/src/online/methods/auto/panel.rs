//! The predictors of the default algorithm and the units in which they see a stream.

use super::mixing::Mixer;
use super::tracker::{Assumptions, Tracker};
use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use crate::online::methods::{AnyMethod, Method};
use crate::online::presets;
use crate::online::state::basis::check_saved;
use crate::online::state::bits;
use crate::online::state::first_rows::{FirstRows, Lags, Scale, median_distance};
use crate::online::state::scratch::with_scratch;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};

/// Beyond so many features the linear predictors learn by normalised LMS, since least squares costs their square.
const MOST_FEATURES: usize = 200;
/// Predictions lie within the targets seen, widened by this share of their range.
const MARGIN: f64 = 0.5;
/// Where rows are no series the range of the first few targets says little: the margin is wider while there are not many
/// times so many.
const EARLY: f64 = 8.0;
/// Predictions of a series lie around its last value, within so many times its second largest step: the largest, alone, may
/// be a jump to a level where the series stays.
const STRIDE: f64 = 1.5;
/// Right after the largest step nobody knows whether it was a jump that stays or an outlier that is followed by the way
/// back. Halfway loses least in the worse of the two cases.
const HALFWAY: f64 = 0.5;

/// The weight at the start of a predictor that learns, beside 1 for each that does not: what it says first rests on a few
/// samples. In a series the last value is a good guess until more is known; in a table nothing that does not learn is.
const IN_SERIES: f64 = 0.1;
const IN_TABLES: f64 = 0.5;

/// How a predictor sees samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum View {
    /// Features and target, standardised.
    Level,
    /// Lags less the newest value of their column, and the target less its last value: what is left of trends and
    /// unit roots.
    Change,
}

/// A predictor that learns.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Expert {
    view: View,
    /// The predictor whose residual it learns.
    on: Option<usize>,
    learner: Predictor,
}

/// What learns.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Predictor {
    Linear(AnyMethod),
    Kernel(Box<Tracker>),
}

/// A kernel predictor: how it sees samples, whether it learns the residual of the linear one, its width as a multiple of the
/// median distance, the noise variance it assumes, how it forgets. Chosen by leaving predictors out on many streams:
/// `comparisons/online/STREAMS.md`.
struct KernelExpert {
    view: View,
    residual: bool,
    width: f64,
    sn2: f64,
    lambda: f64,
}

const fn kernel_expert(view: View, residual: bool, width: f64, sn2: f64, lambda: f64) -> KernelExpert {
    KernelExpert { view, residual, width, sn2, lambda }
}

const KERNEL_EXPERTS: &[KernelExpert] = &[
    kernel_expert(View::Level, false, 0.5, 1e-2, 1.0),
    kernel_expert(View::Level, false, 1.0, 1e-2, 0.998),
    kernel_expert(View::Level, true, 1.0, 1e-1, 1.0),
    kernel_expert(View::Change, false, 1.0, 1e-2, 1.0),
    kernel_expert(View::Change, false, 2.0, 1e-3, 1.0),
];

/// Forgetting factors of the linear predictors; the residual of the first is learnt by kernels.
const LINEAR: [f64; 2] = [1.0, 0.99];

/// Before the predictors that learn come the last value, the running mean and, where the series is known two values back,
/// the line through the last two.
const MEAN: usize = 1;
const LINE: usize = 2;

/// Everything that starts anew when better scales are known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Panel {
    lags: Lags,
    dimension: usize,
    scale: Scale,
    /// What features of the [`View::Change`] are divided by; the target's last.
    #[serde(with = "bits")]
    steps: Vec<f64>,
    experts: Vec<Expert>,
    mixer: Mixer,
    /// Last target, sum of targets, least and greatest target, the two largest steps of the series, and its newest step
    /// where that was the largest so far, else 0; all scaled.
    #[serde(with = "bits")]
    seen: Vec<f64>,
    /// How many values these are of, and how many samples were learnt from.
    count: u64,
    learnt: u64,
    #[serde(skip)]
    buffer: Vec<f64>,
}

const LAST: usize = 0;
const SUM: usize = 1;
const LOW: usize = 2;
const HIGH: usize = 3;
const STEP: usize = 4;
const SECOND: usize = 5;
const SURPRISE: usize = 6;
const SEEN: usize = 7;

impl Panel {
    /// Predictors without experience, in the units that `rows` suggest.
    pub fn new(kernel: &Kernel, budget: usize, lags: Lags, rows: &FirstRows, scaled: bool) -> Result<Self> {
        let dimension = rows.dimension();
        let scale = if scaled { Scale::of(rows, lags) } else { Scale::identity(dimension) };
        let mut panel = Self {
            lags,
            dimension,
            scale,
            steps: vec![1.0; dimension + 1],
            experts: Vec::new(),
            mixer: Mixer::new(0, 0, 1.0),
            seen: vec![0.0; SEEN],
            count: 0,
            learnt: 0,
            buffer: Vec::new(),
        };
        if scaled {
            panel.find_steps(rows);
        }
        let views: &[View] = if panel.is_series() { &[View::Level, View::Change] } else { &[View::Level] };
        for view in views {
            panel.add_experts(*view, kernel, budget, rows, scaled)?;
        }
        let series = panel.lags.newest(dimension).is_some();
        let weight = if series { IN_SERIES } else { IN_TABLES };
        panel.mixer = Mixer::new(panel.plain(), panel.experts.len(), weight);
        Ok(panel)
    }

    /// True when changes say something: the target's past is known, and more than its last value.
    fn is_series(&self) -> bool {
        self.lags.newest(self.dimension).is_some() && self.width(View::Change) > 0
    }

    /// Predictors that do not learn.
    fn plain(&self) -> usize {
        if self.is_series() && self.lags.count > 1 { LINE + 1 } else { MEAN + 1 }
    }

    /// Root mean squares of what the view of changes sees in the first rows.
    fn find_steps(&mut self, rows: &FirstRows) {
        if !self.is_series() || rows.len() == 0 {
            return;
        }
        let width = self.width(View::Change);
        let mut sums = vec![0.0; width + 1];
        let (mut level, mut change) = (vec![0.0; self.dimension + 1], vec![0.0; width + 1]);
        for (x, y) in rows.iter() {
            self.scale.apply(x, &mut level);
            let last = self.see_change(&level, &mut change);
            change[width] = self.scale.target(y) - last;
            sums.iter_mut().zip(&change).for_each(|(sum, value)| *sum += value * value);
        }
        for (step, sum) in self.steps.iter_mut().zip(sums) {
            let root = (sum / rows.len() as f64).sqrt();
            *step = if root.is_normal() { root } else { 1.0 };
        }
    }

    /// Features of a view, the constant of linear predictors apart.
    fn width(&self, view: View) -> usize {
        match view {
            View::Level => self.dimension,
            View::Change => self.dimension - 1,
        }
    }

    fn add_experts(
        &mut self,
        view: View,
        kernel: &Kernel,
        budget: usize,
        rows: &FirstRows,
        scaled: bool,
    ) -> Result<()> {
        let (width, first) = (self.width(view), self.plain() + self.experts.len());
        for lambda in LINEAR {
            let method = if width <= MOST_FEATURES {
                let settings = Settings::new().with("lambda", lambda).with("ridge", 1e-3);
                presets::find("rls")?.build(None, width + 1, &settings)?
            } else {
                presets::find("nlms")?.build(None, width + 1, &Settings::new().with("eta", lambda / 2.0))?
            };
            self.experts.push(Expert { view, on: None, learner: Predictor::Linear(method) });
        }
        let distance = if scaled { self.median_distance(view, rows) } else { 1.0 };
        for row in KERNEL_EXPERTS.iter().filter(|row| row.view == view) {
            let assumed = Assumptions { lambda: row.lambda, sn2: row.sn2, budget };
            let kernel =
                widened(kernel, row.width * distance, (view == View::Change).then_some(&self.steps), self);
            let learner = Predictor::Kernel(Box::new(Tracker::new(&kernel, width, assumed)?));
            self.experts.push(Expert { view, on: row.residual.then_some(first), learner });
        }
        Ok(())
    }

    /// The median distance of the first rows in a view.
    fn median_distance(&self, view: View, rows: &FirstRows) -> f64 {
        let (mut level, mut change) = (vec![0.0; self.dimension + 1], vec![0.0; self.dimension]);
        let sample = |(x, _): (&[f64], f64)| {
            self.see(x, &mut level, &mut change);
            match view {
                View::Level => level[..self.dimension].to_vec(),
                View::Change => change[..self.dimension - 1].to_vec(),
            }
        };
        median_distance(&rows.iter().map(sample).collect::<Vec<_>>())
    }

    /// Both views of a sample, each with the constant of linear predictors at its end. Returns the last value.
    fn see(&self, x: &[f64], level: &mut [f64], change: &mut [f64]) -> f64 {
        self.scale.apply(x, level);
        level[self.dimension] = 1.0;
        if !self.is_series() {
            return self.lags.newest(self.dimension).map_or(self.seen[LAST], |newest| level[newest]);
        }
        let last = self.see_change(level, change);
        let width = self.width(View::Change);
        change[..width].iter_mut().zip(&self.steps).for_each(|(value, step)| *value /= step);
        change[width] = 1.0;
        last
    }

    /// The view of changes before it is scaled: the newest value of each column that is no target stays as it is, all
    /// others are taken from it. Returns the newest value of the target.
    fn see_change(&self, level: &[f64], change: &mut [f64]) -> f64 {
        let mut to = change.iter_mut();
        let newest = self.lags.newest(self.dimension);
        for (j, value) in level[..self.dimension].iter().enumerate() {
            let first = j - j % self.lags.count.max(1);
            if Some(j) != newest
                && let Some(to) = to.next()
            {
                *to = if j == first { *value } else { value - level[first] };
            }
        }
        newest.map_or(0.0, |newest| level[newest])
    }

    /// What a predictor adds its output to, and the unit of that output.
    fn frame(&self, expert: &Expert, predictions: &[f64]) -> (f64, f64) {
        let unit = if expert.view == View::Change { self.steps[self.width(View::Change)] } else { 1.0 };
        let base = match (expert.on, expert.view) {
            (Some(on), _) => predictions[on],
            (None, View::Change) => predictions[0],
            (None, View::Level) => 0.0,
        };
        (base, unit)
    }

    /// A prediction within the range that the targets so far make plausible.
    fn plausible(&self, prediction: f64, last: f64) -> f64 {
        let seen = &self.seen;
        if self.count == 0 {
            return last;
        }
        let series = self.lags.newest(self.dimension).is_some();
        let early = if series { 0.0 } else { EARLY / self.count as f64 };
        let room = MARGIN * (1.0 + early) * (seen[HIGH] - seen[LOW]);
        let held = if prediction.is_finite() { prediction } else { seen[SUM] / self.count as f64 };
        let held = held.clamp(seen[LOW] - room, seen[HIGH] + room);
        if !series {
            return held;
        }
        let reach = (STRIDE * seen[SECOND]).max(HALFWAY * seen[SURPRISE]);
        held.clamp(last - reach, last + reach)
    }

    /// Takes in a step of the series.
    fn remember_step(&mut self, step: f64) {
        let seen = &mut self.seen;
        let largest = step > seen[STEP];
        seen[SURPRISE] = if largest { step } else { 0.0 };
        seen[SECOND] = if largest { seen[STEP] } else { seen[SECOND].max(step) };
        seen[STEP] = seen[STEP].max(step);
    }

    /// What the predictors that do not learn say.
    fn say_plain(&self, level: &[f64], last: f64, predictions: &mut [f64]) {
        predictions[0] = last;
        predictions[MEAN] = self.plausible(self.seen[SUM] / self.count as f64, last);
        if let (Some(newest), Some(line)) = (self.lags.newest(self.dimension), predictions.get_mut(LINE))
            && self.plain() > LINE
        {
            *line = self.plausible(2.0 * last - level[newest + 1], last);
        }
    }

    /// The lags of the very first sample are a series already: on it the predictors that do not learn are judged, and it
    /// says what is plausible. The others sleep until they have learnt something.
    fn begin(&mut self, level: &[f64]) {
        let Some(newest) = self.lags.newest(self.dimension).filter(|_| self.plain() > LINE) else { return };
        let past = &level[newest..self.dimension];
        for at in (0..past.len().saturating_sub(2)).rev() {
            let before = &past[at + 1..];
            let mean = before.iter().sum::<f64>() / before.len() as f64;
            self.mixer.learn(&[before[0], mean, 2.0 * before[0] - before[1]], past[at]);
        }
        let seen = &mut self.seen;
        (seen[LOW], seen[HIGH]) = (past[0], past[0]);
        for value in past {
            seen[SUM] += value;
            (seen[LOW], seen[HIGH]) = (seen[LOW].min(*value), seen[HIGH].max(*value));
        }
        self.count = past.len() as u64;
        past.windows(2).rev().for_each(|pair| self.remember_step((pair[0] - pair[1]).abs()));
    }

    /// How many predictors have a say: those that learn wait until they have.
    fn awake(&self) -> usize {
        self.plain() + if self.learnt > 0 { self.experts.len() } else { 0 }
    }

    /// Numbers that a sample needs while it is looked at.
    fn room(&self) -> usize {
        2 * (self.dimension + 1) + self.plain() + self.experts.len()
    }

    /// The output at `x`.
    pub fn output(&self, x: &[f64]) -> f64 {
        with_scratch(self.room(), |buffer| {
            let (level, rest) = buffer.split_at_mut(self.dimension + 1);
            let (change, predictions) = rest.split_at_mut(self.dimension + 1);
            let last = self.see(x, level, change);
            if self.learnt == 0 && self.count == 0 && self.plain() > LINE {
                let mut begun = self.clone();
                begun.begin(level);
                return begun.output(x);
            }
            self.say_plain(level, last, predictions);
            for (i, expert) in self.experts.iter().enumerate() {
                let (base, unit) = self.frame(expert, predictions);
                let sample = expert.sample(level, change, self);
                let output = match &expert.learner {
                    Predictor::Linear(method) => method.output(sample),
                    Predictor::Kernel(tracker) => tracker.output(sample),
                };
                predictions[self.plain() + i] = self.plausible(base + unit * output, last);
            }
            self.scale.undo(self.mixer.mix(&predictions[..self.awake()]))
        })
    }

    /// Learns from a sample; returns the output before that.
    pub fn step(&mut self, x: &[f64], y: f64) -> f64 {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(self.room(), 0.0);
        let mut experts = std::mem::take(&mut self.experts);
        let (plain, count) = (self.plain(), experts.len());
        let (level, rest) = buffer.split_at_mut(self.dimension + 1);
        let (change, predictions) = rest.split_at_mut(self.dimension + 1);
        let (last, target) = (self.see(x, level, change), self.scale.target(y));
        if self.learnt == 0 {
            self.begin(level);
        }
        self.say_plain(level, last, predictions);
        for (i, expert) in experts.iter_mut().enumerate() {
            let (base, unit) = self.frame(expert, predictions);
            let sample = expert.sample(level, change, self);
            let target = (target - base) / unit;
            let output = match &mut expert.learner {
                Predictor::Linear(method) => method.step(sample, target).prediction,
                Predictor::Kernel(tracker) => tracker.step(sample, target),
            };
            predictions[plain + i] = self.plausible(base + unit * output, last);
        }
        self.experts = experts;
        let awake = if self.learnt > 0 { plain + count } else { plain };
        let mixed = self.mixer.learn(&predictions[..awake], target);
        self.buffer = buffer;
        self.remember(target, last);
        self.scale.undo(mixed)
    }

    fn remember(&mut self, target: f64, last: f64) {
        self.remember_step((target - last).abs());
        let (first, seen) = (self.count == 0, &mut self.seen);
        seen[SUM] += target;
        seen[LOW] = if first { target } else { seen[LOW].min(target) };
        seen[HIGH] = if first { target } else { seen[HIGH].max(target) };
        seen[LAST] = target;
        self.count += 1;
        self.learnt += 1;
    }

    /// Vectors of all kernel predictors together.
    pub fn size(&self) -> usize {
        self.experts.iter().map(|expert| expert.tracker().map_or(0, Tracker::size)).sum()
    }

    /// The shares of the last value, of the running mean, of the line through the last two values, of linear and of kernel
    /// predictors in the mix.
    pub fn shares(&self) -> [f64; 5] {
        let (shares, plain) = (self.mixer.shares(), self.plain());
        let of = |kernel: bool| {
            let learners = self.experts.iter().zip(&shares[plain..]);
            learners.filter(|(expert, _)| expert.tracker().is_some() == kernel).map(|(_, share)| share).sum()
        };
        [shares[0], shares[MEAN], shares[LINE..plain].iter().sum(), of(false), of(true)]
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        let bytes = |expert: &Expert| match &expert.learner {
            Predictor::Linear(method) => method.memory_bytes(),
            Predictor::Kernel(tracker) => tracker.memory_bytes(),
        };
        let experts: usize = self.experts.iter().map(bytes).sum();
        experts + self.mixer.memory_bytes() + self.scale.memory_bytes() + size_of_val(self.steps.as_slice())
    }

    /// Fails unless a state read from a file is sound.
    pub fn check(&self, dimension: usize) -> Result<()> {
        self.scale.check(dimension)?;
        check_saved("units of changes", &self.steps, dimension + 1)?;
        check_saved("targets seen", &self.seen, SEEN)?;
        self.mixer.check(self.plain() + self.experts.len())?;
        let broken = || Error::parse("saved state of a learner", "experts", "they do not fit the samples");
        let ordered = self.seen[LOW] <= self.seen[HIGH] && self.seen[STEP..].iter().all(|step| *step >= 0.0);
        if self.dimension != dimension || !ordered || self.steps.iter().any(|step| *step <= 0.0) {
            return Err(broken());
        }
        for (i, expert) in self.experts.iter().enumerate() {
            let later = expert.on.is_some_and(|on| on >= self.plain() + i);
            if expert.view == View::Change && !self.is_series() || later {
                return Err(broken());
            }
            match &expert.learner {
                Predictor::Linear(method) => method.check(expert.features(self))?,
                Predictor::Kernel(tracker) => tracker.check(expert.features(self))?,
            }
        }
        Ok(())
    }
}

impl Expert {
    /// Features of its method; linear ones have a constant besides.
    fn features(&self, panel: &Panel) -> usize {
        panel.width(self.view) + usize::from(self.tracker().is_none())
    }

    fn tracker(&self) -> Option<&Tracker> {
        match &self.learner {
            Predictor::Linear(_) => None,
            Predictor::Kernel(tracker) => Some(tracker),
        }
    }

    /// The sample as its method sees it.
    fn sample<'a>(&self, level: &'a [f64], change: &'a [f64], panel: &Panel) -> &'a [f64] {
        let sample = if self.view == View::Level { level } else { change };
        &sample[..self.features(panel)]
    }
}

/// The kernel with its width multiplied. One width per feature counts for standardised features, changes get their mean.
fn widened(kernel: &Kernel, by: f64, change: Option<&Vec<f64>>, panel: &Panel) -> Kernel {
    match (kernel.width(), change) {
        (Some(Width::Shared(width)), _) => kernel.with_width(width * by),
        (Some(Width::PerFeature(widths)), None) if widths.len() == panel.dimension => {
            kernel.with_width(widths.iter().map(|width| width * by).collect::<Vec<f64>>())
        }
        (Some(Width::PerFeature(widths)), _) => {
            kernel.with_width(by * widths.iter().sum::<f64>() / widths.len().max(1) as f64)
        }
        (None, _) => kernel.clone(),
    }
}
