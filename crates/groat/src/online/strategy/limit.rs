//! Fixed `lambda_max`: vectors leave whose removal costs no more, so that the model grows and shrinks
//! (report 836, section 2; the decremental step of SPL). The cheap form tests the newest vector alone.

use super::{Control, Hand, Values};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// When the whole dictionary is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Decrement {
    Every,
    Insertion,
    Never,
}

/// Whatever is cheap enough leaves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limit {
    lambda_max: f64,
    decrement: Decrement,
    /// Only the newest vector is tested, when it enters.
    pub newest: bool,
    /// Nothing enters beyond this, whatever the costs.
    budget: usize,
}

impl Limit {
    pub(super) fn new(values: &Values) -> Result<Self> {
        let decrement = match values.text("decrement")? {
            "insertion" => Decrement::Insertion,
            "never" => Decrement::Never,
            _ => Decrement::Every,
        };
        Ok(Self {
            lambda_max: values.number("lambda_max")?,
            decrement,
            newest: values.text("scan")? == "newest",
            budget: values.count("budget")?,
        })
    }
}

impl Control for Limit {
    fn admits(&self, size: usize) -> bool {
        size < self.budget
    }

    fn after(&self, hand: &mut Hand<'_>) -> usize {
        let due = match self.decrement {
            Decrement::Every => true,
            Decrement::Insertion => hand.admitted,
            Decrement::Never => false,
        };
        if !due {
            return 0;
        }
        let mut evicted = 0;
        if self.newest {
            let last = hand.model.len().saturating_sub(1);
            if hand.admitted && last > 0 && hand.newest() <= self.lambda_max {
                hand.remove(last);
                evicted = 1;
            }
            return evicted;
        }
        while hand.model.len() > 1 {
            let (r, cost) = hand.cheapest();
            if cost > self.lambda_max {
                break;
            }
            hand.remove(r);
            evicted += 1;
        }
        evicted
    }
}
