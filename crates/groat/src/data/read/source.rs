//! Opening an input: a path or standard input, decompressed by its magic bytes, its format found.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::str::FromStr;

use super::foreign;
use crate::error::{Error, Result};

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text with one row a line and a delimiter between fields.
    Csv,
    /// One JSON object or array a line.
    Ndjson,
    /// svmlight / LIBSVM text: `label index:value ...`.
    Svmlight,
    /// A NumPy array file.
    Npy,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream.
    Arrow,
}

impl Format {
    /// Names as given on a command line.
    pub const NAMES: [&'static str; 6] = ["csv", "ndjson", "svmlight", "npy", "parquet", "arrow"];

    /// The format a file name suggests, after an ending that means compression.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "csv" | "tsv" | "psv" | "txt" | "dat" => Some(Format::Csv),
            "ndjson" | "jsonl" => Some(Format::Ndjson),
            "svm" | "svmlight" | "libsvm" => Some(Format::Svmlight),
            "npy" => Some(Format::Npy),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "arrows" | "ipc" | "feather" => Some(Format::Arrow),
            _ => None,
        }
    }

    /// The format that the first bytes show. Text that is neither NDJSON nor svmlight is CSV.
    pub fn sniff(head: &[u8]) -> Self {
        const IPC_STREAM: &[u8] = &[0xff, 0xff, 0xff, 0xff];
        if head.starts_with(b"PAR1") {
            return Format::Parquet;
        }
        if head.starts_with(b"ARROW1") || head.starts_with(IPC_STREAM) {
            return Format::Arrow;
        }
        if head.starts_with(b"\x93NUMPY") {
            return Format::Npy;
        }
        let line = head.split(|&b| b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or(&[]);
        match line.trim_ascii().first() {
            Some(b'{' | b'[') => Format::Ndjson,
            _ if looks_like_svmlight(line) => Format::Svmlight,
            _ => Format::Csv,
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "csv" => Ok(Format::Csv),
            "ndjson" => Ok(Format::Ndjson),
            "svmlight" => Ok(Format::Svmlight),
            "npy" => Ok(Format::Npy),
            "parquet" => Ok(Format::Parquet),
            "arrow" => Ok(Format::Arrow),
            _ => Err(Error::parse("format", text, format!("use one of {}", Format::NAMES.join(", ")))),
        }
    }
}

/// True for a number followed by `index:value` pairs only.
fn looks_like_svmlight(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let mut fields = line.split('#').next().unwrap_or("").split_ascii_whitespace();
    let label = fields.next().is_some_and(|label| label.parse::<f64>().is_ok());
    let pair = |field: &str| field.split_once(':').is_some_and(|(_, value)| value.parse::<f64>().is_ok());
    let mut pairs = fields.peekable();
    label && pairs.peek().is_some() && pairs.all(pair)
}

/// An input whose first bytes have been looked at and will be read again.
pub(super) type Input = io::Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>;

/// An opened, decompressed input.
pub(super) struct Source {
    /// File name, or "standard input".
    pub name: String,
    /// Everything up to the end of the first line, at most [`PEEK`] bytes; more if it came along.
    pub head: Vec<u8>,
    /// The bytes from the start.
    pub input: Input,
    /// The file itself, when it needs no decompression; formats that seek use it directly.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code))]
    pub file: Option<File>,
    /// Whether the bytes were decompressed on the way.
    is_packed: bool,
}

/// Carriage returns as line ends.
struct Returns<R>(R);

impl<R: Read> Read for Returns<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(out)?;
        out[..read].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        Ok(read)
    }
}

/// Where a carriage return stands outside quotes that is no part of a line end of two bytes.
fn lone_return(head: &[u8]) -> Option<usize> {
    let mut quoted = false;
    (0..head.len().saturating_sub(1)).find(|&at| {
        quoted ^= head[at] == b'"';
        !quoted && head[at] == b'\r' && head[at + 1] != b'\n'
    })
}

