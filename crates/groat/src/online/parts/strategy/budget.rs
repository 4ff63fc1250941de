//! A largest dictionary that the cheapest vector leaves.

use super::{Control, Reducer, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Fixed `N_max`: the cheapest vector leaves, before the presentation (report 836, section 3) or after it.
/// The order matters: after it acts like one vector more.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Budget {
    /// Largest dictionary.
    budget: usize,
    /// Whether a full dictionary is reduced before the presentation.
    before: bool,
}

impl Budget {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let before = match values.text("when")? {
            "before" => true,
            "after" => false,
            other => return Err(Error::parse("when", other, "known are before, after")),
        };
        Ok(Self { budget: values.count("budget")?, before })
    }
}

impl Control for Budget {
    fn wants_room(&self, size: usize) -> bool {
        self.before && size >= self.budget
    }

    fn removes(&self) -> bool {
        true
    }

    fn after(&self, reducer: &mut Reducer<'_>) -> usize {
        let mut evicted = 0;
        while reducer.model.len() > self.budget {
            let (r, _) = reducer.cheapest();
            reducer.remove(r);
            evicted += 1;
        }
        evicted
    }
}
