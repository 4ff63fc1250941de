//! The decremental step of coherence-controlled SPL, Pothin and Richard (15): one of the two most coherent
//! vectors leaves. Which of the two is left open by the paper; the older one is nearest to its results.

use super::{Deterioration, Needs, Tracked};
use crate::error::{Error, Result};
use crate::online::presets::Values;
use serde::{Deserialize, Serialize};

/// Which of the most coherent pair leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CoherentPair {
    /// The one that entered first.
    Older,
    /// The one that entered last.
    Newer,
    /// The one with the smaller weight.
    Smaller,
    /// The one that is nearer to a third vector.
    Crowded,
}

impl CoherentPair {
    pub(super) fn new(values: &Values) -> Result<Self> {
        match values.text("leaves")? {
            "older" => Ok(CoherentPair::Older),
            "newer" => Ok(CoherentPair::Newer),
            "smaller" => Ok(CoherentPair::Smaller),
            "crowded" => Ok(CoherentPair::Crowded),
            other => Err(Error::parse("leaves", other, "known are older, newer, smaller, crowded")),
        }
    }
}

impl Deterioration for CoherentPair {
    fn needs(&self) -> Needs {
        Needs::NEIGHBOURS.with_weights(*self == CoherentPair::Smaller)
    }

    fn costs(&self, model: &mut Tracked, out: &mut [f64]) {
        let Some(neighbours) = &model.neighbours else { return };
        for (cost, rho) in out.iter_mut().zip(&neighbours.coherence) {
            *cost = 1.0 - rho;
        }
    }

    fn least(&self, model: &mut Tracked, _: &mut [f64]) -> (usize, f64) {
        let Some(neighbours) = &model.neighbours else { return (0, f64::INFINITY) };
        let Some((older, newer)) = neighbours.pair() else { return (0, f64::INFINITY) };
        let cost = 1.0 - neighbours.coherence[older].max(neighbours.coherence[newer]);
        let magnitude = |i| model.dictionary.magnitude(i);
        let older_leaves = match self {
            CoherentPair::Older => true,
            CoherentPair::Newer => false,
            CoherentPair::Smaller => magnitude(older) <= magnitude(newer),
            CoherentPair::Crowded => third(model, older, newer) >= third(model, newer, older),
        };
        (if older_leaves { older } else { newer }, cost)
    }
}

/// Largest coherence of vector `i` with any but `except`.
fn third(model: &mut Tracked, i: usize, except: usize) -> f64 {
    let Tracked { dictionary, scratch, .. } = model;
    let k = scratch.rows.of(dictionary, i);
    let others = k.iter().enumerate().filter(|(j, _)| *j != i && *j != except);
    others.map(|(j, k)| dictionary.coherence(j, *k, dictionary.diagonal(i))).fold(0.0, f64::max)
}
