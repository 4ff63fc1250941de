//! Writing tables as CSV and Parquet, and samples as svmlight text.
//!
//! A file appears under its name only when it is complete.

#[cfg(feature = "arrow")]
mod parquet;
mod svmlight;

pub use svmlight::write_svmlight;

use std::io::{self, Write};
use std::path::Path;

use super::read::Format;
use super::table::Table;
use crate::error::{Error, Result};
use crate::persist::{Destination, write_atomically};

/// The form in which a table is written to a file of this name: CSV (`.csv`, `.tsv`, `.txt`) or Parquet (`.parquet`).
/// What is no file (a pipe, `/dev/stdout`) gets CSV. All other names are refused.
pub fn check_table_name(path: &Path) -> Result<()> {
    form_of(path).map(drop)
}

fn form_of(path: &Path) -> Result<Format> {
    let refuse = |reason: &str| {
        let advice =
            "tables are written as .csv, .tsv or .parquet (feature `arrow`); use one of these endings";
        Err(Error::Source { source_name: path.display().to_string(), reason: format!("{reason}{advice}") })
    };
    let is_compressed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    match Format::from_path(path) {
        _ if is_compressed => refuse("tables are not compressed on writing; "),
        Some(Format::Parquet) if !cfg!(feature = "arrow") => refuse(""),
        Some(form @ (Format::Csv | Format::Parquet)) => Ok(form),
        _ if Destination::of(path).is_ok_and(|found| found.file().is_none()) => Ok(Format::Csv),
        _ => refuse(""),
    }
}

/// Writes `table` as its file name says, see [`check_table_name`].
pub fn write_table(path: impl AsRef<Path>, table: &Table) -> Result<()> {
    let path = path.as_ref();
    // Values that were not read cannot be written either.
    (0..table.cols()).try_for_each(|index| table.check_usable(index))?;
    let tab = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    match form_of(path)? {
        #[cfg(feature = "arrow")]
        Format::Parquet => write_atomically(path, |out| parquet::write_parquet(out, table)),
        _ => write_atomically(path, |out| write_csv(out, table, if tab { b'\t' } else { b',' })),
    }
}

/// Writes `table` as CSV with a header; numbers read back as the same numbers. The fields of a
/// [`Column::Other`](super::Column::Other), whose values are not known, stay empty.
pub fn write_csv(mut out: impl Write, table: &Table, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(&mut out);
    writer.write_record(table.names()).map_err(plain)?;
    writer.flush()?;
    drop(writer);
    write_csv_rows(out, table, delimiter)
}

/// The same without the header, for tables that continue others.
pub fn write_csv_rows(out: impl Write, table: &Table, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
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
