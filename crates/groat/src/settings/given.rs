//! Settings as text. Values stay text until a method is built, because only the method knows which names it takes.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names and values as given by the caller; names are unique. In text a value may be a list, and a name that is given
/// twice is an error.
///
/// ```
/// use groat::settings::Settings;
/// let settings = Settings::new().with("eta", 0.5).with("budget", 100);
/// assert_eq!(settings.get("eta"), Some("0.5"));
/// assert_eq!("eta=0.5,budget=100".parse::<Settings>()?, settings);
/// assert_eq!("widths=1,2,4,eta=0.5".parse::<Settings>()?.get("widths"), Some("1,2,4"));
/// assert!("eta=0.5,eta=0.6".parse::<Settings>().is_err());
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// No settings: every parameter takes its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same settings and one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.set(name, value);
        self
    }

    /// Sets one value, in the place of an earlier one.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.0.insert(canonical(name), value.to_string().trim().to_owned());
    }

    /// Adds one value; a name that has one already is an error.
    pub fn add(&mut self, name: &str, value: impl ToString) -> Result<()> {
        if let Some(before) = self.0.get(&canonical(name)) {
            let text = format!("{}={}", canonical(name), value.to_string().trim());
            return Err(Error::parse("setting", &text, format!("it was given before, as {before}")));
        }
        self.set(name, value);
        Ok(())
    }

    /// Reads one `key=value` text, as given on a command line.
    pub fn set_pair(&mut self, pair: &str) -> Result<()> {
        match pair.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                self.add(name, value)
            }
            _ => Err(Error::parse("setting", pair, "write it as key=value, for example eta=0.5")),
        }
    }

    /// Reads `key=value,key=value`. What follows a comma without a key belongs to the value before: `widths=1,2,4`.
    pub fn set_pairs(&mut self, text: &str) -> Result<()> {
        let mut pair = String::new();
        for piece in text.split(',').filter(|piece| !piece.trim().is_empty()) {
            if piece.contains('=') && !pair.is_empty() {
                self.set_pair(&std::mem::take(&mut pair))?;
            }
            if !pair.is_empty() {
                pair.push(',');
            }
            pair.push_str(piece);
        }
        if pair.is_empty() { Ok(()) } else { self.set_pair(&pair) }
    }

    /// The value of `name`, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Names and values in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// True when nothing was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::str::FromStr for Settings {
    type Err = Error;

    /// Reads `key=value,key=value`.
    fn from_str(text: &str) -> Result<Self> {
        let mut settings = Self::new();
        settings.set_pairs(text)?;
        Ok(settings)
    }
}

/// `lambda-max` and `lambda_max` are the same name.
fn canonical(name: &str) -> String {
    name.trim().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_commas_and_a_name_given_twice_is_named() {
        let settings: Settings = "widths = 1, 2,4 , eta=0.5,phases=0;1".parse().unwrap();
        let pairs: Vec<_> = settings.iter().collect();
        assert_eq!(pairs, [("eta", "0.5"), ("phases", "0;1"), ("widths", "1, 2,4")]);
        for twice in ["eta=1,eta=2", "lambda-max=1,lambda_max=1"] {
            let message = twice.parse::<Settings>().unwrap_err().to_string();
            assert!(message.contains("given before, as 1"), "{message}");
        }
        for wrong in ["eta", "=1", "eta=", "1,eta=2"] {
            assert!(wrong.parse::<Settings>().is_err(), "{wrong}");
        }
        assert_eq!(settings.with("eta", 3).get("eta"), Some("3"), "code may overwrite");
    }
}
