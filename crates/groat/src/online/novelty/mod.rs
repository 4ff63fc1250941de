//! Novelty criteria: may a sample enter the dictionary?

mod coherence;
mod dependency;
mod distance;
mod surprise;

use super::model::{Model, Needs, Sample};
use super::presets::Values;
use crate::error::Result;
use serde::{Deserialize, Serialize};

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
trait Criterion {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs;
    /// What is to be done with the sample.
    fn judge(&self, model: &Model, sample: &Sample<'_>) -> Verdict;
}

/// A novelty criterion, chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Novelty {
    /// Every sample enters.
    Always,
    /// Every sample enters that is not a vector already.
    Distinct,
    /// Coherence below a threshold.
    Coherence(coherence::Coherence),
    /// Approximate linear dependency.
    Dependency(dependency::Dependency),
    /// RKHS distance of the update.
    RkhsDistance(dependency::RkhsDistance),
    /// Quantisation.
    Quantisation(distance::Quantisation),
    /// Platt's criterion.
    DistanceError(distance::DistanceError),
    /// Surprise.
    Surprise(surprise::Surprise),
}

impl Novelty {
    /// The criterion that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(match values.text("novelty")? {
            "distinct" => Novelty::Distinct,
            "coherence" => Novelty::Coherence(coherence::Coherence::new(values)?),
            "dependency" => Novelty::Dependency(dependency::Dependency { nu: values.number("nu")? }),
            "rkhs-distance" => {
                Novelty::RkhsDistance(dependency::RkhsDistance { eps0: values.number("eps0")? })
            }
            "quantisation" => Novelty::Quantisation(distance::Quantisation { epsu: values.number("epsu")? }),
            "distance-error" => Novelty::DistanceError(distance::DistanceError {
                distance: values.number("distance")?,
                error: values.number("error")?,
            }),
            "surprise" => Novelty::Surprise(surprise::Surprise::new(values)?),
            _ => Novelty::Always,
        })
    }

    fn part(&self) -> &dyn Criterion {
        match self {
            Novelty::Always => &Always,
            Novelty::Distinct => &distance::Distinct,
            Novelty::Coherence(part) => part,
            Novelty::Dependency(part) => part,
            Novelty::RkhsDistance(part) => part,
            Novelty::Quantisation(part) => part,
            Novelty::DistanceError(part) => part,
            Novelty::Surprise(part) => part,
        }
    }

    /// What it needs kept up to date.
    pub fn needs(&self) -> Needs {
        self.part().needs()
    }

    /// What is to be done with the sample.
    pub fn judge(&self, model: &Model, sample: &Sample<'_>) -> Verdict {
        self.part().judge(model, sample)
    }
}

struct Always;

impl Criterion for Always {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn judge(&self, _: &Model, _: &Sample<'_>) -> Verdict {
        Verdict::Admit
    }
}
