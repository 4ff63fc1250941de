//! What is wrong with a stream's learner, in plain sentences that name the setting to change.

use super::{BASELINES, Session};
use crate::data::Inputs;
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Points;
use crate::model::Model;
use crate::online::presets;

/// Targets whose magnitudes all lie below or reach beyond have squared errors that no number holds.
const UNITS: std::ops::Range<f64> = 1e-150..1e150;
/// Samples before anything else is said: the beginning of a stream tells little.
const ENOUGH: u64 = 50;
/// Errors so many times those of the running mean are no learning.
const DIVERGED: f64 = 10.0;
/// Errors so many times those of the best baseline are worth a word.
const WORSE: f64 = 1.1;
/// A share of refused steps that is worth a word.
const REFUSED: f64 = 0.05;
/// Vectors whose nearest neighbours have kernel values below this do not speak for one another.
const APART: f64 = 0.1;
/// Vectors that are looked at.
const LOOKED_AT: usize = 200;

/// What a word of advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Concern {
    /// The errors are far beyond those of the running mean of the targets.
    Diverged,
    /// A baseline does better.
    WorseThanBaseline,
    /// Many steps were not carried out.
    Refused,
    /// The dictionary is full.
    Saturated,
    /// No vector speaks for its neighbours.
    NarrowKernel,
    /// Squares of the targets are too small or too large for numbers.
    Units,
    /// All rows only filled the past of the series.
    NoSample,
}

impl Concern {
    /// Its name in files and answers.
    pub fn name(self) -> &'static str {
        match self {
            Concern::Diverged => "diverged",
            Concern::WorseThanBaseline => "worse-than-baseline",
            Concern::Refused => "refused",
            Concern::Saturated => "saturated",
            Concern::NarrowKernel => "narrow-kernel",
            Concern::Units => "units",
            Concern::NoSample => "no-sample",
        }
    }
}

/// A word of advice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// What it is about.
    pub concern: Concern,
    /// The sentence.
    pub text: String,
}

