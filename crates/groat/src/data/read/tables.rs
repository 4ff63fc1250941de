//! Tables, whole or in batches.

use std::io::Read;
use std::path::Path;

#[cfg(feature = "arrow")]
use super::arrow;
use super::source::{Format, Source};
use super::{ReadOptions, RowSource, npy, open_path, open_reader, svmlight, text_rows};
use crate::data::cell::Cell;
use crate::data::column::{Categories, Column};
use crate::data::table::Table;
use crate::error::{Error, Place, Result, quoted};

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
            Format::Csv | Format::Ndjson => {
                Batches::Rows(RowBatches::new(text_rows(source, format, options)?, options))
            }
            Format::Svmlight => Batches::Svmlight(svmlight::SvmlightReader::open(source, options)),
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

    /// Number of rows, where the format says so at its start: Parquet and `.npy`.
    pub fn total_rows(&self) -> Option<usize> {
        match &self.batches {
            Batches::Rows(_) | Batches::Svmlight(_) => None,
            Batches::Npy(reader) => Some(reader.total_rows()),
            #[cfg(feature = "arrow")]
            Batches::Arrow(reader) => reader.total_rows(),
        }
    }

    /// All remaining batches in one table.
    pub fn read_all(mut self) -> Result<Table> {
        if let Batches::Svmlight(reader) = &mut self.batches {
            // Its batches differ in their columns, so that joining them costs more than reading at once.
            reader.batch = u32::MAX as usize;
        }
        let mut whole: Table = match self.next() {
            Some(first) => first?,
            None => return Err(self.no_rows()),
        };
        for batch in self {
            whole.append(&batch?)?;
        }
        if whole.is_open() {
            whole.sort_open_columns();
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
    fn new(rows: Box<dyn RowSource>, options: &ReadOptions) -> Self {
        let kind = |name: &String| match options.text.contains(name) {
            true => Column::Text(Categories::default()),
            false => Column::Numeric(Vec::new()),
        };
        let kinds = rows.names().iter().map(kind).collect();
        Self { rows, batch: options.batch, kinds, first: true }
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
        Ok(Some(
            table
                .with_source(self.rows.source(), lines.into_iter().map(Place::Line))
                .unnamed(!self.rows.is_named()),
        ))
    }

    fn text_among_numbers(&self, column: usize, line: u64, cell: &Cell) -> Error {
        Error::Data {
            source_name: self.rows.source().to_owned(),
            place: Place::Line(line),
            column: self.rows.names()[column].clone(),
            reason: format!(
                "expected a number as in the first {} rows, found {}; if the column holds categories, \
                 ask for it to be read as text",
                self.batch,
                quoted(&cell.to_string())
            ),
        }
    }
}
