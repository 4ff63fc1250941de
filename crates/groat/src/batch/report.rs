//! What a fit gives back.

use super::Growth;
use super::density::Density;
use super::svm::sigmoid;
use crate::error::Result;
use crate::gram::Plan;
use crate::kernels::{Kernel, Width};
use crate::matrix::Matrix;
use crate::model::{Calibration, Intervals, Model};
use crate::tune::Trial;

/// A model and how it was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fitted {
    /// The model. It takes the features that the method was given; [`learn`](super::learn) makes it take raw ones.
    pub model: Model,
    /// The kernel that was chosen, for features as the method saw them.
    pub kernel: Kernel,
    /// Vectors it could have used.
    pub candidates: usize,
    /// The error when each sample is predicted without it, where the method knows it.
    pub leave_one_out: Option<LeaveOneOut>,
    /// Kernels and ridges that were tried.
    pub trials: Vec<Trial>,
    /// What they were judged by, in words; empty when there was nothing to choose.
    pub judged_by: String,
    /// The model's growth, term by term, for methods that select.
    pub stages: Vec<Stage>,
    /// What the model answered after each term, for methods that select one by one.
    pub growth: Option<Growth>,
    /// For a density: the full estimate that the sparse one stands for.
    pub reference: Option<Density>,
    /// What the full kernel machine reaches, for methods that find it before they choose few vectors.
    pub full: Option<FullMachine>,
    /// The error on held-out parts for each number of vectors, for methods that choose their number by it. It served to
    /// choose, so at the number that was kept it is no estimate; see `expected`.
    pub sizes: Vec<SizeError>,
    /// The error that new rows will see, where the method estimates it.
    pub expected: Option<Expected>,
    /// In which form a kernel matrix stood, where there was one.
    pub matrix: Option<Plan>,
    /// True when the caller asked to stop, so that this is the model so far.
    pub interrupted: bool,
    /// Things the user should know: what was chosen for them and why, what was cut short.
    pub notes: Vec<String>,
}

impl Fitted {
    /// A model with nothing to say about itself.
    pub fn new(model: Model, candidates: usize) -> Self {
        Self {
            kernel: model.kernel().clone(),
            model,
            candidates,
            leave_one_out: None,
            trials: Vec::new(),
            judged_by: String::new(),
            stages: Vec::new(),
            growth: None,
            reference: None,
            full: None,
            sizes: Vec::new(),
            expected: None,
            matrix: None,
            interrupted: false,
            notes: Vec::new(),
        }
    }
}

impl Fitted {
    /// How much each feature matters, where each has a width of its own: its place and one over its width, as a share of
    /// the largest of these; what matters most comes first. Empty where one width is that of all.
    pub fn relevance(&self) -> Vec<(usize, f64)> {
        let Some(Width::PerFeature(widths)) = self.kernel.width() else { return Vec::new() };
        let least = widths.iter().copied().fold(f64::INFINITY, f64::min);
        let mut shares: Vec<(usize, f64)> = widths.iter().map(|width| least / width).enumerate().collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }
}

/// Leave-one-out results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeaveOneOut {
    /// Mean squared error over samples and outputs (weighted, where samples are).
    pub mean_squared: f64,
    /// Share of samples put into the wrong class; classification only.
    pub error_rate: Option<f64>,
    /// What each sample was predicted as: one row per sample, one column per output.
    pub predictions: Matrix,
}

impl LeaveOneOut {
    /// The results, with an error rate where the target has classes.
    pub fn new(mean_squared: f64, error_rate: Option<f64>, predictions: Matrix) -> Self {
        Self { mean_squared, error_rate, predictions }
    }
}

/// What the full kernel machine reaches on held-out parts of the rows that choices were made on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FullMachine {
    /// Root mean square error, the share of wrong classes, or minus the mean log density.
    pub error: f64,
    /// Vectors that it has.
    pub vectors: usize,
    /// Its kernel.
    pub kernel: Kernel,
    /// Its ridge.
    pub ridge: f64,
}

/// The error of a model of so many vectors on held-out parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SizeError {
    /// Vectors.
    pub terms: usize,
    /// Root mean square error, the share of wrong classes, or minus the mean log density.
    pub error: f64,
}

/// The error that new rows will see: that on rows which nothing was chosen on, neither the kernel nor the vectors nor
/// their number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// Mean squared error over rows and outputs (weighted, where rows are).
    pub mean_squared: f64,
    /// Share of rows put into the wrong class; classification only.
    pub error_rate: Option<f64>,
    /// Standard error of the root mean square error, or of the error rate.
    pub standard_error: f64,
    /// The rows it was measured on.
    pub rows: Vec<usize>,
    /// What they were predicted as: one column per output.
    pub predictions: Matrix,
    /// What they were, in the same form: numbers, or classes as -1 and +1.
    pub true_values: Matrix,
    /// How the rows were kept apart, in words.
    pub by: String,
}

impl Expected {
    /// Root mean square error, or the share of wrong classes.
    pub fn error(&self) -> f64 {
        self.error_rate.unwrap_or(self.mean_squared.sqrt())
    }

    /// The sigmoid that makes probabilities of the values of the outputs, for classes coded as -1 and +1. All outputs share
    /// it, so that the class with the largest value is the one with the largest probability.
    pub(crate) fn calibration(&self) -> Result<Calibration> {
        let values = self.predictions.data().iter().zip(self.true_values.data());
        let (slope, offset) =
            sigmoid(&values.map(|(value, truth)| (*value, *truth > 0.0)).collect::<Vec<_>>());
        let outputs = self.predictions.cols();
        Calibration::new(vec![slope; outputs], vec![offset; outputs])
    }

    /// Intervals around predictions, for numbers.
    pub(crate) fn intervals(&self) -> Result<Intervals> {
        Intervals::of(self.predictions.view(), self.true_values.view())
    }

    /// The mean squared error of each output.
    pub(crate) fn variances(&self) -> Vec<f64> {
        let n = self.predictions.rows().max(1) as f64;
        let square = |i: usize, c: usize| (self.predictions[(i, c)] - self.true_values[(i, c)]).powi(2);
        let outputs = 0..self.predictions.cols();
        outputs.map(|c| (0..self.predictions.rows()).map(|i| square(i, c)).sum::<f64>() / n).collect()
    }
}

/// The model after one more term.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// Row of the training data that became a vector.
    pub row: usize,
    /// Leave-one-out error with the terms so far: mean square, or error rate for classification.
    pub leave_one_out: f64,
    /// Mean square error on the training data.
    pub training: f64,
}

impl Stage {
    /// The row that joined, and the errors with it.
    pub fn new(row: usize, leave_one_out: f64, training: f64) -> Self {
        Self { row, leave_one_out, training }
    }
}
