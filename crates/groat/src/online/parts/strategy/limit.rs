//! Fixed `lambda_max`: vectors leave whose removal costs no more, so that the model grows and shrinks
//! (report 836, section 2; the decremental step of SPL). The cheap form tests the newest vector alone.

use super::{Control, Cost, Needs, Reducer, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// When the whole dictionary is tested.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Decrement {
    Every,
    Insertion,
    Never,
}

/// Whatever is cheap enough leaves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Limit {
    lambda_max: f64,
    decrement: Decrement,
    /// Only the newest vector is tested, when it enters.
    newest: bool,
    /// Nothing enters beyond this, whatever the costs.
    budget: usize,
}

impl Limit {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let decrement = match values.text("decrement")? {
            "every" => Decrement::Every,
            "insertion" => Decrement::Insertion,
            "never" => Decrement::Never,
            other => return Err(Error::parse("decrement", other, "known are every, insertion, never")),
        };
        let newest = match values.text("scan")? {
            "all" => false,
            "newest" => true,
            other => return Err(Error::parse("scan", other, "known are all, newest")),
        };
        Ok(Self {
            lambda_max: values.number("lambda_max")?,
            decrement,
            newest,
            budget: values.count("budget")?,
        })
    }
}

impl Control for Limit {
    fn admits(&self, size: usize) -> bool {
        size < self.budget
    }

    fn removes(&self) -> bool {
        true
    }

    fn needs(&self, cost: &Cost) -> Needs {
        if self.newest { cost.needs_for_newest() } else { cost.needs() }
    }

    fn after(&self, reducer: &mut Reducer<'_>) -> usize {
        let due = match self.decrement {
            Decrement::Every => true,
            Decrement::Insertion => reducer.admitted,
            Decrement::Never => false,
        };
        if !due {
            return 0;
        }
        let mut evicted = 0;
        if self.newest {
            let last = reducer.model.len().saturating_sub(1);
            if reducer.admitted && last > 0 && reducer.newest() <= self.lambda_max {
                reducer.remove(last);
                evicted = 1;
            }
            return evicted;
        }
        while reducer.model.len() > 1 {
            let (r, cost) = reducer.cheapest();
            if cost > self.lambda_max {
                break;
            }
            reducer.remove(r);
            evicted += 1;
        }
        evicted
    }
}
