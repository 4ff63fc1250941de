//! How a model came to be.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a model came to be: enough to repeat the fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Record {
    /// The method, as on the command line.
    pub method: String,
    /// Rows it learnt from.
    pub rows: usize,
    /// Settings and results by name, as text.
    pub settings: BTreeMap<String, String>,
    /// The error when each vector had joined, for methods that select one by one; the vectors stand in that order. It is
    /// the leave-one-out error, or for the default fit that on held-out parts.
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
