//! Model files: safetensors with a version.
//!
//! A file holds named arrays of `f64` and a map of text entries. Three entries are always there: `format`
//! (`groat`), `version`, and `kind` (which model it is). Any safetensors reader can open it. [`Container`]
//! is the one way in and out for every kind of model; it trusts nothing in the file.

mod atomic;
mod container;

pub use atomic::{remove_unfinished, write_atomically};
pub(crate) use container::{Container, Tensor, read_bytes};
