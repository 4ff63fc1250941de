//! Settings from Python, with errors that name the parameter.

use crate::arrays::finite_vector;
use crate::errors::ParameterError;
use crate::kernel::kernel_of;
use groat::Kernel;
use groat::batch::Search;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arguments that a learner was made with, by name: what they are read from, shown and pickled as.
pub(crate) struct Params<'py>(pub(crate) Bound<'py, PyDict>);

/// `Params` from variables of the same names as the parameters.
macro_rules! params {
    ($py:expr; $($name:ident),+ $(,)?) => {{
        let arguments = pyo3::types::PyDict::new($py);
        $(arguments.set_item(stringify!($name), $name)?;)+
        crate::settings::Params(arguments)
    }};
}
pub(crate) use params;

impl<'py> Params<'py> {
    /// The argument, unless it is None or there is none of that name.
    pub(crate) fn get(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    pub(crate) fn whole(&self, name: &str) -> PyResult<Option<u64>> {
        self.get(name)?.map(|value| whole(name, &value)).transpose()
    }

    pub(crate) fn count(&self, name: &str) -> PyResult<Option<usize>> {
        self.get(name)?.map(|value| count(name, &value)).transpose()
    }

    pub(crate) fn number(&self, name: &str) -> PyResult<Option<f64>> {
        let number = |value: Bound<'py, PyAny>| {
            value.extract::<f64>().map_err(|_| not_allowed(name, &value, "a number"))
        };
        self.get(name)?.map(number).transpose()
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<bool> {
        let flag = |value: Bound<'py, PyAny>| {
            value.extract::<bool>().map_err(|_| not_allowed(name, &value, "True or False"))
        };
        self.get(name)?.map_or(Ok(false), flag)
    }

    /// `kernel=` and `width=`, read together.
    pub(crate) fn kernel_and_width(&self) -> PyResult<(Kernel, Search)> {
        kernel_and_width(self.get("kernel")?.as_ref(), self.get("width")?.as_ref())
    }

    /// `ridge=`: searched for when not given; `default` stands where a search makes the number idle.
    pub(crate) fn ridge(&self, default: f64) -> PyResult<(f64, Search)> {
        let (value, search) = match self.get("ridge")? {
            None => (None, Search::Auto),
            Some(ridge) => number_or_search("ridge", &ridge)?,
        };
        Ok((value.unwrap_or(default), search))
    }
}

/// The exception for a value that a parameter cannot take.
pub(crate) fn not_allowed(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    ParameterError::new_err(format!("{name} = {value} is not allowed: {expected}"))
}

/// A whole number that is not negative.
pub(crate) fn whole(name: &str, object: &Bound<'_, PyAny>) -> PyResult<u64> {
    object.extract::<u64>().map_err(|_| not_allowed(name, object, "a whole number, 0 or above"))
}

/// As [`whole`], for counts.
fn count(name: &str, object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let value = whole(name, object)?;
    usize::try_from(value).map_err(|_| ParameterError::new_err(format!("{name} = {value} is too large")))
}

/// A number, a sequence of numbers to choose from, or "auto". The number is absent for the last two.
fn number_or_search(name: &str, object: &Bound<'_, PyAny>) -> PyResult<(Option<f64>, Search)> {
    if let Ok(value) = object.extract::<f64>() {
        return Ok((Some(value), Search::Fixed));
    }
    match object.extract::<String>() {
        Ok(text) if text == "auto" => Ok((None, Search::Auto)),
        Ok(_) => Err(not_allowed(name, object, "a number, a sequence of numbers, or \"auto\"")),
        Err(_) => Ok((None, Search::Grid(finite_vector(name, object)?))),
    }
}

/// The kernel and how its width is found. Without word on the width, it is searched for when the kernel is
/// given by its name alone, and is the kernel's own otherwise.
fn kernel_and_width(
    kernel: Option<&Bound<'_, PyAny>>,
    width: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Kernel, Search)> {
    let bare = match kernel {
        None => true,
        Some(kernel) => kernel.extract::<String>().is_ok_and(|text| !text.contains(':')),
    };
    let kernel = kernel.map_or_else(|| Ok(Kernel::gaussian(1.0)), kernel_of)?;
    match width {
        None if bare && kernel.width().is_some() => Ok((kernel, Search::Auto)),
        None => Ok((kernel, Search::Fixed)),
        Some(_) if kernel.width().is_none() => {
            let text = format!("the kernel {kernel} has no width to be set");
            Err(ParameterError::new_err(text))
        }
        Some(width) => match number_or_search("width", width)? {
            (Some(width), search) => Ok((kernel.with_width(width), search)),
            (None, search) => Ok((kernel, search)),
        },
    }
}
