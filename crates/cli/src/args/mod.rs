//! What was typed. Types here only say what may be written on the command line; what it means is for
//! `commands`.

mod convert;
mod data;
mod evaluate;
mod fit;
mod generate;
mod inspect;
mod points;
mod predict;
mod reproduce;
mod sample;
mod settings;
mod stream;

pub use convert::ConvertArgs;
pub use data::{DataArgs, ReadingArgs};
pub use evaluate::EvaluateArgs;
pub use fit::{FitArgs, TaskArg};
pub use generate::GenerateArgs;
/// A kernel with its width, or without, which leaves the width to be chosen.
pub use groat::batch::KernelChoice as KernelArg;
pub use inspect::InspectArgs;
pub use points::{PcaArgs, PointArgs, TuneSupportArgs};
pub use predict::PredictArgs;
pub use reproduce::ReproduceArgs;
pub use sample::SampleArgs;
pub use settings::{SettingArgs, flag_name};
pub use stream::{MethodArgs, OnBadRow, OnDriftArg, StreamArgs};

use clap::{Args, Parser, Subcommand};

/// Sparse kernel models from data files.
#[derive(Debug, Parser)]
#[command(
    name = "groat",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 success, 1 the work failed, 2 the call was wrong, 130 a signal ended the work \
                  and what there was so far was written.\n\
                  `groat help COMMAND` shows examples."
)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Arguments that every command takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Common")]
pub struct Common {
    /// Answer with one JSON object on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Print nothing but errors (and what was asked for on standard output)
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Tell how far the work is on standard error even where it is no terminal, in lines for a log: the start of each
    /// stage, then at most one a second
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub progress: bool,
    /// Threads to use; the results do not depend on it [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Seed of every random choice
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn a model from a data file
    Fit(Box<FitArgs>),
    /// Apply a model to data
    Predict(PredictArgs),
    /// Measure a model's errors on data with known answers
    Evaluate(EvaluateArgs),
    /// Draw rows from a density estimate
    Sample(SampleArgs),
    /// Show what a model file holds
    Inspect(InspectArgs),
    /// Write a synthetic data set
    Generate(GenerateArgs),
    /// Write data in the form of LIBSVM
    Convert(ConvertArgs),
    /// Choose how far a kernel with compact support reaches
    TuneSupport(TuneSupportArgs),
    /// Find principal components in the feature space of a kernel
    Pca(PcaArgs),
    /// Learn from rows as they arrive
    Stream(Box<StreamArgs>),
    /// Repeat the published experiments and compare
    Reproduce(ReproduceArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  groat completions bash > ~/.local/share/bash-completion/completions/groat"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