impl Session {
    /// The best of the [`BASELINES`] so far and its mean squared error.
    pub fn best_baseline(&self) -> Option<(&'static str, f64)> {
        let known =
            BASELINES.into_iter().zip(self.baselines()).filter_map(|(name, error)| Some((name, error?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Mean squared error as a multiple of that of the best baseline.
    pub fn against_baseline(&self) -> Option<f64> {
        let ((_, baseline), own) = (self.best_baseline()?, self.totals().mean_squared()?);
        (baseline > 0.0).then(|| own / baseline)
    }

    /// True when the errors are far beyond those of the running mean of the targets, over all samples or of late.
    pub fn has_diverged(&self) -> bool {
        let totals = self.totals();
        let far = |own: f64, mean: f64| own > DIVERGED * mean && own > f64::MIN_POSITIVE;
        let overall = totals.mean_squared().zip(self.baselines()[1]);
        let late = totals.recent_mean_squared().map(|own| (own, totals.recent_of_mean()));
        totals.steps >= ENOUGH && [overall, late].into_iter().flatten().any(|(own, mean)| far(own, mean))
    }

    /// What is wrong, if anything is, and what to change.
    pub fn advice(&self) -> Vec<Advice> {
        let mut all = Vec::from_iter(self.emptiness().or_else(|| self.units()));
        if self.totals().steps >= ENOUGH {
            let others = [self.errors(), self.refusals(), self.fullness(), self.narrowness()];
            all.extend(others.into_iter().flatten());
        }
        all
    }

    fn emptiness(&self) -> Option<Advice> {
        let totals = self.totals();
        let lags = self.inputs().and_then(Inputs::embedding)?.lags;
        if totals.steps + totals.unanswered + totals.skipped > 0 || totals.rows == 0 {
            return None;
        }
        let text = format!(
            "nothing was learnt: all {} rows only fill the past of {lags} lags; give more rows, or fewer lags (--embed)",
            totals.rows
        );
        Some(Advice { concern: Concern::NoSample, text })
    }

    fn units(&self) -> Option<Advice> {
        let largest = self.totals().largest();
        if largest == 0.0 || UNITS.contains(&largest) {
            return None;
        }
        let cure = if largest < UNITS.start { "multiply" } else { "divide" };
        let text = format!(
            "the targets reach {largest:.0e}, and squares of errors of that size are beyond what a number can hold: \
             mean squared errors, baselines and intervals say nothing here; {cure} the target by a power of ten"
        );
        Some(Advice { concern: Concern::Units, text })
    }

    fn errors(&self) -> Option<Advice> {
        let step = if self.takes("eta") { "lower the step (--set eta=...) or " } else { "" };
        if self.has_diverged() {
            let text = format!(
                "{} has diverged: its errors are far beyond those of the running mean of the target; {step}use \
                 --algorithm auto, which cannot",
                self.learner().algorithm()
            );
            return Some(Advice { concern: Concern::Diverged, text });
        }
        let ((name, _), times) = (self.best_baseline()?, self.against_baseline()?);
        if times <= WORSE || self.has_labels() {
            return None;
        }
        let other = match self.learner().algorithm() {
            "auto" => "the series may hold nothing but noise; more lags (--embed) or other inputs may help",
            _ => "--algorithm auto follows the better of both, --tune looks for better settings",
        };
        let text = format!(
            "the mean squared error is {} times that of the {name}: {other}",
            if times < 10.0 { format!("{times:.2}") } else { format!("{times:.3e}") }
        );
        Some(Advice { concern: Concern::WorseThanBaseline, text })
    }

    fn refusals(&self) -> Option<Advice> {
        let (refused, steps) = (self.learner().refused(), self.learner().steps().max(1));
        if (refused as f64) < REFUSED * steps as f64 {
            return None;
        }
        let cure = match () {
            () if self.takes("surprise_high") => "raise surprise_high (--set surprise_high=...)",
            () if self.takes("eta") => "lower the step (--set eta=...)",
            () => "scale the inputs, or leave out --no-standardise",
        };
        let text = format!("{refused} of {steps} steps were not carried out: {cure}");
        Some(Advice { concern: Concern::Refused, text })
    }

    fn fullness(&self) -> Option<Advice> {
        let preset =
            presets::find(self.learner().algorithm()).ok().filter(|preset| !preset.scales_itself())?;
        let in_force = preset.in_force(self.learner().settings()).ok()?;
        let budget: usize = in_force.get("budget")?.parse().ok()?;
        let stops = preset.parts().contains(&"freeze");
        if self.learner().size() < budget || !stops && self.against_baseline().is_none_or(|times| times < 1.0)
        {
            return None;
        }
        let what = if stops { "takes in no new vectors" } else { "lets a vector go for each new one" };
        let text = format!("the dictionary is full ({budget} vectors) and {what}: raise --set budget=...");
        Some(Advice { concern: Concern::Saturated, text })
    }

    fn narrowness(&self) -> Option<Advice> {
        let kernel = self.learner().kernel().filter(|kernel| kernel.is_radial())?;
        let model = self.learner().snapshot().ok()??;
        if model.size() < 20 || nearest_value(kernel, &model) >= APART {
            return None;
        }
        let text = format!(
            "{kernel} is so narrow that the kept vectors know nothing of each other, and nothing is learnt for new \
             samples: raise --width, or leave it out and it is found"
        );
        Some(Advice { concern: Concern::NarrowKernel, text })
    }

    fn takes(&self, parameter: &str) -> bool {
        let preset = presets::find(self.learner().algorithm());
        preset.is_ok_and(|preset| preset.parameters().iter().any(|taken| taken.parameter.name == parameter))
    }
}

/// The median, over some vectors, of the largest kernel value with another vector.
fn nearest_value(kernel: &Kernel, model: &Model) -> f64 {
    let Some(Points::Dense(vectors)) = model.expansion().map(Expansion::vectors) else { return 1.0 };
    let count = vectors.rows().min(LOOKED_AT);
    let first = vectors.rows() - count;
    let largest = |i: usize| {
        let others = (first..vectors.rows()).filter(|j| *j != i);
        others.map(|j| kernel.eval(vectors.row(i), vectors.row(j))).fold(0.0, f64::max)
    };
    let mut values: Vec<f64> = (first..vectors.rows()).map(largest).collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
