//! Settings as text. Values stay text until a method is built, because only the method knows which names it takes.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names and values as given by the caller; names are unique, the last value given wins.
///
/// ```
/// use groat::settings::Settings;
/// let settings = Settings::new().with("eta", 0.5).with("budget", 100);
/// assert_eq!(settings.get("eta"), Some("0.5"));
/// assert_eq!("eta=0.5,budget=100".parse::<Settings>()?, settings);
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

    /// Sets one value.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.0.insert(canonical(name), value.to_string().trim().to_owned());
    }

    /// Reads one `key=value` text, as given on a command line.
    pub fn set_pair(&mut self, pair: &str) -> Result<()> {
        match pair.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                self.set(name, value);
                Ok(())
            }
            _ => Err(Error::parse("setting", pair, "write it as key=value, for example eta=0.5")),
        }
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
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            settings.set_pair(pair)?;
        }
        Ok(settings)
    }
}

/// `lambda-max` and `lambda_max` are the same name.
fn canonical(name: &str) -> String {
    name.trim().replace('-', "_")
}
