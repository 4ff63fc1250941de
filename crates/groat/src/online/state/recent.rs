//! The last samples and their kernel values with the dictionary, for methods that reuse data.

use super::bits;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The last samples, the newest last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recent {
    length: usize,
    samples: Vec<Past>,
}

/// A sample and its kernel values with the dictionary.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Past {
    #[serde(with = "bits")]
    x: Vec<f64>,
    /// The target.
    pub y: f64,
    /// Kernel values with the vectors of the dictionary.
    #[serde(with = "bits")]
    pub k: Vec<f64>,
}

impl Recent {
    /// Room for `length` samples.
    pub fn new(length: usize) -> Self {
        Self { length, samples: Vec::new() }
    }

    /// The samples.
    pub fn samples(&self) -> &[Past] {
        &self.samples
    }

    /// Follows a vector that enters the dictionary; `eval` gives its kernel value with a sample.
    pub fn vector_entered(&mut self, eval: impl Fn(&[f64]) -> f64) {
        for past in &mut self.samples {
            past.k.push(eval(&past.x));
        }
    }

    /// Follows the removal of vector `r`.
    pub fn vector_left(&mut self, r: usize) {
        for past in &mut self.samples {
            past.k.remove(r);
        }
    }

    /// Puts a sample at the end, in the place of the oldest one once there is no more room.
    pub fn push(&mut self, x: &[f64], y: f64, k: &[f64]) {
        if self.samples.len() < self.length {
            self.samples.push(Past::default());
        } else {
            self.samples.rotate_left(1);
        }
        if let Some(last) = self.samples.last_mut() {
            last.y = y;
            last.x.clear();
            last.x.extend_from_slice(x);
            last.k.clear();
            last.k.extend_from_slice(k);
        }
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        self.samples.iter().map(|past| (past.x.len() + past.k.len() + 1) * size_of::<f64>()).sum()
    }

    /// Fails unless a state read from a file fits `order` vectors of `dimension` features.
    pub fn check(&self, order: usize, dimension: usize) -> Result<()> {
        let fits = |past: &Past| {
            past.x.len() == dimension
                && past.k.len() == order
                && past.x.iter().chain(&past.k).chain([&past.y]).all(|value| value.is_finite())
        };
        if self.samples.len() <= self.length && self.samples.iter().all(fits) {
            return Ok(());
        }
        Err(Error::parse("saved state of a learner", "window", "its samples do not fit the dictionary"))
    }
}
