//! Exact numbers in a saved state: each `f64` as the 16 hexadecimal digits of its bits.
//!
//! Used as `#[serde(with = "bits")]` on a `Vec<f64>`. Every bit comes back, infinities included, at a
//! fixed size and without the cost of printing decimals.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the numbers as one text.
pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(values.len() * 16);
    for value in values {
        let bits = value.to_bits();
        text.extend((0..16).rev().map(|i| char::from(DIGITS[(bits >> (4 * i)) as usize & 15])));
    }
    serializer.serialize_str(&text)
}

/// Reads them back.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if !text.is_ascii() || text.len() % 16 != 0 {
        return Err(D::Error::custom("an array of numbers must hold 16 hexadecimal digits for each"));
    }
    let number = |at: usize| u64::from_str_radix(&text[at..at + 16], 16).map(f64::from_bits);
    (0..text.len()).step_by(16).map(number).collect::<Result<_, _>>().map_err(D::Error::custom)
}
