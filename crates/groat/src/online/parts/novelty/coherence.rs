//! Coherence: a sample enters when its largest normalised kernel value with the dictionary stays below
//! `mu0`. Pothin and Richard (10), slides on coherence-based KLMS. `O(m)`.
//!
//! `mu0 = adaptive` takes the coherence of the dictionary itself (section 4 of the paper, benchmark 2);
//! then the dictionary must first be filled, because one vector has coherence 0 and would admit nothing.

use super::{Criterion, Needs, Sample, Tracked, Values, Verdict};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// The coherence criterion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Coherence {
    /// The threshold; `None` = the coherence of the dictionary.
    mu0: Option<f64>,
    /// Whether a coherence equal to the threshold is too much.
    strict: bool,
    /// The first so many samples enter unconditionally.
    fill: usize,
}

impl Coherence {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let mu0 = match values.text("mu0")? {
            "adaptive" => None,
            _ => Some(values.number("mu0")?),
        };
        let fill = match values.text("fill")? {
            "budget" => values.count("budget")?,
            _ => values.count("fill")?,
        };
        Ok(Self { mu0, strict: mu0.is_none() || values.text("strict")? == "true", fill })
    }
}

impl Criterion for Coherence {
    fn needs(&self) -> Needs {
        if self.mu0.is_none() { Needs::NEIGHBOURS } else { Needs::NONE }
    }

    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict {
        if model.len() < self.fill.max(1) {
            return Verdict::Admit;
        }
        let own = || model.neighbours.as_ref().map_or(0.0, |neighbours| neighbours.largest());
        let threshold = self.mu0.unwrap_or_else(own);
        let largest = model.dictionary.largest_coherence(sample.k, sample.kxx);
        Verdict::admit_if(largest < threshold || !self.strict && largest <= threshold)
    }
}
