//! What happens to a sample before the learner sees it: running standardisation, and the width that goes with it.
//!
//! Features and target are shifted and scaled by what the first rows say, found again after 2, 4, 8, ... 256 rows; each
//! time the learner starts anew in the new units and learns from the rows so far a second time. After 512, 1024, ... rows
//! this is done with the newest 256 where the stream has wandered off. Lags of one column are
//! scaled alike. Predictions, errors and intervals are told in the units of the data.

use crate::data::{Embedding, Inputs, Standardisation};
use crate::error::Result;
use crate::expansion::Expansion;
use crate::matrix::Matrix;
use crate::online::Learner;
use crate::online::state::first_rows::{FirstRows, Lags, Scale, median_distance};
use serde::{Deserialize, Serialize};

/// First rows, scales, and what is done with them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Preparation {
    first: FirstRows,
    lags: Lags,
    scale: Scale,
    /// The scales of the first rows, which stay: for predictors that need no others.
    early: Scale,
    /// The learner sees scaled samples.
    standardise: bool,
    /// Targets are labels, which stay as they are.
    labels: bool,
    /// The width of the kernel is the median distance of the first rows.
    find_width: bool,
    #[serde(skip)]
    scaled: Vec<f64>,
}

impl Preparation {
    /// For samples of `dimension` features as they are.
    pub fn new(dimension: usize) -> Self {
        Self {
            first: FirstRows::rolling(dimension),
            lags: Lags::NONE,
            scale: Scale::identity(dimension),
            early: Scale::identity(dimension),
            standardise: false,
            labels: false,
            find_width: false,
            scaled: Vec::new(),
        }
    }

    /// The learner is to see scaled samples; targets that are labels stay as they are.
    pub fn standardise(&mut self, labels: bool, find_width: bool) {
        (self.standardise, self.labels, self.find_width) = (true, labels, find_width);
    }

    /// Targets are labels, which stay as they are.
    pub fn keep_targets(&mut self) {
        self.labels = true;
    }

    /// Says which features are lags.
    pub fn embed(&mut self, inputs: &Inputs) {
        self.lags = inputs
            .embedding()
            .map_or(Lags::NONE, |Embedding { lags, feedback, .. }| Lags { count: lags, of_target: feedback });
    }

    /// Which features are lags.
    pub fn lags(&self) -> Lags {
        self.lags
    }

    /// Whether the learner sees scaled samples.
    pub fn standardises(&self) -> bool {
        self.standardise
    }

    /// The sample as the learner sees it.
    pub fn input<'a>(&'a mut self, x: &'a [f64]) -> &'a [f64] {
        if !self.standardise || x.len() != self.scale.mean().len() {
            return x;
        }
        self.scaled.resize(x.len(), 0.0);
        self.scale.apply(x, &mut self.scaled);
        &self.scaled
    }

    /// The same into a place of the caller's.
    pub fn input_into(&self, x: &[f64], out: &mut [f64]) {
        if self.standardise { self.scale.apply(x, out) } else { out.copy_from_slice(x) }
    }

    /// The target as the learner sees it.
    pub fn target(&self, y: f64) -> f64 {
        if self.standardise { self.scale.target(y) } else { y }
    }

    /// An output of the learner in the units of the data.
    pub fn output(&self, t: f64) -> f64 {
        if self.standardise { self.scale.undo(t) } else { t }
    }

    /// A standard deviation of the learner in the units of the data.
    pub fn deviation(&self, t: f64) -> f64 {
        if self.standardise { self.scale.target_scale() * t } else { t }
    }

    /// The scales of the first rows, for whoever compares with the learner.
    pub fn early_scale(&self) -> &Scale {
        &self.early
    }

    /// True while the early scales may change.
    pub fn is_early(&self) -> bool {
        !self.first.is_full()
    }

    /// How many rows can come before scales might be found again.
    pub fn quiet(&self) -> usize {
        self.first.quiet()
    }

