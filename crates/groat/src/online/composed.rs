//! The composed learner: update rule x novelty x deterioration cost x projection x strategy.
//!
//! One step, the same for all mixes:
//!
//! 1. kernel values `k` of the sample, output, error, pull of the loss; its image and the residual where
//!    an inverse Gram matrix is kept;
//! 2. the novelty criterion gives a verdict; a residual below the floor, or a full dictionary that admits
//!    nothing, turns an admission into a projection;
//! 3. a full dictionary is reduced if its strategy does so before the presentation;
//! 4. the update rule admits the sample or learns from it without;
//! 5. strategy and truncation let vectors leave.

use super::methods::Method;
use super::parts::cost::Cost;
use super::parts::loss::Loss;
use super::parts::novelty::{Novelty, Verdict};
use super::parts::projection::Projection;
use super::parts::strategy::{Reducer, Strategy, Truncation};
use super::parts::update::Update;
use super::presets::Plan;
use super::state::dictionary::Dictionary;
use super::state::scratch::with_scratch;
use super::state::step_size::sound;
use super::state::{Needs, ROUNDING, Sample, Tracked};
use super::step::{Reading, Step};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::matrix::Rows;
use crate::online::parts::loss::Meaning;
use crate::simd::{Aligned, axpy, dot};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A learner made of parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Composed {
    update: Update,
    novelty: Novelty,
    cost: Cost,
    projection: Projection,
    strategy: Strategy,
    truncation: Truncation,
    loss: Loss,
    floor: f64,
    model: Tracked,
    /// When each vector was last renewed; empty without a maximum age.
    renewed: Vec<u64>,
    counts: Counts,
    #[serde(skip)]
    buffers: Buffers,
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Counts {
    presented: u64,
    admitted: u64,
    projected: u64,
    evicted: u64,
    largest_step: f64,
}

/// A sample and the numbers about it that removals change.
#[derive(Clone, Copy, Debug)]
struct Seen<'a> {
    x: &'a [f64],
    y: f64,
    kxx: f64,
    output: f64,
    residual: f64,
}

/// Kept from step to step.
#[derive(Clone, Debug, Default)]
struct Buffers {
    k: Aligned,
    image: Aligned,
    costs: Vec<f64>,
}

impl Composed {
    /// Builds the mix that the settings name.
    pub fn new(plan: &Plan<'_>) -> Result<Self> {
        let values = plan.values;
        let (update, strategy) = (Update::new(values)?, Strategy::new(values)?);
        let (projection, truncation) = (Projection::new(values)?, Truncation::new(values)?);
        let loss = Loss::new(values)?;
        update.check_parts(values, &loss, &projection, strategy.removes() || truncation.acts())?;
        let ridge = update.ridge() + values.number("jitter")?;
        let dictionary = Dictionary::new(plan.kernel, plan.dimension)?;
        let mut composed = Self {
            update,
            novelty: Novelty::new(values)?,
            cost: Cost::new(values)?,
            projection,
            strategy,
            truncation,
            loss,
            floor: values.number("floor")?,
            model: Tracked::new(dictionary),
            renewed: Vec::new(),
            counts: Counts::default(),
            buffers: Buffers::default(),
        };
        composed.model.keep(composed.needs(), ridge);
        Ok(composed)
    }

    /// What the parts need kept up to date, taken together.
    fn needs(&self) -> Needs {
        let cost = self.strategy.needs(&self.cost);
        let needs = self.update.needs().and(self.novelty.needs()).and(cost);
        if self.update.owns_weights() {
            return Needs { weights: false, ..needs };
        }
        needs.and(self.projection.needs()).with_weights(self.truncation.acts())
    }

