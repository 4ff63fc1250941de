//! The one error type: what was wrong, where, what was expected.

pub use groat_linalg::Error as LinearAlgebraError;

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong. Variants carry the values, so that a program can react to them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its allowed range.
    #[error("{name} = {value} is not allowed: {expected}")]
    Parameter {
        /// Parameter name, spelled as everywhere else.
        name: &'static str,
        /// The offending value as given.
        value: String,
        /// The allowed range in words, e.g. "a finite number above 0".
        expected: Cow<'static, str>,
    },
    /// A setting was given to a method that has no use for it.
    #[error("{method} knows no {setting}{}", after_semicolon(advice))]
    Setting {
        /// The method.
        method: String,
        /// What it was given: the name of a parameter, or a task.
        setting: String,
        /// Who knows it, or what the method does take.
        advice: String,
    },
    /// A text (a kernel, a method, a setting) could not be understood.
    #[error("cannot read {what} {text:?}: {reason}")]
    Parse {
        /// What kind of thing was being read, e.g. "kernel".
        what: &'static str,
        /// The text as given.
        text: String,
        /// Why not, and what would do.
        reason: String,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured, e.g. "features per row".
        what: &'static str,
        /// The size that was needed.
        expected: usize,
        /// The size that came.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error(
        "{what} holds {value} at row {row}, column {column} (both counted from 0); remove or fill such values first"
    )]
    NotFinite {
        /// Which array.
        what: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// There is too little data for what was asked.
    #[error("{what} needs at least {needed} {unit}, found {found}")]
    TooFew {
        /// Who needs it.
        what: &'static str,
        /// Of what, e.g. "rows".
        unit: &'static str,
        /// How many at least.
        needed: usize,
        /// How many there were.
        found: usize,
    },
    /// A factorisation or an iteration of linear algebra broke down. The source holds pivots, ranks and residuals.
    #[error("{what} failed: {source}{}", after_semicolon(advice))]
    LinearAlgebra {
        /// The computation.
        what: &'static str,
        /// What happened, in numbers.
        source: LinearAlgebraError,
        /// What to try; may be empty.
        advice: String,
    },
    /// A computation has no answer in finite numbers.
    #[error("{what} failed: {reason}")]
    Numerical {
        /// The computation.
        what: &'static str,
        /// What happened and what to try.
        reason: String,
    },
    /// The work would need more memory than allowed.
    #[error("{what} would need {}, above the limit of {}: {advice}", size(*needed), size(*limit))]
    Memory {
        /// The computation.
        what: &'static str,
        /// Predicted bytes.
        needed: u64,
        /// Allowed bytes.
        limit: u64,
        /// What to do instead.
        advice: &'static str,
    },
    /// A place in a data file is wrong.
    #[error("{source_name}, {place}, column {}: {reason}", shortened(column))]
    Data {
        /// File name, or "standard input".
        source_name: String,
        /// Where in it.
        place: Place,
        /// Column name or number, from 1.
        column: String,
        /// What was found and what was expected.
        reason: String,
    },
    /// A data file as a whole is wrong (empty, no such column, unknown format).
    #[error("{source_name}: {reason}")]
    Source {
        /// File name, or "standard input".
        source_name: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A model file is damaged, hostile, or of an unknown version.
    #[error("not a usable groat model: {0}")]
    Model(#[from] ModelError),
    /// Reading or writing a file failed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The caller asked the work to stop.
    #[error("stopped on request before there was a result")]
    Stopped,
}

/// Where in its source a row of data stands, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file.
    Line(u64),
    /// A row of a table that has no lines: a binary file, or memory.
    Row(u64),
}

impl Place {
    /// The place `steps` further on.
    pub(crate) fn after(self, steps: u64) -> Self {
        match self {
            Place::Line(line) => Place::Line(line + steps),
            Place::Row(row) => Place::Row(row + steps),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// What is wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The container is not well-formed safetensors.
    #[error("the file is damaged or not safetensors ({0})")]
    Container(String),
    /// The file is larger than the limit.
    #[error("the file has {found} bytes, above the limit of {limit}")]
    TooLarge {
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// No groat metadata, or of a version this release does not know.
    #[error("format version {found:?} is not known here (this release reads {known})")]
    Version {
        /// What the file says; empty when it says nothing.
        found: String,
        /// What this release reads.
        known: &'static str,
    },
    /// A tensor is missing.
    #[error("tensor {0:?} is missing")]
    MissingTensor(&'static str),
    /// A tensor has the wrong type or shape.
    #[error("tensor {name:?} should be {expected}, but is {found}")]
    Tensor {
        /// Its name.
        name: &'static str,
        /// The wanted type and shape.
        expected: String,
        /// What the file holds.
        found: String,
    },
    /// Something that no model of this kind has: a damaged name, or a newer format.
    #[error("it holds {0:?}, which is not known here")]
    Unknown(String),
    /// What stands in the file cannot be a model.
    #[error("{0}")]
    Content(String),
    /// The file is not as it was written.
    #[error("its checksum does not fit: the file was damaged or edited; take a copy, or fit the model anew")]
    Checksum,
    /// A metadata entry is missing or cannot be read.
    #[error("metadata entry {name:?}: {reason}")]
    Metadata {
        /// Its key.
        name: &'static str,
        /// Why not.
        reason: String,
    },
}

/// Most characters of a text of the user's that are repeated to him.
const LONGEST_TEXT: usize = 60;

/// A text for a message, cut where it is long.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TEXT) {
        None => text.into(),
        Some((end, _)) => format!("{}... ({} characters)", &text[..end], text.chars().count()).into(),
    }
}

/// A text of a data file in quotes, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}... ({} characters)", &text[..end], text.chars().count()),
    }
}

/// A remark behind a message, or nothing.
fn after_semicolon(remark: &str) -> String {
    if remark.is_empty() { String::new() } else { format!("; {remark}") }
}

/// An amount of memory as people say it.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= 10 * unit || bytes == *unit) {
        Some((unit, name)) => format!("{} {name}", bytes.div_ceil(unit)),
        None => format!("{bytes} bytes"),
    }
}

