//! What one presentation did, and what a learner can say about itself.

use serde::Serialize;

/// The outcome of learning from one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Output at the sample before anything was learnt from it.
    pub prediction: f64,
    /// Target minus prediction.
    pub error: f64,
    /// The sample entered the dictionary.
    pub admitted: bool,
    /// The sample did not enter, but moved the weights of vectors that were there.
    pub projected: bool,
    /// The update was not carried out, because it would have left the range of finite numbers (a step
    /// size that is too large), or because the sample was judged an outlier.
    pub refused: bool,
    /// How many vectors left.
    pub evicted: usize,
    /// Vectors in the dictionary after the step (0 for linear methods).
    pub size: usize,
    /// Predictive standard deviation of the noisy output before the step, where the method has it at
    /// no extra cost. [`variance`](super::Learner::variance) gives it for the others.
    pub std: Option<f64>,
}

/// One number that tells how a learner fares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reading {
    /// Its name, e.g. `refreshes`.
    pub name: &'static str,
    /// Its value now.
    pub value: f64,
    /// What it means, in one line.
    pub meaning: &'static str,
}

impl Reading {
    /// A reading.
    pub(crate) fn new(name: &'static str, value: f64, meaning: &'static str) -> Self {
        Self { name, value, meaning }
    }
}
