//! The answers: one line per sample, on standard output or in a file.

use crate::session::stdout_error;
use groat::online::Step;
use groat::persist::write_atomically;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where the lines go, and how they look.
pub struct Lines {
    out: Box<dyn Write>,
    path: Option<PathBuf>,
    json: bool,
    /// Flush each line, because its reader may be waiting for it.
    live: bool,
    head: bool,
}

impl Lines {
    /// Lines to a file, or to standard output as CSV or as JSON objects. After `step` samples of an earlier run a
    /// file goes on: what stands in it for later steps (they were learnt after the state was saved) goes.
    pub fn open(path: Option<&Path>, json: bool, live: bool, step: u64) -> anyhow::Result<Self> {
        let Some(path) = path else {
            // A stream that goes on from a state still starts its lines with a header: its reader is a new one.
            let out = Box::new(BufWriter::new(io::stdout().lock()));
            return Ok(Self { out, path: None, json, live, head: !json });
        };
        let fail = |error| groat::Error::io(path.display().to_string(), error);
        let goes_on = step > 0 && path.is_file();
        let file = if goes_on { cut(path, step)? } else { File::create(path).map_err(fail)? };
        let out = Box::new(BufWriter::new(file));
        Ok(Self { out, path: Some(path.to_owned()), json: false, live, head: !goes_on })
    }

    /// Writes the answer to one sample.
    pub fn write(&mut self, number: u64, step: &Step, std: Option<Option<f64>>) -> anyhow::Result<()> {
        let result = if self.json { self.object(number, step, std) } else { self.line(number, step, std) };
        let result = result.and_then(|()| if self.live { self.out.flush() } else { Ok(()) });
        result.map_err(|error| self.error(error))
    }

    /// Writes out what is still in memory.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.out.flush().map_err(|error| self.error(error))
    }

    // `{:?}` is the shortest text that reads back to the same number.
    fn line(&mut self, number: u64, step: &Step, std: Option<Option<f64>>) -> io::Result<()> {
        if std::mem::take(&mut self.head) {
            let more = if std.is_some() { ",std" } else { "" };
            writeln!(self.out, "step,prediction,error,size{more}")?;
        }
        write!(self.out, "{number},{:?},{:?},{}", step.prediction, step.error, step.size)?;
        match std {
            None => writeln!(self.out),
            Some(None) => writeln!(self.out, ","),
            Some(Some(std)) => writeln!(self.out, ",{std:?}"),
        }
    }

    fn object(&mut self, number: u64, step: &Step, std: Option<Option<f64>>) -> io::Result<()> {
        let Step { prediction, error, size, .. } = step;
        write!(
            self.out,
            "{{\"step\":{number},\"prediction\":{prediction:?},\"error\":{error:?},\"size\":{size}"
        )?;
        match std.flatten() {
            None => writeln!(self.out, "}}"),
            Some(std) => writeln!(self.out, ",\"std\":{std:?}}}"),
        }
    }

    fn error(&self, error: io::Error) -> anyhow::Error {
        match &self.path {
            Some(path) => groat::Error::io(path.display().to_string(), error).into(),
            None => stdout_error(error),
        }
    }
}

/// Keeps the header and the lines up to `step`, and opens the file to go on.
fn cut(path: &Path, step: u64) -> anyhow::Result<File> {
    let fail = |error| groat::Error::io(path.display().to_string(), error);
    let text = std::fs::read_to_string(path).map_err(fail)?;
    let number = |line: &str| line.split(',').next().and_then(|n| n.parse::<u64>().ok());
    let kept = |(i, line): &(usize, &str)| *i == 0 || number(line).is_some_and(|n| n <= step);
    let lines: Vec<&str> = text.lines().enumerate().filter(kept).map(|(_, line)| line).collect();
    write_atomically(path, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    Ok(OpenOptions::new().append(true).open(path).map_err(fail)?)
}
