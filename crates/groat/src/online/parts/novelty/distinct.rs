//! Exact repetitions are no news. `O(m)`.

use super::{Criterion, Needs, Sample, Tracked, Verdict};
use serde::{Deserialize, Serialize};

/// Every sample but exact repetitions, whose vector's weight learns instead (report 836: only then is the
/// projection never used when the dictionary is as large as the training set).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Distinct;

impl Criterion for Distinct {
    fn needs(&self) -> Needs {
        Needs::WEIGHTS
    }

    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict {
        match model.dictionary.position(sample.x, sample.k, sample.kxx) {
            Some(i) => Verdict::Merge(i),
            None => Verdict::Admit,
        }
    }
}
