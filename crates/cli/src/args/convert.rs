//! `groat convert`, as typed.

use super::{DataArgs, TaskArg};
use clap::Args;
use std::path::PathBuf;

/// Write data as svmlight text, which LIBSVM and LIBLINEAR read.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat convert iris.csv --target species -o iris.svm
      Text columns become indicators, classes that are no whole numbers 0, 1, ... in alphabetical order
  groat fit iris.csv --target species --method svc --no-standardise -o iris.libsvm
      The model that goes with them: svm-predict of LIBSVM gives the answers of groat
  groat convert new.csv --model iris.safetensors -o new.svm
      Columns, categories and classes as a model takes them")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Column with the answers, the label of each line; without one it is 0
    #[arg(short, long, value_name = "NAME")]
    pub target: Option<String>,
    /// What kind of answer it is; `auto` takes text and two-valued targets as classes
    #[arg(long, value_enum, default_value_t = TaskArg::Auto)]
    pub task: TaskArg,
    /// Columns to write [default: all but the target]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub features: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "features")]
    pub exclude: Vec<String>,
    /// Columns, categories and classes as this model takes them
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["features", "exclude", "task"])]
    pub model: Option<PathBuf>,
    /// File to write
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: PathBuf,
}
