//! `groat inspect`, as typed.

use clap::Args;
use std::path::PathBuf;

/// Show what a model file holds.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  groat inspect houses.safetensors
  groat inspect houses.safetensors --vectors > vectors.csv
      The kept vectors and their weights as CSV, in the units of the data")]
pub struct InspectArgs {
    /// Model file
    pub model: PathBuf,
    /// Write the kept vectors and their weights as CSV instead
    #[arg(long, conflicts_with = "json")]
    pub vectors: bool,
}
