//! The file of a session: JSON with a version, every number with all its bits.

use super::baselines::Baselines;
use super::drift::{Drift, OnDrift};
use super::intervals::Intervals;
use super::preparation::Preparation;
use super::shadows::Shadows;
use super::{Samples, Session, Totals};
use crate::data::{Embedder, Inputs};
use crate::error::{Error, Result, check_len};
use crate::online::Learner;
use crate::online::state::bits;
use crate::persist::{checksum, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What the file says it is.
const FORMAT: &str = "groat session";
/// What a file of several sessions says it is.
pub(super) const FORMAT_OF_SEVERAL: &str = "groat sessions";
/// Version of the file.
pub(super) const VERSION: u32 = 4;

/// What an error is about.
const WHAT: &str = "saved session";

/// A session as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    #[serde(rename = "checksum")]
    _checksum: Option<String>,
    learner: Learner,
    inputs: Option<Inputs>,
    embedder: Option<Embedder>,
    totals: Totals,
    preparation: Preparation,
    baselines: Baselines,
    intervals: Intervals,
    drift: Drift,
    on_drift: OnDrift,
    shadows: Option<Shadows>,
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
pub(super) struct View<'a> {
    format: &'static str,
    version: u32,
    checksum: &'static str,
    learner: &'a Learner,
    inputs: Option<&'a Inputs>,
    embedder: Option<&'a Embedder>,
    totals: &'a Totals,
    preparation: &'a Preparation,
    baselines: &'a Baselines,
    intervals: &'a Intervals,
    drift: &'a Drift,
    on_drift: OnDrift,
    shadows: Option<&'a Shadows>,
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
        written(&self.view())
    }

    /// The session as it is written.
    pub(super) fn view(&self) -> View<'_> {
        let kept = |(x, y): &(Vec<f64>, f64)| Kept(x.iter().copied().chain([*y]).collect());
        View {
            format: FORMAT,
            version: VERSION,
            checksum: checksum::BLANK,
            learner: &self.learner,
            inputs: self.inputs(),
            embedder: self.samples.past(),
            totals: &self.totals,
            preparation: &self.preparation,
            baselines: &self.baselines,
            intervals: &self.intervals,
            drift: &self.drift,
            on_drift: self.on_drift,
            shadows: self.shadows.as_ref(),
            recent: self.recent.iter().map(kept).collect(),
            waiting: self.waiting.iter().map(|(key, x)| (key.as_str(), Kept(x.clone()))).collect(),
            carried: self.carried().map(Kept),
            std: self.std,
        }
    }

    /// Restores a session; a damaged one is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::restore(read(bytes, FORMAT)?)
    }

    /// The session of a file, checked.
    pub(super) fn restore(saved: Saved) -> Result<Self> {
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
        saved.shadows.as_ref().map_or(Ok(()), |shadows| shadows.check(dimension))?;
        session.shadows = saved.shadows;
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
        load(path.as_ref(), Self::from_bytes)
    }
}

/// A state as JSON text, with a checksum in its blank entry.
pub(super) fn written(state: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(state)
        .map_err(|error| Error::Numerical { what: "saving a session", reason: error.to_string() })?;
    checksum::seal(&mut bytes);
    Ok(bytes)
}

/// A state from JSON text that says it is of this format.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8], format: &str) -> Result<T> {
    let broken = |error: serde_json::Error| Error::parse(WHAT, "", error.to_string());
    check_head(&serde_json::from_slice(bytes).map_err(broken)?, format)?;
    if !checksum::is_sound(bytes) {
        let reason = "its checksum does not fit: the file was damaged or edited; take a copy, or learn anew";
        return Err(Error::parse(WHAT, "", reason));
    }
    serde_json::from_slice(bytes).map_err(broken)
}

/// A state from a file, whose name errors carry.
pub(super) fn load<T>(path: &Path, from: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    from(&read_state(path)?).map_err(|error| match error {
        Error::Io { .. } => error,
        Error::Parse { what, reason, .. } if what == WHAT => in_file(path, reason),
        other => in_file(path, other.to_string()),
    })
}

/// Whether a file says that it holds several sessions.
pub(super) fn holds_several(bytes: &[u8]) -> bool {
    let head: Option<Head> = serde_json::from_slice(bytes).ok();
    head.and_then(|head| head.format).as_deref() == Some(FORMAT_OF_SEVERAL)
}

/// What is wrong with a file.
fn in_file(path: &Path, reason: String) -> Error {
    Error::Source {
        source_name: path.display().to_string(),
        reason: format!("not a usable saved session: {reason}"),
    }
}

/// The bytes of a file that begins as a session does. What does not, such as a device without an end, is not read on.
fn read_state(path: &Path) -> Result<Vec<u8>> {
    let fail = |error| Error::io(path, error);
    let mut file = File::open(path).map_err(fail)?;
    let mut bytes = Vec::new();
    file.by_ref().take(1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes != b"{" {
        return Err(in_file(path, "it is no session that groat saved".to_owned()));
    }
    file.read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

/// An error that says what to do unless the file is one that this release reads.
fn check_head(head: &Head, format: &str) -> Result<()> {
    let refuse = |reason: String| Err(Error::parse(WHAT, "", reason));
    let older = head.format.is_none() && head.learner.is_some();
    match head.format.as_deref() {
        Some(found) if found == format => {}
        None if older => {}
        Some(FORMAT_OF_SEVERAL) => {
            return refuse(
                "it holds a session for each of several targets or labels: go on with it by groat stream --resume"
                    .to_owned(),
            );
        }
        _ => return refuse("it is no session that groat saved".to_owned()),
    }
    match head.version {
        Some(VERSION) if !older => Ok(()),
        Some(version) => refuse(format!(
            "it has version {version} and this release reads {VERSION}: go on with the release that wrote it, or learn \
             anew from the data (groat stream with its settings, --save writes the new form)"
        )),
        None => refuse("it has no version".to_owned()),
    }
}
