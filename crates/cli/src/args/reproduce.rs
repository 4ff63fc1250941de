//! `groat reproduce`, as typed.

use crate::commands::reproduce::names;
use clap::Args;
use std::path::PathBuf;

/// Repeat the published experiments and compare.
#[derive(Args, Debug)]
#[command(after_help = "\
Two questions are answered about every line. Against the paper: does its number lie within our uncertainty and its \
own, and its rounding; if not, by how many standard errors it differs, and why. Against the record: is our number what \
it was when it was recorded. The exit code is 1 when a line differs without a reason, when one is not what it was, \
or when data are missing; a missing line says how to get them.

Examples:
  groat reproduce A10 --report a10.html
      Reduction of kernel models: 100 realisations, tables and figures
  groat reproduce all --quick --report page.html
      Everything, in minutes
  groat reproduce B13 --data ~/datasets
      The folder holds one folder per data set, with data.csv.gz in it
  groat reproduce E6 --seeds 20
      Whether the intervals hold what they promise
  groat reproduce --list")]
pub struct ReproduceArgs {
    /// Which experiments
    #[arg(value_name = "ID", value_parser = names(), required_unless_present = "list")]
    pub experiments: Vec<String>,
    /// List the experiments
    #[arg(long)]
    pub list: bool,
    /// Realisations of each random experiment
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub realisations: u32,
    /// A short form: at most 20 realisations, fewer settings
    #[arg(long)]
    pub quick: bool,
    /// Folder with the data sets [default: the environment variable GROAT_DATA, else ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Run with this many seeds, and say how many numbers leave their intervals
    #[arg(long, value_name = "N", conflicts_with_all = ["report", "record", "draws"], value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pub seeds: Option<u32>,
    /// Write the numbers as records to this folder (crates/cli/src/commands/reproduce/record)
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// C7: results of other programs to show beside ours, as written by comparisons/run ols/peers [default: those
    /// that were recorded]
    #[arg(long, value_name = "FILE")]
    pub peers: Option<PathBuf>,
    /// C7: write the random splits and samples to this folder instead of running the experiment
    #[arg(long, value_name = "DIR")]
    pub draws: Option<PathBuf>,
    /// Write a page with the comparison and the figures
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}
