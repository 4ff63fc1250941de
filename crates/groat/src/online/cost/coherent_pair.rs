//! The decremental step of coherence-controlled SPL, Pothin and Richard (15): one of the two most coherent
//! vectors leaves. Which of the two is left open by the paper; the older one is nearest to its results.

use super::{Deterioration, Model, Needs};
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
    /// The rule called `name`.
    pub fn new(name: &str) -> Self {
        match name {
            "newer" => CoherentPair::Newer,
            "smaller" => CoherentPair::Smaller,
            "crowded" => CoherentPair::Crowded,
            _ => CoherentPair::Older,
        }
    }
}

impl Deterioration for CoherentPair {
    fn needs(&self) -> Needs {
        Needs::NEIGHBOURS.with_weights(*self == CoherentPair::Smaller)
    }

    fn costs(&self, model: &mut Model, out: &mut [f64]) {
        let Some(neighbours) = &model.neighbours else { return };
        for (cost, rho) in out.iter_mut().zip(&neighbours.coherence) {
            *cost = 1.0 - rho;
        }
    }

    fn cheapest(&self, model: &mut Model, _: &mut [f64]) -> (usize, f64) {
        let Some(neighbours) = &model.neighbours else { return (0, f64::INFINITY) };
        let Some((older, newer)) = neighbours.pair() else { return (0, f64::INFINITY) };
        let cost = 1.0 - neighbours.coherence[older].max(neighbours.coherence[newer]);
        let alpha = &model.dictionary.alpha;
        let older_leaves = match self {
            CoherentPair::Older => true,
            CoherentPair::Newer => false,
            CoherentPair::Smaller => alpha[older].abs() <= alpha[newer].abs(),
            CoherentPair::Crowded => third(model, older, newer) >= third(model, newer, older),
        };
        (if older_leaves { older } else { newer }, cost)
    }
}

/// Largest coherence of vector `i` with any but `except`.
fn third(model: &mut Model, i: usize, except: usize) -> f64 {
    let Model { dictionary, scratch, .. } = model;
    let k = scratch.rows.of(dictionary, i);
    let others = k.iter().enumerate().filter(|(j, _)| *j != i && *j != except);
    others.map(|(j, k)| dictionary.coherence(j, *k, dictionary.diagonal(i))).fold(0.0, f64::max)
}
