//! Settings from Python, with errors that name the parameter.

use crate::arrays::finite_vector;
use crate::errors::ParameterError;
use groat::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Keyword arguments as the tables of methods read them. None is a setting that was not given, and a name that Python
/// keeps for itself, such as `lambda`, has an underscore at its end.
pub(crate) fn settings_of(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (name, value) in arguments.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        let text = text_of(&name, &value)?;
        settings.set(name.trim_end_matches('_'), text);
    }
    Ok(settings)
}

/// A value as text: the numbers of a sequence are separated by `;`, a dictionary is written `label=factor,...`.
fn text_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.to_string());
    }
    if let Ok(factors) = value.cast::<PyDict>() {
        let pairs = factors.iter().map(|(label, factor)| Ok(format!("{}={}", label.str()?, factor.str()?)));
        return Ok(pairs.collect::<PyResult<Vec<_>>>()?.join(","));
    }
    if value.len().is_ok() {
        let numbers = finite_vector(name, value)?;
        return Ok(numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(";"));
    }
    Ok(value.str()?.to_string())
}

/// The exception for a value that a parameter cannot take.
fn not_allowed(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    ParameterError::new_err(format!("{name} = {value} is not allowed: {expected}"))
}

/// A whole number that is not negative.
pub(crate) fn whole(name: &str, object: &Bound<'_, PyAny>) -> PyResult<u64> {
    object.extract::<u64>().map_err(|_| not_allowed(name, object, "a whole number, 0 or above"))
}

/// As [`whole`], for counts; one that is too large to count with becomes the largest, which is then refused.
pub(crate) fn count(name: &str, object: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(whole(name, object)?).unwrap_or(usize::MAX))
}

/// A number.
pub(crate) fn number(name: &str, object: &Bound<'_, PyAny>) -> PyResult<f64> {
    object.extract::<f64>().map_err(|_| not_allowed(name, object, "a number"))
}
