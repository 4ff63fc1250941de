//! The one fitted model: a function and what surrounds it.
//!
//! ```text
//! Model = Function (a kernel expansion, principal components, or a function of random features)
//!       + task with its decision rule, classes, feature names, inputs, standardisation,
//!         record of how it came to be, error bars, calibration, intervals
//! ```
//!
//! Every learner returns a [`Model`] and every tool takes one. It owns its data and knows what is needed to feed it raw
//! numbers or raw tables. [`Model::load`] reads any kind of model file.

mod answers;
mod calibration;
mod file;
mod finish;
mod function;
mod intervals;
mod libsvm;
mod record;
mod task;

pub use calibration::Calibration;
pub(crate) use finish::Finish;
pub use function::{Components, Function};
pub use intervals::Intervals;
pub use record::Record;
pub use task::{Decision, Task};

use crate::batch::ErrorBars;
use crate::data::{Inputs, Standardisation};
use crate::error::{Error, Result, check_len};
use crate::expansion::Expansion;
use crate::kernels::Kernel;
use crate::matrix::Rows;

/// A fitted model.
///
/// ```
/// use groat::{Expansion, Kernel, Matrix, Model, Rows, data::Standardisation, model::Task};
/// let vectors = Matrix::from_vec(vec![-1.0, 1.0], 2, 1)?;
/// let f = Expansion::new(Kernel::gaussian(1.0), vectors, Matrix::column(vec![-1.0, 1.0]))?;
/// let model = Model::new(f)
///     .with_task(Task::classification(vec!["cold".into(), "warm".into()]))?
///     .with_standardisation(Some(Standardisation::new(vec![15.0], vec![5.0])?))?;
/// assert_eq!(model.classify(Rows::new(&[9.0, 22.0], 1)?)?, [0, 1]);
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    function: Function,
    task: Task,
    features: Vec<String>,
    standardisation: Option<Standardisation>,
    inputs: Option<Inputs>,
    record: Record,
    error_bars: Option<ErrorBars>,
    calibration: Option<Calibration>,
    intervals: Option<Intervals>,
}

impl Model {
    /// A function without further knowledge: an expansion is taken for a regression.
    pub fn new(function: impl Into<Function>) -> Self {
        let function = function.into();
        let task = match function {
            Function::Expansion(_) | Function::Features(_) => Task::regression(),
            Function::Components(_) => Task::Components,
        };
        Self {
            function,
            task,
            features: Vec::new(),
            standardisation: None,
            inputs: None,
            record: Record::default(),
            error_bars: None,
            calibration: None,
            intervals: None,
        }
    }

    /// Says what the outputs mean.
    pub fn with_task(mut self, task: Task) -> Result<Self> {
        if let Some(outputs) = task.outputs() {
            check_len("outputs for this task", outputs, self.outputs())?;
        }
        if (task == Task::Components) != matches!(self.function, Function::Components(_)) {
            return Err(Error::parameter("task", task.name(), "components for principal components alone"));
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

    /// Lets the model take raw features: they are standardised before the function sees them.
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
            error_bars.check_for(self.size(), self.outputs())?;
        }
        self.error_bars = error_bars;
        Ok(self)
    }

    /// Remembers how decision values become probabilities.
    pub fn with_calibration(mut self, calibration: Option<Calibration>) -> Result<Self> {
        if let Some(calibration) = &calibration {
            calibration.check_for(&self.task, self.outputs())?;
        }
        self.calibration = calibration;
        Ok(self)
    }

    /// What is evaluated.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The kernel expansion that is evaluated, on standardised features where the model standardises; none for a
    /// function of random features.
    pub fn expansion(&self) -> Option<&Expansion> {
        self.function.expansion()
    }

    /// The expansion, or an error that says who needs one.
    pub(crate) fn require_expansion(&self, expected: &'static str) -> Result<&Expansion> {
        self.expansion().ok_or_else(|| Error::parameter("model", "one of random features", expected))
    }

    /// The kernel, for features as the function sees them.
    pub fn kernel(&self) -> &Kernel {
        self.function.kernel()
    }

    /// The weights: one row for each vector or random feature, one column per output.
    pub fn weights(&self) -> Rows<'_> {
        self.function.weights()
    }

    /// The constants added to the outputs, if any.
    pub fn bias(&self) -> Option<&[f64]> {
        self.function.bias()
    }

    /// What the outputs mean.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Names of the classes; empty unless the task is classification.
    pub fn classes(&self) -> &[String] {
        self.task.classes()
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

    /// How decision values become probabilities, where that is known.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Number of vectors, or of random features.
    pub fn size(&self) -> usize {
        self.weights().rows()
    }

    /// Number of features it takes.
    pub fn features(&self) -> usize {
        self.function.features()
    }

    /// Number of outputs it gives.
    pub fn outputs(&self) -> usize {
        self.weights().cols()
    }

    /// Bytes of its numbers: the function's and the standardisation's.
    pub fn memory_bytes(&self) -> usize {
        let standardisation = self.standardisation.as_ref().map_or(0, |s| 2 * s.features());
        self.function.memory_bytes() + standardisation * size_of::<f64>()
    }

    /// Joins vectors that are equal number for number and drops those without weight. The function does not change.
    /// Returns how many vectors went.
    pub fn merge_duplicates(&mut self) -> usize {
        let gone = self.function.expansion_mut().map_or(0, Expansion::merge_duplicates);
        if gone > 0 {
            // They speak of the vectors as they were.
            self.error_bars = None;
            self.record.growth.clear();
        }
        gone
    }
}
