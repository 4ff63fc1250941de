//! The last samples of a method whose every sample becomes a vector: targets, outputs and Gram matrix.
//!
//! Affine projections need the errors of the last samples again at every step. Their outputs are carried
//! along instead of computed afresh: a change of the model by `sum_i d_i k(x_i, .)` over the window moves
//! them by `G d`. An output lives for as many steps as the window is long, so rounding does not add up.

use super::basis::{Basis, check_saved};
use crate::error::Result;
use crate::online::state::bits;
use crate::online::state::inverse::Packed;
use serde::{Deserialize, Serialize};

/// The last `length` vectors of a dictionary, oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Window {
    length: usize,
    #[serde(with = "bits")]
    targets: Vec<f64>,
    /// Outputs of the model there.
    #[serde(with = "bits")]
    pub outputs: Vec<f64>,
    /// Gram matrix.
    pub gram: Packed,
    #[serde(skip)]
    scratch: Vec<f64>,
}

impl Window {
    /// An empty one.
    pub fn new(length: usize) -> Self {
        Self {
            length,
            targets: Vec::new(),
            outputs: Vec::new(),
            gram: Packed::default(),
            scratch: Vec::new(),
        }
    }

    /// Samples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Takes in the sample that `basis` has just seen, before it becomes a vector.
    pub fn push(&mut self, basis: &Basis, y: f64, output: f64) {
        if self.len() == self.length {
            self.targets.remove(0);
            self.outputs.remove(0);
            self.gram.remove(0);
        }
        self.gram.push(&basis.k[basis.len() - self.len()..], basis.kxx);
        self.targets.push(y);
        self.outputs.push(output);
    }

    /// Target and output of sample `j`.
    pub fn sample(&self, j: usize) -> (f64, f64) {
        (self.targets[j], self.outputs[j])
    }

    /// The errors, into `out`.
    pub fn errors(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.targets.iter().zip(&self.outputs).map(|(y, z)| y - z));
    }

    /// Follows a change of the model: scaled by `factor`, then moved by `delta` on the window's vectors.
    /// Returns `|sum_i d_i k(x_i, .)|^2`.
    pub fn follow(&mut self, factor: f64, delta: &[f64]) -> f64 {
        let p = self.len();
        self.scratch.resize(p.max(self.scratch.len()), 0.0);
        self.gram.multiply(delta, &mut self.scratch);
        for (output, change) in self.outputs.iter_mut().zip(&self.scratch) {
            *output = factor * *output + change;
        }
        crate::simd::dot(delta, &self.scratch[..p])
    }

    /// Bytes of state.
    pub fn memory_bytes(&self) -> usize {
        2 * size_of_val(self.targets.as_slice()) + self.gram.memory_bytes()
    }

    /// Fails unless a state read from a file fits a dictionary of `order` vectors.
    pub fn check(&self, order: usize) -> Result<()> {
        let p = self.length.min(order);
        check_saved("targets of the window", &self.targets, p)?;
        check_saved("outputs of the window", &self.outputs, p)?;
        self.gram.check(p)
    }
}
