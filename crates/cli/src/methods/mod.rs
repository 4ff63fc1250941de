//! The list of methods that `--method` knows. A new one gets a file here and a line in [`METHODS`].

mod krr;
mod lssvm;
pub mod ols;

use crate::args::{Bytes, KernelArg, SelectionArgs, SupportArg};
use clap::builder::{PossibleValue, PossibleValuesParser};
use groat::batch::{Method, Solver};

/// What a method may want to know from the command line.
pub struct Settings<'a> {
    pub kernel: KernelArg,
    pub ridge: Option<f64>,
    pub selection: &'a SelectionArgs,
    /// Labels of the classes; empty unless the target has some.
    pub classes: &'a [String],
    pub seed: u64,
    pub support: Option<SupportArg>,
    pub solver: Option<Solver>,
    pub shift: bool,
    /// Rows to learn from.
    pub rows: usize,
    pub memory: Option<Bytes>,
}

/// A method by name.
pub struct Entry {
    name: &'static str,
    about: &'static str,
    build: fn(&Settings<'_>) -> anyhow::Result<Box<dyn Method>>,
}

const METHODS: &[Entry] = &[ols::ENTRY, krr::ENTRY, lssvm::ENTRY];

/// The names, for help and for checking what was typed.
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(METHODS.iter().map(|m| PossibleValue::new(m.name).help(m.about)))
}

/// The method of that name.
pub fn build(name: &str, settings: &Settings<'_>) -> anyhow::Result<Box<dyn Method>> {
    match METHODS.iter().find(|method| method.name == name) {
        Some(method) => (method.build)(settings),
        None => crate::exit::usage(format!("there is no method {name:?}")),
    }
}
