//! Affine projection on kernel values (Richard, Bermudez, Honeine 2009, (17)-(20)): the errors of the last
//! `tau` samples at once, `alpha += eta H^T (eps I + H H^T)^-1 e` with one row of `H` per sample.
//! `O(tau m + tau^3)`; with `tau = 1` it is the normalised LMS.

use super::{Model, Projection, Rule, Sample, Values};
use crate::error::{Error, Result};
use crate::online::inverse::Packed;
use crate::simd::{axpy, dot};
use serde::{Deserialize, Serialize};

/// Affine projection onto the last samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Affine {
    eta: f64,
    eps: f64,
    tau: usize,
    /// The last samples, the newest last.
    recent: Vec<Recent>,
    #[serde(skip)]
    gram: Packed,
    #[serde(skip)]
    errors: Vec<f64>,
    #[serde(skip)]
    gains: Vec<f64>,
}

/// A sample and its kernel values with the dictionary.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Recent {
    #[serde(with = "crate::online::bits")]
    x: Vec<f64>,
    y: f64,
    #[serde(with = "crate::online::bits")]
    k: Vec<f64>,
}

impl Affine {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let tau = values.count("tau")?;
        Ok(Self {
            eta: values.number("eta")?,
            eps: values.number("eps")?,
            tau,
            recent: Vec::new(),
            gram: Packed::default(),
            errors: Vec::new(),
            gains: Vec::new(),
        })
    }

    /// Puts the sample at the end of the window, in the place of the oldest one once it is full.
    fn remember(&mut self, sample: &Sample<'_>, admitted: bool) {
        if self.recent.len() < self.tau {
            self.recent.push(Recent::default());
        } else {
            self.recent.rotate_left(1);
        }
        if let Some(last) = self.recent.last_mut() {
            last.y = sample.y;
            last.x.clear();
            last.x.extend_from_slice(sample.x);
            last.k.clear();
            last.k.extend_from_slice(sample.k);
            if admitted {
                last.k.push(sample.kxx);
            }
        }
    }

    /// The step itself, on a dictionary that holds all its vectors.
    fn step(&mut self, model: &mut Model) {
        let alpha = &mut model.dictionary.alpha;
        let p = self.recent.len();
        self.gram.clear();
        self.errors.clear();
        self.gains.resize(p.max(self.gains.len()), 0.0);
        for (i, sample) in self.recent.iter().enumerate() {
            self.errors.push(sample.y - dot(&sample.k, alpha));
            for (to, other) in self.gains.iter_mut().zip(&self.recent[..i]) {
                *to = dot(&sample.k, &other.k);
            }
            self.gram.push(&self.gains[..i], dot(&sample.k, &sample.k) + self.eps);
        }
        if !self.gram.invert(&mut self.gains) {
            return;
        }
        self.gram.multiply(&self.errors, &mut self.gains);
        if self.gains[..p].iter().all(|gain| crate::online::filter::sound(*gain)) {
            for (sample, gain) in self.recent.iter().zip(&self.gains) {
                axpy(self.eta * gain, &sample.k, alpha);
            }
        }
    }
}

impl Rule for Affine {
    fn weight(&self, sample: &Sample<'_>) -> f64 {
        self.eta * sample.error
    }

    fn admit(&mut self, model: &mut Model, sample: &Sample<'_>) {
        model.push(sample, 0.0);
        for recent in &mut self.recent {
            let k = model.dictionary.eval(&recent.x, sample.x);
            recent.k.push(k);
        }
        self.remember(sample, true);
        self.step(model);
    }

    fn project(&mut self, model: &mut Model, sample: &Sample<'_>, _: &Projection) -> bool {
        self.remember(sample, false);
        self.step(model);
        true
    }

    fn removed(&mut self, r: usize) {
        for recent in &mut self.recent {
            recent.k.remove(r);
        }
    }

    fn memory_bytes(&self) -> usize {
        self.recent.iter().map(|recent| (recent.x.len() + recent.k.len() + 1) * size_of::<f64>()).sum()
    }

    fn check(&self, order: usize, dimension: usize) -> Result<()> {
        let fits =
            |recent: &Recent| recent.x.len() == dimension && recent.k.len() == order && recent.y.is_finite();
        if self.recent.len() <= self.tau && self.recent.iter().all(fits) {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "window", "its samples do not fit the dictionary"))
    }
}
