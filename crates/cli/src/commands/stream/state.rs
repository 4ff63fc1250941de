//! Everything that must be kept to go on: the learner, what the samples are made of, the past of the series, how
//! far the stream has come.

use super::score::Totals;
use crate::session::write_file;
use anyhow::Context;
use groat::data::{Embedder, InputStream, Inputs};
use groat::online::Learner;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file.
const VERSION: u32 = 1;

/// The file of `--save`.
#[derive(Serialize, Deserialize)]
pub struct State {
    version: u32,
    pub learner: Learner,
    pub inputs: Inputs,
    pub embedder: Option<Embedder>,
    pub totals: Totals,
    /// Whether the lines have a standard deviation.
    pub std: bool,
}

/// The same while the learner is in use.
#[derive(Serialize)]
pub struct View<'a> {
    version: u32,
    learner: &'a Learner,
    inputs: &'a Inputs,
    embedder: Option<&'a Embedder>,
    totals: &'a Totals,
    std: bool,
}

impl<'a> View<'a> {
    /// What is to be saved.
    pub fn new(learner: &'a Learner, stream: &'a InputStream, totals: &'a Totals, std: bool) -> Self {
        View { version: VERSION, learner, inputs: stream.inputs(), embedder: stream.embedder(), totals, std }
    }

    /// Writes the whole file or leaves the one before.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        write_file(path, &serde_json::to_vec(self).context("cannot write the state")?)
    }
}

impl State {
    /// Reads a state.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let bytes =
            std::fs::read(path).map_err(|error| groat::Error::io(path.display().to_string(), error))?;
        let wrong = || format!("{} is no saved state of groat stream", path.display());
        let state: State = serde_json::from_slice(&bytes).with_context(wrong)?;
        anyhow::ensure!(
            state.version == VERSION,
            "{}: version {} is not known here",
            path.display(),
            state.version
        );
        let width = state.inputs.features();
        anyhow::ensure!(
            state.learner.dimension() == width,
            "{}: the learner does not fit its inputs",
            path.display()
        );
        Ok(state)
    }
}
