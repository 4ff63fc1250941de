//! Criteria on the Euclidean distance to the nearest vector. `O(m d)`.

use super::{Criterion, Model, Needs, Sample, Verdict};
use serde::{Deserialize, Serialize};

/// Every sample but exact repetitions, whose vector's weight learns instead (report 836: only then is the
/// projection never used when the dictionary is as large as the training set).
pub(super) struct Distinct;

impl Criterion for Distinct {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn judge(&self, model: &Model, sample: &Sample<'_>) -> Verdict {
        match model.dictionary.position(sample.x, sample.k, sample.kxx) {
            Some(i) => Verdict::Merge(i),
            None => Verdict::Admit,
        }
    }
}

/// Distance above `epsu` (Chen et al. 2012). The vectors do not move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantisation {
    /// The radius.
    pub epsu: f64,
}

impl Criterion for Quantisation {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn judge(&self, model: &Model, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.nearest(&model.dictionary).is_none_or(|(_, distance)| distance > self.epsu))
    }
}

/// Distance and absolute error both above their thresholds (Platt 1991).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DistanceError {
    /// Least distance.
    pub distance: f64,
    /// Least absolute error.
    pub error: f64,
}

impl Criterion for DistanceError {
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn judge(&self, model: &Model, sample: &Sample<'_>) -> Verdict {
        let far = || sample.nearest(&model.dictionary).is_none_or(|(_, distance)| distance > self.distance);
        Verdict::admit_if(model.len() == 0 || sample.error.abs() > self.error && far())
    }
}
