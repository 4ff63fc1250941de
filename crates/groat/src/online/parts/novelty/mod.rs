//! Novelty criteria: may a sample enter the dictionary?

mod always;
mod coherence;
mod dependency;
mod distance_error;
mod distinct;
mod quantisation;
mod rkhs_distance;
mod surprise;

use super::part_table;
use crate::online::presets::Values;
use crate::online::state::{Needs, Sample, Tracked};

/// What is to be done with a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It enters the dictionary.
    Admit,
    /// It does not enter; the weights learn from it.
    Project,
    /// It is vector `i` of the dictionary, whose weight learns from it.
    Merge(usize),
    /// It is not to be learnt from.
    Ignore,
}

impl Verdict {
    fn admit_if(novel: bool) -> Self {
        if novel { Verdict::Admit } else { Verdict::Project }
    }
}

/// A test of novelty.
pub(crate) trait Criterion {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs {
        Needs::NONE
    }
    /// What is to be done with the sample.
    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict;
}

part_table! {
    /// A novelty criterion, chosen by name.
    "novelty": Novelty of Criterion {
        Always(always::Always) = "always", [], |_| Ok(always::Always), "every sample enters";
        Distinct(distinct::Distinct) = "distinct", [], |_| Ok(distinct::Distinct),
            "every sample enters that is no vector of the dictionary already";
        Coherence(coherence::Coherence) = "coherence", [("mu0", "0.5"), ("fill", "0"), ("strict", "false")],
            coherence::Coherence::new, "largest normalised kernel value at most mu0";
        Dependency(dependency::Dependency) = "dependency", [("nu", "1e-2")], dependency::Dependency::new,
            "squared distance to the span of the dictionary above nu";
        RkhsDistance(rkhs_distance::RkhsDistance) = "rkhs-distance", [("eps0", "1e-2")],
            rkhs_distance::RkhsDistance::new,
            "the update would change the model by more than eps0 beyond the dictionary's span";
        Quantisation(quantisation::Quantisation) = "quantisation", [("epsu", "0.1")],
            quantisation::Quantisation::new, "Euclidean distance to the nearest vector above epsu";
        DistanceError(distance_error::DistanceError) = "distance-error", [("distance", "0.1"), ("error", "0.1")],
            distance_error::DistanceError::new, "far from the dictionary and badly predicted (Platt)";
        Surprise(surprise::Surprise) = "surprise",
            [("surprise_low", "-1"), ("surprise_high", "200"), ("sn2", "0.01")], surprise::Surprise::new,
            "negative log-likelihood between two limits (Liu, Park, Principe)";
    }
}
