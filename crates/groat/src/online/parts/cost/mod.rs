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
mod magnitude;
mod order;

use super::part_table;
use crate::online::state::{Needs, Tracked};

/// A measure of what a removal costs. The models are not empty, and `out` has a place for every vector.
pub(crate) trait Deterioration {
    /// What it needs kept up to date.
    fn needs(&self) -> Needs;
    /// The cost of every vector, into `out`.
    fn costs(&self, model: &mut Tracked, out: &mut [f64]);
    /// The vector that is cheapest to lose, and its cost.
    fn least(&self, model: &mut Tracked, out: &mut [f64]) -> (usize, f64) {
        self.costs(model, out);
        least(out)
    }
    /// The cost of the vector that has just entered with kernel values `k` to the others.
    fn of_newest(&self, model: &mut Tracked, _k: &[f64], out: &mut [f64]) -> f64 {
        self.costs(model, out);
        out[out.len() - 1]
    }
    /// What [`of_newest`](Self::of_newest) needs, where that is less.
    fn needs_for_newest(&self) -> Needs {
        self.needs()
    }
}

part_table! {
    /// A cost, chosen by name.
    #[derive(Copy)]
    "cost": Cost of Deterioration {
        Oldest(order::Order) = "oldest", [], |_| Ok(order::Order::Oldest), "the vector that entered first";
        Magnitude(magnitude::Magnitude) = "magnitude", [], |_| Ok(magnitude::Magnitude), "|alpha_i|";
        Kappa(kappa::Kappa) = "kappa", [], |_| Ok(kappa::Kappa::Plain),
            "kappa_i = 1 / [K^-1]_ii, squared distance to the span of the others (KLMS)";
        KappaAlpha(kappa::Kappa) = "kappa-alpha", [], |_| Ok(kappa::Kappa::SquaredChange),
            "kappa_i alpha_i^2, squared change of the model (MKLMS, SPL)";
        AlphaKappa(kappa::Kappa) = "alpha-kappa", [], |_| Ok(kappa::Kappa::OutputChange),
            "|alpha_i| kappa_i, change of the output at the vector (fixed-budget KRLS)";
        LeastSquares(least_squares::LeastSquares) = "least-squares", [],
            |_| Ok(least_squares::LeastSquares::plain()),
            "mean squared change at the vectors after the best refit (LS)";
        RegularisedLeastSquares(least_squares::LeastSquares) = "regularised-least-squares", [("penalty", "1e-6")],
            least_squares::LeastSquares::regularised,
            "the same plus the mean square of the new weights (LS with C)";
        Crowding(crowding::Crowding) = "crowding", [], |_| Ok(crowding::Crowding { weighted: false }),
            "1 - max_j k_ij (FKLMS)";
        CrowdingAlpha(crowding::Crowding) = "crowding-alpha", [], |_| Ok(crowding::Crowding { weighted: true }),
            "alpha_i^2 (1 - max_j k_ij) (FMKLMS)";
        Energy(energy::Energy) = "energy", [], |_| Ok(energy::Energy { weighted: false }),
            "k_ii - sum_j k_ij^2 (first untested variant of report 836)";
        EnergyAlpha(energy::Energy) = "energy-alpha", [], |_| Ok(energy::Energy { weighted: true }),
            "alpha_i^2 max(0, k_ii - sum_j k_ij^2) (second variant)";
        CoherentPair(coherent_pair::CoherentPair) = "coherent-pair", [("leaves", "older")],
            coherent_pair::CoherentPair::new, "one of the two most coherent vectors";
        Newest(order::Order) = "newest", [], |_| Ok(order::Order::Newest), "the vector that entered last";
    }
}

impl Cost {
    /// The cheapest vector and its cost. The model must not be empty; `scratch` is grown as needed.
    pub fn cheapest(&self, model: &mut Tracked, scratch: &mut Vec<f64>) -> (usize, f64) {
        scratch.resize(model.len(), 0.0);
        self.least(model, scratch)
    }

    /// The cost of the vector that has just entered. The model must not be empty.
    pub fn newest(&self, model: &mut Tracked, k: &[f64], scratch: &mut Vec<f64>) -> f64 {
        scratch.resize(model.len(), 0.0);
        self.of_newest(model, k, scratch)
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
