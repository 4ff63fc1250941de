//! Rows of a text format, one at a time.

use std::io::Read;
use std::path::Path;

use super::source::{Format, Source};
use super::{ReadOptions, RowSource, open_path, open_reader, text_rows};
use crate::data::stream::Record;
use crate::error::{Error, Place, Result};

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
        Ok(Self { rows: text_rows(source, format, options)?, failed: false })
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
            Ok(Some(line)) => Some(Ok(Record { place: Place::Line(line), cells })),
            Err(e) => {
                self.failed = !matches!(e, Error::Data { .. });
                Some(Err(e))
            }
        }
    }
}
