//! Online learners: one sample at a time, with a dictionary that stays small.
//!
//! [`Learner`] is what every face uses: `learn_one`, `predict_one`, `snapshot`, `save`. It is built from the
//! name of a [preset](presets), a [`Kernel`](crate::Kernel), the number of features and [`Settings`].
//!
//! Most methods are *composed* of six [parts]: an update rule, a novelty criterion, a deterioration cost, a
//! projection, a strategy and a loss. Each kind is a folder with one implementation per file, and
//! `composed.rs` is the one step that joins them. A preset of this kind is a line of data in
//! `presets/table.rs`; any of its parts can be exchanged by naming another one in the settings.
//!
//! # Adding a method with a state of its own
//!
//! 1. One file in `filters/`: a struct that derives `Clone, Debug, Serialize, Deserialize` (arrays with
//!    `#[serde(with = "bits")]`, scratch buffers with `#[serde(skip)]`), a constructor from
//!    `presets::Plan` (kernel, dimension, checked values), and `impl Filter` (see `filter.rs`).
//! 2. One line in `method.rs` (the closed list that can be saved) and one in `presets/table.rs` (name,
//!    constructor, parameters with defaults, summary, source).
//! 3. A parameter of a new name gets its line in `parameters.rs`; help and messages follow from there.
//!
//! `Dictionary` (packed vectors and weights), `InverseGram` (grow, shrink, refresh) and `Packed`
//! (symmetric matrices) are there to build on. The laws that every preset must pass are applied to the
//! whole table by the tests, so a new line is tested without writing a test.

mod bits;
mod composed;
mod cost;
mod dictionary;
mod filter;
mod filters;
mod foresight;
mod inverse;
mod learner;
mod loss;
mod method;
mod model;
mod novelty;
pub mod parameters;
pub mod parts;
pub mod presets;
mod projection;
mod recent;
mod step;
mod strategy;
mod tables;
mod update;

#[cfg(test)]
mod tests;

pub use crate::settings::Settings;
pub use learner::Learner;
pub use step::{Reading, Step};
