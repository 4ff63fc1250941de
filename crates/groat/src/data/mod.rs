//! From files to numbers: tables, what of them a model takes in, data sets, batches, splits and generators.
//!
//! ```text
//! file ──► Table ──► Inputs (columns, categories, lags) ──► Dataset ──► learner
//!   └────► Survey ─────────────────────────────────────────► FileBatches ──► learner
//! ```
//!
//! - [`Table`] holds named columns and knows the line of each row, so that an error can name both.
//! - `read_table`, `TableReader` (batches) and `RowReader` (row by row) read CSV, NDJSON, svmlight,
//!   `.npy` (feature `files`), Parquet and Arrow IPC (feature `arrow`), compressed or not.
//! - [`Inputs`] is what a model remembers of its training table: the columns, the levels of
//!   categories, the time embedding.
//! - [`Dataset`] owns rows, dense or sparse, with their answers and weights.
//! - [`Batches`] are data that are read again and again instead of being held; `Survey` looks a file over first.
//! - [`Moments`] and [`Standardisation`] measure and scale features, [`Reservoir`] draws a sample of them.
//! - [`Split`] divides rows into training and test parts, and into folds.
//! - [`synthetic`] makes the simulated data sets of the source documents.

pub(crate) mod batches;
mod cell;
mod column;
mod dataset;
mod embed;
#[cfg(feature = "files")]
mod file_batches;
mod inputs;
mod moments;
#[cfg(feature = "files")]
mod read;
mod reservoir;
mod split;
mod standardise;
mod stream;
#[cfg(feature = "files")]
mod survey;
mod svmlight;
pub mod synthetic;
mod table;
mod target;
mod task;
#[cfg(feature = "files")]
mod write;

pub use batches::{Batches, RemoteSums, Visit};
pub use cell::Cell;
pub use column::{Categories, Column, Sparse};
pub use dataset::{Answers, Dataset};
pub use embed::{Embedder, Embedding};
#[cfg(feature = "files")]
pub use file_batches::FileBatches;
pub use inputs::{InputColumn, InputOptions, Inputs, Missing, Replacement, Substitute};
pub use moments::Moments;
#[cfg(feature = "arrow")]
pub use read::quiet_decoders;
#[cfg(feature = "files")]
pub use read::{Format, ReadOptions, RowReader, TableReader, read_table};
pub use reservoir::Reservoir;
pub use split::Split;
pub(crate) use split::shuffled;
pub use standardise::Standardisation;
pub use stream::{InputStream, Record};
#[cfg(feature = "files")]
pub use survey::{ReadProgress, Survey, SurveyOptions, find_inputs};
pub(crate) use svmlight::{entries_of, svmlight_indices, svmlight_labels};
pub use table::Table;
pub use target::{Classes, ColumnFacts};
pub use task::TaskChoice;
#[cfg(feature = "files")]
pub use write::{check_table_name, write_csv, write_csv_rows, write_svmlight, write_table};
