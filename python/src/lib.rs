//! The compiled half of the Python package `groat`, and its engine: what the package shows of it is for
//! `groat/__init__.py` to say.
//!
//! Each file wraps one idea of the library; what Python adds (arrays, labels, exceptions, interrupts, threads)
//! has a file of its own. The types are described for Python in `groat/_groat.pyi`.

mod arrays;
mod batch;
mod drift;
mod errors;
mod features;
mod kernel;
mod labels;
mod methods;
mod model;
mod online;
mod outcome;
mod pca;
mod points;
mod settings;
mod statistics;
mod sums;
mod support;
mod threads;
mod vectors;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _groat(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<kernel::PyKernel>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<batch::BatchLearner>()?;
    module.add_class::<outcome::PyTrial>()?;
    module.add_class::<pca::PyKernelPca>()?;
    module.add_class::<features::PyFeatureMap>()?;
    module.add_class::<sums::PyRowSums>()?;
    module.add_class::<statistics::PyStatistics>()?;
    module.add_class::<online::OnlineLearner>()?;
    module.add_class::<online::PyStep>()?;
    module.add_class::<drift::DriftWindow>()?;
    module.add("Method", methods::method_names(module.py())?)?;
    module.add("Algorithm", methods::algorithm_names(module.py())?)?;
    module.add_function(wrap_pyfunction!(methods::methods, module)?)?;
    module.add_function(wrap_pyfunction!(sums::drawing_order, module)?)?;
    module.add_function(wrap_pyfunction!(support::tune_support, module)?)?;
    module.add_function(wrap_pyfunction!(online::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(online::algorithm_settings, module)?)?;
    module.add_function(wrap_pyfunction!(threads::threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads::limit_threads, module)?)
}
