//! Kernels.

use crate::arrays::{Input, array2, check_room, finite_vector, is_single, squeezed};
use crate::errors::{ParameterError, ShapeError, raise};
use crate::settings::whole;
use crate::threads::detached;
use groat::Real;
use groat::gram::{Memory, SparseGram};
use groat::kernels::{Kernel, Width};
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

/// A kernel function k(x, y), by its text: Kernel("gaussian:width=0.8").
///
/// Kernels are values: they can be compared, printed, hashed and pickled. Distances are Euclidean, and widths
/// follow exp(-r^2 / (2 width^2)) for the Gaussian.
#[pyclass(name = "Kernel", module = "groat", frozen)]
pub(crate) struct PyKernel {
    pub(crate) kernel: Kernel,
}

impl PyKernel {
    pub(crate) fn checked(kernel: Kernel) -> PyResult<Self> {
        kernel.check().map_err(raise)?;
        Ok(Self { kernel })
    }
}

/// A kernel, or the text of one; as itself, or as a choice that remembers what the text left open.
pub(crate) fn kernel_of<K>(object: &Bound<'_, PyAny>) -> PyResult<K>
where
    K: From<Kernel> + FromStr<Err = groat::Error>,
{
    if let Ok(kernel) = object.cast::<PyKernel>() {
        return Ok(kernel.get().kernel.clone().into());
    }
    match object.extract::<String>() {
        Ok(text) => text.parse().map_err(raise),
        Err(_) => Err(ParameterError::new_err(format!(
            "kernel = {object} is not allowed: a Kernel or a text such as \"gaussian:width=0.8\""
        ))),
    }
}

/// One width, or one per feature.
pub(crate) fn width_of(object: &Bound<'_, PyAny>) -> PyResult<Width> {
    match object.extract::<f64>() {
        Ok(width) => Ok(Width::Shared(width)),
        Err(_) => finite_vector("width", object).map(Width::PerFeature),
    }
}

/// A whole number of which too large a value is refused by the kernel's check, whatever it is.
fn small(name: &str, object: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(u32::try_from(whole(name, object)?).unwrap_or(u32::MAX))
}

/// `gamma`, where the width was not given.
fn width_or_gamma(
    name: &str,
    width: Option<&Bound<'_, PyAny>>,
    gamma: Option<f64>,
    kernel: fn(Width) -> Kernel,
) -> PyResult<PyKernel> {
    match (width, gamma) {
        (Some(width), None) => PyKernel::checked(kernel(width_of(width)?)),
        (None, Some(gamma)) => {
            let kernel = format!("{name}:gamma={gamma}").parse().map_err(raise)?;
            PyKernel::checked(kernel)
        }
        _ => Err(ParameterError::new_err(format!("{name} needs either width or gamma"))),
    }
}

#[pymethods]
impl PyKernel {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        Self::checked(text.parse().map_err(raise)?)
    }

    /// exp(-r^2 / (2 width^2)), or exp(-gamma r^2). A sequence of widths gives one to each feature.
    #[staticmethod]
    #[pyo3(signature = (width=None, *, gamma=None))]
    fn gaussian(width: Option<&Bound<'_, PyAny>>, gamma: Option<f64>) -> PyResult<Self> {
        width_or_gamma("gaussian", width, gamma, |width| Kernel::Gaussian { width })
    }

    /// exp(-r / width), or exp(-gamma r), with the Euclidean distance.
    #[staticmethod]
    #[pyo3(signature = (width=None, *, gamma=None))]
    fn laplacian(width: Option<&Bound<'_, PyAny>>, gamma: Option<f64>) -> PyResult<Self> {
        width_or_gamma("laplacian", width, gamma, |width| Kernel::Laplacian { width })
    }

    /// (1 + sqrt(3) t) exp(-sqrt(3) t) with t = r / width.
    #[staticmethod]
    fn matern32(width: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::checked(Kernel::Matern32 { width: width_of(width)? })
    }

    /// (1 + sqrt(5) t + 5 t^2 / 3) exp(-sqrt(5) t) with t = r / width.
    #[staticmethod]
    fn matern52(width: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::checked(Kernel::Matern52 { width: width_of(width)? })
    }

    /// 1 / sqrt(1 + r^2 / width^2).
    #[staticmethod]
    fn inverse_multiquadric(width: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::checked(Kernel::InverseMultiquadric { width: width_of(width)? })
    }

    /// Wendland's function: a polynomial in r / width that is zero from r = width on, positive definite up to
    /// the given dimension and 2 smoothness times differentiable.
    #[staticmethod]
    #[pyo3(signature = (width, dimension=None, smoothness=None))]
    fn wendland(
        width: &Bound<'_, PyAny>,
        dimension: Option<&Bound<'_, PyAny>>,
        smoothness: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let dimension = dimension.map_or(Ok(3), |value| small("dimension", value))?;
        let smoothness = smoothness.map_or(Ok(1), |value| small("smoothness", value))?;
        Self::checked(Kernel::Wendland { width: width_of(width)?, dimension, smoothness })
    }

    /// (scale x.y + offset)^degree.
    #[staticmethod]
    #[pyo3(signature = (degree, scale=1.0, offset=1.0))]
    fn polynomial(degree: &Bound<'_, PyAny>, scale: f64, offset: f64) -> PyResult<Self> {
        Self::checked(Kernel::Polynomial { degree: small("degree", degree)?, scale, offset })
    }

    /// x.y.
    #[staticmethod]
    fn linear() -> Self {
        Self { kernel: Kernel::Linear }
    }

    /// tanh(scale x.y + offset); not positive definite.
    #[staticmethod]
    #[pyo3(signature = (scale=1.0, offset=0.0))]
    fn sigmoid(scale: f64, offset: f64) -> PyResult<Self> {
        Self::checked(Kernel::Sigmoid { scale, offset })
    }

    /// The name, as in the text.
    #[getter]
    fn name(&self) -> &'static str {
        self.kernel.name()
    }

    /// The width: a number, an array of one per feature, or None for kernels that have none.
    #[getter]
    fn width<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.kernel.width() {
            None => py.None().into_bound(py),
            Some(Width::Shared(width)) => width.into_pyobject(py)?.into_any(),
            Some(Width::PerFeature(widths)) => widths.clone().into_pyarray(py).into_any(),
        })
    }

    /// Whether k depends on the distance alone.
    #[getter]
    fn is_radial(&self) -> bool {
        self.kernel.is_radial()
    }

    /// The same kind of kernel with another width.
    fn with_width(&self, width: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::checked(self.kernel.with_width(width_of(width)?))
    }

    /// The distance from which on k is zero, or None. With one width per feature it is measured after division
    /// by the widths.
    #[getter]
    fn support(&self) -> Option<f64> {
        self.kernel.support()
    }

    /// The same kernel made zero from a distance on, by the factor (1 - r / support)_+^power; power is 3 if it is
    /// not given. Positive definite up to 2 power - 1 features.
    #[pyo3(signature = (support, power=None))]
    fn with_support(&self, support: f64, power: Option<f64>) -> PyResult<Self> {
        let kernel = match (&self.kernel, power) {
            (kernel @ (Kernel::Compact { .. } | Kernel::Wendland { .. }), None) => {
                kernel.with_support(support)
            }
            (Kernel::Compact { base, .. }, Some(power)) => Kernel::compact((**base).clone(), support, power),
            (kernel, power) => Kernel::compact(kernel.clone(), support, power.unwrap_or(3.0)),
        };
        Self::checked(kernel)
    }

    /// k(x, y) of two samples.
    fn __call__(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (x, y) = (finite_vector("x", x)?, finite_vector("y", y)?);
        if x.len() != y.len() {
            return Err(ShapeError::new_err(format!("x has {} numbers, y has {}", x.len(), y.len())));
        }
        self.kernel.check_for(x.len()).map_err(raise)?;
        Ok(self.kernel.eval(&x, &y))
    }

    /// k(x_i, x_i) for every row.
    fn diag<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        self.kernel.check_for(rows.cols()).map_err(raise)?;
        let values: Vec<f64> = rows.iter().map(|row| self.kernel.diag(row)).collect();
        Ok(values.into_pyarray(py).into_any())
    }

    /// The symmetric matrix k(x_i, x_j). A float32 array gives a float32 matrix.
    fn gram<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if is_single(x) { self.gram_in::<f32>(py, x) } else { self.gram_in::<f64>(py, x) }
    }

    /// The matrix k(a_i, b_j). Two float32 arrays give a float32 matrix.
    fn cross<'py>(
        &self,
        py: Python<'py>,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if is_single(a) && is_single(b) {
            self.cross_in::<f32>(py, a, b)
        } else {
            self.cross_in::<f64>(py, a, b)
        }
    }

    /// The Gram matrix of a kernel with compact support, nonzeros only and no more than `memory` bytes of them:
    /// (data, indices, indptr) of its upper half, for scipy.sparse.csc_array.
    #[pyo3(signature = (x, memory=None))]
    fn sparse_gram<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        memory: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let limit = Memory::from(memory.map(|bytes| whole("memory", bytes)).transpose()?);
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        let (data, indices, starts) = detached(py, || {
            let gram = SparseGram::assemble(&self.kernel, rows, limit)?;
            let stored = (gram.nonzeros() + gram.n()) / 2;
            let (mut data, mut indices) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
            let mut starts = vec![0];
            for j in 0..gram.n() {
                let (rows, values) = gram.upper_column(j);
                data.extend_from_slice(values);
                indices.extend(rows.iter().map(|row| i64::from(*row)));
                starts.push(data.len() as i64);
            }
            groat::Result::Ok((data, indices, starts))
        })?
        .map_err(raise)?;
        (data.into_pyarray(py), indices.into_pyarray(py), starts.into_pyarray(py)).into_pyobject(py)
    }

    /// sum_j k(x_i, v_j) w_j for every row of x, without storing the matrix. `weights` has one number, or one
    /// row of numbers, per row of `vectors`. Three float32 arrays give a float32 result.
    fn weighted_sum<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        vectors: &Bound<'py, PyAny>,
        weights: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if [x, vectors, weights].into_iter().all(is_single) {
            self.weighted_sum_in::<f32>(py, x, vectors, weights)
        } else {
            self.weighted_sum_in::<f64>(py, x, vectors, weights)
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyKernel>().is_ok_and(|other| other.get().kernel == self.kernel)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.__str__().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.kernel.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Kernel({:?})", self.kernel.to_string())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (slf.get_type(), (slf.get().__str__(),)).into_pyobject(py)
    }
}

