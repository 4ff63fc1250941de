//! The checked values of a preset's parameters.

use super::Setting;
use crate::error::{Error, Result};
use crate::settings::{Settings, list};
use std::collections::BTreeMap;

/// Every parameter of a preset with its value: the caller's, else the default.
#[derive(Debug)]
pub(crate) struct Values(BTreeMap<&'static str, Value>);

/// One value, and whether the caller gave it.
#[derive(Debug)]
struct Value {
    text: String,
    given: bool,
}

impl Values {
    /// The regulariser `eps` of a normalised step if the settings ask for one.
    pub fn normaliser(&self) -> Result<Option<f64>> {
        if self.text("normalised")? == "true" { self.number("eps").map(Some) } else { Ok(None) }
    }

    /// Joins defaults and settings; a setting that is not taken, or lies outside its range, is an error.
    pub(super) fn new(preset: &'static str, taken: &[Setting], settings: &Settings) -> Result<Self> {
        for (name, value) in settings.iter() {
            if !taken.iter().any(|item| item.parameter.name == name) {
                let known: Vec<_> = taken.iter().map(|item| item.parameter.name).collect();
                let reason = format!(
                    "{preset} takes {}",
                    if known.is_empty() { "no settings".into() } else { known.join(", ") }
                );
                return Err(Error::parse("setting", &format!("{name}={value}"), reason));
            }
        }
        let mut values = BTreeMap::new();
        for item in taken {
            let given = settings.get(item.parameter.name);
            let text = given.unwrap_or(item.default).to_owned();
            item.parameter.check(&text)?;
            values.insert(item.parameter.name, Value { text, given: given.is_some() });
        }
        Ok(Self(values))
    }

    /// Names and values in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.text.as_str()))
    }

    /// True when the caller gave a value.
    pub fn is_given(&self, name: &'static str) -> bool {
        self.0.get(name).is_some_and(|value| value.given)
    }

    /// Values for a test of one part.
    #[cfg(test)]
    pub fn of(pairs: &[(&'static str, &str)]) -> Self {
        let value = |text: &str| Value { text: text.to_owned(), given: true };
        Self(pairs.iter().map(|(name, text)| (*name, value(text))).collect())
    }

    /// The value as text.
    pub fn text(&self, name: &'static str) -> Result<&str> {
        self.0
            .get(name)
            .map(|value| value.text.as_str())
            .ok_or_else(|| Error::parameter(name, "nothing", "a value"))
    }

    /// The value as a number.
    pub fn number(&self, name: &'static str) -> Result<f64> {
        self.parse(name, "a number")
    }

    /// The value as a whole number; `unlimited` is the largest.
    pub fn count(&self, name: &'static str) -> Result<usize> {
        if self.text(name)? == "unlimited" { Ok(usize::MAX) } else { self.parse(name, "a whole number") }
    }

    fn parse<T: std::str::FromStr>(&self, name: &'static str, expected: &'static str) -> Result<T> {
        let text = self.text(name)?;
        text.parse().map_err(|_| Error::parameter(name, text, expected))
    }

    /// The value as a list of numbers.
    pub fn numbers(&self, name: &'static str) -> Result<Vec<f64>> {
        let text = self.text(name)?;
        list(text).map(|word| word.parse().map_err(|_| Error::parameter(name, text, "numbers"))).collect()
    }
}
