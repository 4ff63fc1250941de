//! From files to numbers: tables, what of them a model takes in, splits and generators.
//!
//! ```text
//! file ──► Table ──► Inputs (columns, categories, lags) ──► Matrix ──► learner
//! ```
//!
//! - [`Table`] holds named columns and knows the line of each row, so that an error can name both.
//! - `read_table`, `TableReader` (batches) and `RowReader` (row by row) read CSV, NDJSON, svmlight,
//!   `.npy` (feature `files`), Parquet and Arrow IPC (feature `arrow`), compressed or not.
//! - [`Inputs`] is what a model remembers of its training table: the columns, the levels of
//!   categories, the time embedding.
//! - [`Split`] divides rows into training and test parts.
//! - [`synthetic`] makes the simulated data sets of the source documents.

mod cell;
mod column;
mod dataset;
mod embed;
mod inputs;
#[cfg(feature = "files")]
mod read;
mod split;
mod standardise;
mod stream;
pub mod synthetic;
mod table;
mod target;
mod task;
#[cfg(feature = "files")]
mod write;

pub use cell::Cell;
pub use column::{Categories, Column, Sparse};
pub use dataset::{Answers, Dataset};
pub use embed::{Embedder, Embedding};
pub use inputs::{InputColumn, InputOptions, Inputs};
#[cfg(feature = "arrow")]
pub use read::quiet_decoders;
#[cfg(feature = "files")]
pub use read::{Format, ReadOptions, Record, RowReader, TableReader, read_table};
pub use split::Split;
pub use standardise::Standardisation;
pub use stream::InputStream;
pub use table::Table;
pub use target::{Classes, ColumnFacts};
pub use task::TaskChoice;
#[cfg(feature = "files")]
pub use write::{write_csv, write_table};
