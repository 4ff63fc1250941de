//! Platt's criterion: distance to the nearest vector and size of the error. `O(m d)`.

use super::{Criterion, Sample, Tracked, Values, Verdict};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Distance and absolute error both above their thresholds (Platt 1991).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct DistanceError {
    /// Least distance.
    distance: f64,
    /// Least absolute error.
    error: f64,
}

impl DistanceError {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { distance: values.number("distance")?, error: values.number("error")? })
    }
}

impl Criterion for DistanceError {
    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict {
        let far = || sample.nearest(&model.dictionary).is_none_or(|(_, distance)| distance > self.distance);
        Verdict::admit_if(model.len() == 0 || sample.error.abs() > self.error && far())
    }
}
