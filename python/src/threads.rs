//! The threads that the package works on.
//!
//! The pool is ours rather than the global one for two reasons: its size can be changed at any time, and a
//! process that was forked (as `multiprocessing` does) can notice that its threads stayed behind in the parent.

use crate::errors::{GroatError, ParameterError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Owned>> = Mutex::new(None);

/// The pool of this process, made when first asked for.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = match held.take() {
        Some(owned) if owned.process == process => {
            let pool = owned.pool.clone();
            *held = Some(owned);
            return Ok(pool);
        }
        Some(stale) => {
            let threads = stale.pool.current_num_threads();
            // Its threads are not in this process: ending it would wait for them.
            std::mem::forget(stale);
            threads
        }
        None => 0,
    };
    let pool = build(threads)?;
    *held = Some(Owned { process, pool: pool.clone() });
    Ok(pool)
}

fn build(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("groat-{i}"));
    builder.build().map(Arc::new).map_err(|e| GroatError::new_err(format!("cannot start threads: {e}")))
}

/// Runs `work` on the pool, with the interpreter free for other threads.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = pool()?;
    Ok(py.detach(|| pool.install(work)))
}

/// The number of threads in use.
#[pyfunction]
pub(crate) fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Sets the number of threads; None takes one per core (or RAYON_NUM_THREADS). Results do not depend on it.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub(crate) fn set_threads(count: Option<i64>) -> PyResult<()> {
    let threads = match count {
        None => 0,
        Some(count) if (1..=1024).contains(&count) => count as usize,
        Some(count) => {
            let text = format!("threads = {count} is not allowed: a whole number from 1 to 1024, or None");
            return Err(ParameterError::new_err(text));
        }
    };
    let pool = build(threads)?;
    let owned = Owned { process: std::process::id(), pool };
    let old = POOL.lock().unwrap_or_else(PoisonError::into_inner).replace(owned);
    if let Some(stale) = old.filter(|old| old.process != std::process::id()) {
        std::mem::forget(stale);
    }
    Ok(())
}
