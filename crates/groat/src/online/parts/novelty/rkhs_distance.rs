//! SPL's test: the RKHS distance between the updated model and its projection on the span of the dictionary.

use super::{Criterion, Needs, Sample, Tracked, Values, Verdict};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// `|w| sqrt(s) > eps0` with the weight `w` that the sample would get: Pothin and Richard (7), the norm and
/// not its square.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RkhsDistance {
    /// The threshold.
    eps0: f64,
}

impl RkhsDistance {
    pub(super) fn new(values: &Values) -> Result<Self> {
        Ok(Self { eps0: values.number("eps0")? })
    }
}

impl Criterion for RkhsDistance {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn judge(&self, _: &Tracked, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.weight.abs() * sample.residual.max(0.0).sqrt() > self.eps0)
    }
}
