//! Settings by name: what `--set key=value`, Python keyword arguments, model files and state files all hold, and the
//! rows of the tables that say which names there are, what they mean and which values they take.
//!
//! Batch methods and online learners have a table each; command-line help, Python messages, error texts and
//! documentation are made from them, so that a parameter means the same in every face.

mod bytes;
mod given;
mod parameter;
mod values;

pub use bytes::Bytes;
pub use given::Settings;
pub use parameter::{Parameter, Range};
pub(crate) use parameter::{list, row};
pub use values::{Setting, Values};
