//! What a fit gave, and how it is pickled.

use crate::arrays::{Input, array2};
use crate::errors::{DataError, raise};
use crate::kernel::PyKernel;
use crate::labels::Labels;
use crate::model::PyModel;
use groat::Model;
use groat::batch::{Fitted, LeaveOneOut, Stage, Trial};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A finished fit.
pub(crate) struct Outcome {
    pub(crate) model: Arc<Model>,
    /// The classes in the caller's own type, where there are any.
    pub(crate) labels: Option<Labels>,
    pub(crate) candidates: usize,
    pub(crate) leave_one_out: Option<LeaveOneOut>,
    /// Error on rows that nothing was chosen on: root mean square, or share of wrong classes.
    pub(crate) expected: Option<f64>,
    pub(crate) trials: Vec<Trial>,
    pub(crate) judged_by: String,
    stages: Vec<Stage>,
    /// For each vector the row that it was, where all vectors are rows.
    pub(crate) support: Option<Vec<usize>>,
    pub(crate) notes: Vec<String>,
}

impl Outcome {
    pub(crate) fn new(fitted: Fitted, labels: Option<Labels>, support: Option<Vec<usize>>) -> Self {
        let expected = fitted.expected.as_ref().map(|expected| expected.error());
        let Fitted { model, candidates, leave_one_out, trials, judged_by, stages, notes, .. } = fitted;
        let model = Arc::new(model);
        Self { model, labels, candidates, leave_one_out, expected, trials, judged_by, stages, support, notes }
    }

    /// The labels in the order of their codes.
    pub(crate) fn classes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.labels.as_ref().map(|labels| labels.values.bind(py).clone())
    }

    /// Row, leave-one-out error and training error of each term.
    pub(crate) fn stages(&self) -> Vec<(usize, f64, f64)> {
        self.stages.iter().map(|stage| (stage.row, stage.leave_one_out, stage.training)).collect()
    }

    /// Everything in types that pickle.
    pub(crate) fn to_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        state.set_item("model", PyModel { model: self.model.clone() })?;
        state.set_item("classes", self.classes(py))?;
        state.set_item("candidates", self.candidates)?;
        if let Some(found) = &self.leave_one_out {
            let predictions = array2(py, found.predictions.clone())?;
            state.set_item("leave_one_out", (found.mean_squared, found.error_rate, predictions))?;
        }
        state.set_item("expected", self.expected)?;
        let trial = |t: &Trial| (t.kernel.to_string(), t.ridge, t.score);
        state.set_item("trials", self.trials.iter().map(trial).collect::<Vec<_>>())?;
        state.set_item("judged_by", &self.judged_by)?;
        state.set_item("stages", self.stages())?;
        state.set_item("support", &self.support)?;
        state.set_item("notes", &self.notes)?;
        Ok(state)
    }

    /// The outcome that [`to_state`](Self::to_state) was made from.
    pub(crate) fn from_state(state: &Bound<'_, PyDict>) -> PyResult<Self> {
        let item = |name: &str| {
            state.get_item(name)?.ok_or_else(|| DataError::new_err(format!("the pickle holds no {name:?}")))
        };
        let leave_one_out = match state.get_item(intern!(state.py(), "leave_one_out"))? {
            None => None,
            Some(found) => {
                let (mean_squared, error_rate, predictions): (f64, Option<f64>, Bound<'_, PyAny>) =
                    found.extract()?;
                let predictions = Input::<f64>::rows_of("predictions", &predictions)?.rows()?.to_matrix();
                Some(LeaveOneOut::new(mean_squared, error_rate, predictions))
            }
        };
        let mut trials = Vec::new();
        for (kernel, ridge, score) in item("trials")?.extract::<Vec<(String, f64, f64)>>()? {
            trials.push(Trial::new(kernel.parse().map_err(raise)?, ridge, score));
        }
        let stage = |(row, leave_one_out, training)| Stage::new(row, leave_one_out, training);
        let stages: Vec<(usize, f64, f64)> = item("stages")?.extract()?;
        let classes = item("classes")?;
        Ok(Self {
            model: item("model")?.cast::<PyModel>()?.get().model.clone(),
            labels: if classes.is_none() { None } else { Some(Labels::from_values(&classes)?) },
            candidates: item("candidates")?.extract()?,
            leave_one_out,
            expected: item("expected")?.extract()?,
            trials,
            judged_by: item("judged_by")?.extract()?,
            stages: stages.into_iter().map(stage).collect(),
            support: item("support")?.extract()?,
            notes: item("notes")?.extract()?,
        })
    }
}

/// One kernel and ridge that were tried.
#[pyclass(name = "Trial", module = "groat._groat", frozen)]
pub(crate) struct PyTrial {
    trial: Trial,
}

impl From<Trial> for PyTrial {
    fn from(trial: Trial) -> Self {
        Self { trial }
    }
}

#[pymethods]
impl PyTrial {
    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel { kernel: self.trial.kernel.clone() }
    }

    /// What was added to the diagonal.
    #[getter]
    fn ridge(&self) -> f64 {
        self.trial.ridge
    }

    /// Its score; the smallest won.
    #[getter]
    fn score(&self) -> f64 {
        self.trial.score
    }

    fn __repr__(&self) -> String {
        let Trial { kernel, ridge, score, .. } = &self.trial;
        format!("<Trial: {kernel}, ridge={ridge}, score={score}>")
    }
}
