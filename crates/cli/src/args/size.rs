//! Sizes and supports as typed.

use groat::tune::SupportRule;
use std::str::FromStr;

/// An amount of memory: `500MB`, `2GiB`, or plain bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
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
            _ => return Err(format!("unknown unit {unit:?}: expected B, KB, MB, GB, KiB, MiB or GiB")),
        };
        match number.parse::<f64>() {
            Ok(value) if value > 0.0 && value.is_finite() => Ok(Bytes((value * factor) as u64)),
            _ => Err("expected an amount such as 500MB or 2GiB".into()),
        }
    }
}

/// How far a kernel reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SupportArg {
    /// Chosen by alignment, within the memory.
    Auto,
    /// By a rule, or as given.
    Rule(SupportRule),
}

impl FromStr for SupportArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(SupportArg::Auto);
        }
        if let Some(memory) = text.strip_prefix("memory=") {
            return Ok(SupportArg::Rule(SupportRule::Memory(memory.parse::<Bytes>()?.0)));
        }
        text.parse().map(SupportArg::Rule).map_err(|e: groat::Error| e.to_string())
    }
}

impl SupportArg {
    /// The library's rule.
    pub fn rule(self, memory: Option<Bytes>) -> SupportRule {
        match self {
            SupportArg::Auto => SupportRule::Auto(memory.map_or(u64::MAX, |m| m.0)),
            SupportArg::Rule(rule) => rule,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_supports_are_read() {
        assert_eq!("2GiB".parse(), Ok(Bytes(2 << 30)));
        assert_eq!("1.5 kb".parse(), Ok(Bytes(1500)));
        assert_eq!("64".parse(), Ok(Bytes(64)));
        for bad in ["", "GiB", "-1", "2XB", "inf"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        assert_eq!("1.5".parse(), Ok(SupportArg::Rule(SupportRule::Given(1.5))));
        assert_eq!("sparsity=0.9".parse(), Ok(SupportArg::Rule(SupportRule::Sparsity(0.9))));
        assert_eq!("memory=1MiB".parse(), Ok(SupportArg::Rule(SupportRule::Memory(1 << 20))));
        for bad in ["0", "-1", "wide", "sparsity=2"] {
            assert!(bad.parse::<SupportArg>().is_err(), "{bad}");
        }
    }
}
