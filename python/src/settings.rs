//! Settings from Python, with errors that name the parameter.

use crate::arrays::finite_vector;
use crate::errors::ParameterError;
use crate::kernel::kernel_of;
use groat::Kernel;
use groat::batch::Search;
use pyo3::prelude::*;

/// A whole number that is not negative.
pub(crate) fn whole(name: &str, object: &Bound<'_, PyAny>) -> PyResult<u64> {
    object.extract::<u64>().map_err(|_| {
        ParameterError::new_err(format!("{name} = {object} is not allowed: a whole number, 0 or above"))
    })
}

/// As [`whole`], for counts.
pub(crate) fn count(name: &str, object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let value = whole(name, object)?;
    usize::try_from(value).map_err(|_| ParameterError::new_err(format!("{name} = {value} is too large")))
}

/// A number, a sequence of numbers to choose from, or "auto". The number is absent for the last two.
pub(crate) fn number_or_search(name: &str, object: &Bound<'_, PyAny>) -> PyResult<(Option<f64>, Search)> {
    if let Ok(value) = object.extract::<f64>() {
        return Ok((Some(value), Search::Fixed));
    }
    match object.extract::<String>() {
        Ok(text) if text == "auto" => Ok((None, Search::Auto)),
        Ok(text) => Err(ParameterError::new_err(format!(
            "{name} = {text:?} is not allowed: a number, a sequence of numbers, or \"auto\""
        ))),
        Err(_) => Ok((None, Search::Grid(finite_vector(name, object)?))),
    }
}

/// The kernel and how its width is found. Without word on the width, it is searched for when the kernel is
/// given by its name alone, and is the kernel's own otherwise.
pub(crate) fn kernel_and_width(
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
