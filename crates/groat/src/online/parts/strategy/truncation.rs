//! Truncation, report 836 section 2, beside any other strategy: vectors of small weight or great age leave
//! and their weight is dropped.

use super::{Projection, Reducer, Values};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Truncation by magnitude (MT) and by age (AT).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Truncation {
    /// Least weight; 0 = none leaves for its weight.
    magnitude: f64,
    /// Presentations without renewal after which a vector leaves; 0 = never.
    age: u64,
}

impl Truncation {
    /// From the settings.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(Self { magnitude: values.number("truncate")?, age: values.count("max_age")? as u64 })
    }

    /// True when it ever removes anything.
    pub fn acts(&self) -> bool {
        self.magnitude > 0.0 || self.age > 0
    }

    /// True when ages must be kept.
    pub fn wants_ages(&self) -> bool {
        self.age > 0
    }

    /// Lets vectors leave; the last one stays. `now` counts presentations.
    pub fn after(&self, reducer: &mut Reducer<'_>, now: u64) -> usize {
        let mut evicted = 0;
        let mut i = 0;
        while i < reducer.model.len() && reducer.model.len() > 1 {
            let small = reducer.model.dictionary.magnitude(i) < self.magnitude;
            let old = self.age > 0 && now - reducer.renewed[i] > self.age;
            if small || old {
                reducer.remove_by(i, Projection::DROP);
                evicted += 1;
            } else {
                i += 1;
            }
        }
        evicted
    }
}
