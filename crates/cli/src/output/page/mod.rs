//! The page of `--report`, put together from parts that commands share.

mod answers;
mod coefficients;
mod density;
mod errors;
mod importance;
mod matrix;
mod selection;
mod space;
mod vectors;

pub use answers::answers;
pub use coefficients::{is_linear, section as coefficients};
pub use density::density;
pub use errors::errors;
pub use importance::{REPEATS, importance, measured};
pub use matrix::{spy, support_curves};
pub use selection::selection;
pub use space::space;
pub use vectors::{column_names, feature_names, raw_vectors, vectors};

use crate::evaluation::Evaluation;
use groat::data::{Answers, Dataset};

/// Most targets that get charts of their own; tables have them all.
const CHARTED: usize = 6;

/// One part of the data, and what a model answered.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub name: &'a str,
    pub samples: &'a Dataset,
    pub answers: &'a Evaluation,
}

/// The targets of a regression; none otherwise.
fn targets<'a>(parts: &[Part<'a>]) -> &'a [String] {
    match parts.first().map(|part| part.samples.answers()) {
        Some(Answers::Values { names, .. }) => names,
        _ => &[],
    }
}

/// The title of a chart that there is one of for each of `targets`.
fn titled(title: &str, target: &str, targets: &[String]) -> String {
    if targets.len() == 1 { title.to_owned() } else { format!("{title}, {target}") }
}

/// The name of the file that data came from, for a title.
pub fn file_name(source: &str) -> String {
    let path = std::path::Path::new(source);
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The line at the foot of every page.
pub fn foot() -> String {
    format!("Written by groat {}.", env!("CARGO_PKG_VERSION"))
}
