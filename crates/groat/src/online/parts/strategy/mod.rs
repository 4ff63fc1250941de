//! Strategies: when vectors leave the dictionary.

mod budget;
mod freeze;
mod limit;
mod truncation;
mod unlimited;
mod window;

pub(crate) use truncation::Truncation;

use super::cost::Cost;
use super::part_table;
use super::projection::Projection;
use super::update::Update;
use crate::online::presets::Values;
use crate::online::state::{Needs, Tracked};

/// When vectors leave.
pub(crate) trait Control {
    /// True when a vector may enter a dictionary of `size`.
    fn admits(&self, _size: usize) -> bool {
        true
    }
    /// True when the cheapest vector must leave before one can enter a dictionary of `size`.
    fn wants_room(&self, _size: usize) -> bool {
        false
    }
    /// True when vectors can leave.
    fn removes(&self) -> bool;
    /// What must be kept up to date for the costs that it asks for.
    fn needs(&self, cost: &Cost) -> Needs {
        cost.needs()
    }
    /// Lets vectors leave after a step; returns how many did.
    fn after(&self, _reducer: &mut Reducer<'_>) -> usize {
        0
    }
}

/// What a strategy may do with the model.
pub(crate) struct Reducer<'a> {
    /// The model.
    pub model: &'a mut Tracked,
    /// The update rule, which may follow its vectors.
    pub update: &'a mut Update,
    /// The cost.
    pub cost: Cost,
    /// The projection.
    pub projection: Projection,
    /// When each vector was last renewed, where a maximum age is set.
    pub renewed: &'a mut Vec<u64>,
    /// Whether the sample has just entered.
    pub admitted: bool,
    /// Kernel values of the sample with the vectors before it.
    pub k: &'a [f64],
    /// Scratch space.
    pub costs: &'a mut Vec<f64>,
}

impl Reducer<'_> {
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
        projection.remove(self.model, r);
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

part_table! {
    /// A strategy, chosen by name.
    #[derive(Copy)]
    "strategy": Strategy of Control {
        Unlimited(unlimited::Unlimited) = "unlimited", [], |_| Ok(unlimited::Unlimited), "no vector leaves";
        Freeze(freeze::Freeze) = "freeze", [("budget", "1000")], freeze::Freeze::new,
            "no vector enters once there are `budget`";
        Budget(budget::Budget) = "budget", [("budget", "100"), ("when", "after")], budget::Budget::new,
            "the cheapest vector leaves when there are more than `budget`";
        Limit(limit::Limit) = "limit",
            [("lambda_max", "1e-4"), ("scan", "all"), ("decrement", "every"), ("budget", "100000")],
            limit::Limit::new, "vectors whose removal costs at most lambda_max leave";
        Window(window::Window) = "window", [("tau", "100")], window::Window::new,
            "the oldest vector leaves when there are more than `tau`";
        // The ages are kept by the truncation, which goes with every strategy.
        MaximumAge(unlimited::Unlimited) = "maximum-age", [("max_age", "1000")], |_| Ok(unlimited::Unlimited),
            "vectors leave that were not renewed for `max_age` presentations";
    }
}