    /// Kernel values, output and, where an inverse is kept, image and residual of a sample.
    fn see<'a>(&mut self, x: &'a [f64], y: f64, buffers: &mut Buffers) -> Seen<'a> {
        let kxx = self.model.dictionary.diag(x);
        let (residual, output) = self.model.observe(x, kxx, &mut buffers.k, &mut buffers.image);
        Seen { x, y, kxx, output, residual }
    }

    /// The verdict of the criterion, corrected by the floor and by the strategy.
    fn judge(&self, sample: &Sample<'_>) -> Verdict {
        let verdict = self.novelty.judge(&self.model, sample);
        if verdict != Verdict::Admit {
            return verdict;
        }
        let least = self.floor.max(ROUNDING) * sample.kxx;
        if self.model.knows_residuals() && sample.residual <= least {
            return Verdict::Project;
        }
        if self.strategy.admits(self.model.len()) { Verdict::Admit } else { Verdict::Project }
    }

    /// Lets the cheapest vector leave a full dictionary before the presentation, and brings what is known
    /// of the sample up to date; where the column of the inverse that left is at hand, by
    /// `nu - q nu_r / Q_rr` and the residual `s + nu_r^2 / Q_rr`.
    fn make_room(&mut self, seen: &mut Seen<'_>, buffers: &mut Buffers) {
        let Buffers { k, image, costs } = buffers;
        let mut reducer = self.reducer(false, &[], costs);
        let (r, _) = reducer.cheapest();
        let pivot = reducer.model.inverse.as_ref().map(|inverse| inverse.inverse().diagonal(r));
        reducer.remove(r);
        k.remove(r);
        if let Some(pivot) = pivot {
            let factor = image.remove(r) / pivot;
            axpy(-factor, &self.model.scratch.column, image);
            seen.residual += factor * factor * pivot;
            seen.output = dot(k, &self.model.dictionary.alpha);
        } else {
            (seen.residual, seen.output) = self.model.observe_row(seen.kxx, k, image);
        }
    }

    /// What a strategy may touch.
    fn reducer<'a>(&'a mut self, admitted: bool, k: &'a [f64], costs: &'a mut Vec<f64>) -> Reducer<'a> {
        Reducer {
            model: &mut self.model,
            update: &mut self.update,
            cost: self.cost,
            projection: self.projection,
            renewed: &mut self.renewed,
            admitted,
            k,
            costs,
        }
    }

    /// Strategy and truncation after the update.
    fn reduce(&mut self, admitted: bool, buffers: &mut Buffers) -> usize {
        let (strategy, truncation, now) = (self.strategy, self.truncation, self.counts.presented);
        let mut reducer = self.reducer(admitted, &buffers.k, &mut buffers.costs);
        let mut evicted = strategy.after(&mut reducer);
        if truncation.acts() {
            evicted += truncation.after(&mut reducer, now);
        }
        evicted
    }

    /// Steps 2 to 4: verdict, room, update. The buffers are lent out while the parts work on the rest.
    fn learn(&mut self, seen: Seen<'_>, buffers: &mut Buffers, step: &mut Step) {
        let mut seen = seen;
        let mut sample = self.sample(&seen, buffers);
        let verdict = self.judge(&sample);
        if verdict == Verdict::Admit && self.strategy.wants_room(self.model.len()) {
            self.make_room(&mut seen, buffers);
            sample = self.sample(&seen, buffers);
            step.evicted += 1;
        }
        let effective = self.update.effective_step(&sample, verdict == Verdict::Admit);
        self.counts.largest_step = self.counts.largest_step.max(effective.min(f64::MAX));
        if !sound(sample.weight) || verdict == Verdict::Ignore {
            step.refused = true;
            return;
        }
        match verdict {
            Verdict::Admit => {
                self.update.admit(&mut self.model, &sample);
                step.admitted = true;
                self.counts.admitted += 1;
            }
            Verdict::Merge(i) => {
                self.update.merge(&mut self.model, &sample, i);
                step.projected = true;
            }
            _ => step.projected = self.update.project(&mut self.model, &sample, &self.projection),
        }
        self.counts.projected += u64::from(step.projected);
        self.renew(verdict);
    }

    /// The sample as the parts see it.
    fn sample<'a>(&self, seen: &Seen<'a>, buffers: &'a Buffers) -> Sample<'a> {
        let Seen { x, y, kxx, output, residual } = *seen;
        let mut sample = Sample {
            y,
            error: y - output,
            pull: self.loss.pull(y, output),
            ..Sample::of(x, &buffers.k, kxx, &buffers.image, residual)
        };
        sample.weight = self.update.weight(&sample);
        sample
    }

    /// Keeps track of ages, where a maximum age is set.
    fn renew(&mut self, verdict: Verdict) {
        if !self.truncation.wants_ages() {
            return;
        }
        match verdict {
            Verdict::Admit => self.renewed.push(self.counts.presented),
            Verdict::Merge(i) => self.renewed[i] = self.counts.presented,
            Verdict::Project | Verdict::Ignore => {}
        }
    }
}

