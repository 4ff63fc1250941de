//! Orthogonal least squares driven by leave-one-out: regression, classification and density.

use crate::arrays::{Input, array2, check_room, finite_vector};
use crate::batch::{BatchLearner, Goal};
use crate::errors::{ParameterError, raise};
use crate::settings::{Params, not_allowed, params, whole};
use crate::threads::detached;
use groat::Matrix;
use groat::batch::Search;
use groat::batch::density::{Density, SparseDensity};
use groat::batch::forward::{ClassCriterion, ClassWeights, Ols, Penalty, Validation, WidthSearch};
use groat::kernels::Kernel;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// The settings of a selection that all three tasks share; absent ones keep their defaults.
fn selection(params: &Params<'_>, mut ols: Ols) -> PyResult<Ols> {
    match (params.number("penalty")?, params.number("absolute_penalty")?) {
        (Some(_), Some(_)) => {
            return Err(ParameterError::new_err("give penalty or absolute_penalty, not both"));
        }
        (Some(penalty), None) => ols = ols.penalty(Penalty::Relative(penalty)),
        (None, Some(penalty)) => ols = ols.penalty(Penalty::Absolute(penalty)),
        (None, None) => {}
    }
    if let Some(passes) = params.count("passes")? {
        ols = ols.passes(passes);
    }
    if let Some(patience) = params.count("patience")? {
        ols = ols.patience(patience);
    }
    if let Some(terms) = params.count("max_terms")? {
        ols = ols.max_terms(terms);
    }
    if let Some(count) = params.count("candidates")? {
        ols = ols.candidates(count);
    }
    if let Some(bytes) = params.whole("memory")? {
        ols = ols.memory(bytes);
    }
    if let Some(seed) = params.whole("seed")? {
        ols = ols.seed(seed);
    }
    Ok(ols)
}

/// The method for a target: the selection, and how the width is found.
fn supervised(params: &Params<'_>) -> PyResult<Ols> {
    let (kernel, widths) = params.kernel_and_width()?;
    let ols = selection(params, Ols::new(kernel).bias(params.flag("bias")?))?;
    let mut search = WidthSearch::new()
        .one_standard_error(params.flag("one_standard_error")?)
        .per_feature(params.flag("per_feature")?);
    if let Some(folds) = params.count("folds")? {
        search = search.validation(Validation::Folds(folds));
    }
    match widths {
        Search::Fixed => Ok(ols),
        Search::Auto => Ok(ols.search(search)),
        Search::Grid(widths) if widths.is_empty() => {
            Err(ParameterError::new_err("width = [] is not allowed: at least one value"))
        }
        Search::Grid(widths) => Ok(ols.search(search.widths(widths))),
    }
}

/// Sparse regression: kernels are chosen one by one to lower the leave-one-out error, until it stops falling.
///
/// Several targets share one selection. width as in KernelRidge; penalty relative to the mean energy of a
/// candidate, or absolute_penalty as in the source paper; patience is how many stages may fail to lower the
/// error before the end. predict_std gives error bars.
#[pyclass(module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct OlsRegressor;