impl PyKernel {
    fn gram_in<'py, T: Element + Real>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let x = Input::<T>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        check_room::<T>(rows.rows(), rows.rows())?;
        array2(py, detached(py, || self.kernel.gram(rows))?.map_err(raise)?)
    }

    fn cross_in<'py, T: Element + Real>(
        &self,
        py: Python<'py>,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (a, b) = (Input::<T>::rows_of("a", a)?, Input::<T>::rows_of("b", b)?);
        let (a, b) = (a.finite("a")?, b.finite("b")?);
        check_room::<T>(a.rows(), b.rows())?;
        array2(py, detached(py, || self.kernel.cross(a, b))?.map_err(raise)?)
    }

    fn weighted_sum_in<'py, T: Element + Real>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        vectors: &Bound<'py, PyAny>,
        weights: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flat = weights.getattr("ndim").and_then(|n| n.extract::<usize>()).map_or(true, |n| n < 2);
        let x = Input::<T>::rows_of("x", x)?;
        let vectors = Input::<T>::rows_of("vectors", vectors)?;
        let weights = Input::<T>::columns_of("weights", weights)?;
        let (x, v, w) = (x.finite("x")?, vectors.finite("vectors")?, weights.finite("weights")?);
        let sums = detached(py, || self.kernel.weighted_sum(x, v, w))?.map_err(raise)?;
        if flat { squeezed(py, sums) } else { array2(py, sums) }
    }
}
