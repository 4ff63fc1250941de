//! `groat sample`, as typed.

use clap::Args;
use std::path::PathBuf;

/// Draw rows from a density estimate.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat fit cells.csv --task density
  groat sample cells.safetensors -n 1000 --seed 7 -o drawn.csv")]
pub struct SampleArgs {
    /// Model file, made by `groat fit --task density`
    pub model: PathBuf,
    /// Rows to draw
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: u32,
    /// File to write, .csv, .tsv or .parquet [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
