//! `groat reproduce`, as typed.

use crate::commands::reproduce::names;
use clap::Args;
use std::path::PathBuf;

/// Repeat the published experiments and compare.
#[derive(Args, Debug)]
#[command(after_help = "\
Prints what the paper says, what is obtained here, and the band in which it must lie. The exit code is 0 when \
every line lies in its band, 1 when one does not or when its data set is missing.

Examples:
  groat reproduce A10 --report a10.html
      Reduction of kernel models: 100 realisations, tables and figures
  groat reproduce B13 --data ~/datasets
      The folder holds one folder per data set, with data.csv.gz in it
  groat reproduce --list")]
pub struct ReproduceArgs {
    /// Which experiment
    #[arg(value_parser = names(), required_unless_present = "list")]
    pub experiment: Option<String>,
    /// List the experiments
    #[arg(long)]
    pub list: bool,
    /// Realisations of each random experiment; bands widen below 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub realisations: u32,
    /// A short form: at most 20 realisations, fewer settings
    #[arg(long)]
    pub quick: bool,
    /// Folder with the data sets [default: the environment variable GROAT_DATA, else ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
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
