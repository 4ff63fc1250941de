//! Approximate linear dependency: the residual `s = k(x,x) - k . Q k`, which is the squared distance of `k(x, .)` from the
//! span of the dictionary.

use super::{Criterion, Needs, Sample, Tracked, Values, Verdict};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// `s > nu` (Engel, Mannor, Meir 2004).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Dependency {
    /// The threshold.
    nu: f64,
}

impl Dependency {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { nu: values.number("nu")? })
    }
}

impl Criterion for Dependency {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn judge(&self, _: &Tracked, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.residual > self.nu)
    }
}