/// How far the first line is looked for.
const PEEK: usize = 1 << 16;

impl Source {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self> {
        let fail = |e| Error::io(path, e);
        let file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.is_dir() {
            return Err(fail(io::Error::other("is a directory; give a file")));
        }
        let direct = file.try_clone().map_err(fail)?;
        let source = Self::new(path.display().to_string(), Box::new(file)).map_err(fail)?;
        let file = (!source.is_packed && source.is_seekable_format()).then_some(direct);
        Self { file, ..source }.known()
    }

    /// Takes any stream of bytes.
    pub fn from_reader(name: &str, reader: Box<dyn Read + Send>) -> Result<Self> {
        Self::new(name.to_owned(), reader).map_err(|e| Error::io(name, e))?.known()
    }

    /// An error that names the format if it is one that is not read here.
    fn known(self) -> Result<Self> {
        match foreign::what_it_is(&self.head) {
            Some(reason) => Err(self.error(reason)),
            None => Ok(self),
        }
    }

    fn new(name: String, reader: Box<dyn Read + Send>) -> io::Result<Self> {
        let (head, input) = peek(reader)?;
        let plain: Box<dyn Read + Send> = if head.starts_with(&[0x1f, 0x8b]) {
            Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(input)))
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Box::new(zstd::stream::read::Decoder::new(input)?)
        } else {
            return Ok(Self { name, head, input, file: None, is_packed: false });
        };
        let (head, input) = peek(plain)?;
        Ok(Self { name, head, input, file: None, is_packed: true })
    }

    /// True for formats whose readers jump about in the file.
    fn is_seekable_format(&self) -> bool {
        matches!(Format::sniff(&self.head), Format::Parquet | Format::Arrow)
    }

    /// The text, with a line end behind each line. Where the first lines end in carriage returns alone, as on old
    /// Macintoshes, these are the line ends.
    pub fn into_text(self) -> BufReader<Box<dyn Read + Send>> {
        let returns = !self.head.contains(&b'\n') && lone_return(&self.head).is_some();
        BufReader::new(if returns { Box::new(Returns(self.input)) } else { Box::new(self.input) })
    }

    /// An error about the input as a whole.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        Error::Source { source_name: self.name.clone(), reason: reason.into() }
    }
}

/// Reads until the first line is complete, the input ends or [`PEEK`] bytes came. It asks for no
/// more than that, so that it never waits for the second line of a slow pipe. A byte order mark is passed over.
fn peek(mut reader: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Input)> {
    let mut head = vec![0; PEEK];
    let mut len = 0;
    while len < PEEK && !head[..len].contains(&b'\n') && lone_return(&head[..len]).is_none() {
        match reader.read(&mut head[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    head.truncate(len);
    if head.starts_with(b"\xef\xbb\xbf") {
        head.drain(..3);
    }
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_name_and_by_content() {
        assert_eq!(Format::from_path(Path::new("a/B.CSV.gz")), Some(Format::Csv));
        assert_eq!(Format::from_path(Path::new("x.svm.zst")), Some(Format::Svmlight));
        assert_eq!(Format::from_path(Path::new("x.unknown")), None);
        assert_eq!(Format::from_path(Path::new("noending")), None);
        assert_eq!(Format::sniff(b"\n {\"a\": 1}\n"), Format::Ndjson);
        assert_eq!(Format::sniff(b"-1 3:0.5 qid:4 # c\n"), Format::Svmlight);
        assert_eq!(Format::sniff(b"1 2 3\n"), Format::Csv);
        assert_eq!(Format::sniff(b"12:30,4\n"), Format::Csv);
        assert_eq!(Format::sniff(b"\xff\xff\xff\xff..."), Format::Arrow);
        assert_eq!(Format::sniff(b""), Format::Csv);
        for name in Format::NAMES {
            assert!(name.parse::<Format>().is_ok());
        }
        assert!("xls".parse::<Format>().is_err());
    }
}
