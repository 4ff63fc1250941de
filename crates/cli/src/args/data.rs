//! Where data come from and how to read them.

use clap::{Args, ValueEnum};
use groat::data::{Format, ReadOptions};
use groat::settings::Bytes;
use std::path::PathBuf;

/// A data file and how to read it.
#[derive(Args, Debug)]
pub struct DataArgs {
    /// CSV, NDJSON, Parquet, Arrow IPC, .npy or svmlight file, plain or compressed (.gz, .zst); - for standard input
    pub data: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How to read a data file.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Format, when neither the name nor the first bytes tell
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// CSV: what stands between fields (one character, `tab`, or `blanks` for any run of them) [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// CSV: the first line holds names
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// CSV: the first line is data; columns are called x1, x2, x3, ...
    #[arg(long)]
    pub no_header: bool,
    /// Longest line of text; what has longer ones is no text and would fill the memory
    #[arg(long, value_name = "BYTES", default_value = "16MiB", value_parser = length)]
    pub max_line: usize,
    /// CSV: longest field, be it in quotes over several lines
    #[arg(long, value_name = "BYTES", default_value = "1MiB", value_parser = length)]
    pub max_field: usize,
    /// Columns to take as categories even though they look like numbers
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub categorical: Vec<String>,
}

/// Formats by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatArg {
    Csv,
    Ndjson,
    Svmlight,
    Npy,
    Parquet,
    Arrow,
}

impl ReadingArgs {
    /// The library's options.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format.map(|format| match format {
                FormatArg::Csv => Format::Csv,
                FormatArg::Ndjson => Format::Ndjson,
                FormatArg::Svmlight => Format::Svmlight,
                FormatArg::Npy => Format::Npy,
                FormatArg::Parquet => Format::Parquet,
                FormatArg::Arrow => Format::Arrow,
            }),
            delimiter: self.delimiter,
            header: if self.header { Some(true) } else { self.no_header.then_some(false) },
            text: self.categorical.clone(),
            max_line: self.max_line,
            max_field: self.max_field,
            ..ReadOptions::default()
        }
    }
}

impl ReadingArgs {
    /// What was given, by the names of the flags, for a command line that asks for the same; a flag alone has no value.
    pub fn typed(&self) -> Vec<(&'static str, String)> {
        let format = self.format.and_then(|format| format.to_possible_value());
        let delimiter = self.delimiter.map(|byte| match byte {
            b'\t' => "tab".to_owned(),
            b' ' => "blanks".to_owned(),
            other => char::from(other).to_string(),
        });
        let names = (!self.categorical.is_empty()).then(|| self.categorical.join(","));
        let usual = ReadOptions::default();
        let bytes = |bytes: usize, default: usize| (bytes != default).then(|| bytes.to_string());
        [
            ("format", format.map(|format| format.get_name().to_owned())),
            ("delimiter", delimiter),
            ("header", self.header.then(String::new)),
            ("no-header", self.no_header.then(String::new)),
            ("max-line", bytes(self.max_line, usual.max_line)),
            ("max-field", bytes(self.max_field, usual.max_field)),
            ("categorical", names),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }
}

fn length(text: &str) -> Result<usize, String> {
    let Bytes(bytes) = text.parse::<Bytes>().map_err(|error| error.to_string())?;
    usize::try_from(bytes).ok().filter(|bytes| *bytes > 0).ok_or_else(|| "expected at least 1 byte".into())
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ if matches!(text, "tab" | "\\t") => Ok(b'\t'),
        _ if text == "blanks" => Ok(b' '),
        _ => Err("expected one ASCII character other than a quote, `tab` or `blanks`".into()),
    }
}
