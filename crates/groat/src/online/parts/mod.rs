//! The parts of which composed learners are made: their names, what they mean, and which parameters they take.
//!
//! Each kind is a folder. Its `mod.rs` says what all parts of the kind can do and holds the table with one row per part:
//! name, parameters with defaults, constructor and meaning. What a part computes stands in a file of that folder. The
//! choices of `--update`, `--novelty`, `--cost`, `--projection`, `--strategy` and `--loss` come from these tables.

pub(crate) mod cost;
pub(crate) mod loss;
pub(crate) mod novelty;
pub(crate) mod projection;
pub(crate) mod strategy;
mod table;
pub(crate) mod update;

pub use table::Part;
pub(crate) use table::part_table;

use crate::error::Error;

/// The six kinds, in the order in which they act.
pub const KINDS: [(&str, &[Part]); 6] = [
    ("update", update::PARTS),
    ("novelty", novelty::PARTS),
    ("cost", cost::PARTS),
    ("projection", projection::PARTS),
    ("strategy", strategy::PARTS),
    ("loss", loss::PARTS),
];

/// The error for a name that no row of a table has.
pub(crate) fn unknown(kind: &'static str, name: &str, table: &[Part]) -> Error {
    let known: Vec<_> = table.iter().map(|part| part.name).collect();
    Error::parse(kind, name, format!("known are {}", known.join(", ")))
}
