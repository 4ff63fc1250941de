//! `groat stream`, as typed.

use super::{KernelArg, ReadingArgs};
use crate::commands::stream::list;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  groat stream series.csv --target y --embed 7 --algorithm krls-ald --width 0.8 --set nu=1e-3
  sensor | groat stream - --target load --algorithm klms-coherence --width 2 --save state.json \\
      --checkpoint-every 1000 | alarm
  groat stream new.csv --resume state.json --save state.json --out predictions.csv
  groat stream all.csv --target y --width 1 --novelty coherence --cost kappa-alpha \\
      --projection orthogonal --strategy budget --set budget=50
  groat stream --algorithm list
  groat stream --algorithm list=krls-tracker";

/// Learn from rows as they arrive.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", list::help()))]
pub struct StreamArgs {
    /// CSV, NDJSON or Parquet file; - for standard input
    #[arg(default_value = "-")]
    pub data: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Column to predict
    #[arg(short, long, value_name = "NAME", required_unless_present_any = ["resume", "listing"])]
    pub target: Option<String>,
    /// Columns to learn from [default: all but the target]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub features: Vec<String>,
    /// Treat rows as moments in time: learn from the last L values of each feature and of the target. The first rows
    /// only fill that past and give no line
    #[arg(long, value_name = "L", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub embed: Option<u32>,
    /// With --embed: how many steps ahead the target lies
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, default_value_t = 1, requires = "embed", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub horizon: u32,
    /// With --embed: learn from the features' past alone, not from the target's
    #[arg(long, requires = "embed")]
    pub no_feedback: bool,
    /// What to do with a row that has a missing, infinite or unreadable value, or the wrong number of them. With
    /// --embed the past starts anew after a row that was skipped
    #[arg(long, value_enum, default_value_t = OnBadRow::Error)]
    pub on_bad_row: OnBadRow,

    #[command(flatten)]
    pub method: MethodArgs,

    /// File for the lines step,prediction,error,size, with a further column std (the standard deviation of the
    /// prediction) where the algorithm has one [default: standard output]. With --json the lines on standard output
    /// are JSON objects with these names; with --out the file stays CSV, and --json is the form of the summary
    #[arg(short, long, visible_alias = "output", value_name = "FILE", help_heading = "Writing")]
    pub out: Option<PathBuf>,
    /// Write the whole state at the end, to go on from later
    #[arg(long, value_name = "FILE", help_heading = "Writing")]
    pub save: Option<PathBuf>,
    /// Also write the state after every N rows
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "save", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Writing")]
    pub checkpoint_every: Option<u64>,
    /// Go on from a saved state, bit by bit as if there had been no interruption. A state that learnt from numbers
    /// alone, in Python, wants --target and perhaps --features
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["algorithm", "kernel", "width", "set", "update", "novelty", "cost", "projection", "strategy", "loss"],
        help_heading = "Writing"
    )]
    pub resume: Option<PathBuf>,
    /// With --resume: the input starts at the beginning again; skip the rows that the state has seen
    #[arg(long, requires = "resume", help_heading = "Writing")]
    pub replay: bool,
    /// Write the model learnt, for predict, evaluate and inspect
    #[arg(long, value_name = "FILE", help_heading = "Writing")]
    pub model: Option<PathBuf>,
    /// Write a page with the learning curve, the size of the dictionary and, for one or two features, the function
    #[arg(long, value_name = "FILE.html", help_heading = "Writing")]
    pub report: Option<PathBuf>,
}

/// Which learner.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// An algorithm by name; `list` shows all with their parameters, `list=NAME` one [default: klms-coherence]
    #[arg(short, long, value_name = "NAME", group = "listing")]
    pub algorithm: Option<String>,
    /// Kernel, e.g. `gaussian`, `matern52:width=2`, `polynomial:degree=3` [default: gaussian]; algorithms that work on
    /// the inputs themselves take none
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<KernelArg>,
    /// Width of the kernel, exp(-r^2 / (2 width^2)) for the Gaussian one
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub width: Option<f64>,
    /// Parameters of the algorithm, e.g. eta=0.3 or widths=1,2,4; may be repeated
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub set: Vec<String>,
    /// Exchange the update rule
    #[arg(long, value_name = "PART")]
    pub update: Option<String>,
    /// Exchange the novelty criterion
    #[arg(long, value_name = "PART")]
    pub novelty: Option<String>,
    /// Exchange the deterioration cost
    #[arg(long, value_name = "PART")]
    pub cost: Option<String>,
    /// Exchange the projection
    #[arg(long, value_name = "PART")]
    pub projection: Option<String>,
    /// Exchange the strategy
    #[arg(long, value_name = "PART")]
    pub strategy: Option<String>,
    /// Exchange the loss
    #[arg(long, value_name = "PART")]
    pub loss: Option<String>,
}

/// What to do with a bad row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnBadRow {
    /// Stop and say where it stands
    Error,
    /// Leave it out and count it
    Skip,
}
