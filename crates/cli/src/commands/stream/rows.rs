//! Rows as they arrive: line by line from text, in batches from formats that have no lines.

use crate::input::{is_live, open_rows, open_tables};
use crate::session::Session;
use groat::data::{Format, Inputs, ReadOptions, Record, RowReader, Table, TableReader};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where rows come from.
pub struct Rows {
    source: Source,
    /// A row that was looked at before its time.
    peeked: Option<groat::Result<Record>>,
    /// Whether each row is waiting for its answer.
    pub live: bool,
    stop: Arc<AtomicBool>,
}

enum Source {
    Text(RowReader),
    Batches { reader: Box<TableReader>, table: Table, next: usize },
}

impl Rows {
    /// Opens a file, or standard input when `path` is `-`. Once Ctrl-C is pressed no further row is waited for.
    pub fn open(path: &Path, options: &ReadOptions, session: &Session) -> anyhow::Result<Self> {
        let (live, stop) = (is_live(path), session.stop_flag());
        let text = match options.format.or_else(|| Format::from_path(path)) {
            Some(format) => matches!(format, Format::Csv | Format::Ndjson),
            None if live => true,
            None => matches!(Format::sniff(&head(path)?), Format::Csv | Format::Ndjson),
        };
        if text {
            return Ok(Self {
                source: Source::Text(open_rows(path, options, session)?),
                peeked: None,
                live,
                stop,
            });
        }
        let mut reader = open_tables(path, options, session)?;
        let Some(table) = reader.next() else { anyhow::bail!("{} holds no rows", path.display()) };
        let table = session.unless_stopped(table)?;
        Ok(Self {
            source: Source::Batches { table, reader: Box::new(reader), next: 0 },
            peeked: None,
            live,
            stop,
        })
    }

    /// The next row, which stays the next.
    pub fn peek(&mut self) -> Option<&groat::Result<Record>> {
        if self.peeked.is_none() {
            self.peeked = self.next();
        }
        self.peeked.as_ref()
    }

    /// An error if Ctrl-C was pressed.
    pub fn check_stop(&self) -> groat::Result<()> {
        if self.stop.load(Ordering::SeqCst) { Err(groat::Error::Stopped) } else { Ok(()) }
    }

    /// Name of the source.
    pub fn source(&self) -> &str {
        match &self.source {
            Source::Text(reader) => reader.source(),
            Source::Batches { table, .. } => table.source(),
        }
    }

    /// Names of the columns.
    pub fn names(&self) -> &[String] {
        match &self.source {
            Source::Text(reader) => reader.names(),
            Source::Batches { table, .. } => table.names(),
        }
    }

    /// Fails when a column that is asked for holds neither numbers nor text, which lines of text always do.
    pub fn check(&self, inputs: &Inputs) -> groat::Result<()> {
        match &self.source {
            Source::Text(_) => Ok(()),
            Source::Batches { table, .. } => inputs.check(table),
        }
    }

    /// Whether the source named them.
    pub fn is_named(&self) -> bool {
        match &self.source {
            Source::Text(reader) => reader.is_named(),
            Source::Batches { table, .. } => table.is_named(),
        }
    }
}

impl Iterator for Rows {
    type Item = groat::Result<Record>;

    /// The next row; nothing at the end of the input, or when the wait for it was given up.
    fn next(&mut self) -> Option<Self::Item> {
        if self.peeked.is_some() {
            return self.peeked.take();
        }
        let row = match &mut self.source {
            Source::Text(reader) => reader.next(),
            Source::Batches { reader, table, next } => next_of_batches(reader, table, next),
        };
        row.filter(|row| row.is_ok() || !self.stop.load(Ordering::SeqCst))
    }
}

fn next_of_batches(
    reader: &mut TableReader,
    table: &mut Table,
    next: &mut usize,
) -> Option<groat::Result<Record>> {
    while *next >= table.rows() {
        match reader.next()? {
            Ok(batch) => (*table, *next) = (batch, 0),
            Err(error) => return Some(Err(error)),
        }
    }
    let row = *next;
    *next += 1;
    Some(Ok(Record { place: table.place(row), cells: table.cells(row) }))
}

/// The first bytes of a file.
fn head(path: &Path) -> groat::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut bytes));
    read.map_err(|error| groat::Error::io(path.display().to_string(), error))?;
    Ok(bytes)
}
