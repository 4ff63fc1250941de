//! The command from the outside: what it prints, writes and returns.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bad_input;
mod common;
mod compact;
mod density;
mod fit;
mod generate;
mod help;
mod hostile;
mod interruption;
mod outputs;
mod predict;
mod promises;
mod reading;
mod readme;
mod report;
mod reproduce;
mod running;
mod scale;
mod stream;
mod stream_watch;
mod svm;
mod targets;
mod writing;
