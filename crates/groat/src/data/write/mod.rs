//! Writing tables as CSV and Parquet.
//!
//! A file appears under its name only when it is complete.

#[cfg(feature = "arrow")]
mod parquet;

use std::io::{self, Write};
use std::path::Path;

use super::read::Format;
use super::table::Table;
use crate::error::{Error, Result};
use crate::persist::write_atomically;

/// Writes `table` as its file name says: CSV (`.csv`, `.tsv`), or Parquet (`.parquet`).
pub fn write_table(path: impl AsRef<Path>, table: &Table) -> Result<()> {
    let path = path.as_ref();
    // Values that were not read cannot be written either.
    (0..table.cols()).try_for_each(|index| table.check_usable(index))?;
    let tab = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    match Format::from_path(path) {
        Some(Format::Csv) => {
            write_atomically(path, |out| write_csv(out, table, if tab { b'\t' } else { b',' }))
        }
        #[cfg(feature = "arrow")]
        Some(Format::Parquet) => write_atomically(path, |out| parquet::write_parquet(out, table)),
        _ => Err(Error::Source {
            source_name: path.display().to_string(),
            reason:
                "tables are written as .csv, .tsv or .parquet (feature `arrow`); use one of these endings"
                    .into(),
        }),
    }
}

/// Writes `table` as CSV with a header; numbers read back as the same numbers. The fields of a
/// [`Column::Other`](super::Column::Other), whose values are not known, stay empty.
pub fn write_csv(out: impl Write, table: &Table, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(table.names()).map_err(plain)?;
    for row in 0..table.rows() {
        for column in table.columns() {
            match column.number(row) {
                Some(number) if number.is_nan() => writer.write_field("").map_err(plain)?,
                Some(number) => writer.write_field(number.to_string()).map_err(plain)?,
                None => writer.write_field(column.label(row).as_deref().unwrap_or("")).map_err(plain)?,
            }
        }
        writer.write_record(None::<&[u8]>).map_err(plain)?;
    }
    writer.flush()
}

/// The system's own error where there is one: a broken pipe must be known as such.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}
