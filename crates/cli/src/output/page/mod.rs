//! The page of `--report`, put together from parts that commands share.

mod answers;
mod density;
mod errors;
mod matrix;
mod selection;
mod space;
mod vectors;

pub use answers::answers;
pub use density::density;
pub use errors::errors;
pub use matrix::{spy, support_curves};
pub use selection::selection;
pub use space::space;
pub use vectors::{column_names, feature_names, raw_vectors, vectors};

use crate::dataset::{Answers, Samples};

/// One part of the data, and what a model answered.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub name: &'a str,
    pub samples: &'a Samples,
    pub answers: &'a Answers,
}

/// The line at the foot of every page.
pub fn foot() -> String {
    format!("Written by groat {}.", env!("CARGO_PKG_VERSION"))
}
