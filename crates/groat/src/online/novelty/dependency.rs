//! Criteria on the residual `s = k(x,x) - k . Q k`, the squared distance of `k(x, .)` from the span of the
//! dictionary: approximate linear dependency, and SPL's RKHS distance of the updated model.

use super::{Criterion, Model, Needs, Sample, Verdict};
use serde::{Deserialize, Serialize};

/// `s > nu` (Engel, Mannor, Meir 2004).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dependency {
    /// The threshold.
    pub nu: f64,
}

impl Criterion for Dependency {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn judge(&self, _: &Model, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.residual > self.nu)
    }
}

/// `|w| sqrt(s) > eps0` with the weight `w` that the sample would get: Pothin and Richard (7), the norm and
/// not its square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RkhsDistance {
    /// The threshold.
    pub eps0: f64,
}

impl Criterion for RkhsDistance {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn judge(&self, _: &Model, sample: &Sample<'_>) -> Verdict {
        Verdict::admit_if(sample.weight.abs() * sample.residual.max(0.0).sqrt() > self.eps0)
    }
}
