//! Rust errors as Python exceptions. The classes live in `groat/errors.py`, where they can have two bases.

use groat::Error;
use pyo3::PyErr;
use pyo3::exceptions::PyOSError;

pyo3::import_exception!(groat.errors, GroatError);
pyo3::import_exception!(groat.errors, ParameterError);
pyo3::import_exception!(groat.errors, DataError);
pyo3::import_exception!(groat.errors, ShapeError);
pyo3::import_exception!(groat.errors, NotFiniteError);
pyo3::import_exception!(groat.errors, ModelFileError);
pyo3::import_exception!(groat.errors, NumericalError);
pyo3::import_exception!(groat.errors, MemoryLimitError);
pyo3::import_exception!(groat.errors, NotFittedError);
pyo3::import_exception!(groat.errors, StoppedError);

/// The exception for an error of the library.
pub(crate) fn raise(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Parameter { .. } | Error::Parse { .. } | Error::Setting { .. } => {
            ParameterError::new_err(text)
        }
        Error::Shape { .. } => ShapeError::new_err(text),
        Error::NotFinite { .. } => NotFiniteError::new_err(text),
        Error::TooFew { .. } | Error::Data { .. } | Error::Source { .. } => DataError::new_err(text),
        Error::Model(_) => ModelFileError::new_err(text),
        Error::Numerical { .. } | Error::LinearAlgebra { .. } => NumericalError::new_err(text),
        Error::Memory { .. } => MemoryLimitError::new_err(text),
        Error::Stopped => StoppedError::new_err(text),
        // With number, text and path, Python picks the fitting subclass of OSError itself.
        Error::Io { path, source } => match source.raw_os_error() {
            Some(number) => {
                PyOSError::new_err((number, source.to_string(), path.to_string_lossy().into_owned()))
            }
            None => std::io::Error::new(source.kind(), text).into(),
        },
        _ => GroatError::new_err(text),
    }
}
