//! The expansion and what it is made of.

use super::local::Local;
use crate::error::{Error, Result, check_len};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, PointSet, Points, Rows};

/// A kernel expansion. Its vectors are dense or sparse, as the data were that they came from.
///
/// ```
/// use groat::{Expansion, Kernel, Matrix, Rows};
/// let vectors = Matrix::from_vec(vec![0.0, 1.0], 2, 1)?;
/// let weights = Matrix::from_vec(vec![1.0, -1.0], 2, 1)?;
/// let f = Expansion::new(Kernel::gaussian(1.0), vectors, weights)?.with_bias(vec![0.5])?;
/// let y = f.values(Rows::new(&[0.5], 1)?)?;
/// assert!((y[(0, 0)] - 0.5).abs() < 1e-15);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    pub(super) kernel: Kernel,
    pub(super) vectors: PointSet,
    pub(super) weights: Matrix,
    pub(super) bias: Option<Vec<f64>>,
    pub(super) local: Local,
}

impl Expansion {
    /// The given vectors (one row each) and weights (one row per vector, one column per output).
    pub fn new(kernel: Kernel, vectors: impl Into<PointSet>, weights: Matrix) -> Result<Self> {
        let vectors = vectors.into();
        if vectors.cols() == 0 || weights.cols() == 0 {
            return Err(Error::parameter("columns of vectors and weights", 0, "at least 1"));
        }
        check_len("rows of weights, one per vector", vectors.rows(), weights.rows())?;
        kernel.check_for(vectors.cols())?;
        vectors.view().check_finite("the vectors")?;
        weights.view().check_finite("the weights")?;
        Ok(Self { kernel, vectors, weights, bias: None, local: Local::default() })
    }

    /// Adds a constant to each output.
    pub fn with_bias(mut self, bias: Vec<f64>) -> Result<Self> {
        check_len("biases, one per output", self.outputs(), bias.len())?;
        if !bias.is_empty() {
            Rows::one(&bias).check_finite("the bias")?;
        }
        self.bias = Some(bias);
        Ok(self)
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The vectors, one per row.
    pub fn vectors(&self) -> Points<'_> {
        self.vectors.view()
    }

    pub(crate) fn vector_set(&self) -> &PointSet {
        &self.vectors
    }

    /// The weights: one row per vector, one column per output.
    pub fn weights(&self) -> Rows<'_> {
        self.weights.view()
    }

    /// The constants added to the outputs, if any.
    pub fn bias(&self) -> Option<&[f64]> {
        self.bias.as_deref()
    }

    /// Number of vectors.
    pub fn size(&self) -> usize {
        self.vectors.rows()
    }

    /// Number of features it takes.
    pub fn features(&self) -> usize {
        self.vectors.cols()
    }

    /// Number of outputs it gives.
    pub fn outputs(&self) -> usize {
        self.weights.cols()
    }

    /// Bytes of its numbers: vectors, weights and bias.
    pub fn memory_bytes(&self) -> usize {
        let bias = self.bias.as_ref().map_or(0, Vec::len);
        self.vectors.view().bytes() as usize + (self.weights.data().len() + bias) * size_of::<f64>()
    }
}
