//! `groat fit`, as typed.

use super::{DataArgs, KernelArg, SettingArgs};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use groat::batch::Methods;
use groat::data::{Missing, TaskChoice};
use std::path::PathBuf;

/// Learn a model from a data file.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat fit houses.csv --target price
      As few Gaussian kernels as come within 2 % of the full machine; a fifth of the rows held out as test
  groat fit houses.csv --target price --method krr
      Kernel ridge regression on all rows, width and ridge by leave-one-out
  groat fit motor.csv --target torque,heat
      Two targets at once: one choice of vectors serves both
  groat fit iris.csv --target species --report iris.html
      Classification, because the target is text; a page with charts besides
  groat fit series.csv --target y --features u --embed 10 --kernel matern52
      A series: predict y from the last 10 values of u and of y itself
  groat fit cells.csv --task density --features size,shade --report cells.html
      Where rows are likely: a few Gaussians, for `groat predict` and `groat sample`
  groat fit map.csv --target height --method lssvm --support auto --memory 2GiB
      A kernel with compact support and a sparse matrix, for many rows and few features
  groat fit big.csv --target y --method nystrom --rank 2000 --dry-run
      What a million rows on 2000 landmarks would take
  zcat big.csv.gz | groat fit - --target y --kernel gaussian:width=0.8 --ridge 1e-3
      From a pipe, nothing left to choose

Ctrl-C ends a selection, a search or a solver with the model so far, which is written and marked as such (exit code 130); a \
second Ctrl-C ends the command at once and writes nothing.")]
pub struct FitArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Column to predict, or several columns of numbers by one model; a svmlight file has its own
    #[arg(short, long, value_name = "NAME,...", help_heading = "Data")]
    pub target: Option<String>,
    /// What kind of answer to learn; `auto` takes text and two-valued targets as classes
    #[arg(long, value_enum, default_value_t = TaskArg::Auto, help_heading = "Data")]
    pub task: TaskArg,
    /// Column that says how much each row counts: numbers above 0, for support vector and linear machines also 0, which leaves
    /// the row out
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    pub weights: Option<String>,
    /// Columns to learn from [default: all but the targets]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Data")]
    pub features: Vec<String>,
    /// Columns to leave out
    #[arg(
        long,
        alias = "drop",
        value_name = "NAME,...",
        value_delimiter = ',',
        conflicts_with = "features",
        help_heading = "Data"
    )]
    pub exclude: Vec<String>,
    /// What becomes of rows with missing values
    #[arg(long, value_enum, default_value_t = MissingArg::Refuse, help_heading = "Data")]
    pub missing: MissingArg,
    /// Treat rows as moments in time: learn from the last L values of each feature and of the target
    #[arg(long, value_name = "L", help_heading = "Data", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub embed: Option<u32>,
    /// With --embed: how many steps ahead the target lies
    #[arg(long, value_name = "STEPS", default_value_t = 1, requires = "embed", help_heading = "Data", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub horizon: u32,
    /// With --embed: learn from the features' past alone, not from the target's
    #[arg(long, requires = "embed", help_heading = "Data")]
    pub no_feedback: bool,
    /// Take features as they are instead of bringing each to mean 0 and deviation 1
    #[arg(long, help_heading = "Data")]
    pub no_standardise: bool,
    /// Read the data batch by batch, again and again, instead of holding them: for files that do not fit memory
    /// [default: when the file is larger than an eighth of --memory and the method can]
    #[arg(long, help_heading = "Data")]
    pub stream: bool,

    /// How to learn [default: sparse]
    #[arg(long, value_name = "NAME", value_parser = names(), help_heading = "Method")]
    pub method: Option<String>,
    /// Kernel, e.g. `gaussian`, `matern52:width=2`, `polynomial:degree=3`; a width not given is chosen by
    /// leave-one-out [default: gaussian; with `sparse` also linear, where that does as well]
    #[arg(long, value_name = "KERNEL", help_heading = "Method")]
    pub kernel: Option<KernelArg>,
    /// Go on from a model of the same method: one that --max-time, --max-iterations or Ctrl-C ended, one of another cost,
    /// or one of fewer rows. Its scaling is kept; so are kernel, cost, nu and epsilon where none is given
    #[arg(long, value_name = "MODEL", conflicts_with = "stream", help_heading = "Method")]
    pub warm_start: Option<PathBuf>,
    /// Stand on the rows of this file, which has the columns that are learnt from, instead of looking for landmarks
    #[arg(long, value_name = "FILE", conflicts_with = "rank", help_heading = "Method")]
    pub landmarks_from: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Also compare methods with their defaults on three parts of the rows (of up to 4000), each left out once: those
    /// named, or the usual ones
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', num_args = 0..=1, require_equals = true, value_parser = names(), help_heading = "Method")]
    pub compare: Option<Vec<String>>,

    /// Only say what the fit would take: rows, memory, time and solver, from the first rows of the file
    #[arg(long, help_heading = "Method")]
    pub dry_run: bool,

    /// Part of the rows to hold out as test, by seed; 0 learns from all [default: 0.2]
    #[arg(long, value_name = "FRACTION", value_parser = fraction, help_heading = "Test part")]
    pub test: Option<f64>,
    /// File with a column that says for each row whether it is for training (0) or test (1); the column may be
    /// left out if it is the only one
    #[arg(long, value_name = "FILE[:COLUMN]", conflicts_with = "test", help_heading = "Test part")]
    pub split: Option<String>,

    /// Model file to write [default: the data file's name with .safetensors, in the current folder]
    #[arg(short, long, visible_alias = "out", value_name = "FILE", help_heading = "Writing")]
    pub output: Option<PathBuf>,
    /// Also write the leave-one-out prediction of every training row, .csv, .tsv or .parquet
    #[arg(long, value_name = "FILE", help_heading = "Writing")]
    pub loo: Option<PathBuf>,
    /// Also write a page with charts
    #[arg(long, value_name = "FILE.html", help_heading = "Writing")]
    pub report: Option<PathBuf>,
}

/// The methods of the library, for help and for checking what was typed.
fn names() -> PossibleValuesParser {
    let methods = Methods::standard();
    PossibleValuesParser::new(methods.rows().iter().map(|row| PossibleValue::new(row.name).help(row.summary)))
}

/// What kind of answer to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TaskArg {
    Auto,
    Regression,
    Classification,
    /// Where rows are likely; there is no target
    Density,
}

impl From<TaskArg> for TaskChoice {
    fn from(task: TaskArg) -> Self {
        match task {
            TaskArg::Auto => TaskChoice::Auto,
            TaskArg::Regression => TaskChoice::Regression,
            TaskArg::Classification => TaskChoice::Classification,
            TaskArg::Density => TaskChoice::Density,
        }
    }
}

/// What becomes of missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArg {
    /// They are an error
    Refuse,
    /// Such rows are left out
    Drop,
    /// The training rows' median, or most frequent level, stands in, also when the model is used
    Median,
    /// As median, and a further feature says where a value was missing
    Flag,
}

impl From<MissingArg> for Missing {
    fn from(missing: MissingArg) -> Self {
        match missing {
            MissingArg::Refuse => Missing::Refuse,
            MissingArg::Drop => Missing::Drop,
            MissingArg::Median => Missing::Median,
            MissingArg::Flag => Missing::Flag,
        }
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if (0.0..1.0).contains(&part) => Ok(part),
        _ => Err("expected a fraction from 0 to below 1".into()),
    }
}
