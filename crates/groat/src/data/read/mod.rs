//! Reading tables: in batches, whole, or row by row as lines arrive.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod claims;
mod csv;
mod ndjson;
mod npy;
mod records;
mod source;
mod svmlight;

use std::io::Read;
use std::path::Path;

pub use source::Format;
use source::Source;

use super::cell::Cell;
use super::column::{Categories, Column};
use super::table::Table;
use crate::error::{Error, Result};

/// How to read; the default finds everything out by itself.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; by default from the file name, else from the first bytes.
    pub format: Option<Format>,
    /// CSV: the delimiter; by default found among `,` `;` tab and `|`.
    pub delimiter: Option<u8>,
    /// CSV: whether the first row holds names; by default it does if no field in it is a number.
    pub header: Option<bool>,
    /// Columns to be read as text even if they look like numbers.
    pub text: Vec<String>,
    /// Rows per batch.
    pub batch: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, delimiter: None, header: None, text: Vec::new(), batch: 8192 }
    }
}

impl ReadOptions {
    fn check(&self) -> Result<()> {
        if self.batch == 0 {
            return Err(Error::parameter("batch", 0, "at least 1"));
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

/// Reads a whole file, or standard input when `path` is `-`.
pub fn read_table(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Table> {
    TableReader::open(path, options)?.read_all()
}

/// A table in batches of at most [`ReadOptions::batch`] rows.
///
/// The kind of each column (numbers or text) is settled by the first batch: a text in a column that
/// held only numbers there is an error that names the line. Memory is that of one batch, except for
/// Fortran-ordered `.npy` files, which are read whole.
pub struct TableReader {
    source: String,
    batches: Batches,
    failed: bool,
    any: bool,
}

enum Batches {
    Rows(RowBatches),
    Svmlight(svmlight::SvmlightReader),
    Npy(npy::NpyReader),
    #[cfg(feature = "arrow")]
    Arrow(arrow::ArrowReader),
}

impl TableReader {
    /// Opens a file, or standard input when `path` is `-`.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self> {
        let (source, format) = open_path(path.as_ref(), options)?;
        Self::new(source, format, options)
    }

    /// Reads from any stream of bytes; `name` stands for it in messages.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (source, format) = open_reader(name, reader, options)?;
        Self::new(source, format, options)
    }

    fn new(source: Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let name = source.name.clone();
        let batches = match format {
            Format::Csv => {
                Batches::Rows(RowBatches::new(Box::new(csv::CsvRows::open(source, options)?), options)?)
            }
            Format::Ndjson => {
                Batches::Rows(RowBatches::new(Box::new(ndjson::NdjsonRows::open(source)?), options)?)
            }
            Format::Svmlight => Batches::Svmlight(svmlight::SvmlightReader::open(source, options.batch)),
            Format::Npy => Batches::Npy(npy::NpyReader::open(source, options.batch)?),
            #[cfg(feature = "arrow")]
            Format::Parquet | Format::Arrow => {
                Batches::Arrow(arrow::ArrowReader::open(source, format, options)?)
            }
            #[cfg(not(feature = "arrow"))]
            Format::Parquet | Format::Arrow => {
                return Err(
                    source.error("this build of groat reads no Parquet or Arrow; enable its feature `arrow`")
                );
            }
        };
        Ok(Self { source: name, batches, failed: false, any: false })
    }

    /// All remaining batches in one table.
    pub fn read_all(mut self) -> Result<Table> {
        let mut whole: Table = match self.next() {
            Some(first) => first?,
            None => return Err(self.no_rows()),
        };
        for batch in self {
            whole.append(&batch?)?;
        }
        if whole.is_open() {
            whole.sort_columns_by_key(svmlight::column_order);
        }
        Ok(whole)
    }

    fn no_rows(&self) -> Error {
        Error::Source { source_name: self.source.clone(), reason: "there are no rows".into() }
    }
}

impl Iterator for TableReader {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.failed {
            return None;
        }
        let batch = match &mut self.batches {
            Batches::Rows(rows) => rows.next_table(),
            Batches::Svmlight(reader) => reader.next_table(),
            Batches::Npy(reader) => reader.next_table(),
            #[cfg(feature = "arrow")]
            Batches::Arrow(reader) => reader.next_table(),
        };
        let batch = match batch {
            Ok(None) if !self.any => Err(self.no_rows()),
            other => other,
        };
        self.any = true;
        self.failed = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}

/// Collects the rows of a text format into tables.
struct RowBatches {
    rows: Box<dyn RowSource>,
    batch: usize,
    /// One empty column of the right kind for each name.
    kinds: Vec<Column>,
    first: bool,
}

impl RowBatches {
    fn new(rows: Box<dyn RowSource>, options: &ReadOptions) -> Result<Self> {
        let kind = |name: &String| match options.text.contains(name) {
            true => Column::Text(Categories::default()),
            false => Column::Numeric(Vec::new()),
        };
        let kinds = rows.names().iter().map(kind).collect();
        Ok(Self { rows, batch: options.batch, kinds, first: true })
    }

    fn next_table(&mut self) -> Result<Option<Table>> {
        let mut columns = self.kinds.clone();
        let (mut cells, mut lines) = (Vec::with_capacity(columns.len()), Vec::new());
        while lines.len() < self.batch {
            let Some(line) = self.rows.next_row(&mut cells)? else { break };
            for (at, (column, cell)) in columns.iter_mut().zip(&cells).enumerate() {
                if !column.push_cell(cell, self.first) {
                    return Err(self.text_among_numbers(at, line, cell));
                }
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        self.first = false;
        self.kinds = columns.iter().map(Column::empty_like).collect();
        let table = Table::new(self.rows.names().to_vec(), columns)?;
        Ok(Some(table.with_source(self.rows.source(), lines).unnamed(!self.rows.is_named())))
    }

    fn text_among_numbers(&self, column: usize, line: u64, cell: &Cell) -> Error {
        Error::Data {
            source_name: self.rows.source().to_owned(),
            line,
            column: self.rows.names()[column].clone(),
            reason: format!(
                "expected a number as in the first {} rows, found {:?}; if the column holds categories, \
                 ask for it to be read as text",
                self.batch,
                cell.to_string()
            ),
        }
    }
}

/// One row of a text format with its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Line of the source, from 1.
    pub line: u64,
    /// One value a column.
    pub cells: Vec<Cell>,
}

/// CSV or NDJSON rows one at a time, each as soon as its line has arrived.
///
/// Nothing is read ahead beyond what a pipe has already delivered, so a program between two pipes can
/// answer each row before the next is written. A bad row gives [`Error::Data`], after which iteration
/// goes on with the next row; any other error ends it.
pub struct RowReader {
    rows: Box<dyn RowSource>,
    failed: bool,
}

impl RowReader {
    /// Opens a file, or standard input when `path` is `-`.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self> {
        let (source, format) = open_path(path.as_ref(), options)?;
        Self::new(source, format, options)
    }

    /// Reads from any stream of bytes; `name` stands for it in messages.
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (source, format) = open_reader(name, reader, options)?;
        Self::new(source, format, options)
    }

    fn new(source: Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let rows: Box<dyn RowSource> = match format {
            Format::Csv => Box::new(csv::CsvRows::open(source, options)?),
            Format::Ndjson => Box::new(ndjson::NdjsonRows::open(source)?),
            _ => {
                return Err(
                    source.error("only CSV and NDJSON can be read row by row; read this format in batches")
                );
            }
        };
        Ok(Self { rows, failed: false })
    }

    /// Where the rows come from.
    pub fn source(&self) -> &str {
        self.rows.source()
    }

    /// Column names; `x1`, `x2`, ... when the source had none.
    pub fn names(&self) -> &[String] {
        self.rows.names()
    }

    /// True when the source named its columns.
    pub fn is_named(&self) -> bool {
        self.rows.is_named()
    }
}

impl Iterator for RowReader {
    type Item = Result<Record>;

    fn next(&mut self) -> Option<Result<Record>> {
        if self.failed {
            return None;
        }
        let mut cells = Vec::with_capacity(self.names().len());
        match self.rows.next_row(&mut cells) {
            Ok(None) => None,
            Ok(Some(line)) => Some(Ok(Record { line, cells })),
            Err(e) => {
                self.failed = !matches!(e, Error::Data { .. });
                Some(Err(e))
            }
        }
    }
}
