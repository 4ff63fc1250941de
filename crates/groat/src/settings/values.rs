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
pub struct Values(BTreeMap<&'static str, String>);

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
            let value = settings.get(item.parameter.name).unwrap_or(item.default);
            item.parameter.check(value)?;
            values.insert(item.parameter.name, value.to_owned());
        }
        Ok(Self(values))
    }

    /// Values for a test of one part.
    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&'static str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    /// The value as text.
    pub fn text(&self, name: &'static str) -> Result<&str> {
        self.0.get(name).map(String::as_str).ok_or_else(|| Error::parameter(name, "nothing", "a value"))
    }

    /// The value as a number.
    pub fn number(&self, name: &'static str) -> Result<f64> {
        self.parse(name, "a number")
    }

    /// The value as a whole number.
    pub fn count(&self, name: &'static str) -> Result<usize> {
        self.parse(name, "a whole number")
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
