//! The table of batch methods, for those who build on it.

use groat::batch::{MethodRow, Methods, TaskKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The batch methods: name, what each is about, the tasks it knows, and its parameters with range, default, meaning
/// and the tasks they are for.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    Methods::standard().rows().iter().map(|row| described(py, row)).collect()
}

fn described<'py>(py: Python<'py>, row: &MethodRow) -> PyResult<Bound<'py, PyDict>> {
    let names = |tasks: &[TaskKind]| -> Vec<String> {
        tasks.iter().filter(|task| row.knows(**task)).map(ToString::to_string).collect()
    };
    let mut parameters = Vec::new();
    for taken in row.parameters {
        let parameter = taken.setting.parameter;
        let about = PyDict::new(py);
        about.set_item("name", parameter.name)?;
        about.set_item("range", parameter.range.text())?;
        about.set_item("default", taken.setting.default)?;
        about.set_item("meaning", parameter.meaning)?;
        about.set_item("tasks", names(taken.tasks))?;
        parameters.push(about);
    }
    let method = PyDict::new(py);
    method.set_item("name", row.name)?;
    method.set_item("about", row.summary)?;
    method.set_item("tasks", names(row.tasks))?;
    method.set_item("parameters", parameters)?;
    Ok(method)
}
