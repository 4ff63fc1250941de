//! The one fitted model: `f(x) = b + sum_i alpha_i k(v_i, x)`.
//!
//! Every learner returns an [`Expansion`] and every tool takes one. It owns its data and knows what is
//! needed to feed it raw numbers: the standardisation of the features, their names, the classes.

mod file;
mod local;
mod merge;
mod model;
mod predict;
mod task;

pub use model::Expansion;
pub use predict::winner;
pub use task::{Record, Task};