impl Error {
    /// A parameter outside its range.
    pub fn parameter(
        name: &'static str,
        value: impl ToString,
        expected: impl Into<Cow<'static, str>>,
    ) -> Self {
        Error::Parameter { name, value: value.to_string(), expected: expected.into() }
    }

    /// A text that could not be understood.
    pub fn parse(what: &'static str, text: &str, reason: impl Into<String>) -> Self {
        Error::Parse { what, text: text.to_owned(), reason: reason.into() }
    }

    /// A computation that broke down, with the reason.
    pub(crate) fn numerical(what: &'static str, reason: impl ToString) -> Self {
        Error::Numerical { what, reason: reason.to_string() }
    }

    /// A computation of linear algebra that broke down: for `map_err`.
    pub(crate) fn linear_algebra(what: &'static str) -> impl Fn(LinearAlgebraError) -> Self {
        move |source| Error::unsolved(what, source, String::new())
    }

    /// A failure of linear algebra with a word of advice; a stop that was asked for is no failure.
    pub(crate) fn unsolved(what: &'static str, source: LinearAlgebraError, advice: String) -> Self {
        match source {
            LinearAlgebraError::Stopped => Error::Stopped,
            source => Error::LinearAlgebra { what, source, advice },
        }
    }

    /// A file that could not be read or written.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { path: path.into(), source }
    }
}

impl From<groat_linalg::Error> for Error {
    fn from(error: groat_linalg::Error) -> Self {
        Error::linear_algebra("linear algebra")(error)
    }
}

/// Fails unless `found == expected`.
pub(crate) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}

/// Fails unless `value` is finite and above zero.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(Error::parameter(name, value, "a finite number above 0"))
    }
}

/// Fails unless `value` is finite and not below zero.
pub(crate) fn check_not_negative(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(Error::parameter(name, value, "a finite number, 0 or above"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_linear_algebra_survive() {
        let error: Error = LinearAlgebraError::NotPositiveDefinite { pivot: 7 }.into();
        let Error::LinearAlgebra { source: LinearAlgebraError::NotPositiveDefinite { pivot }, .. } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(*pivot, 7);
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert_eq!(error.to_string(), format!("linear algebra failed: {}", source.unwrap()));
    }

    #[test]
    fn a_remark_stands_behind_a_message() {
        let setting = |advice: &str| Error::Setting {
            method: "slow".into(),
            setting: "haste".into(),
            advice: advice.into(),
        };
        assert_eq!(setting("").to_string(), "slow knows no haste");
        assert_eq!(setting("quick does").to_string(), "slow knows no haste; quick does");
    }
}
