//! Quantisation: the Euclidean distance to the nearest vector. `O(m d)`.

use super::{Criterion, Sample, Tracked, Values, Verdict};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Distance above `epsu` (Chen et al. 2012). The vectors do not move.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Quantisation {
    /// The radius.
    epsu: f64,
}

impl Quantisation {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { epsu: values.number("epsu")? })
    }
}

impl Criterion for Quantisation {
    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.nearest(&model.dictionary).is_none_or(|(_, distance)| distance > self.epsu))
    }
}
