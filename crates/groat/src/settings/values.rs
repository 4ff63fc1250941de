//! The checked values of a method's parameters.

use super::{Parameter, Settings, list};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The word for a value that the method finds by itself.
const AUTO: &str = "auto";

/// A parameter of a method with its default there.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The row of the table of parameters.
    pub parameter: &'static Parameter,
    /// Default in this method.
    pub default: &'static str,
}

/// Every parameter of a method with its value: the caller's, else the default. Each lies in its range.
#[derive(Clone, Debug)]
pub struct Values(BTreeMap<&'static str, Value>);

/// One value, and whether the caller gave it.
#[derive(Clone, Debug)]
struct Value {
    text: String,
    given: bool,
}

impl Values {
    /// Joins defaults and settings; a setting that is not taken, or lies outside its range, is an error.
    pub fn new(method: &str, taken: &[Setting], settings: &Settings) -> Result<Self> {
        if let Some((name, _)) =
            settings.iter().find(|(name, _)| !taken.iter().any(|item| item.parameter.name == *name))
        {
            let known: Vec<_> = taken.iter().map(|item| item.parameter.name).collect();
            let known = if known.is_empty() { "no settings".into() } else { known.join(", ") };
            let advice = format!("it takes {known}");
            return Err(Error::Setting { method: method.into(), setting: name.into(), advice });
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

    /// Values for a test of one part.
    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&'static str, &str)]) -> Self {
        let value = |text: &str| Value { text: text.to_owned(), given: true };
        Self(pairs.iter().map(|(name, text)| (*name, value(text))).collect())
    }

    /// Names and values in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.text.as_str()))
    }

    /// True when the caller gave a value.
    pub fn is_given(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value.given)
    }

    /// The value as text.
    pub fn text(&self, name: &'static str) -> Result<&str> {
        let missing = || Error::parameter(name, "nothing", "a value");
        self.0.get(name).map(|value| value.text.as_str()).ok_or_else(missing)
    }

    /// The value as a number.
    pub fn number(&self, name: &'static str) -> Result<f64> {
        self.parse(name, "a number")
    }

    /// The value as a whole number; `unlimited` is the largest.
    pub fn count(&self, name: &'static str) -> Result<usize> {
        if self.text(name)? == "unlimited" { Ok(usize::MAX) } else { self.parse(name, "a whole number") }
    }

    /// The value as a yes or no.
    pub fn flag(&self, name: &'static str) -> Result<bool> {
        self.parse(name, "true or false")
    }

    /// The value, or nothing where it is the word `auto`: the method finds it by itself.
    pub fn unless_auto<T: FromStr>(&self, name: &'static str) -> Result<Option<T>> {
        match self.text(name)? {
            AUTO => Ok(None),
            _ => self.parse(name, "a value, or auto").map(Some),
        }
    }

    /// The value as a whole number that may be large, such as a seed.
    pub fn whole(&self, name: &'static str) -> Result<u64> {
        self.parse(name, "a whole number")
    }

    fn parse<T: FromStr>(&self, name: &'static str, expected: &'static str) -> Result<T> {
        let text = self.text(name)?;
        text.parse().map_err(|_| Error::parameter(name, text, expected))
    }

    /// The value as a list of numbers.
    pub fn numbers(&self, name: &'static str) -> Result<Vec<f64>> {
        let text = self.text(name)?;
        list(text).map(|word| word.parse().map_err(|_| Error::parameter(name, text, "numbers"))).collect()
    }
}
