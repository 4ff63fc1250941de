//! `groat evaluate`, as typed.

use super::DataArgs;
use clap::Args;
use std::path::PathBuf;

/// Measure a model's errors on data with known answers.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat evaluate houses.safetensors later.csv
  groat evaluate houses.safetensors later.csv --importance
      How much the error rises when the values of each column are shuffled
  groat evaluate iris.safetensors test.csv --target class --report test.html --json")]
pub struct EvaluateArgs {
    /// Model file
    pub model: PathBuf,
    #[command(flatten)]
    pub data: DataArgs,
    /// Column with the answers, or one for each target of the model [default: what the model was fitted to]
    #[arg(short, long, value_name = "NAME,...", help_heading = "Options")]
    pub target: Option<String>,
    /// Also measure how much the error rises when the values of a column are shuffled, for each column
    #[arg(long, help_heading = "Options")]
    pub importance: bool,
    /// Also write a page with charts
    #[arg(long, value_name = "FILE.html", help_heading = "Options")]
    pub report: Option<PathBuf>,
}
