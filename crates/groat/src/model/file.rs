//! A model as a file.
//!
//! The kind of the file says which function it holds; the envelope around it is the same for all.

use super::libsvm::BEGINNING;
use super::{Calibration, Components, Function, Intervals, Model, Record, Task};
use crate::batch::ErrorBars;
use crate::batch::methods::KERNEL_PCA;
use crate::data::{Inputs, Standardisation};
use crate::error::{Error, ModelError, Result};
use crate::expansion::Expansion;
use crate::features::{FeatureExpansion, Linear, RandomFeatures};
use crate::kernels::Kernel;
use crate::matrix::{Csr, PointSet};
use crate::persist::{Container, Tensor, read_bytes, write_atomically};
use std::path::Path;

/// Kinds of model, as the file names them.
const EXPANSION: &str = "expansion";
const COMPONENTS: &str = "components";
const RANDOM_FEATURES: &str = "random-features";
/// Components that are functions of random features.
const RANDOM_COMPONENTS: &str = "random-feature-components";

/// What error bars are made of: the triangle of the orthogonal form, the penalised energies of its terms, the
/// variances of the noise.
const UPPER: &str = "error_bars.upper";
const SCALES: &str = "error_bars.scales";
const NOISE: &str = "error_bars.noise";
/// What landmarks leave unexplained, where error bars count it: their triangle, row by row, and the ridge.
const TRIANGLE: &str = "error_bars.triangle";
const RIDGE: &str = "error_bars.ridge";

/// What intervals are made of: places of errors in ascending order, and the errors.
const RANKS: &str = "intervals.ranks";
const ERRORS: &str = "intervals.errors";

/// Vectors: all numbers, or the nonzeros of sparse rows.
const VECTORS: &str = "vectors";
const STARTS: &str = "vectors.starts";
const COLUMNS: &str = "vectors.columns";
const VALUES: &str = "vectors.values";
const FEATURES: &str = "vectors.features";

/// Random features; their phases are left out where cosines and sines stand in pairs.
const FREQUENCIES: &str = "frequencies";
const PHASES: &str = "phases";

/// What components explain.
const EIGENVALUES: &str = "eigenvalues";
const TRACE: &str = "trace";

