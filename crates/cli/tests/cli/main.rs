//! The command from the outside: what it prints, writes and returns.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bad_input;
mod common;
mod density;
mod fit;
mod generate;
mod help;
mod interruption;
mod predict;
mod report;
#[path = "../running/mod.rs"]
mod running;
mod targets;
mod writing;
