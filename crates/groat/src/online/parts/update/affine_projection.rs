//! Affine projection on kernel values (Richard, Bermudez, Honeine 2009, (17)-(20)): the errors of the last
//! `tau` samples at once, `alpha += eta H^T (eps I + H H^T)^-1 e` with one row of `H` per sample.
//! `O(tau m + tau^3)`; with `tau = 1` it is the normalised LMS.

use super::{Needs, Projection, Rule, Sample, Tracked, Values};
use crate::error::Result;
use crate::online::state::inverse::Packed;
use crate::online::state::recent::Recent;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Affine projection onto the last samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Affine {
    eta: f64,
    eps: f64,
    recent: Recent,
    #[serde(skip)]
    gram: Packed,
    #[serde(skip)]
    errors: Vec<f64>,
    #[serde(skip)]
    gains: Vec<f64>,
}

impl Affine {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self {
            eta: values.number("eta")?,
            eps: values.number("eps")?,
            recent: Recent::new(values.count("tau")?),
            gram: Packed::default(),
            errors: Vec::new(),
            gains: Vec::new(),
        })
    }

    /// The step itself, on a dictionary that holds all its vectors.
    fn step(&mut self, model: &mut Tracked) {
        let alpha = &mut model.dictionary.alpha;
        let recent = self.recent.samples();
        let p = recent.len();
        self.gram.clear();
        self.errors.clear();
        self.gains.resize(p.max(self.gains.len()), 0.0);
        for (i, sample) in recent.iter().enumerate() {
            self.errors.push(sample.y - dot(&sample.k, alpha));
            for (to, other) in self.gains.iter_mut().zip(&recent[..i]) {
                *to = dot(&sample.k, &other.k);
            }
            self.gram.push(&self.gains[..i], dot(&sample.k, &sample.k) + self.eps);
        }
        if !self.gram.invert() {
            return;
        }
        self.gram.multiply(&self.errors, &mut self.gains);
        if self.gains[..p].iter().all(|gain| crate::online::state::step_size::sound(*gain)) {
            for (sample, gain) in recent.iter().zip(&self.gains) {
                axpy(self.eta * gain, &sample.k, alpha);
            }
        }
    }
}

impl Rule for Affine {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn weight(&self, sample: &Sample<'_>) -> f64 {
        self.eta * sample.error
    }

    fn admit(&mut self, model: &mut Tracked, sample: &Sample<'_>) {
        model.push(sample, 0.0);
        self.recent.push(sample.x, sample.y, sample.k);
        self.recent.vector_entered(|x| model.dictionary.eval(x, sample.x));
        self.step(model);
    }

    fn project(&mut self, model: &mut Tracked, sample: &Sample<'_>, _: &Projection) -> bool {
        self.recent.push(sample.x, sample.y, sample.k);
        self.step(model);
        true
    }

    fn removed(&mut self, r: usize) {
        self.recent.vector_left(r);
    }

    fn memory_bytes(&self) -> usize {
        self.recent.memory_bytes()
    }

    fn check(&self, order: usize, dimension: usize) -> Result<()> {
        self.recent.check(order, dimension)
    }
}
