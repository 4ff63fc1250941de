//! The file of a session: JSON with a version, every number with all its bits.

use super::{Samples, Session, Totals};
use crate::data::{Embedder, Inputs};
use crate::error::{Error, Result, check_len};
use crate::online::Learner;
use crate::persist::write_atomically;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the file says it is.
const FORMAT: &str = "groat session";
/// Version of the file.
const VERSION: u32 = 2;

/// What an error is about.
const WHAT: &str = "saved session";

/// A session as it stands in a file.
#[derive(Deserialize)]
struct Saved {
    learner: Learner,
    inputs: Option<Inputs>,
    embedder: Option<Embedder>,
    totals: Totals,
    std: Option<bool>,
}

/// The same while the session is in use.
#[derive(Serialize)]
struct View<'a> {
    format: &'static str,
    version: u32,
    learner: &'a Learner,
    inputs: Option<&'a Inputs>,
    embedder: Option<&'a Embedder>,
    totals: &'a Totals,
    std: Option<bool>,
}

/// What is read first, since it decides whether the rest can be understood.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u32>,
    learner: Option<serde::de::IgnoredAny>,
}

impl Session {
    /// The whole session as JSON text; [`from_bytes`](Self::from_bytes) restores it bit by bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let view = View {
            format: FORMAT,
            version: VERSION,
            learner: &self.learner,
            inputs: self.inputs(),
            embedder: self.samples.past(),
            totals: &self.totals,
            std: self.std,
        };
        serde_json::to_vec(&view)
            .map_err(|error| Error::Numerical { what: "saving a session", reason: error.to_string() })
    }

    /// Restores a session; a damaged one is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let broken = |error: serde_json::Error| Error::parse(WHAT, "", error.to_string());
        check_head(&serde_json::from_slice(bytes).map_err(broken)?)?;
        let Saved { learner, inputs, embedder, totals, std } =
            serde_json::from_slice(bytes).map_err(broken)?;
        let samples = match inputs {
            None => Samples::Numbers,
            Some(inputs) => {
                check_len("features of the inputs", learner.dimension(), inputs.features())?;
                Samples::Columns { inputs, past: embedder }
            }
        };
        Ok(Self::with_state(learner, samples, totals, std))
    }

    /// Writes the whole file or leaves the one before.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_atomically(path.as_ref(), |out| out.write_all(&bytes))
    }

    /// Reads a file of [`save`](Self::save).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        Self::from_bytes(&bytes).map_err(|error| match error {
            Error::Parse { what, reason, .. } if what == WHAT => {
                Error::parse(WHAT, &path.display().to_string(), reason)
            }
            other => other,
        })
    }
}

/// An error that says what to do unless the file is one that this release reads.
fn check_head(head: &Head) -> Result<()> {
    let refuse = |reason: String| Err(Error::parse(WHAT, "", reason));
    let older = head.format.is_none() && head.learner.is_some();
    if !older && head.format.as_deref() != Some(FORMAT) {
        return refuse("it is no session that groat saved".to_owned());
    }
    match head.version {
        Some(VERSION) if !older => Ok(()),
        Some(version) => refuse(format!(
            "it has version {version} and this release reads {VERSION}: go on with the release that wrote it, or learn \
             anew from the data"
        )),
        None => refuse("it has no version".to_owned()),
    }
}