impl Method for Composed {
    fn size(&self) -> usize {
        self.model.len()
    }

    fn output(&self, x: &[f64]) -> f64 {
        with_scratch(2 * self.model.len(), |buffer| self.model.output(x, buffer))
    }

    fn explicit(&self) -> Option<Dictionary> {
        self.model.explicit()
    }

    fn look_ahead(&mut self, x: Rows<'_>) {
        self.model.look_ahead(x);
    }

    fn drop_look_ahead(&mut self) {
        self.model.drop_look_ahead();
    }

    fn step(&mut self, x: &[f64], y: f64) -> Step {
        self.counts.presented += 1;
        let mut buffers = std::mem::take(&mut self.buffers);
        let mut seen = self.see(x, y, &mut buffers);
        let mut step = Step { prediction: seen.output, error: y - seen.output, ..Step::default() };
        if seen.output.is_finite() && seen.kxx.is_finite() && seen.residual.is_finite() {
            let decay = self.update.early_decay();
            self.model.decay(decay);
            seen.output *= decay;
            self.learn(seen, &mut buffers, &mut step);
            step.evicted += self.reduce(step.admitted, &mut buffers);
            self.counts.evicted += step.evicted as u64;
        } else {
            step.refused = true;
        }
        self.buffers = buffers;
        step
    }

    fn variance(&self, x: &[f64]) -> Option<f64> {
        let m = self.model.len();
        with_scratch(2 * m, |buffer| {
            let (k, image) = buffer.split_at_mut(m);
            let residual = self.model.residual(x, k, image)?;
            self.update.variance(image, residual)
        })
    }

    fn snapshot(&self) -> Result<Option<Expansion>> {
        self.explicit().map_or_else(|| self.model.dictionary.snapshot(), |dictionary| dictionary.snapshot())
    }

    fn memory_bytes(&self) -> usize {
        self.model.memory_bytes() + self.update.memory_bytes() + size_of_val(self.renewed.as_slice())
    }

    fn diagnostics(&self, readings: &mut Vec<Reading>) {
        let counts = &self.counts;
        let mut tell = |name, value, meaning| readings.push(Reading::new(name, value, meaning));
        tell("admitted", counts.admitted as f64, "samples that entered the dictionary");
        tell("projected", counts.projected as f64, "samples learnt from without entering");
        tell("evicted", counts.evicted as f64, "vectors that left");
        tell(
            "largest_step",
            counts.largest_step,
            "largest effective step (eta |k|^2 for LMS on kernel values); above 2 weights diverge",
        );
        if let Some(neighbours) = &self.model.neighbours {
            tell("coherence", neighbours.largest(), "coherence of the dictionary");
        }
        if let Some(inverse) = &self.model.inverse {
            inverse.diagnostics(readings);
        }
        if let Some(basis) = &self.model.basis {
            basis.diagnostics(readings);
        }
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.model.check(dimension, self.needs())?;
        self.update.check(self.model.len(), dimension)?;
        let ages = if self.truncation.wants_ages() { self.model.len() } else { 0 };
        if self.renewed.len() != ages || self.renewed.iter().any(|at| *at > self.counts.presented) {
            return Err(Error::parse("saved state of a learner", "ages", "they do not fit the dictionary"));
        }
        Ok(())
    }

    fn fixed(&self) -> Vec<serde_json::Value> {
        vec![
            json!(self.novelty),
            json!(self.cost),
            json!(self.projection),
            json!(self.strategy),
            json!(self.truncation),
            json!(self.loss),
            json!(self.floor),
        ]
    }

    fn meaning(&self) -> Meaning {
        self.loss.meaning()
    }

    fn check_target(&self, y: f64) -> Result<()> {
        self.loss.check_target(y)
    }
}
