//! What is done, one file per command. A new command gets a file here, one in `args`, and a line below.

mod convert;
mod evaluate;
mod fit;
mod generate;
mod inspect;
mod pca;
mod predict;
pub mod reproduce;
mod sample;
pub mod stream;
mod tune_support;

use crate::args::{Cli, Command};
use crate::exit;
use crate::session::{Session, print};
use clap::CommandFactory;

/// Runs one command.
pub fn run(command: Command, session: &Session) -> anyhow::Result<()> {
    let data = match &command {
        Command::Fit(args) => Some(args.data.data.clone()),
        Command::Evaluate(args) => Some(args.data.data.clone()),
        Command::TuneSupport(args) => Some(args.points.data.data.clone()),
        Command::Pca(args) => Some(args.points.data.data.clone()),
        Command::Convert(args) => Some(args.data.data.clone()),
        _ => None,
    };
    let outcome = dispatch(command, session);
    match data {
        Some(data) => outcome.map_err(exit::about(&data)),
        None => outcome,
    }
}

fn dispatch(command: Command, session: &Session) -> anyhow::Result<()> {
    match command {
        Command::Fit(args) => fit::run(*args, session),
        Command::Predict(args) => predict::run(args, session),
        Command::Evaluate(args) => evaluate::run(args, session),
        Command::Sample(args) => sample::run(args, session),
        Command::Inspect(args) => inspect::run(args, session),
        Command::Generate(args) => generate::run(args, session),
        Command::Convert(args) => convert::run(&args, session),
        Command::TuneSupport(args) => tune_support::run(args, session),
        Command::Pca(args) => pca::run(args, session),
        Command::Stream(args) => stream::run(*args, session),
        Command::Reproduce(args) => reproduce::run(args, session),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "groat", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }
}
