//! `groat generate`, as typed.

use clap::Args;
use std::path::PathBuf;

/// Write a synthetic data set.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat generate --list
      What there is, with the settings of each
  groat generate sinc --rows 200 --set noise=0.1 --seed 7 -o sinc.csv
  groat generate mackey-glass --rows 500 | groat fit - --target y --embed 10 -o series.safetensors")]
pub struct GenerateArgs {
    /// Which one
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// Say what there is
    #[arg(long)]
    pub list: bool,
    /// Rows to write [default: as in the source of the data set]
    #[arg(short = 'n', long, value_name = "N")]
    pub rows: Option<usize>,
    /// A setting of the data set, e.g. noise=0.1; may be given several times
    #[arg(long, value_name = "NAME=NUMBER", value_parser = setting)]
    pub set: Vec<(String, f64)>,
    /// File to write, .csv, .tsv or .parquet [default: CSV on standard output]
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn setting(text: &str) -> Result<(String, f64), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(name, value)| Some((name.trim().to_owned(), value.trim().parse().ok()?)));
    parsed.ok_or_else(|| "expected NAME=NUMBER".into())
}
