//! Rows as they arrive: line by line from text, in batches from formats that have no lines.

use groat::data::{Format, ReadOptions, Record, RowReader, Table, TableReader};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Between two looks at whether the wait for a row is to be given up.
const PATIENCE: Duration = Duration::from_millis(50);
/// Rows that may wait to be learnt.
const AHEAD: usize = 64;

/// Where rows come from.
pub struct Rows {
    source: Source,
    /// Whether somebody may be waiting for an answer to each row.
    pub live: bool,
}

enum Source {
    Text(RowReader),
    Live(Live),
    Batches { reader: Box<TableReader>, table: Table, next: usize },
}

/// Rows that arrive when they arrive: a thread of their own waits for them, so that Ctrl-C need not.
struct Live {
    source: String,
    names: Vec<String>,
    named: bool,
    rows: Receiver<groat::Result<Record>>,
    stop: Arc<AtomicBool>,
}

impl Live {
    fn new(reader: RowReader, stop: Arc<AtomicBool>) -> Self {
        let (source, names, named) = (reader.source().to_owned(), reader.names().to_vec(), reader.is_named());
        let (sender, rows) = mpsc::sync_channel(AHEAD);
        std::thread::spawn(move || reader.into_iter().try_for_each(|row| sender.send(row)));
        Self { source, names, named, rows, stop }
    }

    /// The next row; nothing at the end of the input or once the stream is to stop.
    fn next(&self) -> Option<groat::Result<Record>> {
        loop {
            match self.rows.recv_timeout(PATIENCE) {
                Ok(row) => return Some(row),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::SeqCst) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Rows {
    /// Opens a file, or standard input when `path` is `-`. When `stop` becomes true no further row is waited for.
    pub fn open(path: &Path, options: &ReadOptions, stop: Arc<AtomicBool>) -> anyhow::Result<Self> {
        let live = !path.is_file();
        let text = match options.format.or_else(|| Format::from_path(path)) {
            Some(format) => matches!(format, Format::Csv | Format::Ndjson),
            None if live => true,
            None => matches!(Format::sniff(&head(path)?), Format::Csv | Format::Ndjson),
        };
        if text {
            let reader = RowReader::open(path, options)?;
            let source = if live { Source::Live(Live::new(reader, stop)) } else { Source::Text(reader) };
            return Ok(Self { source, live });
        }
        let mut reader = TableReader::open(path, options)?;
        let Some(table) = reader.next() else { anyhow::bail!("{} holds no rows", path.display()) };
        Ok(Self { source: Source::Batches { table: table?, reader: Box::new(reader), next: 0 }, live })
    }

    /// Name of the source.
    pub fn source(&self) -> &str {
        match &self.source {
            Source::Text(reader) => reader.source(),
            Source::Live(live) => &live.source,
            Source::Batches { table, .. } => table.source(),
        }
    }

    /// Names of the columns.
    pub fn names(&self) -> &[String] {
        match &self.source {
            Source::Text(reader) => reader.names(),
            Source::Live(live) => &live.names,
            Source::Batches { table, .. } => table.names(),
        }
    }

    /// Whether the source named them.
    pub fn is_named(&self) -> bool {
        match &self.source {
            Source::Text(reader) => reader.is_named(),
            Source::Live(live) => live.named,
            Source::Batches { table, .. } => table.is_named(),
        }
    }
}

impl Iterator for Rows {
    type Item = groat::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        let (reader, table, next) = match &mut self.source {
            Source::Text(reader) => return reader.next(),
            Source::Live(live) => return live.next(),
            Source::Batches { reader, table, next } => (reader, table, next),
        };
        while *next >= table.rows() {
            match reader.next()? {
                Ok(batch) => (*table, *next) = (batch, 0),
                Err(error) => return Some(Err(error)),
            }
        }
        let row = *next;
        *next += 1;
        Some(Ok(Record { line: table.line(row), cells: table.cells(row) }))
    }
}

/// The first bytes of a file.
fn head(path: &Path) -> groat::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut bytes));
    read.map_err(|error| groat::Error::io(path.display().to_string(), error))?;
    Ok(bytes)
}
