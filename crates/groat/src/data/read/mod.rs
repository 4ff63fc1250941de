//! Reading tables: in batches, whole, or row by row as lines arrive.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod claims;
mod csv;
mod foreign;
mod lines;
mod ndjson;
mod npy;
mod records;
mod rows;
mod source;
mod svmlight;
mod tables;
#[cfg(feature = "arrow")]
mod thrift;

use std::io::Read;
use std::path::Path;

#[cfg(feature = "arrow")]
pub use arrow::quiet_decoders;
pub use rows::RowReader;
pub use source::Format;
use source::Source;
pub use tables::{TableReader, read_table};

use super::cell::Cell;
use crate::error::{Error, Result};

/// How to read; the default finds everything out by itself.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; by default from the file name, else from the first bytes.
    pub format: Option<Format>,
    /// CSV: the delimiter; by default found among `,` `;` tab, `|` and runs of blanks, for which a space stands.
    pub delimiter: Option<u8>,
    /// CSV: whether the first row holds names; by default it does if no field in it is a number.
    pub header: Option<bool>,
    /// Columns to be read as text even if they look like numbers.
    pub text: Vec<String>,
    /// Rows per batch.
    pub batch: usize,
    /// Most bytes of a line of text; a longer one is taken for something else than text, and ends the reading.
    pub max_line: usize,
    /// Most bytes of a field of CSV, be it over several lines; a longer one is taken for one whose quote has no end.
    pub max_field: usize,
}

/// Longest line and longest field by default.
const MAX_LINE: usize = 16 << 20;
const MAX_FIELD: usize = 1 << 20;

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            header: None,
            text: Vec::new(),
            batch: 8192,
            max_line: MAX_LINE,
            max_field: MAX_FIELD,
        }
    }
}

impl ReadOptions {
    fn check(&self) -> Result<()> {
        if self.batch == 0 {
            return Err(Error::parameter("batch", 0, "at least 1"));
        }
        for (name, longest) in [("max_line", self.max_line), ("max_field", self.max_field)] {
            if longest == 0 {
                return Err(Error::parameter(name, 0, "at least 1 byte"));
            }
        }
        match self.delimiter {
            Some(byte) if !byte.is_ascii() || matches!(byte, b'"' | b'\n' | b'\r') => Err(Error::parameter(
                "delimiter",
                format!("{byte:#x}"),
                "an ASCII character, not a quote or a line end",
            )),
            _ => Ok(()),
        }
    }

    fn format_of(&self, source: &Source, path: Option<&Path>) -> Format {
        self.format
            .or_else(|| path.and_then(Format::from_path))
            .unwrap_or_else(|| Format::sniff(&source.head))
    }
}

/// Rows of a text format, each handed out as soon as its line is there.
trait RowSource: Send {
    fn source(&self) -> &str;
    fn names(&self) -> &[String];
    fn is_named(&self) -> bool;
    /// Fills `cells` with the next row and returns its line; nothing at the end. After
    /// [`Error::Data`] the next call goes on with the row after the bad one.
    fn next_row(&mut self, cells: &mut Vec<Cell>) -> Result<Option<u64>>;
}

/// Opens `path`, or standard input when it is `-`, and finds its format.
fn open_path(path: &Path, options: &ReadOptions) -> Result<(Source, Format)> {
    if path == Path::new("-") {
        return open_reader("standard input", std::io::stdin(), options);
    }
    options.check()?;
    let source = Source::open(path)?;
    let format = options.format_of(&source, Some(path));
    Ok((source, format))
}

/// Takes a stream of bytes and finds its format.
fn open_reader(
    name: &str,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
) -> Result<(Source, Format)> {
    options.check()?;
    let source = Source::from_reader(name, Box::new(reader))?;
    let format = options.format_of(&source, None);
    Ok((source, format))
}

/// The rows of a text format.
fn text_rows(source: Source, format: Format, options: &ReadOptions) -> Result<Box<dyn RowSource>> {
    match format {
        Format::Csv => Ok(Box::new(csv::CsvRows::open(source, options)?)),
        Format::Ndjson => Ok(Box::new(ndjson::NdjsonRows::open(source, options)?)),
        _ => Err(source.error("only CSV and NDJSON can be read row by row; read this format in batches")),
    }
}
