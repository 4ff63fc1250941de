//! Vectors that come and go, and their kernel values with any row.

use crate::error::Result;
use crate::kernels::{Centres, Evaluator, Kernel};
use crate::matrix::Matrix;

/// One side of a kernel matrix whose points are not known beforehand: dense vectors are added and removed one by one.
pub(crate) struct Growing {
    evaluator: Evaluator<f64>,
    vectors: Centres<f64>,
}

impl Growing {
    /// None yet, of so many features.
    pub(crate) fn new(kernel: &Kernel, features: usize) -> Result<Self> {
        kernel.check_for(features)?;
        Ok(Self { evaluator: kernel.evaluator(), vectors: Centres::new(features)? })
    }

    /// Writes the kernel values of a row with all vectors, as many as there are.
    pub(crate) fn row(&self, x: &[f64], out: &mut Vec<f64>) {
        out.resize(self.vectors.len(), 0.0);
        self.evaluator.row(x, &self.vectors, out);
    }

    /// [`row`](Self::row) of vector `i`.
    pub(crate) fn row_of(&self, i: usize, out: &mut Vec<f64>) {
        self.row(&self.vectors.to_vec(i), out);
    }

    /// Adds a vector after the others.
    pub(crate) fn push(&mut self, x: &[f64]) -> Result<()> {
        self.vectors.push(x)
    }

    /// Removes vector `i`, whose place the last one takes.
    pub(crate) fn swap_remove(&mut self, i: usize) {
        self.vectors.swap_remove(i);
    }

    /// The vectors.
    pub(crate) fn to_matrix(&self) -> Matrix {
        self.vectors.to_matrix()
    }
}
