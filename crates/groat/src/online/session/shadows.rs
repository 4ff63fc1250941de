//! Tuning while a stream runs: shadows of the learner with other settings beside it, of which the best takes its place.
//!
//! A trial looks at one setting: the learner with the next lower and the next higher of the [values](presets::TUNED)
//! worth trying, or with half and twice the width. Both begin with the newest rows that the session keeps, and learn
//! beside the learner for [`TRIAL`] samples without being asked. A shadow that did clearly better is then the learner; the
//! next trial looks at the next setting. At most two more learners run at a time.

use super::preparation::Preparation;
use crate::error::{Error, Result};
use crate::kernels::{Kernel, Width};
use crate::online::{Learner, presets};
use serde::{Deserialize, Serialize};

/// Samples of a trial.
const TRIAL: u64 = 200;
/// A shadow takes over if its squared errors are below this share of the learner's.
const BETTER: f64 = 0.97;

/// A setting that is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Knob {
    Width,
    Value(&'static str, &'static [&'static str]),
}

/// The shadows of one trial.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Shadows {
    members: Vec<Shadow>,
    /// Squared errors of the learner in this trial.
    own: f64,
    count: u64,
    /// Trials so far, which say what is tried next.
    trials: u64,
    /// Shadows that took over.
    taken: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shadow {
    learner: Learner,
    squares: f64,
}

impl Shadows {
    /// Shadows learn from a sample, as scaled, which the learner predicted with this error.
    pub fn learn(&mut self, x: &[f64], y: f64, error: f64) {
        let square = |error: f64| (error * error).min(f64::MAX);
        self.own = (self.own + square(error)).min(f64::MAX);
        self.count += 1;
        for shadow in &mut self.members {
            // One that overflows has lost.
            let lost = shadow.learner.learn_one(x, y).map_or(f64::MAX, |step| square(step.error));
            shadow.squares = (shadow.squares + lost).min(f64::MAX);
        }
    }

    /// At the end of a trial: the shadow that takes over, if one does. The next trial begins.
    pub fn settle(&mut self, learner: &Learner, preparation: &Preparation) -> Result<Option<Learner>> {
        if self.count < TRIAL {
            return Ok(None);
        }
        let best = self.members.drain(..).min_by(|a, b| a.squares.total_cmp(&b.squares));
        let winner = best.filter(|best| best.squares < BETTER * self.own).map(|best| best.learner);
        self.taken += u64::from(winner.is_some());
        self.begin(winner.as_ref().unwrap_or(learner), preparation)?;
        Ok(winner)
    }

    /// Begins a trial of the next setting around a learner.
    pub fn begin(&mut self, learner: &Learner, preparation: &Preparation) -> Result<()> {
        (self.own, self.count) = (0.0, 0);
        self.members.clear();
        let knobs = knobs(learner)?;
        if knobs.is_empty() {
            return Ok(());
        }
        let knob = knobs[(self.trials % knobs.len() as u64) as usize];
        self.trials += 1;
        let mut z = vec![0.0; learner.dimension()];
        for mut other in neighbours(learner, knob)? {
            let mut lost = false;
            for (x, y) in preparation.rows() {
                preparation.input_into(x, &mut z);
                lost |= other.learn_one(&z, preparation.target(y)).is_err();
            }
            if !lost {
                self.members.push(Shadow { learner: other, squares: 0.0 });
            }
        }
        Ok(())
    }

    /// Trials so far, and how many of them a shadow won.
    pub fn told(&self) -> (u64, u64) {
        (self.trials, self.taken)
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        self.members.iter().map(|shadow| shadow.learner.memory_bytes()).sum()
    }

    /// Fails unless shadows read from a file fit samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let fits = |shadow: &Shadow| shadow.learner.dimension() == dimension;
        if self.members.len() <= 2 && self.members.iter().all(fits) && self.own.is_finite() {
            return Ok(());
        }
        Err(Error::parse("saved session", "shadows", "they do not fit its samples"))
    }
}

/// What can be tried for a learner.
fn knobs(learner: &Learner) -> Result<Vec<Knob>> {
    let width = matches!(learner.kernel().and_then(Kernel::width), Some(Width::Shared(_)));
    let values = presets::find(learner.algorithm())?.tunable();
    Ok(width.then_some(Knob::Width).into_iter().chain(values.map(|(n, v)| Knob::Value(n, v))).collect())
}

/// Learners without experience that differ from one by a step down and a step up in one setting.
fn neighbours(learner: &Learner, knob: Knob) -> Result<Vec<Learner>> {
    let (algorithm, dimension, settings) = (learner.algorithm(), learner.dimension(), learner.settings());
    match knob {
        Knob::Width => {
            let Some(kernel) = learner.kernel() else { return Ok(Vec::new()) };
            let Some(Width::Shared(width)) = kernel.width() else { return Ok(Vec::new()) };
            let wide = |by: f64| Learner::new(algorithm, &kernel.with_width(width * by), dimension, settings);
            [0.5, 2.0].into_iter().map(wide).collect()
        }
        Knob::Value(name, values) => {
            let in_force = presets::find(algorithm)?.in_force(settings)?;
            let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
            let now = in_force.get(name).map_or(f64::NAN, number);
            let below =
                values.iter().filter(|v| number(v) < now).max_by(|a, b| number(a).total_cmp(&number(b)));
            let above =
                values.iter().filter(|v| number(v) > now).min_by(|a, b| number(a).total_cmp(&number(b)));
            let with = |value: &&str| {
                Learner::new(algorithm, learner.kernel(), dimension, &settings.clone().with(name, value))
            };
            below.into_iter().chain(above).map(with).collect()
        }
    }
}
