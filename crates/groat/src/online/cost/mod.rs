//! Deterioration costs: what it costs the model to lose a vector. The cheapest leaves.
//!
//! Ties are the rule, not the exception (the closest pair of vectors always ties in [`crowding`]): **the
//! newest of them leaves**. If the oldest did, its large weight would be spread over all and the model
//! would explode.

mod coherent_pair;
mod crowding;
mod energy;
mod kappa;
mod least_squares;
mod order;

use super::model::{Model, Needs};
use super::presets::Values;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// A measure of what a removal costs.
trait Deterioration {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs;
    /// The cost of every vector, into `out`.
    fn costs(&self, model: &mut Model, out: &mut [f64]);
    /// The cheapest vector and its cost.
    fn cheapest(&self, model: &mut Model, out: &mut [f64]) -> (usize, f64) {
        self.costs(model, out);
        least(out)
    }
    /// The cost of the vector that has just entered with kernel values `k` to the others.
    fn newest(&self, model: &mut Model, _k: &[f64], out: &mut [f64]) -> f64 {
        self.costs(model, out);
        out[out.len() - 1]
    }
    /// What [`newest`](Self::newest) needs, where that is less.
    fn needs_for_newest(&self) -> Needs {
        self.needs()
    }
}

/// A cost, chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cost {
    /// Order of insertion, or the reverse.
    Order(order::Order),
    /// `|alpha|`.
    Magnitude,
    /// Costs from the diagonal of the inverse.
    Kappa(kappa::Kappa),
    /// Costs of the least-squares refit.
    LeastSquares(least_squares::LeastSquares),
    /// Costs from the nearest neighbour.
    Crowding(crowding::Crowding),
    /// Costs from the sums of squares.
    Energy(energy::Energy),
    /// One of the most coherent pair.
    CoherentPair(coherent_pair::CoherentPair),
}

impl Cost {
    /// The cost that the settings name.
    pub fn new(values: &Values) -> Result<Self> {
        use kappa::Kappa;
        Ok(match values.text("cost")? {
            "oldest" => Cost::Order(order::Order::Oldest),
            "newest" => Cost::Order(order::Order::Newest),
            "kappa" => Cost::Kappa(Kappa::Plain),
            "kappa-alpha" => Cost::Kappa(Kappa::SquaredChange),
            "alpha-kappa" => Cost::Kappa(Kappa::OutputChange),
            "least-squares" => Cost::LeastSquares(least_squares::LeastSquares { penalty: 0.0 }),
            "regularised-least-squares" => {
                Cost::LeastSquares(least_squares::LeastSquares { penalty: values.number("penalty")? })
            }
            "crowding" => Cost::Crowding(crowding::Crowding { weighted: false }),
            "crowding-alpha" => Cost::Crowding(crowding::Crowding { weighted: true }),
            "energy" => Cost::Energy(energy::Energy { weighted: false }),
            "energy-alpha" => Cost::Energy(energy::Energy { weighted: true }),
            "coherent-pair" => Cost::CoherentPair(coherent_pair::CoherentPair::new(values.text("leaves")?)),
            _ => Cost::Magnitude,
        })
    }

    fn part(&self) -> &dyn Deterioration {
        match self {
            Cost::Order(part) => part,
            Cost::Magnitude => &order::Magnitude,
            Cost::Kappa(part) => part,
            Cost::LeastSquares(part) => part,
            Cost::Crowding(part) => part,
            Cost::Energy(part) => part,
            Cost::CoherentPair(part) => part,
        }
    }

    /// What it needs kept up to date.
    pub fn needs(&self) -> Needs {
        self.part().needs()
    }

    /// What it needs when only the newest vector is ever tested.
    pub fn needs_for_newest(&self) -> Needs {
        self.part().needs_for_newest()
    }

    /// The cheapest vector and its cost. The model must not be empty; `scratch` is grown as needed.
    pub fn cheapest(&self, model: &mut Model, scratch: &mut Vec<f64>) -> (usize, f64) {
        scratch.resize(model.len(), 0.0);
        self.part().cheapest(model, scratch)
    }

    /// The cost of the vector that has just entered. The model must not be empty.
    pub fn newest(&self, model: &mut Model, k: &[f64], scratch: &mut Vec<f64>) -> f64 {
        scratch.resize(model.len(), 0.0);
        self.part().newest(model, k, scratch)
    }
}

/// The least value, the last of several.
fn least(costs: &[f64]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (i, cost) in costs.iter().enumerate() {
        if *cost <= best.1 {
            best = (i, *cost);
        }
    }
    best
}
