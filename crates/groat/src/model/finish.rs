//! The one place where a learnt function gets what surrounds it, batch or online.

use super::{Model, Record, Task};
use crate::data::{Inputs, Standardisation};
use crate::error::Result;

/// What is known of the data and the way when a function was learnt.
pub(crate) struct Finish<'a> {
    /// What the outputs mean, with the names that the data know.
    pub task: Task,
    /// How the model came to be.
    pub record: Record,
    /// What is done to raw features first; an estimate that has it built in has none.
    pub standardisation: Option<Standardisation>,
    /// What the features are made from, where that was a table.
    pub inputs: Option<&'a Inputs>,
    /// Names of the features, where there was no table.
    pub features: &'a [String],
}

impl Finish<'_> {
    /// The model, ready for raw data.
    pub(crate) fn apply(self, model: Model) -> Result<Model> {
        let model = match self.standardisation {
            None => model,
            some => model.with_standardisation(some)?,
        };
        let model = model.with_task(self.task)?.with_record(self.record);
        match self.inputs {
            Some(inputs) => model.with_inputs(inputs.clone()),
            None => model.with_features(self.features.to_vec()),
        }
    }
}
