//! What a parameter is called, means and may be.

use super::bytes::{self, Bytes};
use crate::error::{Error, Result};

/// Which values a parameter may take.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Range {
    /// A finite number above 0.
    Positive,
    /// A finite number, 0 or above.
    NotNegative,
    /// A number above 0, at most 1.
    Fraction,
    /// A number from 0 to 1.
    Unit,
    /// Any finite number.
    Finite,
    /// A whole number, 1 or above.
    Count,
    /// A whole number, 1 or above, or the word `unlimited`.
    CountOrUnlimited,
    /// A whole number, 0 or above.
    Whole,
    /// `true` or `false`.
    Flag,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// A number from 0 to 1, or the word `adaptive`.
    UnitOrAdaptive,
    /// A whole number, or the word `budget`.
    WholeOrBudget,
    /// Numbers above 0, separated by commas, `;` or blanks.
    Positives,
    /// Finite numbers, separated by commas, `;` or blanks, or the word `drawn`.
    NumbersOrDrawn,
    /// An amount of memory.
    Bytes,
    /// The word, or a value of the range.
    Or(&'static str, &'static Range),
    /// A text with a reader of its own.
    Text {
        /// The allowed texts in words.
        words: &'static str,
        /// Whether a text can be read.
        reads: fn(&str) -> bool,
    },
}

impl Range {
    /// The range in words, as error messages and help give it.
    pub fn text(&self) -> String {
        match self {
            Range::Choice(words) => format!("one of {}", words.join(", ")),
            Range::Or(word, range) => format!("{}, or {word}", range.text()),
            other => other.phrase().to_owned(),
        }
    }

    fn phrase(&self) -> &'static str {
        match self {
            Range::Positive => "a finite number above 0",
            Range::NotNegative => "a finite number, 0 or above",
            Range::Fraction => "a number above 0, at most 1",
            Range::Unit => "a number from 0 to 1",
            Range::Finite => "a finite number",
            Range::Count => "a whole number, 1 or above",
            Range::CountOrUnlimited => "a whole number, 1 or above, or unlimited",
            Range::Whole => "a whole number, 0 or above",
            Range::Flag => "true or false",
            Range::Choice(_) => "one of the known names",
            Range::UnitOrAdaptive => "a number from 0 to 1, or adaptive",
            Range::WholeOrBudget => "a whole number, or budget",
            Range::Positives => "finite numbers above 0, separated by commas",
            Range::NumbersOrDrawn => "finite numbers, separated by commas, or drawn",
            Range::Bytes => bytes::WORDS,
            Range::Or(..) => "a value of the range, or the word",
            Range::Text { words, .. } => words,
        }
    }

    fn holds(&self, text: &str) -> bool {
        let number = || text.parse::<f64>().ok().filter(|v| v.is_finite());
        let within = |low: f64, high: f64| number().is_some_and(|v| (low..=high).contains(&v));
        match self {
            Range::Positive => number().is_some_and(|v| v > 0.0),
            Range::NotNegative => number().is_some_and(|v| v >= 0.0),
            Range::Fraction => number().is_some_and(|v| v > 0.0 && v <= 1.0),
            Range::Unit => within(0.0, 1.0),
            Range::Finite => number().is_some(),
            Range::Count => text.parse::<usize>().is_ok_and(|v| v >= 1),
            Range::CountOrUnlimited => text == "unlimited" || Range::Count.holds(text),
            Range::Whole => text.parse::<usize>().is_ok(),
            Range::Flag => text.parse::<bool>().is_ok(),
            Range::Choice(words) => words.contains(&text),
            Range::UnitOrAdaptive => text == "adaptive" || within(0.0, 1.0),
            Range::WholeOrBudget => text == "budget" || text.parse::<usize>().is_ok(),
            Range::Positives => numbers(text, |v| v > 0.0),
            Range::NumbersOrDrawn => text == "drawn" || numbers(text, |_| true),
            Range::Bytes => text.parse::<Bytes>().is_ok(),
            Range::Or(word, range) => text == *word || range.holds(text),
            Range::Text { reads, .. } => reads(text),
        }
    }
}

/// The words of a list value.
pub(crate) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';', ' ']).filter(|word| !word.is_empty())
}

/// True for a list of finite numbers, at least one, that all `fit`.
fn numbers(text: &str, fit: impl Fn(f64) -> bool) -> bool {
    let mut words = list(text).peekable();
    words.peek().is_some() && words.all(|w| w.parse::<f64>().is_ok_and(|v| v.is_finite() && fit(v)))
}

/// One parameter: its name, what it means, what it may be.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, the same in every preset and face.
    pub name: &'static str,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// Which values it may take.
    pub range: Range,
}

impl Parameter {
    /// An error unless `text` lies in the range.
    pub fn check(&self, text: &str) -> Result<()> {
        if self.range.holds(text) {
            return Ok(());
        }
        match self.range {
            Range::Choice(_) => Err(Error::parse(self.name, text, format!("expected {}", self.range.text()))),
            _ => Err(Error::parameter(self.name, text, self.range.text())),
        }
    }
}

/// Shorthand for a row of the table.
pub(crate) const fn row(name: &'static str, range: Range, meaning: &'static str) -> Parameter {
    Parameter { name, meaning, range }
}
