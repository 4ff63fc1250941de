//! The rules and what they answer.

use super::CurvePoint;
use crate::error::{Error, Result, check_not_negative, check_positive};
use crate::settings::Bytes;
use std::fmt;
use std::str::FromStr;

/// A rule by which the support is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SupportRule {
    /// 003 (8): the largest `A + gamma S` among supports up to the largest distance; holds `gamma`.
    Combined(f64),
    /// 003 (9): the largest `S` with `A >= mu`; holds `mu`.
    Alignment(f64),
    /// 003 (10): the largest `A` with `S >= tau`; holds `tau`.
    Sparsity(f64),
    /// The largest `A` whose matrix fits into so many bytes.
    Memory(u64),
    /// `A >= 0.95`, or less where that matrix would not fit into so many bytes.
    Auto(u64),
    /// This support; nothing is chosen.
    Given(f64),
}

impl SupportRule {
    /// What a rule may be written as.
    pub const WORDS: &str =
        "a support, auto, alignment=MU, sparsity=TAU, combined=GAMMA, memory=SIZE or auto=SIZE";

    /// The rule within so many bytes, if it has no limit of its own.
    #[must_use]
    pub fn within(self, bytes: u64) -> Self {
        match self {
            SupportRule::Auto(u64::MAX) => SupportRule::Auto(bytes),
            other => other,
        }
    }

    pub(super) fn check(self) -> Result<()> {
        let share = |name, value: f64| {
            if value > 0.0 && value < 1.0 {
                Ok(())
            } else {
                Err(Error::parameter(name, value, "a number above 0 and below 1"))
            }
        };
        match self {
            SupportRule::Combined(gamma) => check_not_negative("gamma", gamma),
            SupportRule::Alignment(mu) => share("alignment", mu),
            SupportRule::Sparsity(tau) => share("sparsity", tau),
            SupportRule::Given(support) => check_positive("support", support),
            SupportRule::Memory(_) | SupportRule::Auto(_) => Ok(()),
        }
    }
}

impl fmt::Display for SupportRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SupportRule::Combined(gamma) => write!(f, "combined={gamma}"),
            SupportRule::Alignment(mu) => write!(f, "alignment={mu}"),
            SupportRule::Sparsity(tau) => write!(f, "sparsity={tau}"),
            SupportRule::Memory(bytes) => write!(f, "memory={bytes}"),
            SupportRule::Auto(u64::MAX) => write!(f, "auto"),
            SupportRule::Auto(bytes) => write!(f, "auto={bytes}"),
            SupportRule::Given(support) => write!(f, "{support}"),
        }
    }
}

impl FromStr for SupportRule {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::parse("rule for the support", text, format!("expected {}", SupportRule::WORDS));
        if text.trim() == "auto" {
            return Ok(SupportRule::Auto(u64::MAX));
        }
        // A number alone is a support.
        let text_or_given =
            if text.trim().parse::<f64>().is_ok() { format!("given={text}") } else { text.into() };
        let (name, value) = text_or_given.split_once('=').ok_or_else(bad)?;
        let number = || value.trim().parse::<f64>().map_err(|_| bad());
        let bytes = || value.trim().parse::<Bytes>().map(|Bytes(bytes)| bytes);
        let rule = match name.trim() {
            "combined" => SupportRule::Combined(number()?),
            "alignment" => SupportRule::Alignment(number()?),
            "sparsity" => SupportRule::Sparsity(number()?),
            "given" => SupportRule::Given(number()?),
            "memory" => SupportRule::Memory(bytes()?),
            "auto" => SupportRule::Auto(bytes()?),
            _ => return Err(bad()),
        };
        rule.check().map(|()| rule)
    }
}

/// The chosen support.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SupportChoice {
    /// `C`.
    pub support: f64,
    /// `A(C)`.
    pub alignment: f64,
    /// `S(C)`.
    pub sparsity: f64,
    /// Standard error of `support`, where it comes from a sample.
    pub error: Option<f64>,
}

impl SupportChoice {
    pub(super) fn new(point: CurvePoint, error: Option<f64>) -> Self {
        let CurvePoint { support, alignment, sparsity } = point;
        Self { support, alignment, sparsity, error }
    }
}

impl fmt::Display for SupportChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A support is a distance in the units of the data: of any size.
        match self.support {
            support if (1e-3..1e6).contains(&support) => write!(f, "{support:.5}")?,
            support => write!(f, "{support:.4e}")?,
        }
        if let Some(error) = self.error {
            write!(f, " (standard error {error:.1e}, from sampled pairs)")?;
        }
        write!(f, ": alignment {:.4}, {:.3} % zeros", self.alignment, 100.0 * self.sparsity)
    }
}

/// The sparsity at which the half-stored matrix of `n` rows takes just `bytes`; 0 when all of it fits.
pub(super) fn sparsity_for(bytes: u64, n: f64) -> Result<f64> {
    // Starts of 8 bytes from 2^31 entries on.
    let start = if bytes > 12 << 31 { 8.0 } else { 4.0 };
    let stored = (bytes as f64 - start * (n + 1.0)) / 12.0;
    let tau = 1.0 - (2.0 * stored - n) / (n * n);
    if stored < n {
        return Err(Error::parameter("memory", bytes, "at least 16 bytes per row: the diagonal has to fit"));
    }
    Ok(tau.max(0.0))
}

/// Bytes of the half-stored matrix of `n` rows with a given sparsity.
pub(super) fn bytes_for(sparsity: f64, n: f64) -> f64 {
    6.0 * ((1.0 - sparsity) * n * n + n) + 8.0 * n
}

/// Standard error of the mean of estimates from disjoint parts of a sample.
pub(super) fn standard_error(parts: &[f64]) -> f64 {
    let m = parts.len() as f64;
    if parts.len() < 2 {
        return f64::NAN;
    }
    let mean = parts.iter().sum::<f64>() / m;
    (parts.iter().map(|p| (p - mean) * (p - mean)).sum::<f64>() / (m - 1.0) / m).sqrt()
}
