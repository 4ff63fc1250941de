//! Strategies: when vectors leave the dictionary.

mod budget;
mod limit;
mod truncation;
mod window;

pub(crate) use truncation::Truncation;

use super::cost::Cost;
use super::model::Model;
use super::presets::Values;
use super::projection::Projection;
use super::update::Update;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// When vectors leave.
trait Control {
    /// True when a vector may enter a dictionary of `size`.
    fn admits(&self, _size: usize) -> bool {
        true
    }
    /// True when the cheapest vector must leave before one can enter a dictionary of `size`.
    fn wants_room(&self, _size: usize) -> bool {
        false
    }
    /// Lets vectors leave after a step; returns how many did.
    fn after(&self, _hand: &mut Hand<'_>) -> usize {
        0
    }
}

/// What a strategy may do with the model.
pub(crate) struct Hand<'a> {
    /// The model.
    pub model: &'a mut Model,
    /// The update rule, which may follow its vectors.
    pub update: &'a mut Update,
    /// The cost.
    pub cost: Cost,
    /// The projection.
    pub projection: Projection,
    /// When each vector was last renewed, where somebody asks.
    pub renewed: &'a mut Vec<u64>,
    /// Whether the sample has just entered.
    pub admitted: bool,
    /// Kernel values of the sample with the vectors before it.
    pub k: &'a [f64],
    /// Scratch space.
    pub costs: &'a mut Vec<f64>,
}

impl Hand<'_> {
    /// The cheapest vector and its cost.
    pub fn cheapest(&mut self) -> (usize, f64) {
        self.cost.cheapest(self.model, self.costs)
    }

    /// The cost of the vector that has just entered.
    pub fn newest(&mut self) -> f64 {
        self.cost.newest(self.model, self.k, self.costs)
    }

    /// Removes vector `r`; its weight goes where `projection` says.
    pub fn remove_by(&mut self, r: usize, projection: Projection) {
        self.model.remove(r, &projection);
        self.update.removed(r);
        if r < self.renewed.len() {
            self.renewed.remove(r);
        }
    }

    /// Removes vector `r`.
    pub fn remove(&mut self, r: usize) {
        self.remove_by(r, self.projection);
    }
}

/// A strategy, chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Strategy {
    /// Nothing leaves (a maximum age is part of the truncation).
    Unlimited,
    /// Nothing enters a full dictionary.
    Freeze(budget::Freeze),
    /// The cheapest leaves a full dictionary.
    Budget(budget::Budget),
    /// Whatever is cheap enough leaves.
    Limit(limit::Limit),
    /// The oldest leaves a full dictionary.
    Window(window::Window),
}

impl Strategy {
    /// The strategy that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        Ok(match values.text("strategy")? {
            "freeze" => Strategy::Freeze(budget::Freeze { budget: values.count("budget")? }),
            "budget" => Strategy::Budget(budget::Budget {
                budget: values.count("budget")?,
                before: values.text("when")? == "before",
            }),
            "limit" => Strategy::Limit(limit::Limit::new(values)?),
            "window" => Strategy::Window(window::Window { tau: values.count("tau")? }),
            _ => Strategy::Unlimited,
        })
    }

    fn part(&self) -> &dyn Control {
        match self {
            Strategy::Unlimited => &Unlimited,
            Strategy::Freeze(part) => part,
            Strategy::Budget(part) => part,
            Strategy::Limit(part) => part,
            Strategy::Window(part) => part,
        }
    }

    /// True when vectors can leave.
    pub fn removes(&self) -> bool {
        !matches!(self, Strategy::Unlimited | Strategy::Freeze(_))
    }

    /// True when the cost is only ever asked for the newest vector.
    pub fn tests_newest_only(&self) -> bool {
        matches!(self, Strategy::Limit(limit) if limit.newest)
    }

    /// True when the cost is never asked for.
    pub fn ignores_cost(&self) -> bool {
        matches!(self, Strategy::Unlimited | Strategy::Freeze(_) | Strategy::Window(_))
    }

    /// See [`Control::admits`].
    pub fn admits(&self, size: usize) -> bool {
        self.part().admits(size)
    }

    /// See [`Control::wants_room`].
    pub fn wants_room(&self, size: usize) -> bool {
        self.part().wants_room(size)
    }

    /// See [`Control::after`].
    pub fn after(&self, hand: &mut Hand<'_>) -> usize {
        self.part().after(hand)
    }
}

struct Unlimited;

impl Control for Unlimited {}
