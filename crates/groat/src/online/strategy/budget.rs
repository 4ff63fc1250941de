//! A largest dictionary: either nothing enters a full one, or the cheapest vector leaves it.

use super::{Control, Hand};
use serde::{Deserialize, Serialize};

/// Nothing enters once there are `budget` vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Freeze {
    /// Largest dictionary.
    pub budget: usize,
}

impl Control for Freeze {
    fn admits(&self, size: usize) -> bool {
        size < self.budget
    }
}

/// Fixed `N_max`: the cheapest vector leaves, before the presentation (report 836, section 3) or after it.
/// The order matters: after it acts like one vector more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Budget {
    /// Largest dictionary.
    pub budget: usize,
    /// Whether a full dictionary is reduced before the presentation.
    pub before: bool,
}

impl Control for Budget {
    fn wants_room(&self, size: usize) -> bool {
        self.before && size >= self.budget
    }

    fn after(&self, hand: &mut Hand<'_>) -> usize {
        let mut evicted = 0;
        while hand.model.len() > self.budget {
            let (r, _) = hand.cheapest();
            hand.remove(r);
            evicted += 1;
        }
        evicted
    }
}
