//! The answers: one line per sample, on standard output or in a file.

use crate::session::stdout_error;
use groat::online::Answer;
use groat::persist::{Destination, write_atomically};
use std::borrow::Cow;
use std::fs::OpenOptions;
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
    /// Whether there is a column of standard deviations; decided with the first line.
    std: bool,
    /// The target that the next line is about, where there are several.
    about: Option<String>,
    failed: bool,
}

/// One line: what is there of it is written, the rest stays empty.
#[derive(Clone, Copy, Default)]
struct Line {
    step: Option<u64>,
    prediction: f64,
    error: Option<f64>,
    size: Option<usize>,
    std: Option<f64>,
    row: u64,
    interval: Option<(f64, f64)>,
    drift: bool,
}

impl Lines {
    /// Lines to a file, or to standard output as CSV or as JSON objects. After `seen` rows of an earlier run a
    /// file goes on: what stands in it for later rows (they came after the state was saved) goes.
    pub fn open(path: Option<&Path>, json: bool, live: bool, seen: u64) -> anyhow::Result<Self> {
        let Some(path) = path else {
            // A stream that goes on from a state still starts its lines with a header: its reader is a new one.
            let out = Box::new(BufWriter::new(io::stdout().lock()));
            return Ok(Self {
                out,
                path: None,
                json,
                live,
                head: !json,
                std: false,
                about: None,
                failed: false,
            });
        };
        let goes_on = seen > 0 && path.is_file();
        let (out, std) = if goes_on { cut(path, seen)? } else { (open_output(path)?, false) };
        Ok(Self {
            out,
            path: Some(path.to_owned()),
            json: false,
            live,
            head: !goes_on,
            std,
            about: None,
            failed: false,
        })
    }

    /// Says which of several targets the next line is about.
    pub fn about(&mut self, target: &str) {
        self.about = Some(target.to_owned());
    }

    /// Writes the answer to one row.
    pub fn write(&mut self, answer: &Answer<'_>) -> anyhow::Result<()> {
        if self.head {
            self.std = answer.has_std;
        }
        self.put(&Line {
            step: answer.step.map(|_| answer.number),
            prediction: answer.prediction.value,
            error: answer.step.map(|step| step.error),
            size: Some(answer.size),
            std: answer.prediction.std,
            row: answer.row,
            interval: answer.prediction.interval,
            drift: answer.drift,
        })
    }

    /// Writes a prediction beyond the last row, which was row `row`.
    pub fn forecast(&mut self, row: u64, prediction: f64) -> anyhow::Result<()> {
        self.put(&Line { prediction, row, ..Line::default() })
    }

    fn put(&mut self, line: &Line) -> anyhow::Result<()> {
        let result = if self.json { self.object(line) } else { self.text(line) };
        let result = result.and_then(|()| if self.live { self.out.flush() } else { Ok(()) });
        result.map_err(|error| self.failure(error))
    }

    /// Whether nobody takes the lines any more: the reader has gone, or the disk is full.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Writes out what is still in memory.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.out.flush().map_err(|error| self.failure(error))
    }

    fn text(&mut self, line: &Line) -> io::Result<()> {
        if std::mem::take(&mut self.head) {
            let std = if self.std { ",std" } else { "" };
            let about = if self.about.is_some() { ",target" } else { "" };
            writeln!(self.out, "step,prediction,error,size{std},row,low,high,drift{about}")?;
        }
        let (low, high) = (line.interval.map(|(low, _)| low), line.interval.map(|(_, high)| high));
        let std = if self.std { format!(",{}", number(line.std)) } else { String::new() };
        let about = self.about.as_ref().map_or_else(String::new, |target| format!(",{}", field(target)));
        writeln!(
            self.out,
            "{},{:?},{},{}{std},{},{},{},{}{about}",
            whole(line.step),
            line.prediction,
            number(line.error),
            whole(line.size.map(|size| size as u64)),
            line.row,
            number(low),
            number(high),
            u8::from(line.drift)
        )
    }

    fn object(&mut self, line: &Line) -> io::Result<()> {
        let step = line.step.map_or_else(String::new, |step| format!("\"step\":{step},"));
        write!(self.out, "{{{step}\"row\":{},\"prediction\":{}", line.row, json(line.prediction))?;
        let (low, high) = (line.interval.map(|(low, _)| low), line.interval.map(|(_, high)| high));
        for (name, value) in [("error", line.error), ("std", line.std), ("low", low), ("high", high)] {
            if let Some(value) = value {
                write!(self.out, ",\"{name}\":{}", json(value))?;
            }
        }
        if let Some(size) = line.size {
            write!(self.out, ",\"size\":{size}")?;
        }
        if let Some(target) = &self.about {
            write!(self.out, ",\"target\":{}", serde_json::Value::from(target.as_str()))?;
        }
        writeln!(self.out, "{}}}", if line.drift { ",\"drift\":true" } else { "" })
    }

    fn failure(&mut self, error: io::Error) -> anyhow::Error {
        self.failed = true;
        match &self.path {
            Some(path) => groat::Error::io(path.display().to_string(), error).into(),
            None => stdout_error(error),
        }
    }
}

/// The shortest text that reads back to the same number; nothing for none.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

fn whole(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A text as a field of CSV: in quotes where it would not be one field otherwise.
pub fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// A number in JSON, which knows no infinity.
fn json(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { "null".to_owned() }
}

/// A place for lines that are seen as they are written.
pub fn open_output(path: &Path) -> anyhow::Result<Box<dyn Write>> {
    let out = Destination::of(path).and_then(|destination| destination.open());
    Ok(Box::new(BufWriter::new(out.map_err(|error| groat::Error::io(path, error))?)))
}

/// Keeps the header and the lines of rows up to `seen`, and opens the file to go on. Says whether it has standard
/// deviations. A last line that was cut off when the disk was full is no line.
pub fn cut(path: &Path, seen: u64) -> anyhow::Result<(Box<dyn Write>, bool)> {
    let fail = |error| groat::Error::io(path.display().to_string(), error);
    let text = std::fs::read_to_string(path).map_err(fail)?;
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let head = lines.next().unwrap_or_default();
    let names: Vec<&str> = head.trim_end().split(',').collect();
    let Some(row) = names.iter().position(|name| *name == "row") else {
        anyhow::bail!(
            "{} holds no lines of a stream, so that none can follow; write to another file",
            path.display()
        );
    };
    let kept = |line: &&str| {
        let fields: Vec<&str> = line.trim_end().split(',').collect();
        let number = fields.get(row).and_then(|field| field.parse::<u64>().ok());
        // What may hold commas, a label or the name of a target, comes after the number.
        fields.len() >= names.len() && number.is_some_and(|number| number <= seen)
    };
    let lines: Vec<&str> = std::iter::once(head).chain(lines.filter(kept)).collect();
    write_atomically(path, |out| lines.iter().try_for_each(|line| out.write_all(line.as_bytes())))?;
    let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
    Ok((Box::new(BufWriter::new(file)), names.contains(&"std")))
}
