//! `groat stream`, as typed.

use super::{KernelArg, ReadingArgs};
use crate::commands::stream::list;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  groat stream series.csv --target y --embed 12
  groat stream series.csv --target y --embed 12 --compare all
  groat stream series.csv --target y --embed 12 --forecast 24 --quiet
  sensor | groat stream - --target load --save state.json --checkpoint-every 1000 | alarm
  groat stream new.csv --resume state.json --save state.json --out predictions.csv
  groat stream all.csv --target y --algorithm krls-ald --width 1 --set nu=1e-3 --report page.html
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
    /// Column to predict, or several: NAME,NAME. A row in which it is empty is answered and not learnt from
    #[arg(short, long, value_name = "NAME", required_unless_present_any = ["resume", "listing"])]
    pub target: Option<String>,
    /// The target holds class labels, also where they are numbers; texts are taken for labels anyway. Each line then says
    /// the most likely label
    #[arg(long)]
    pub classes: bool,
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

    /// A missing input is what it was in the row before
    #[arg(long)]
    pub carry_forward: bool,
    /// Targets that come later: a row without a target waits under its value in this column, until a row with the same
    /// value brings the target
    #[arg(long, value_name = "NAME", conflicts_with = "embed")]
    pub key: Option<String>,

    #[command(flatten)]
    pub method: MethodArgs,

    #[command(flatten)]
    pub search: SearchArgs,

    /// Share of targets that lie inside the interval low..high of each line, in the long run and whatever the stream
    /// does
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.9,
        allow_negative_numbers = true,
        help_heading = "Watching"
    )]
    pub coverage: f64,
    /// What to do when the errors have grown (ADWIN): say so, start anew from the rows since then, or start anew
    #[arg(long, value_enum, default_value_t = OnDriftArg::Note, help_heading = "Watching")]
    pub on_drift: OnDriftArg,
    /// End with exit code 0 even if the learner has diverged
    #[arg(long, help_heading = "Watching")]
    pub keep_going: bool,

    /// After the last row, predict H rows more of a series (--embed), each from the predictions before it
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = "Writing")]
    pub forecast: Option<u64>,
    /// Write only every N-th line; rows that wait for a target and those with a drift are always written
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Writing")]
    pub every: u64,

    /// File for the lines step,prediction,error,size,row,low,high,drift (row counts all rows of the input, low..high is the
    /// interval), with a column std after size (the standard deviation of the prediction) where the algorithm has one
    /// [default: standard output]. With --json the lines on standard output
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
    /// Write a page: signal and prediction, learning curve beside the baselines, size of the dictionary, drifts, settings
    #[arg(long, value_name = "FILE.html", help_heading = "Writing")]
    pub report: Option<PathBuf>,
}

/// Which learner.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// An algorithm by name; `list` shows which to use when, `list=NAME` one in full, `list` with --all every one
    /// [default: auto]
    #[arg(short, long, value_name = "NAME", group = "listing")]
    pub algorithm: Option<String>,
    /// With --algorithm list: every algorithm with all its parameters
    #[arg(long)]
    pub all: bool,
    /// Let the algorithm see features and target as they are, as the papers do. By default both are standardised by
    /// what the first rows say, and a width that is not given is found from them
    #[arg(long)]
    pub no_standardise: bool,
    /// Kernel, e.g. `gaussian`, `matern52:width=2`, `polynomial:degree=3` [default: gaussian]; algorithms that work on
    /// the inputs themselves take none
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<KernelArg>,
    /// Width of the kernel, exp(-r^2 / (2 width^2)) for the Gaussian one, in units of the standardised features; for auto a
    /// factor of the width that is found
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

/// Which learner, found by trying.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Run several algorithms side by side on the same rows and rank them: names, or `all`
    #[arg(long, value_name = "NAME,...|all", value_delimiter = ',', conflicts_with_all = ["resume", "save", "model", "out", "tune", "checkpoint_every", "forecast", "key"])]
    pub compare: Vec<String>,
    /// Try widths, steps, thresholds, budgets and forgetting factors of the algorithm on the first rows of a file, and
    /// print the command that repeats the best
    #[arg(long, conflicts_with_all = ["resume", "save", "model", "out", "checkpoint_every", "forecast", "key"])]
    pub tune: bool,
    /// Keep tuning while the stream runs: beside the learner learn one or two with another width, step, threshold, budget or
    /// forgetting factor, and one that did better for 200 samples takes its place
    #[arg(long, conflicts_with_all = ["resume", "compare", "tune"])]
    pub tune_live: bool,
    /// With --tune: rows to try on
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "tune", value_parser = clap::value_parser!(u64).range(20..=1_000_000))]
    pub tune_rows: u64,
}

/// What to do when the errors have grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnDriftArg {
    /// Say so
    Note,
    /// Start the learner anew from the rows since the change
    Forget,
    /// Start the learner anew
    Restart,
}

/// What to do with a bad row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnBadRow {
    /// Stop and say where it stands
    Error,
    /// Leave it out and count it
    Skip,
}
