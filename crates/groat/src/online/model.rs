//! The dictionary together with whatever the chosen parts need to know about it.

use super::dictionary::Dictionary;
use super::inverse::InverseGram;
use super::projection::Projection;
use super::tables::{Energy, Neighbours, Rows};
use crate::error::{Error, Result};
use crate::simd::axpy;
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// What a part needs kept up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The inverse Gram matrix.
    pub inverse: bool,
    /// Nearest neighbours.
    pub neighbours: bool,
    /// Row sums of squared kernel values.
    pub energy: bool,
}

impl Needs {
    /// Nothing.
    pub const NONE: Needs = Needs { inverse: false, neighbours: false, energy: false };
    /// The inverse alone.
    pub const INVERSE: Needs = Needs { inverse: true, ..Needs::NONE };
    /// Neighbours alone.
    pub const NEIGHBOURS: Needs = Needs { neighbours: true, ..Needs::NONE };
    /// Sums alone.
    pub const ENERGY: Needs = Needs { energy: true, ..Needs::NONE };

    /// What either needs.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            inverse: self.inverse || other.inverse,
            neighbours: self.neighbours || other.neighbours,
            energy: self.energy || other.energy,
        }
    }
}

/// A sample as the parts see it.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    /// The input.
    pub x: &'a [f64],
    /// Kernel values with the vectors of the dictionary.
    pub k: &'a [f64],
    /// `k(x, x)`.
    pub kxx: f64,
    /// `Q k`; empty without an inverse.
    pub nu: &'a [f64],
    /// `k(x,x) + ridge - k . Q k`; `k(x, x)` without an inverse.
    pub residual: f64,
    /// The target.
    pub y: f64,
    /// Target minus output.
    pub error: f64,
    /// Minus the derivative of the loss.
    pub pull: f64,
    /// The weight that `k(x, .)` would get.
    pub weight: f64,
    /// The nearest vector and its distance, once somebody has looked.
    pub nearest: Cell<Option<(usize, f64)>>,
}

impl Sample<'_> {
    /// The nearest vector and its distance.
    pub fn nearest(&self, dictionary: &Dictionary) -> Option<(usize, f64)> {
        if self.nearest.get().is_none() {
            self.nearest.set(dictionary.nearest(self.x));
        }
        self.nearest.get()
    }
}

/// A dictionary and the tables about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    /// Vectors and weights.
    pub dictionary: Dictionary,
    /// Inverse Gram matrix, where a part needs it.
    pub inverse: Option<InverseGram>,
    /// Nearest neighbours, where a part needs them.
    pub neighbours: Option<Neighbours>,
    /// Row sums, where a part needs them.
    pub energy: Option<Energy>,
    #[serde(skip)]
    pub(crate) scratch: Scratch,
}

/// Buffers that are kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// One kernel row of a vector.
    pub rows: Rows,
    /// One column of a matrix.
    pub column: Vec<f64>,
    /// One more.
    pub second: Vec<f64>,
}

impl Scratch {
    /// Two buffers of `m` numbers.
    pub fn two(&mut self, m: usize) -> (&mut [f64], &mut [f64]) {
        self.column.resize(m.max(self.column.len()), 0.0);
        self.second.resize(m.max(self.second.len()), 0.0);
        (&mut self.column[..m], &mut self.second[..m])
    }
}

impl Model {
    /// A model without tables.
    pub fn new(dictionary: Dictionary) -> Self {
        Self { dictionary, inverse: None, neighbours: None, energy: None, scratch: Scratch::default() }
    }

    /// Keeps the tables that `needs` names from now on; the dictionary is still empty.
    pub fn keep(&mut self, needs: Needs, ridge: f64) {
        self.inverse = needs.inverse.then(|| InverseGram::new(ridge));
        self.neighbours = needs.neighbours.then(Neighbours::default);
        self.energy = needs.energy.then(Energy::default);
    }

    /// Vectors.
    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// Takes in a sample with the given weight.
    pub fn push(&mut self, sample: &Sample<'_>, weight: f64) {
        let (k, kxx) = (sample.k, sample.kxx);
        if let Some(inverse) = &mut self.inverse {
            inverse.grow(k, kxx, sample.nu, sample.residual);
        }
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.push(&self.dictionary, k, kxx);
        }
        if let Some(energy) = &mut self.energy {
            energy.push(k);
        }
        self.dictionary.push(sample.x, weight, kxx);
    }

    /// Takes in a sample with the weight that least squares gives it, `e / s`, the others moving by
    /// `-nu e / s`: the change that meets the target without touching the outputs elsewhere in the
    /// dictionary. Returns the residual `s` with which it entered.
    pub fn push_fitted(&mut self, sample: &Sample<'_>) -> f64 {
        self.push(sample, 0.0);
        let m = sample.k.len();
        let Model { dictionary, inverse, .. } = self;
        let Some(inverse) = inverse else { return sample.residual };
        // The corner of the grown inverse is 1 / s.
        let corner = inverse.inverse().diagonal(m);
        let weight = sample.error * corner;
        axpy(-weight, inverse.entered(), &mut dictionary.alpha[..m]);
        dictionary.alpha[m] = weight;
        1.0 / corner
    }

    /// Removes vector `r` after its weight went where `projection` says. On return the scratch column
    /// holds the column of the inverse that left, where there is one.
    pub fn remove(&mut self, r: usize, projection: &Projection) {
        projection.release(self, r);
        if let Some(energy) = &mut self.energy {
            energy.remove(&self.dictionary, r, &mut self.scratch.rows);
        }
        if let Some(inverse) = &mut self.inverse {
            let (column, _) = self.scratch.two(inverse.len());
            inverse.shrink(r, column);
        }
        self.dictionary.remove(r);
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.remove(&self.dictionary, r, &mut self.scratch.rows);
        }
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        let neighbours =
            self.neighbours.as_ref().map_or(0, |n| n.who.len() * (size_of::<usize>() + size_of::<f64>()));
        self.dictionary.memory_bytes()
            + self.inverse.as_ref().map_or(0, InverseGram::memory_bytes)
            + neighbours
            + self.energy.as_ref().map_or(0, |e| size_of_val(e.squares.as_slice()))
    }

    /// Fails unless a state read from a file holds what `needs` says, with lengths that agree.
    pub fn check(&self, dimension: usize, needs: Needs) -> Result<()> {
        self.dictionary.check(dimension)?;
        let m = self.len();
        let have = Needs {
            inverse: self.inverse.is_some(),
            neighbours: self.neighbours.is_some(),
            energy: self.energy.is_some(),
        };
        let tables = self.neighbours.as_ref().is_none_or(|n| n.fits(m))
            && self
                .energy
                .as_ref()
                .is_none_or(|e| e.squares.len() == m && e.squares.iter().all(|v| v.is_finite()));
        if have != needs || !tables {
            return Err(Error::parse("saved state of a learner", "tables", "they do not fit the dictionary"));
        }
        self.inverse.as_ref().map_or(Ok(()), |inverse| inverse.check(m))
    }
}
