//! `groat predict`, as typed.

use super::DataArgs;
use clap::Args;
use std::path::PathBuf;

/// Apply a model to data.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat predict houses.safetensors new.csv
      Predictions as CSV on standard output, one per row
  groat predict iris.safetensors new.csv --scores --append -o answers.csv
      All columns of the input, the predicted class, and the decision value of each class
  groat predict houses.safetensors new.csv --std
      Beside each prediction how far off it may be
  groat predict houses.safetensors new.csv --interval 0.9
      Beside each prediction the ends of an interval that holds the truth 9 times out of 10
  groat predict cells.safetensors new.csv
      For a density estimate: the density and its logarithm
  tail -n +2 log.csv | groat predict model.safetensors - --no-header | head")]
pub struct PredictArgs {
    /// Model file
    pub model: PathBuf,
    #[command(flatten)]
    pub data: DataArgs,
    /// File to write, .csv, .tsv or .parquet [default: CSV on standard output]
    #[arg(short, long, visible_alias = "out", value_name = "FILE", help_heading = "Options")]
    pub output: Option<PathBuf>,
    /// Repeat the columns of the input before the prediction
    #[arg(long, help_heading = "Options")]
    pub append: bool,
    /// Classification: also write the decision value of each class
    #[arg(long, help_heading = "Options")]
    pub scores: bool,
    /// Regression by `ols`: also write the standard deviation of what will be observed
    #[arg(long, help_heading = "Options")]
    pub std: bool,
    /// Regression by `sparse`: also write the ends of an interval that holds what will be observed with this probability
    #[arg(long, value_name = "PROBABILITY", value_parser = coverage, help_heading = "Options")]
    pub interval: Option<f64>,
}

fn coverage(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part < 1.0 => Ok(part),
        _ => Err("expected a probability above 0 and below 1".into()),
    }
}