    /// The rows kept.
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.first.iter()
    }

    /// The lags of the very first sample give scales before any row is complete.
    pub fn begin(&mut self, x: &[f64]) {
        if self.lags.count == 0 || self.first.len() > 0 || x.len() != self.first.dimension() {
            return;
        }
        let mut alone = FirstRows::new(x.len());
        let last = self.lags.newest(x.len()).map_or(0.0, |newest| x[newest]);
        alone.push(x, last);
        let mut scale = Scale::of(&alone, self.lags);
        if !self.lags.of_target || self.labels {
            scale = scale.with_bare_target();
        }
        self.scale = scale;
    }

    /// Keeps a row; true when the scales were found anew, and everybody should start again.
    pub fn push(&mut self, x: &[f64], y: f64) -> bool {
        if !self.first.push(x, y) {
            return false;
        }
        let scale = Scale::of(&self.first, self.lags);
        let scale = if self.labels { scale.with_bare_target() } else { scale };
        if self.first.is_full() && !self.scale.is_far_from(&scale) {
            return false;
        }
        if self.is_early() {
            self.early = scale.clone();
        }
        self.scale = scale;
        true
    }

    /// The learner anew, in the units of now; nothing where it sees samples as they are.
    pub fn renew(&self, learner: &Learner) -> Result<Option<Learner>> {
        if !self.standardise {
            return Ok(None);
        }
        let mut fresh = self.fresh(learner)?;
        let mut z = vec![0.0; learner.dimension()];
        for (x, y) in self.rows() {
            self.input_into(x, &mut z);
            fresh.learn_one(&z, self.target(y))?;
        }
        Ok(Some(fresh))
    }

    /// A learner of the same kind without experience, its width as the first rows have it.
    fn fresh(&self, learner: &Learner) -> Result<Learner> {
        let found = learner.kernel().filter(|kernel| self.find_width && kernel.width().is_some());
        let kernel = found.map(|kernel| kernel.with_width(self.width()));
        let kernel = kernel.as_ref().or(learner.kernel());
        Learner::new(learner.algorithm(), kernel, learner.dimension(), learner.settings())
    }

    /// The median distance between the first rows.
    fn width(&self) -> f64 {
        let scaled = |(x, _): (&[f64], f64)| {
            let mut z = vec![0.0; x.len()];
            self.scale.apply(x, &mut z);
            z
        };
        median_distance(&self.rows().map(scaled).collect::<Vec<_>>())
    }

    /// The function of the learner in the units of the data: weights and bias scaled, and the standardisation of features
    /// that goes before it.
    pub fn restore(&self, function: Expansion) -> Result<(Expansion, Option<Standardisation>)> {
        if !self.standardise {
            return Ok((function, None));
        }
        let (factor, shift) = (self.scale.target_scale(), self.scale.undo(0.0));
        let weights = function.weights();
        let scaled: Vec<f64> = weights.data().iter().map(|weight| factor * weight).collect();
        let weights = Matrix::from_vec(scaled, weights.rows(), weights.cols())?;
        let bias = match function.bias() {
            Some(bias) => bias.iter().map(|bias| shift + factor * bias).collect(),
            None => vec![shift; function.outputs()],
        };
        let kernel = function.kernel().clone();
        let restored = Expansion::new(kernel, function.vectors().to_set(), weights)?.with_bias(bias)?;
        let scaling = Standardisation::new(self.scale.mean().to_vec(), self.scale.scale().to_vec())?;
        Ok((restored, Some(scaling)))
    }

    /// Fails unless a state read from a file fits samples of `dimension` features.
    pub fn check(&self, dimension: usize) -> Result<()> {
        self.first.check(dimension)?;
        self.early.check(dimension)?;
        self.scale.check(dimension)
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        self.first.memory_bytes() + 2 * self.scale.memory_bytes()
    }
}
