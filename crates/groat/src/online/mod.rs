//! Online learners: one sample at a time, with a dictionary that stays small.
//!
//! One word for one thing:
//!
//! - a **part** is one of the building blocks of a composed learner: an update rule, a novelty criterion, a
//!   deterioration cost, a projection, a strategy or a loss ([`parts`], one folder per kind, one row per part);
//! - a **method** is code with a state of its own: the composed step, which joins six parts, or one file of `methods/`;
//! - a **preset** is a row of [`presets`]: a named algorithm of the literature, as a mix of parts or as a method, with the
//!   paper's settings. Its name is what a person writes as the *algorithm*;
//! - a **learner** is the running object: [`Learner`], built from the name of a preset, a [`Kernel`](crate::Kernel),
//!   the number of features and [`Settings`];
//! - a **session** is a learner with what its samples are made of and how far it has come: [`Session`], the durable unit
//!   that is saved and resumed.
//!
//! `state/` holds what methods are made of (dictionary, inverse Gram matrix, tables), `composed.rs` the one step that joins
//! the parts.
//!
//! # Adding a part
//!
//! One file in the folder of its kind, and one row in the table of that folder's `mod.rs`: variant, name, parameters with
//! defaults, constructor, meaning. Every preset that is a mix then takes it by name.
//!
//! # Adding a preset
//!
//! One row in `presets/table.rs`: a mix of parts, or the constructor of a method.
//!
//! # Adding a method
//!
//! 1. One file in `methods/`: a struct that derives `Clone, Debug, Serialize, Deserialize` (arrays with
//!    `#[serde(with = "bits")]`, scratch buffers with `#[serde(skip)]`), a constructor from
//!    `presets::Plan` (kernel, dimension, checked values), and `impl Method`.
//! 2. One row in `methods/any.rs` (the closed list that can be saved) and one in `presets/table.rs`.
//! 3. A parameter of a new name gets its row in `presets/parameters.rs`; help and messages follow from there.
//!
//! The laws that every preset must pass are applied to the whole table by the tests, so a new row is tested without
//! writing a test.

mod composed;
mod learner;
pub(crate) mod methods;
pub mod parts;
pub mod presets;
mod session;
pub(crate) mod state;
mod step;

#[cfg(test)]
mod tests;

pub use crate::settings::Settings;
pub use learner::Learner;
pub use session::{
    AdaptiveWindow, Advice, Answer, BASELINES, Concern, Forecast, Labelled, Labels, OnDrift, Prediction,
    Resumed, Session, Sessions, Totals,
};
pub use step::{Reading, Step};
