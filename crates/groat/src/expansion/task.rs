//! What a model answers, and how it came to be.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the outputs of a model mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Numbers; one output per target.
    Regression {
        /// Names of the targets, or empty.
        targets: Vec<String>,
    },
    /// Classes. Two classes have one output, above 0 for the second class; more have one output each, and
    /// the largest wins.
    Classification {
        /// Names of the classes, in the order of their codes.
        classes: Vec<String>,
    },
    /// A probability density: one output, never negative.
    Density,
}

impl Task {
    /// Regression without names.
    pub fn regression() -> Self {
        Task::Regression { targets: Vec::new() }
    }

    /// Classification with the names `0`, `1`, ...
    pub fn classes(count: usize) -> Self {
        Task::Classification { classes: (0..count).map(|c| c.to_string()).collect() }
    }

    /// How many outputs a model for this task has, where the task decides it.
    pub(crate) fn outputs(&self) -> Option<usize> {
        match self {
            Task::Regression { targets } if targets.is_empty() => None,
            Task::Regression { targets } => Some(targets.len()),
            Task::Classification { classes } if classes.len() <= 2 => Some(1),
            Task::Classification { classes } => Some(classes.len()),
            Task::Density => Some(1),
        }
    }
}

/// How a model came to be: enough to repeat the fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The method, as on the command line.
    pub method: String,
    /// Rows it learnt from.
    pub rows: usize,
    /// Settings and results by name, as text.
    pub settings: BTreeMap<String, String>,
    /// The leave-one-out error when each vector had joined, for methods that select one by one; the vectors stand
    /// in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<f64>,
}

impl Record {
    /// A record of a method fitted to `rows` rows.
    pub fn new(method: &str, rows: usize) -> Self {
        Self { method: method.to_owned(), rows, settings: BTreeMap::new(), growth: Vec::new() }
    }

    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }

    /// Remembers the leave-one-out error after each vector.
    #[must_use]
    pub fn with_growth(mut self, errors: Vec<f64>) -> Self {
        self.growth = errors;
        self
    }
}
