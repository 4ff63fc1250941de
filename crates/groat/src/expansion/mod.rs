//! The kernel expansion `f(x) = b + sum_i alpha_i k(v_i, x)`: kernel, vectors, weights, constants.
//!
//! This is the function alone. What surrounds it in a fitted model (the task, names, standardisation, how it came to
//! be) is the envelope, [`Model`](crate::Model).

mod evaluate;
mod local;
mod merge;
mod parts;

pub use parts::Expansion;
