//! Model files: safetensors with a version.
//!
//! A file holds named arrays of `f64` and a map of text entries. Three entries are always there: `format`
//! (`groat`), `version`, and `kind` (which model it is); a fourth, `checksum`, stands in all files since release 0.2. Any safetensors reader can open it. [`Container`]
//! is the one way in and out for every kind of model; it trusts nothing in the file.

mod atomic;
pub(crate) mod checksum;
mod claim;
mod container;
mod destination;

pub use atomic::write_atomically;
pub use claim::{Claim, remove_unfinished};
pub(crate) use container::{Container, Tensor, read_bytes};
pub use destination::Destination;
