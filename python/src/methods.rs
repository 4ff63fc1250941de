//! The tables of batch methods and online algorithms, for those who build on them.

use groat::batch::{MethodRow, Methods, TaskKind};
use groat::online::presets;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// `Method.KRR_CG` is `"krr-cg"`: the names of the batch methods, so that Python spells none of them.
pub(crate) fn method_names(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let methods = Methods::standard();
    names(py, "Method", "Names of the batch methods.", methods.rows().iter().map(|row| row.name))
}

/// The same for online algorithms.
pub(crate) fn algorithm_names(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    names(
        py,
        "Algorithm",
        "Names of the online algorithms.",
        presets::PRESETS.iter().map(|preset| preset.name),
    )
}

/// A class that is nothing but names, each under its own in capitals.
fn names<'py>(
    py: Python<'py>,
    class: &str,
    about: &str,
    all: impl Iterator<Item = &'static str>,
) -> PyResult<Bound<'py, PyAny>> {
    let members = PyDict::new(py);
    members.set_item("__module__", "groat._groat")?;
    members.set_item("__doc__", about)?;
    for name in all {
        members.set_item(name.to_uppercase().replace('-', "_"), name)?;
    }
    py.get_type::<PyType>().call1((class, PyTuple::empty(py), members))
}

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
