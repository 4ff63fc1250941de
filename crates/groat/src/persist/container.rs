//! The container that every kind of model is stored in.

use super::{checksum, write_atomically};
use crate::error::{Error, ModelError, Result};
use crate::matrix::Matrix;
use safetensors::tensor::{Dtype, SafeTensors};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The version written. Version 1, of release 0.1, is read too.
const VERSION: &str = "2";
const FIRST: &str = "1";

/// Entries that every file has; those of earlier releases lack the last.
const FIXED: [&str; 4] = ["format", "version", "kind", "checksum"];

/// Longest header that is believed, as in the safetensors crate.
const LONGEST_HEADER: u64 = 100_000_000;

/// No model file of this library comes near this; a larger one is refused before it is read.
const LARGEST_FILE: u64 = 16 << 30;

/// An array of numbers: written as `f64` or `u64`, read from `f32` and `u32` too.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    shape: Vec<usize>,
    data: Numbers,
}

#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    Real(Vec<f64>),
    Whole(Vec<u64>),
}

impl Numbers {
    fn bytes(&self) -> usize {
        match self {
            Numbers::Real(data) => size_of_val(data.as_slice()),
            Numbers::Whole(data) => size_of_val(data.as_slice()),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Numbers::Real(_) => "F64",
            Numbers::Whole(_) => "U64",
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Numbers::Real(data) => out.extend(data.iter().flat_map(|v| v.to_le_bytes())),
            Numbers::Whole(data) => out.extend(data.iter().flat_map(|v| v.to_le_bytes())),
        }
    }

    /// Reads little-endian numbers; `None` for a type that no model has.
    fn read(kind: Dtype, bytes: &[u8]) -> Option<Self> {
        let eights = || bytes.as_chunks::<8>().0.iter();
        let fours = || bytes.as_chunks::<4>().0.iter();
        Some(match kind {
            Dtype::F64 => Numbers::Real(eights().map(|w| f64::from_le_bytes(*w)).collect()),
            Dtype::F32 => Numbers::Real(fours().map(|w| f64::from(f32::from_le_bytes(*w))).collect()),
            Dtype::U64 => Numbers::Whole(eights().map(|w| u64::from_le_bytes(*w)).collect()),
            Dtype::U32 => Numbers::Whole(fours().map(|w| u64::from(u32::from_le_bytes(*w))).collect()),
            _ => return None,
        })
    }
}

impl Tensor {
    pub(crate) fn matrix(m: &Matrix) -> Self {
        Self { shape: vec![m.rows(), m.cols()], data: Numbers::Real(m.data().to_vec()) }
    }

    pub(crate) fn vector(v: &[f64]) -> Self {
        Self { shape: vec![v.len()], data: Numbers::Real(v.to_vec()) }
    }

    pub(crate) fn indices(v: impl IntoIterator<Item = u64>) -> Self {
        let data: Vec<u64> = v.into_iter().collect();
        Self { shape: vec![data.len()], data: Numbers::Whole(data) }
    }

    pub(crate) fn into_matrix(self, name: &'static str) -> Result<Matrix> {
        match (&self.shape[..], self.data) {
            (&[rows, cols], Numbers::Real(data)) => Matrix::from_vec(data, rows, cols),
            (shape, data) => Err(wrong(name, "a two-dimensional array of real numbers", shape, &data)),
        }
    }

    pub(crate) fn into_vector(self, name: &'static str) -> Result<Vec<f64>> {
        match (&self.shape[..], self.data) {
            ([_], Numbers::Real(data)) => Ok(data),
            (shape, data) => Err(wrong(name, "a one-dimensional array of real numbers", shape, &data)),
        }
    }

    pub(crate) fn into_indices(self, name: &'static str) -> Result<Vec<usize>> {
        match (&self.shape[..], self.data) {
            // What does not fit is beyond every array, and refused as such.
            ([_], Numbers::Whole(data)) => {
                Ok(data.into_iter().map(|v| usize::try_from(v).unwrap_or(usize::MAX)).collect())
            }
            (shape, data) => Err(wrong(name, "a one-dimensional array of whole numbers", shape, &data)),
        }
    }
}

fn wrong(name: &'static str, expected: &str, shape: &[usize], data: &Numbers) -> Error {
    let found = format!("of type {} and shape {shape:?}", data.kind());
    ModelError::Tensor { name, expected: expected.to_owned(), found }.into()
}

/// Named arrays and text entries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Container {
    entries: BTreeMap<String, String>,
    tensors: BTreeMap<String, Tensor>,
}

/// The bytes of a model file, at most the limit. What does not begin as `text` or as a container is not read on: a
/// device has no end.
pub(crate) fn read_bytes(path: &Path, text: &[u8]) -> Result<Vec<u8>> {
    let fail = |e| Error::io(path, e);
    let mut file = File::open(path).map_err(fail)?;
    // Read rather than mapped: a special file may have no honest length.
    let mut bytes = Vec::new();
    file.by_ref().take(9).read_to_end(&mut bytes).map_err(fail)?;
    let container = bytes.as_chunks::<8>().0.first().is_some_and(|length| {
        (2..=LONGEST_HEADER).contains(&u64::from_le_bytes(*length)) && bytes.last() == Some(&b'{')
    });
    if !container && !text.starts_with(&bytes[..bytes.len().min(text.len())]) {
        return Err(ModelError::Container("it does not begin as such a file does".to_owned()).into());
    }
    let read = file.take(LARGEST_FILE).read_to_end(&mut bytes).map_err(fail)?;
    if read as u64 > LARGEST_FILE {
        return Err(ModelError::TooLarge { found: read as u64, limit: LARGEST_FILE }.into());
    }
    Ok(bytes)
}

