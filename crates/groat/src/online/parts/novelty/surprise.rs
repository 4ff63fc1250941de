//! Surprise: the negative log-likelihood of the sample under the model, `ln(v) / 2 + e^2 / (2 v)` with the
//! predictive variance `v = s + sn2` (Liu, Park, Principe 2009).

use super::{Criterion, Needs, Sample, Tracked, Values, Verdict};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Redundant below the lower limit, an outlier above the upper one, learnable between.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Surprise {
    low: f64,
    high: f64,
    sn2: f64,
}

impl Surprise {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let (low, high) = (values.number("surprise_low")?, values.number("surprise_high")?);
        if low >= high {
            return Err(Error::parameter("surprise_high", high, "a number above surprise_low"));
        }
        Ok(Self { low, high, sn2: values.number("sn2")? })
    }
}

impl Criterion for Surprise {
    fn needs(&self) -> Needs {
        Needs::SPAN
    }

    fn judge(&self, model: &Tracked, sample: &Sample<'_>) -> Verdict {
        let variance = sample.residual.max(0.0) + self.sn2;
        let surprise = 0.5 * variance.ln() + 0.5 * sample.error * sample.error / variance;
        if model.len() == 0 {
            Verdict::Admit
        } else if surprise > self.high {
            Verdict::Ignore
        } else {
            Verdict::admit_if(surprise >= self.low)
        }
    }
}
