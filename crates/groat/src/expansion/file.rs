//! An expansion as a model file.

use super::{Expansion, Record, Task};
use crate::batch::ErrorBars;
use crate::data::{Inputs, Standardisation};
use crate::error::{ModelError, Result};
use crate::persist::{Container, Tensor};
use std::path::Path;

/// Kind of model, as the file names it.
const KIND: &str = "expansion";

/// What error bars are made of: the triangle of the orthogonal form, the penalised energies of its terms, the
/// variances of the noise.
const UPPER: &str = "error_bars.upper";
const SCALES: &str = "error_bars.scales";
const NOISE: &str = "error_bars.noise";

impl Expansion {
    /// The model as a safetensors file image.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.container()?.to_bytes()
    }

    /// Reads a model from a file image. Whatever the bytes are, the answer is a model or an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_container(Container::from_bytes(bytes)?)
    }

    /// Writes the model to a temporary file beside `path` and renames it: no reader sees half a model.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.container()?.save(path.as_ref())
    }

    /// Reads a model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_container(Container::load(path.as_ref())?)
    }

    fn container(&self) -> Result<Container> {
        let mut file = Container::new(KIND);
        file.put_text("kernel", self.kernel.to_string());
        file.put_json("task", &self.task)?;
        file.put_json("features", &self.features)?;
        file.put_json("record", &self.record)?;
        file.put("vectors", Tensor::matrix(&self.vectors));
        file.put("weights", Tensor::matrix(&self.weights));
        if let Some(bias) = &self.bias {
            file.put("bias", Tensor::vector(bias));
        }
        if let Some(standardisation) = &self.standardisation {
            file.put_json("standardisation", standardisation)?;
        }
        if let Some(inputs) = &self.inputs {
            file.put_json("inputs", inputs)?;
        }
        if let Some(error_bars) = &self.error_bars {
            let (upper, d, noise) = error_bars.parts();
            file.put(UPPER, Tensor::vector(&upper));
            file.put(SCALES, Tensor::vector(d));
            file.put(NOISE, Tensor::vector(noise));
        }
        Ok(file)
    }

    fn from_container(mut file: Container) -> Result<Self> {
        file.expect_kind(KIND)?;
        let kernel = file
            .text("kernel")?
            .parse()
            .map_err(|e: crate::Error| ModelError::Metadata { name: "kernel", reason: e.to_string() })?;
        let task: Task = file.json("task")?;
        let features: Vec<String> = file.json("features")?;
        let record: Record = file.json("record")?;
        let standardisation: Option<Standardisation> = file.optional_json("standardisation")?;
        let inputs: Option<Inputs> = file.optional_json("inputs")?;
        let vectors = file.take("vectors")?.into_matrix("vectors")?;
        let weights = file.take("weights")?.into_matrix("weights")?;
        let bias = file.take_optional("bias").map(|bias| bias.into_vector("bias")).transpose()?;
        let error_bars =
            match (file.take_optional(UPPER), file.take_optional(SCALES), file.take_optional(NOISE)) {
                (Some(upper), Some(d), Some(noise)) => Some(ErrorBars::from_parts(
                    &upper.into_vector(UPPER)?,
                    d.into_vector(SCALES)?,
                    noise.into_vector(NOISE)?,
                    vectors.rows(),
                )?),
                _ => None,
            };
        let mut model = Expansion::new(kernel, vectors, weights)?;
        if let Some(bias) = bias {
            model = model.with_bias(bias)?;
        }
        let model = model
            .with_task(task)?
            .with_features(features)?
            .with_standardisation(standardisation)?
            .with_record(record)
            .with_error_bars(error_bars)?;
        match inputs {
            Some(inputs) => model.with_inputs(inputs),
            None => Ok(model),
        }
    }
}
