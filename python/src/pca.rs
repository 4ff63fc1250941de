//! Kernel principal component analysis.

use crate::arrays::{Input, array2};
use crate::errors::{NotFittedError, raise};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{PyModel, values_of};
use crate::points::{Given, described};
use crate::settings::{count, number, whole};
use crate::threads::detached;
use crate::watch::watched;
use groat::batch::{Basis, KernelChoice, KernelPca, Preparation, Prepared, PrincipalComponents, Watch};
use groat::data::{Answers, Dataset};
use groat::{Model, Result};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// Kernel principal component analysis, of dense or (for kernels of compact support) sparse matrices.
///
/// A width that is not given is the median distance of the rows; rank asks for so many landmarks, or with random for so many
/// random features, instead of the kernel matrix of all rows.
#[pyclass(name = "KernelPca", module = "groat._groat", frozen, subclass)]
pub(crate) struct PyKernelPca {
    kernel: KernelChoice,
    analysis: KernelPca,
    preparation: Preparation,
    params: Py<PyDict>,
    found: Mutex<Option<Arc<Found>>>,
}

/// A fitted analysis: its model, and what was chosen on the way.
struct Found {
    model: Arc<Model>,
    notes: Vec<String>,
}

impl Found {
    fn components(&self) -> PyResult<PrincipalComponents> {
        PrincipalComponents::from_model(&self.model).map_err(raise)
    }
}

impl PyKernelPca {
    fn found(&self) -> PyResult<Arc<Found>> {
        let held = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
            .ok_or_else(|| NotFittedError::new_err("this analysis has not been fitted; call fit first"))
    }

    fn set_found(&self, found: Found) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(found));
    }

    /// The road from rows to a finished model.
    fn analyse(&self, data: &Dataset, watch: &dyn Watch) -> Result<Found> {
        let prepared = Prepared::new(data, self.preparation)?;
        let (kernel, note) = self.kernel.settled(prepared.x(), self.preparation.seed);
        let components = KernelPca { kernel, ..self.analysis.clone() }.fit(prepared.x(), watch)?;
        let notes = note.into_iter().chain(components.notes().iter().cloned()).collect();
        Ok(Found { model: Arc::new(prepared.finish_model(components.into_model())?), notes })
    }
}

#[pymethods]
impl PyKernelPca {
    #[new]
    #[pyo3(signature = (kernel=None, *, components=None, centre=true, standardise=false, tolerance=None,
        memory=None, rank=None, random=false, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        components: Option<&Bound<'_, PyAny>>,
        centre: bool,
        standardise: bool,
        tolerance: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        rank: Option<&Bound<'_, PyAny>>,
        random: bool,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let params = PyDict::new(py);
        params.set_item("kernel", kernel)?;
        params.set_item("components", components)?;
        params.set_item("centre", centre)?;
        params.set_item("standardise", standardise)?;
        params.set_item("tolerance", tolerance)?;
        params.set_item("memory", memory)?;
        params.set_item("rank", rank)?;
        params.set_item("random", random)?;
        params.set_item("seed", seed)?;
        let mut analysis = KernelPca { centre, ..KernelPca::default() };
        if let Some(wanted) = components {
            analysis.components = count("components", wanted)?;
        }
        if let Some(tolerance) = tolerance {
            analysis.tolerance = number("tolerance", tolerance)?;
        }
        if let Some(landmarks) = rank {
            analysis.rank = Some(count("rank", landmarks)?);
        }
        if random {
            analysis.basis = Basis::Random { orthogonal: true, paired: true };
        }
        if let Some(seed) = seed {
            analysis.seed = whole("seed", seed)?;
        }
        if let Some(bytes) = memory {
            analysis.memory = whole("memory", bytes)?.into();
        }
        Ok(Self {
            kernel: kernel.map_or_else(|| Ok(KernelChoice::default()), kernel_of)?,
            analysis,
            preparation: Preparation::new().standardise(standardise),
            params: params.unbind(),
            found: Mutex::new(None),
        })
    }

    /// Finds the leading components of the rows of x, and returns the analysis itself.
    #[pyo3(signature = (x, y=None, *, feature_names=None, categorical=Vec::new(), progress=None))]
    fn fit<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        feature_names: Option<Vec<String>>,
        categorical: Vec<String>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        // Taken so that an analysis can stand in a pipeline; there is nothing to learn from it.
        let _ = y;
        let (x, inputs) = Given::of("x", x)?.into_samples("x", None, categorical)?;
        let data = described(Dataset::new(x, Answers::None).map_err(raise)?, inputs, feature_names)?;
        let analysis = slf.get();
        let found = watched(slf.py(), progress, |watch| analysis.analyse(&data, watch))?;
        analysis.set_found(found);
        Ok(slf.clone())
    }

    /// The components of new rows, one column each.
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        array2(py, values_of(py, &self.found()?.model, x)?)
    }

    /// Points whose components come near the given ones: approximate pre-images, for radial kernels.
    fn inverse_transform<'py>(
        &self,
        py: Python<'py>,
        components: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.found()?;
        let analysis = found.components()?;
        let components = Input::<f64>::rows_of("components", components)?;
        let rows = components.finite("components")?;
        let mut points = detached(py, || analysis.pre_images(rows))?.map_err(raise)?;
        if let Some(standardisation) = found.model.standardisation() {
            standardisation.undo(&mut points).map_err(raise)?;
        }
        array2(py, points)
    }

    /// The arguments that the analysis was made with.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.params.bind(py).copy()
    }

    /// The kernel: of the model once there is one, as given before.
    #[getter]
    fn kernel(&self) -> PyKernel {
        let fitted = self.found().ok().map(|found| found.model.kernel().clone());
        PyKernel { kernel: fitted.unwrap_or_else(|| self.kernel.kernel.clone()) }
    }

    /// The analysis as a model: one output per component.
    #[getter]
    fn model(&self) -> PyResult<PyModel> {
        Ok(PyModel { model: self.found()?.model.clone() })
    }

    /// Eigenvalues of the kernel matrix (centred, where the analysis is), largest first.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.found()?.components()?.eigenvalues().to_vec().into_pyarray(py).into_any())
    }

    /// Share of the variance in feature space that each component holds.
    #[getter]
    fn explained<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.found()?.components()?.explained().into_pyarray(py).into_any())
    }

    /// What was chosen on the way.
    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        Ok(self.found()?.notes.clone())
    }

    fn __repr__(&self) -> String {
        format!("<KernelPca: {} components, {}>", self.analysis.components, self.kernel().kernel)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.params(py)?))
    }

    fn __getstate__(&self) -> Option<(PyModel, Vec<String>)> {
        let found = self.found().ok()?;
        Some((PyModel { model: found.model.clone() }, found.notes.clone()))
    }

    fn __setstate__(&self, state: Option<(Bound<'_, PyModel>, Vec<String>)>) -> PyResult<()> {
        if let Some((model, notes)) = state {
            let found = Found { model: model.get().model.clone(), notes };
            // A model of another kind is refused now, not when it is used.
            found.components()?;
            self.set_found(found);
        }
        Ok(())
    }
}
