//! The container that every kind of model is stored in.

use super::write_atomically;
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

/// The version written, and the only one read so far.
const VERSION: &str = "1";

/// No model file of this library comes near this; a larger one is refused before it is read.
const LARGEST_FILE: u64 = 16 << 30;

/// An array of `f64`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Tensor {
    pub(crate) fn matrix(m: &Matrix) -> Self {
        Self { shape: vec![m.rows(), m.cols()], data: m.data().to_vec() }
    }

    pub(crate) fn vector(v: &[f64]) -> Self {
        Self { shape: vec![v.len()], data: v.to_vec() }
    }

    pub(crate) fn into_matrix(self, name: &'static str) -> Result<Matrix> {
        match self.shape[..] {
            [rows, cols] => Matrix::from_vec(self.data, rows, cols),
            _ => Err(self.wrong(name, "two-dimensional")),
        }
    }

    pub(crate) fn into_vector(self, name: &'static str) -> Result<Vec<f64>> {
        if self.shape.len() == 1 { Ok(self.data) } else { Err(self.wrong(name, "one-dimensional")) }
    }

    fn wrong(&self, name: &'static str, expected: &str) -> Error {
        ModelError::Tensor {
            name,
            expected: expected.to_owned(),
            found: format!("of shape {:?}", self.shape),
        }
        .into()
    }
}

/// Named arrays and text entries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Container {
    entries: BTreeMap<String, String>,
    tensors: BTreeMap<String, Tensor>,
}

impl Container {
    /// An empty container for a kind of model.
    pub(crate) fn new(kind: &str) -> Self {
        let entries = [("format", "groat"), ("version", VERSION), ("kind", kind)];
        Self {
            entries: entries.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
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

    pub(crate) fn expect_kind(&self, kind: &'static str) -> Result<()> {
        if self.kind() == kind {
            return Ok(());
        }
        let reason = format!("the file holds a model of kind {:?}, wanted {kind:?}", self.kind());
        Err(ModelError::Metadata { name: "kind", reason }.into())
    }

    pub(crate) fn text(&self, name: &'static str) -> Result<&str> {
        let missing = || ModelError::Metadata { name, reason: "missing".to_owned() };
        Ok(self.entries.get(name).ok_or_else(missing)?)
    }

    pub(crate) fn json<V: DeserializeOwned>(&self, name: &'static str) -> Result<V> {
        serde_json::from_str(self.text(name)?)
            .map_err(|e| ModelError::Metadata { name, reason: e.to_string() }.into())
    }

    pub(crate) fn optional_json<V: DeserializeOwned>(&self, name: &'static str) -> Result<Option<V>> {
        if self.entries.contains_key(name) { self.json(name).map(Some) } else { Ok(None) }
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
            end += size_of_val(tensor.data.as_slice());
            let place = json!({"dtype": "F64", "shape": tensor.shape, "data_offsets": [start, end]});
            header.insert(name.clone(), place);
        }
        let mut text = serde_json::to_vec(&header).map_err(|e| ModelError::Container(e.to_string()))?;
        // Blanks up to a multiple of 8 keep the numbers aligned.
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut bytes = Vec::with_capacity(8 + text.len() + end);
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text);
        self.tensors.values().for_each(|t| bytes.extend(t.data.iter().flat_map(|v| v.to_le_bytes())));
        Ok(bytes)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let entries: BTreeMap<String, String> =
            header.metadata().clone().unwrap_or_default().into_iter().collect();
        let groat = entries.get("format").is_some_and(|f| f == "groat");
        match entries.get("version") {
            Some(version) if groat && version == VERSION => {}
            found => {
                let found = if groat { found.cloned().unwrap_or_default() } else { String::new() };
                return Err(ModelError::Version { found, known: VERSION }.into());
            }
        }
        // `deserialize` has checked that every array lies inside the bytes at hand, so what is allocated
        // here is never more than what was really read.
        let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            if view.dtype() != Dtype::F64 {
                return Err(
                    ModelError::Container(format!("array {name:?} is {:?}, not F64", view.dtype())).into()
                );
            }
            let (words, _) = view.data().as_chunks::<8>();
            let data = words.iter().map(|w| f64::from_le_bytes(*w)).collect();
            tensors.insert(name.to_owned(), Tensor { shape: view.shape().to_vec(), data });
        }
        Ok(Self { entries, tensors })
    }

    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_atomically(path, |out| out.write_all(&bytes))
    }

    pub(crate) fn load(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        // Read rather than mapped, and at most the limit: a special file may have no honest length.
        let mut bytes = Vec::new();
        let read = file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
        if read as u64 > LARGEST_FILE {
            return Err(ModelError::TooLarge { found: read as u64, limit: LARGEST_FILE }.into());
        }
        Self::from_bytes(&bytes)
    }
}

fn damaged(error: safetensors::SafeTensorError) -> ModelError {
    ModelError::Container(error.to_string())
}
