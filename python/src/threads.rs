//! The threads that the package works on.
//!
//! The pool is ours rather than the global one for two reasons: its size can be changed at any time, and a
//! process that was forked (as `multiprocessing` does) can notice that its threads stayed behind in the parent.

use crate::errors::{GroatError, ParameterError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Owned>> = Mutex::new(None);

/// Pools by process and size.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// Pools for callers with a limit of their own. They are kept: there are few sizes.
static LIMITED: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

thread_local! {
    /// How many threads work for this one; 0 for no limit of its own.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// The pool of this process, made when first asked for; that of its own size for a thread with a limit.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let limit = LIMIT.get();
    if limit > 0 {
        let mut pools = LIMITED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&(process, limit)) {
            return Ok(pool.clone());
        }
        let pool = build(limit)?;
        pools.insert((process, limit), pool.clone());
        return Ok(pool);
    }
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

/// A pool of so many threads. 0 is one per core, unless the environment says otherwise: RAYON_NUM_THREADS, or
/// OMP_NUM_THREADS, by which joblib tells its workers how many each may use.
fn build(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let told = |name| std::env::var(name).ok().and_then(|text| text.trim().parse::<usize>().ok());
    let threads = match threads {
        0 if told("RAYON_NUM_THREADS").is_none() => told("OMP_NUM_THREADS").unwrap_or(0),
        threads => threads,
    }
    .min(1024);
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

/// Sets the number of threads; None takes one per core (or RAYON_NUM_THREADS, OMP_NUM_THREADS). Results do not depend on
/// it.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub(crate) fn set_threads(count: Option<i64>) -> PyResult<()> {
    let threads = checked(count)?;
    let pool = build(threads)?;
    let owned = Owned { process: std::process::id(), pool };
    let old = POOL.lock().unwrap_or_else(PoisonError::into_inner).replace(owned);
    if let Some(stale) = old.filter(|old| old.process != std::process::id()) {
        std::mem::forget(stale);
    }
    Ok(())
}

/// Lets work that the calling thread asks for run on so many threads, until it says otherwise; None goes back to those
/// of set_threads. Returns what held before.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub(crate) fn limit_threads(count: Option<i64>) -> PyResult<Option<usize>> {
    let before = LIMIT.replace(checked(count)?);
    Ok((before > 0).then_some(before))
}

/// A number of threads; 0 where nothing is said.
fn checked(count: Option<i64>) -> PyResult<usize> {
    match count {
        None => Ok(0),
        Some(count) if (1..=1024).contains(&count) => Ok(count as usize),
        Some(count) => {
            let text = format!("threads = {count} is not allowed: a whole number from 1 to 1024, or None");
            Err(ParameterError::new_err(text))
        }
    }
}
