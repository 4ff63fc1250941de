//! The model and its parts.

use super::local::Local;
use super::{Record, Task};
use crate::batch::ErrorBars;
use crate::data::{Inputs, Standardisation};
use crate::error::{Error, Result, check_len};
use crate::kernels::Kernel;
use crate::matrix::{Matrix, Rows};

/// A kernel model.
///
/// ```
/// use groat::{Expansion, Kernel, Matrix, Rows};
/// let vectors = Matrix::from_vec(vec![0.0, 1.0], 2, 1)?;
/// let weights = Matrix::from_vec(vec![1.0, -1.0], 2, 1)?;
/// let model = Expansion::new(Kernel::gaussian(1.0), vectors, weights)?.with_bias(vec![0.5])?;
/// let y = model.values(Rows::new(&[0.5], 1)?)?;
/// assert!((y[(0, 0)] - 0.5).abs() < 1e-15);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    pub(super) kernel: Kernel,
    pub(super) vectors: Matrix,
    pub(super) weights: Matrix,
    pub(super) bias: Option<Vec<f64>>,
    pub(super) task: Task,
    pub(super) features: Vec<String>,
    pub(super) standardisation: Option<Standardisation>,
    pub(super) inputs: Option<Inputs>,
    pub(super) record: Record,
    pub(super) error_bars: Option<ErrorBars>,
    pub(super) local: Local,
}

impl Expansion {
    /// A regression model of the given vectors (one row each) and weights (one row per vector, one column
    /// per output).
    pub fn new(kernel: Kernel, vectors: Matrix, weights: Matrix) -> Result<Self> {
        if vectors.cols() == 0 || weights.cols() == 0 {
            return Err(Error::parameter("columns of vectors and weights", 0, "at least 1"));
        }
        check_len("rows of weights, one per vector", vectors.rows(), weights.rows())?;
        kernel.check_for(vectors.cols())?;
        vectors.view().check_finite("the vectors")?;
        weights.view().check_finite("the weights")?;
        Ok(Self {
            kernel,
            vectors,
            weights,
            bias: None,
            task: Task::regression(),
            features: Vec::new(),
            standardisation: None,
            inputs: None,
            record: Record::default(),
            error_bars: None,
            local: Local::default(),
        })
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

    /// Says what the outputs mean.
    pub fn with_task(mut self, task: Task) -> Result<Self> {
        if let Some(outputs) = task.outputs() {
            check_len("outputs for this task", outputs, self.outputs())?;
        }
        self.task = task;
        Ok(self)
    }

    /// Names the features.
    pub fn with_features(mut self, names: Vec<String>) -> Result<Self> {
        if !names.is_empty() {
            check_len("feature names", self.features(), names.len())?;
        }
        self.features = names;
        Ok(self)
    }

    /// Lets the model take raw features: they are standardised before the kernel sees them.
    pub fn with_standardisation(mut self, standardisation: Option<Standardisation>) -> Result<Self> {
        if let Some(standardisation) = &standardisation {
            check_len("features of the standardisation", self.features(), standardisation.features())?;
        }
        self.standardisation = standardisation;
        Ok(self)
    }

    /// Remembers what the features are made from, so that the model can be fed raw tables, and names the
    /// features accordingly.
    pub fn with_inputs(self, inputs: Inputs) -> Result<Self> {
        check_len("features of the inputs", self.features(), inputs.features())?;
        let mut model = self.with_features(inputs.feature_names())?;
        model.inputs = Some(inputs);
        Ok(model)
    }

    /// Says how the model came to be.
    #[must_use]
    pub fn with_record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Remembers how far its predictions may be off.
    pub fn with_error_bars(mut self, error_bars: Option<ErrorBars>) -> Result<Self> {
        if let Some(error_bars) = &error_bars {
            error_bars.check_for(&self)?;
        }
        self.error_bars = error_bars;
        Ok(self)
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The vectors, one per row, as the kernel sees them (standardised, where the model standardises).
    pub fn vectors(&self) -> Rows<'_> {
        self.vectors.view()
    }

    /// The weights: one row per vector, one column per output.
    pub fn weights(&self) -> Rows<'_> {
        self.weights.view()
    }

    /// The constants added to the outputs, if any.
    pub fn bias(&self) -> Option<&[f64]> {
        self.bias.as_deref()
    }

    /// What the outputs mean.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Names of the features, or empty.
    pub fn feature_names(&self) -> &[String] {
        &self.features
    }

    /// What is done to raw features first.
    pub fn standardisation(&self) -> Option<&Standardisation> {
        self.standardisation.as_ref()
    }

    /// What the features are made from, if the model was made from a table.
    pub fn inputs(&self) -> Option<&Inputs> {
        self.inputs.as_ref()
    }

    /// How the model came to be.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// How far its predictions may be off, where that is known.
    pub fn error_bars(&self) -> Option<&ErrorBars> {
        self.error_bars.as_ref()
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

    /// Bytes of its numbers: vectors, weights, bias and standardisation.
    pub fn memory_bytes(&self) -> usize {
        let bias = self.bias.as_ref().map_or(0, Vec::len);
        let standardisation = self.standardisation.as_ref().map_or(0, |s| 2 * s.features());
        (self.vectors.data().len() + self.weights.data().len() + bias + standardisation) * size_of::<f64>()
    }
}
