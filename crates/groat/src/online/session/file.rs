//! The file of a session: JSON with a version, every number with all its bits.

use super::baselines::Baselines;
use super::drift::{Drift, OnDrift};
use super::intervals::Intervals;
use super::preparation::Preparation;
use super::{Samples, Session, Totals};
use crate::data::{Embedder, Inputs};
use crate::error::{Error, Result, check_len};
use crate::online::Learner;
use crate::online::state::bits;
use crate::persist::write_atomically;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the file says it is.
const FORMAT: &str = "groat session";
/// Version of the file.
const VERSION: u32 = 3;

/// What an error is about.
const WHAT: &str = "saved session";

/// A session as it stands in a file.
#[derive(Deserialize)]
struct Saved {
    learner: Learner,
    inputs: Option<Inputs>,
    embedder: Option<Embedder>,
    totals: Totals,
    preparation: Preparation,
    baselines: Baselines,
    intervals: Intervals,
    drift: Drift,
    on_drift: OnDrift,
    recent: Vec<Kept>,
    waiting: Vec<(String, Kept)>,
    carried: Option<Kept>,
    std: Option<bool>,
}

/// Numbers of a sample, its target last where it has one.
#[derive(Serialize, Deserialize)]
struct Kept(#[serde(with = "bits")] Vec<f64>);

/// The same while the session is in use.
#[derive(Serialize)]
struct View<'a> {
    format: &'static str,
    version: u32,
    learner: &'a Learner,
    inputs: Option<&'a Inputs>,
    embedder: Option<&'a Embedder>,
    totals: &'a Totals,
    preparation: &'a Preparation,
    baselines: &'a Baselines,
    intervals: &'a Intervals,
    drift: &'a Drift,
    on_drift: OnDrift,
    recent: Vec<Kept>,
    waiting: Vec<(&'a str, Kept)>,
    carried: Option<Kept>,
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
        let kept = |(x, y): &(Vec<f64>, f64)| Kept(x.iter().copied().chain([*y]).collect());
        let view = View {
            format: FORMAT,
            version: VERSION,
            learner: &self.learner,
            inputs: self.inputs(),
            embedder: self.samples.past(),
            totals: &self.totals,
            preparation: &self.preparation,
            baselines: &self.baselines,
            intervals: &self.intervals,
            drift: &self.drift,
            on_drift: self.on_drift,
            recent: self.recent.iter().map(kept).collect(),
            waiting: self.waiting.iter().map(|(key, x)| (key.as_str(), Kept(x.clone()))).collect(),
            carried: self.carried().map(Kept),
            std: self.std,
        };
        serde_json::to_vec(&view)
            .map_err(|error| Error::Numerical { what: "saving a session", reason: error.to_string() })
    }

    /// Restores a session; a damaged one is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let broken = |error: serde_json::Error| Error::parse(WHAT, "", error.to_string());
        check_head(&serde_json::from_slice(bytes).map_err(broken)?)?;
        let saved: Saved = serde_json::from_slice(bytes).map_err(broken)?;
        let mut session = Self::new(saved.learner)?;
        let dimension = session.learner.dimension();
        if let Some(inputs) = saved.inputs {
            check_len("features of the inputs", dimension, inputs.features())?;
            session.samples = Samples::Columns { inputs, past: saved.embedder };
        }
        saved.preparation.check(dimension)?;
        saved.baselines.check(dimension)?;
        saved.intervals.check()?;
        saved.drift.check()?;
        for Kept(mut row) in saved.recent {
            check_len("numbers of a recent row", dimension + 1, row.len())?;
            let y = row.pop().unwrap_or_default();
            session.recent.push_back((row, y));
        }
        for (key, Kept(x)) in saved.waiting {
            check_len("features of a waiting sample", dimension, x.len())?;
            session.waiting.insert(key, x);
        }
        (session.preparation, session.baselines) = (saved.preparation, saved.baselines);
        (session.intervals, session.drift, session.on_drift) = (saved.intervals, saved.drift, saved.on_drift);
        session.carried = saved.carried.map(|Kept(values)| values);
        (session.totals, session.std) = (saved.totals, saved.std);
        Ok(session)
    }

    /// The last value of each input column, where missing ones are carried forward.
    fn carried(&self) -> Option<Vec<f64>> {
        match &self.samples {
            Samples::Rows { stream, .. } => stream.carried().map(<[f64]>::to_vec),
            _ => self.carried.clone(),
        }
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
