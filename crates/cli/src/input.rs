//! Data as commands read them. What is no file (a pipe, a terminal) may stay silent for as long as it likes, and a
//! read that waits hears no Ctrl-C: such bytes are waited for by a thread of their own.

use crate::session::Session;
use anyhow::Context;
use groat::data::{Format, ReadOptions, RowReader, Table, TableReader};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// Between two looks at whether the wait for bytes is to be given up.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes that are asked for at a time, as many as a pipe usually holds.
const CHUNK: usize = 1 << 16;
/// Chunks that may wait to be taken.
const AHEAD: usize = 4;

/// A whole table from a file, or from standard input when `path` is `-`.
pub fn read_table(path: &Path, options: &ReadOptions, session: &Session) -> anyhow::Result<Table> {
    session.unless_stopped(open_tables(path, options, session)?.read_all())
}

/// A table in batches.
pub fn open_tables(path: &Path, options: &ReadOptions, session: &Session) -> anyhow::Result<TableReader> {
    session.unless_stopped(if is_live(path) {
        let (name, arrivals, options) = arriving(path, options, session)?;
        TableReader::from_reader(&name, arrivals, &options)
    } else {
        TableReader::open(path, options)
    })
}

/// Rows of a text format, each as soon as its line has arrived.
pub fn open_rows(path: &Path, options: &ReadOptions, session: &Session) -> anyhow::Result<RowReader> {
    session.unless_stopped(if is_live(path) {
        let (name, arrivals, options) = arriving(path, options, session)?;
        RowReader::from_reader(&name, arrivals, &options)
    } else {
        RowReader::open(path, options)
    })
}

/// Whether bytes arrive when they arrive: standard input, a named pipe, a device.
pub fn is_live(path: &Path) -> bool {
    path == Path::new("-") || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The bytes of a live source, its name, and the options with the format that the name of a pipe may tell.
fn arriving(
    path: &Path,
    options: &ReadOptions,
    session: &Session,
) -> anyhow::Result<(String, Arrivals, ReadOptions)> {
    let format = options.format.or_else(|| Format::from_path(path));
    let name = if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
    let arrivals = Arrivals::of(path.to_owned(), session.stop_flag())?;
    Ok((name, arrivals, ReadOptions { format, ..options.clone() }))
}

/// Bytes that a thread waits for. Once the command is to stop, reading them is an error.
struct Arrivals {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// What came last and was not all taken.
    chunk: Cursor<Vec<u8>>,
    stop: Arc<AtomicBool>,
}

impl Arrivals {
    fn of(path: PathBuf, stop: Arc<AtomicBool>) -> anyhow::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(AHEAD);
        let wait = move || {
            // To open a named pipe is to wait as well. Nobody needs to hear of a failure once the receiver is gone.
            let input: io::Result<Box<dyn Read>> = match path == Path::new("-") {
                true => Ok(Box::new(io::stdin())),
                false => File::open(&path).map(|file| Box::new(file) as Box<dyn Read>),
            };
            if let Err(error) = input.and_then(|input| hand_over(input, &sender)) {
                let _ = sender.send(Err(error));
            }
        };
        std::thread::Builder::new().spawn(wait).context("cannot start a thread that reads")?;
        Ok(Self { chunks, chunk: Cursor::default(), stop })
    }
}

/// Hands over bytes as they come, until they end or nobody takes them.
fn hand_over(mut input: Box<dyn Read>, sender: &SyncSender<io::Result<Vec<u8>>>) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) if sender.send(Ok(buffer[..count].to_vec())).is_err() => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
}

impl Read for Arrivals {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let taken = self.chunk.read(out)?;
            if taken > 0 || out.is_empty() {
                return Ok(taken);
            }
            // Looked at before each chunk: an input that never pauses is left too.
            if self.stop.load(Ordering::SeqCst) {
                return Err(io::Error::other(groat::Error::Stopped));
            }
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => self.chunk = Cursor::new(chunk?),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
