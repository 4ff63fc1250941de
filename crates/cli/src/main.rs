//! The groat command: sparse kernel models from the shell.
//!
//! What was typed (`args`) is kept apart from what is done (`commands`); learners are found through one list
//! (`methods`); what a person or a program reads back is made in `output`. The exit code is decided in
//! `exit` alone.

mod args;
mod commands;
mod evaluation;
mod exit;
mod files;
mod input;
mod model;
mod output;
mod points;
mod session;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    groat::data::quiet_decoders();
    // A wrong call ends here with code 2, `--help` and `--version` with 0.
    let cli = args::Cli::parse();
    let outcome =
        session::Session::start(&cli.common).and_then(|session| commands::run(cli.command, &session));
    exit::code(outcome)
}