impl Container {
    /// An empty container for a kind of model.
    pub(crate) fn new(kind: &str) -> Self {
        let entries = FIXED.into_iter().zip(["groat", VERSION, kind, checksum::BLANK]);
        Self {
            entries: entries.map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
            tensors: BTreeMap::new(),
        }
    }

    pub(crate) fn put(&mut self, name: &'static str, tensor: Tensor) {
        self.tensors.insert(name.to_owned(), tensor);
    }

    pub(crate) fn put_text(&mut self, name: &'static str, text: String) {
        self.entries.insert(name.to_owned(), text);
    }

    pub(crate) fn put_json(&mut self, name: &'static str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)
            .map_err(|e| ModelError::Metadata { name, reason: format!("cannot be written: {e}") })?;
        self.put_text(name, text);
        Ok(())
    }

    /// The kind of model the file holds.
    pub(crate) fn kind(&self) -> &str {
        self.entries.get("kind").map_or("", String::as_str)
    }

    /// Whether release 0.1 wrote the file.
    pub(crate) fn is_first_version(&self) -> bool {
        self.entries.get("version").is_some_and(|version| version == FIRST)
    }

    /// Takes a text entry out.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String> {
        let missing = || ModelError::Metadata { name, reason: "missing".to_owned() };
        Ok(self.entries.remove(name).ok_or_else(missing)?)
    }

    /// Takes an entry out.
    pub(crate) fn json<V: DeserializeOwned>(&mut self, name: &'static str) -> Result<V> {
        serde_json::from_str(&self.text(name)?)
            .map_err(|e| ModelError::Metadata { name, reason: e.to_string() }.into())
    }

    pub(crate) fn optional_json<V: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<V>> {
        if self.entries.contains_key(name) { self.json(name).map(Some) } else { Ok(None) }
    }

    /// An error if there is anything that nobody took out: a damaged name must not pass for a missing one.
    pub(crate) fn nothing_left(&self) -> Result<()> {
        let entries = self.entries.keys().filter(|name| !FIXED.contains(&name.as_str()));
        match entries.chain(self.tensors.keys()).next() {
            None => Ok(()),
            Some(name) => Err(ModelError::Unknown(name.clone()).into()),
        }
    }

    pub(crate) fn take(&mut self, name: &'static str) -> Result<Tensor> {
        Ok(self.take_optional(name).ok_or(ModelError::MissingTensor(name))?)
    }

    pub(crate) fn take_optional(&mut self, name: &'static str) -> Option<Tensor> {
        self.tensors.remove(name)
    }

    /// The file image. Written here rather than by the safetensors crate, whose map of entries has a random
    /// order: the same model shall be the same bytes.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut header = serde_json::Map::new();
        header.insert("__metadata__".to_owned(), json!(self.entries));
        let mut end = 0;
        for (name, tensor) in &self.tensors {
            let start = end;
            end += tensor.data.bytes();
            let place =
                json!({"dtype": tensor.data.kind(), "shape": tensor.shape, "data_offsets": [start, end]});
            header.insert(name.clone(), place);
        }
        let mut text = serde_json::to_vec(&header).map_err(|e| ModelError::Container(e.to_string()))?;
        // Blanks up to a multiple of 8 keep the numbers aligned.
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut bytes = Vec::with_capacity(8 + text.len() + end);
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text);
        self.tensors.values().for_each(|t| t.data.write(&mut bytes));
        checksum::seal(&mut bytes);
        Ok(bytes)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let entries: BTreeMap<String, String> =
            header.metadata().clone().unwrap_or_default().into_iter().collect();
        let groat = entries.get("format").is_some_and(|f| f == "groat");
        match entries.get("version") {
            Some(version) if groat && (version == VERSION || version == FIRST) => {}
            found => {
                let found = if groat { found.cloned().unwrap_or_default() } else { String::new() };
                return Err(ModelError::Version { found, known: VERSION }.into());
            }
        }
        if !checksum::is_sound(bytes) {
            return Err(ModelError::Checksum.into());
        }
        // `deserialize` has checked that every array lies inside the bytes at hand, so what is allocated
        // here is never more than what was really read.
        let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            let Some(data) = Numbers::read(view.dtype(), view.data()) else {
                let reason = format!("array {name:?} is {:?}, which no model has", view.dtype());
                return Err(ModelError::Container(reason).into());
            };
            tensors.insert(name.to_owned(), Tensor { shape: view.shape().to_vec(), data });
        }
        Ok(Self { entries, tensors })
    }

    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_atomically(path, |out| out.write_all(&bytes))
    }
}

fn damaged(error: safetensors::SafeTensorError) -> ModelError {
    ModelError::Container(error.to_string())
}
