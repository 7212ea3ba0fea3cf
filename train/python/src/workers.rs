//! The threads that share the work.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use gipf_play::players::STACK_BYTES;
use pyo3::{PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::argument::Whole;
use crate::error::{InternalError, detached};

/// The threads, and the process that they belong to.
static WORKERS: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The most threads that a caller can ask for.
const MOST: usize = 1024;

/// Returns threads for one piece of work that may have to wait: this many, or as many as there are shared ones.
pub fn new_workers(threads: Option<usize>) -> PyResult<ThreadPool> {
    let builder = ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    let builder = threads.into_iter().fold(builder, ThreadPoolBuilder::num_threads);
    builder.build().map_err(|error| InternalError::new_err(error.to_string()))
}

/// Returns the shared threads: as many as there are cores, or as `RAYON_NUM_THREADS` says.
///
/// A forked process, such as those of other libraries' vectorised environments, has none of its parent's threads, and
/// would wait for them forever; it gets its own.
pub fn workers() -> PyResult<Arc<ThreadPool>> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = &*workers
        && *owner == process::id()
    {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(new_workers(None)?);
    // Dropping the parent's pool would wait for its threads.
    std::mem::forget(workers.replace((process::id(), Arc::clone(&pool))));
    Ok(pool)
}

/// Returns the number of threads that a caller asks for, if any.
///
/// # Errors
/// If the number is 0, or too large.
pub fn thread_count(threads: Option<Whole>) -> PyResult<Option<usize>> {
    threads.map(|threads| threads.checked("threads", 1..=MOST)).transpose()
}

/// Does work without the interpreter, divided among threads.
///
/// All such work is done here, by [`on_threads`] or on [`new_workers`], since rayon's global threads are missing in a
/// forked process as well. It must not wait for anything that only these threads can do, such as for a lock held by
/// work that runs on them.
pub fn divided<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    detached(py, || workers()?.install(work))
}

/// Does work on this many threads of its own, or on the shared ones.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    Ok(match threads {
        Some(_) => new_workers(threads)?.install(work),
        None => workers()?.install(work),
    })
}