impl Model {
    /// The model as a safetensors file image.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.container()?.to_bytes()
    }

    /// Reads a model from a file image, be it one of LIBSVM. Whatever the bytes are, the answer is a model or an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.starts_with(BEGINNING) {
            return Self::from_libsvm(&String::from_utf8_lossy(bytes));
        }
        Self::from_container(Container::from_bytes(bytes)?).map_err(in_file)
    }

    /// Writes the model to a temporary file beside `path` and renames it: no reader sees half a model. A name that ends
    /// in `.libsvm` asks for a model file of LIBSVM.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if path.extension().is_some_and(|ending| ending == "libsvm") {
            let text = self.to_libsvm()?;
            return write_atomically(path, |out| out.write_all(text.as_bytes()));
        }
        self.container()?.save(path)
    }

    /// Reads a model file of any kind, those of LIBSVM among them.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_bytes(&read_bytes(path.as_ref(), BEGINNING)?)
    }

    fn container(&self) -> Result<Container> {
        let mut file = Container::new(match &self.function {
            Function::Expansion(_) => EXPANSION,
            Function::Components(components) if components.function().expansion().is_none() => {
                RANDOM_COMPONENTS
            }
            Function::Components(_) => COMPONENTS,
            Function::Features(_) => RANDOM_FEATURES,
        });
        put_function(&mut file, &self.function);
        if let Function::Components(components) = &self.function {
            file.put(EIGENVALUES, Tensor::vector(&components.eigenvalues));
            file.put_json(TRACE, &components.trace)?;
        }
        file.put_json("task", &self.task)?;
        file.put_json("features", &self.features)?;
        file.put_json("record", &self.record)?;
        if let Some(standardisation) = &self.standardisation {
            file.put_json("standardisation", standardisation)?;
        }
        if let Some(inputs) = &self.inputs {
            file.put_json("inputs", inputs)?;
        }
        if let Some(calibration) = &self.calibration {
            file.put_json("calibration", calibration)?;
        }
        if let Some(error_bars) = &self.error_bars {
            let (upper, d, noise) = error_bars.parts();
            file.put(UPPER, Tensor::vector(&upper));
            file.put(SCALES, Tensor::vector(d));
            file.put(NOISE, Tensor::vector(noise));
            if let Some((triangle, ridge)) = error_bars.unexplained() {
                file.put(TRIANGLE, Tensor::vector(&triangle));
                file.put_json(RIDGE, &ridge)?;
            }
        }
        if let Some(intervals) = &self.intervals {
            let (ranks, errors) = intervals.parts();
            file.put(RANKS, Tensor::indices(ranks.iter().map(|rank| *rank as u64)));
            file.put(ERRORS, Tensor::matrix(errors));
        }
        Ok(file)
    }

    fn from_container(mut file: Container) -> Result<Self> {
        let record: Record = file.json("record")?;
        let function = match file.kind() {
            EXPANSION if file.is_first_version() && record.method == KERNEL_PCA => {
                let reason =
                    "components written by version 0.1 lack their eigenvalues: run `groat pca` again";
                return Err(ModelError::Metadata { name: "kind", reason: reason.to_owned() }.into());
            }
            EXPANSION => Function::Expansion(take_expansion(&mut file)?),
            RANDOM_FEATURES => Function::Features(take_features(&mut file)?),
            COMPONENTS | RANDOM_COMPONENTS => {
                let function: Function = match file.kind() {
                    COMPONENTS => take_expansion(&mut file)?.into(),
                    _ => take_features(&mut file)?.into(),
                };
                let eigenvalues = file.take(EIGENVALUES)?.into_vector(EIGENVALUES)?;
                Function::Components(Components::new(function, eigenvalues, file.json(TRACE)?)?)
            }
            other => {
                let reason =
                    format!("this release knows no model of kind {other:?}: a newer one may read it");
                return Err(ModelError::Metadata { name: "kind", reason }.into());
            }
        };
        let task: Task = file.json("task")?;
        let features: Vec<String> = file.json("features")?;
        let standardisation: Option<Standardisation> = file.optional_json("standardisation")?;
        let inputs: Option<Inputs> = file.optional_json("inputs")?;
        let calibration: Option<Calibration> = file.optional_json("calibration")?;
        let error_bars = take_error_bars(&mut file, function.weights().rows())?;
        let intervals = take_intervals(&mut file)?;
        file.nothing_left()?;
        let model = Model::new(function)
            .with_task(task)?
            .with_features(features)?
            .with_standardisation(standardisation)?
            .with_record(record)
            .with_error_bars(error_bars)?
            .with_calibration(calibration)?
            .with_intervals(intervals)?;
        match inputs {
            Some(inputs) => model.with_inputs(inputs),
            None => Ok(model),
        }
    }
}

/// What is wrong with a model file, in words that speak of the file and not of data or of a call.
fn in_file(error: Error) -> Error {
    let reason = match error {
        Error::Model(_) | Error::Io { .. } => return error,
        Error::NotFinite { what, row, column, value } => {
            format!("{what} holds {value} at row {row}, column {column} (both counted from 0)")
        }
        other => other.to_string(),
    };
    ModelError::Content(reason).into()
}

fn put_function(file: &mut Container, function: &Function) {
    file.put_text("kernel", function.kernel().to_string());
    match function {
        Function::Expansion(expansion) => put_vectors(file, expansion),
        Function::Components(components) => return put_function(file, components.function()),
        Function::Features(features) => {
            file.put(FREQUENCIES, Tensor::matrix(&features.map().frequencies().to_matrix()));
            if let Some(phases) = features.map().phases() {
                file.put(PHASES, Tensor::vector(phases));
            }
        }
    }
    file.put("weights", Tensor::matrix(&function.weights().to_matrix()));
    if let Some(bias) = function.bias() {
        file.put("bias", Tensor::vector(bias));
    }
}

