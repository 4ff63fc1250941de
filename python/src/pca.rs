//! Kernel principal component analysis.

use crate::arrays::{Input, array2};
use crate::errors::{NotFittedError, raise};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::PyModel;
use crate::settings::params;
use crate::threads::detached;
use crate::watch::watched;
use groat::batch::{KernelPca, PrincipalComponents};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// Kernel principal component analysis, of dense or (for kernels of compact support) sparse matrices.
#[pyclass(name = "KernelPca", module = "groat", frozen, subclass)]
pub(crate) struct PyKernelPca {
    analysis: KernelPca,
    params: Py<PyDict>,
    found: Mutex<Option<Arc<PrincipalComponents>>>,
}

impl PyKernelPca {
    fn found(&self) -> PyResult<Arc<PrincipalComponents>> {
        let held = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
            .ok_or_else(|| NotFittedError::new_err("this analysis has not been fitted; call fit first"))
    }

    fn set_found(&self, found: PrincipalComponents) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(found));
    }
}

#[pymethods]
impl PyKernelPca {
    #[new]
    #[pyo3(signature = (kernel=None, *, components=None, centre=true, tolerance=None, memory=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        components: Option<&Bound<'_, PyAny>>,
        centre: bool,
        tolerance: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let params = params!(py; kernel, components, centre, tolerance, memory);
        let default = KernelPca::default();
        let analysis = KernelPca {
            kernel: kernel.map_or(Ok(default.kernel), kernel_of)?,
            components: params.count("components")?.unwrap_or(default.components),
            centre,
            tolerance: params.number("tolerance")?.unwrap_or(default.tolerance),
            memory: params.whole("memory")?.into(),
        };
        Ok(Self { analysis, params: params.0.unbind(), found: Mutex::new(None) })
    }

    /// Finds the leading components of the rows of x, and returns the analysis itself.
    #[pyo3(signature = (x, y=None, *, progress=None))]
    fn fit<'py>(
        slf: &Bound<'py, Self>,
        x: &Bound<'py, PyAny>,
        y: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        // Taken so that an analysis can stand in a pipeline; there is nothing to learn from it.
        let _ = y;
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.rows()?;
        let analysis = &slf.get().analysis;
        let found = watched(slf.py(), progress, |watch| analysis.fit(rows, watch))?;
        slf.get().set_found(found);
        Ok(slf.clone())
    }

    /// The components of new rows, one column each.
    fn transform<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.found()?;
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.rows()?;
        array2(py, detached(py, || found.transform(rows))?.map_err(raise)?)
    }

    /// Points whose components come near the given ones: approximate pre-images, for radial kernels.
    fn inverse_transform<'py>(
        &self,
        py: Python<'py>,
        components: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.found()?;
        let components = Input::<f64>::rows_of("components", components)?;
        let rows = components.finite("components")?;
        array2(py, detached(py, || found.pre_images(rows))?.map_err(raise)?)
    }

    /// The arguments that the analysis was made with.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.params.bind(py).copy()
    }

    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel { kernel: self.analysis.kernel.clone() }
    }

    /// The analysis as a model: one output per component.
    #[getter]
    fn model(&self) -> PyResult<PyModel> {
        Ok(PrincipalComponents::clone(&*self.found()?).into_model().into())
    }

    /// Eigenvalues of the kernel matrix (centred, where the analysis is), largest first.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.found()?.eigenvalues().to_vec().into_pyarray(py).into_any())
    }

    /// Share of the variance in feature space that each component holds.
    #[getter]
    fn explained<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.found()?.explained().into_pyarray(py).into_any())
    }

    /// What was chosen on the way.
    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        Ok(self.found()?.notes().to_vec())
    }

    fn __repr__(&self) -> String {
        format!("<KernelPca: {} components, {}>", self.analysis.components, self.analysis.kernel)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.params(py)?))
    }

    fn __getstate__(&self) -> PyResult<Option<PyModel>> {
        if self.found().is_err() { Ok(None) } else { self.model().map(Some) }
    }

    fn __setstate__(&self, model: Option<Bound<'_, PyModel>>) -> PyResult<()> {
        if let Some(model) = model {
            self.set_found(PrincipalComponents::from_model(&model.get().model).map_err(raise)?);
        }
        Ok(())
    }
}