#[pymethods]
impl OlsRegressor {
    #[new]
    #[pyo3(signature = (kernel=None, *, width=None, bias=true, standardise=false, penalty=None,
        absolute_penalty=None, passes=None, patience=None, max_terms=None, candidates=None, folds=None,
        one_standard_error=false, per_feature=false, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        width: Option<&Bound<'_, PyAny>>,
        bias: bool,
        standardise: bool,
        penalty: Option<&Bound<'_, PyAny>>,
        absolute_penalty: Option<&Bound<'_, PyAny>>,
        passes: Option<&Bound<'_, PyAny>>,
        patience: Option<&Bound<'_, PyAny>>,
        max_terms: Option<&Bound<'_, PyAny>>,
        candidates: Option<&Bound<'_, PyAny>>,
        folds: Option<&Bound<'_, PyAny>>,
        one_standard_error: bool,
        per_feature: bool,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let params = params!(py; kernel, width, bias, standardise, penalty, absolute_penalty, passes, patience,
            max_terms, candidates, folds, one_standard_error, per_feature, memory, seed);
        let method = Box::new(supervised(&params)?);
        let base = BatchLearner::new(method, Goal::Regression, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// Sparse classification: kernels are chosen one by one to lower the leave-one-out error rate.
///
/// criterion: "error-rate", "mean-squared", or "auto": the error rate unless the data are large. class_weight:
/// None, "balanced", or one factor per class in the order of the sorted labels. More than two classes share one
/// selection. The other settings are those of OlsRegressor.
#[pyclass(module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct OlsClassifier;

#[pymethods]
impl OlsClassifier {
    #[new]
    #[pyo3(signature = (kernel=None, *, width=None, criterion="auto", class_weight=None, bias=true,
        standardise=false, penalty=None, absolute_penalty=None, passes=None, patience=None, max_terms=None,
        candidates=None, folds=None, one_standard_error=false, per_feature=false, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        kernel: Option<&Bound<'_, PyAny>>,
        width: Option<&Bound<'_, PyAny>>,
        criterion: &str,
        class_weight: Option<&Bound<'_, PyAny>>,
        bias: bool,
        standardise: bool,
        penalty: Option<&Bound<'_, PyAny>>,
        absolute_penalty: Option<&Bound<'_, PyAny>>,
        passes: Option<&Bound<'_, PyAny>>,
        patience: Option<&Bound<'_, PyAny>>,
        max_terms: Option<&Bound<'_, PyAny>>,
        candidates: Option<&Bound<'_, PyAny>>,
        folds: Option<&Bound<'_, PyAny>>,
        one_standard_error: bool,
        per_feature: bool,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let params = params!(py; kernel, width, criterion, class_weight, bias, standardise, penalty,
            absolute_penalty, passes, patience, max_terms, candidates, folds, one_standard_error, per_feature,
            memory, seed);
        let criterion = match criterion {
            "auto" => ClassCriterion::Auto,
            "error-rate" => ClassCriterion::ErrorRate,
            "mean-squared" => ClassCriterion::MeanSquared,
            other => {
                return Err(ParameterError::new_err(format!(
                    "criterion = {other:?} is not allowed: \"auto\", \"error-rate\" or \"mean-squared\""
                )));
            }
        };
        let weights = match class_weight {
            None => ClassWeights::Equal,
            Some(object) => match object.extract::<String>() {
                Ok(text) if text == "balanced" => ClassWeights::Balanced,
                Err(_) if object.cast::<PyDict>().is_err() => {
                    ClassWeights::PerClass(finite_vector("class_weight", object)?)
                }
                _ => {
                    let expected =
                        "\"balanced\", one number per class in the order of the sorted labels, or None";
                    return Err(not_allowed("class_weight", object, expected));
                }
            },
        };
        let method = Box::new(supervised(&params)?.class_criterion(criterion).class_weights(weights));
        let base = BatchLearner::new(method, Goal::Classification, standardise, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// A sparse density estimate: a few Gaussians with nonnegative weights that sum to one.
///
/// width and parzen_width: a number, one per feature, or None to choose them from the data. refinement: most steps
/// of expectation maximisation after the selection (none unless given); as many are taken as help rows that were
/// held out. predict gives the density, score_samples its logarithm.
#[pyclass(module = "groat", extends = BatchLearner, frozen, subclass)]
pub(crate) struct OlsDensity;

#[pymethods]
impl OlsDensity {
    #[new]
    #[pyo3(signature = (*, width=None, parzen_width=None, refinement=None, penalty=None, absolute_penalty=None,
        passes=None, patience=None, max_terms=None, candidates=None, memory=None, seed=None))]
    fn new(
        py: Python<'_>,
        width: Option<&Bound<'_, PyAny>>,
        parzen_width: Option<&Bound<'_, PyAny>>,
        refinement: Option<&Bound<'_, PyAny>>,
        penalty: Option<&Bound<'_, PyAny>>,
        absolute_penalty: Option<&Bound<'_, PyAny>>,
        passes: Option<&Bound<'_, PyAny>>,
        patience: Option<&Bound<'_, PyAny>>,
        max_terms: Option<&Bound<'_, PyAny>>,
        candidates: Option<&Bound<'_, PyAny>>,
        memory: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let params = params!(py; width, parzen_width, refinement, penalty, absolute_penalty, passes, patience,
            max_terms, candidates, memory, seed);
        let engine = selection(&params, Ols::new(Kernel::gaussian(1.0)).bias(false))?;
        let mut method = SparseDensity::new().selection(&engine);
        if let Some(width) = width {
            method = method.width(crate::kernel::width_of(width)?);
        }
        if let Some(width) = parzen_width {
            method = method.parzen_width(crate::kernel::width_of(width)?);
        }
        if let Some(steps) = params.count("refinement")? {
            method = method.refinement(steps);
        }
        let base = BatchLearner::new(Box::new(method), Goal::Density, false, params);
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }

    /// log p(x) of every row; finite also where p itself would underflow.
    fn score_samples<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let density = density_of(slf.as_super().get())?;
        let x = Input::<f64>::rows_of("x", x)?;
        let rows = x.finite("x")?;
        let values = detached(slf.py(), || density.log_density(rows))?.map_err(raise)?;
        Ok(values.into_pyarray(slf.py()).into_any())
    }

    /// Independent draws from the estimate, one per row.
    #[pyo3(signature = (count=None, *, seed=None))]
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        count: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let density = density_of(slf.as_super().get())?;
        let count = count.map_or(Ok(1), |count| whole("count", count))?;
        let seed = seed.map_or(Ok(0), |seed| whole("seed", seed))?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        check_room::<f64>(count, density.widths().len())?;
        let draw = || -> Matrix { density.sample(count, &mut Pcg64::seed_from_u64(seed)) };
        array2(slf.py(), detached(slf.py(), draw)?)
    }
}

/// The fitted model as the mixture that it is.
fn density_of(learner: &BatchLearner) -> PyResult<Density> {
    Density::from_model(&*learner.fitted_model()?).map_err(raise)
}
