//! Amounts of memory as people write them.

use crate::error::{Error, Result};
use std::str::FromStr;

/// What is expected of a text.
pub(super) const WORDS: &str = "an amount of memory such as 500MB or 2GiB";

/// An amount of memory: `500MB`, `2GiB`, or plain bytes.
///
/// ```
/// use groat::settings::Bytes;
/// assert_eq!("2GiB".parse::<Bytes>()?, Bytes(2 << 30));
/// assert_eq!("1.5 kb".parse::<Bytes>()?, Bytes(1500));
/// # Ok::<(), groat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1024f64.powi(2),
            "g" | "gib" => 1024f64.powi(3),
            "t" | "tib" => 1024f64.powi(4),
            _ => {
                return Err(Error::parse(
                    "memory",
                    text,
                    "expected a unit such as B, KB, MB, GB, KiB, MiB or GiB",
                ));
            }
        };
        match number.parse::<f64>() {
            Ok(value) if value > 0.0 && value.is_finite() => Ok(Bytes((value * factor) as u64)),
            _ => Err(Error::parse("memory", text, format!("expected {WORDS}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn amounts_are_read() {
        let read = |text: &str| text.parse::<Bytes>().ok();
        assert_eq!(read("2GiB"), Some(Bytes(2 << 30)));
        assert_eq!(read("1.5 kb"), Some(Bytes(1500)));
        assert_eq!(read("64"), Some(Bytes(64)));
        for bad in ["", "GiB", "-1", "2XB", "inf"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