fn put_vectors(file: &mut Container, expansion: &Expansion) {
    match expansion.vector_set() {
        PointSet::Dense(vectors) => file.put(VECTORS, Tensor::matrix(vectors)),
        PointSet::Sparse(vectors) => {
            let (starts, columns, values) = vectors.parts();
            file.put(STARTS, Tensor::indices(starts.iter().map(|s| *s as u64)));
            file.put(COLUMNS, Tensor::indices(columns.iter().map(|c| u64::from(*c))));
            file.put(VALUES, Tensor::vector(values));
            file.put(FEATURES, Tensor::indices([vectors.cols() as u64]));
        }
    }
}

fn take_kernel(file: &mut Container) -> Result<Kernel> {
    let unread = |e: crate::Error| ModelError::Metadata { name: "kernel", reason: e.to_string() };
    Ok(file.text("kernel")?.parse().map_err(unread)?)
}

fn take_features(file: &mut Container) -> Result<FeatureExpansion> {
    let kernel = take_kernel(file)?;
    let frequencies = file.take(FREQUENCIES)?.into_matrix(FREQUENCIES)?;
    let phases = file.take_optional(PHASES).map(|phases| phases.into_vector(PHASES)).transpose()?;
    let weights = file.take("weights")?.into_matrix("weights")?;
    let bias = file.take("bias")?.into_vector("bias")?;
    FeatureExpansion::new(RandomFeatures::new(kernel, frequencies, phases)?, Linear { weights, bias })
}

fn take_expansion(file: &mut Container) -> Result<Expansion> {
    let kernel = take_kernel(file)?;
    let vectors: PointSet = match file.take_optional(STARTS) {
        None => file.take(VECTORS)?.into_matrix(VECTORS)?.into(),
        Some(starts) => {
            let starts = starts.into_indices(STARTS)?;
            let columns = file.take(COLUMNS)?.into_indices(COLUMNS)?;
            let values = file.take(VALUES)?.into_vector(VALUES)?;
            let features = file.take(FEATURES)?.into_indices(FEATURES)?;
            // What does not fit is larger than any file, and is refused as out of order.
            let columns = columns.into_iter().map(|c| u32::try_from(c).unwrap_or(u32::MAX)).collect();
            Csr::new(features.first().copied().unwrap_or(0), starts, columns, values)?.into()
        }
    };
    let weights = file.take("weights")?.into_matrix("weights")?;
    let bias = file.take_optional("bias").map(|bias| bias.into_vector("bias")).transpose()?;
    let expansion = Expansion::new(kernel, vectors, weights)?;
    match bias {
        Some(bias) => expansion.with_bias(bias),
        None => Ok(expansion),
    }
}

fn take_error_bars(file: &mut Container, size: usize) -> Result<Option<ErrorBars>> {
    let Some(upper) = file.take_optional(UPPER) else { return Ok(None) };
    let upper = upper.into_vector(UPPER)?;
    let d = file.take(SCALES)?.into_vector(SCALES)?;
    let noise = file.take(NOISE)?.into_vector(NOISE)?;
    let error_bars = ErrorBars::from_parts(&upper, d, noise, size)?;
    match file.take_optional(TRIANGLE) {
        None => Ok(Some(error_bars)),
        Some(triangle) => {
            let triangle = triangle.into_vector(TRIANGLE)?;
            error_bars.with_unexplained(&triangle, file.json(RIDGE)?).map(Some)
        }
    }
}

fn take_intervals(file: &mut Container) -> Result<Option<Intervals>> {
    let Some(ranks) = file.take_optional(RANKS) else { return Ok(None) };
    let errors = file.take(ERRORS)?.into_matrix(ERRORS)?;
    Intervals::from_parts(ranks.into_indices(RANKS)?, errors).map(Some)
}
