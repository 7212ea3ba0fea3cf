//! Long work that Ctrl-C can end.

use std::iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gipf_play::Stop;
use pyo3::prelude::*;

use crate::error::{InternalError, guarded};

/// The interval between two checks for Ctrl-C. Python lets only its main thread check; on other threads the check has
/// no effect.
pub const PAUSE: Duration = Duration::from_millis(50);

/// The questions of the work to Python, meanwhile.
pub struct Calls<'a, M> {
    /// Where the questions arrive; only the work holds the other end, so that the channel closes with the work.
    pub inbox: Receiver<M>,
    /// Answers all questions that have arrived, in their order. An exception in it ends the work.
    pub answer: &'a mut dyn FnMut(Vec<M>) -> PyResult<()>,
}

/// Does work that honours requests to stop, and returns its result, or raises the exception of a signal that came meanwhile.
///
/// Python handles signals on the calling thread, and only while that thread is not busy; so the work is done on
/// another thread.
pub fn interruptible<T: Send>(py: Python<'_>, stop: &Stop, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    let (at_work, inbox) = channel();
    let work = move || {
        let _at_work = at_work;
        work()
    };
    attended(py, stop, Calls { inbox, answer: &mut |_: Vec<()>| Ok(()) }, work)
}

/// Does work as [`interruptible`] does, and answers its calls on this thread.
pub fn attended<T: Send, M: Send>(
    py: Python<'_>,
    stop: &Stop,
    calls: Calls<'_, M>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, || guarded(work));
        let worker = worker.map_err(|error| InternalError::new_err(format!("no thread to work on: {error}")))?;
        let heard = attend(py, stop, calls);
        let done = py.detach(move || worker.join());
        heard?;
        done.unwrap_or_else(|_| unreachable!("panics are caught"))
    })
}

/// Answers questions until the work has ended, and returns the first exception that was raised; after an exception
/// nothing is answered.
fn attend<M: Send>(py: Python<'_>, stop: &Stop, mut calls: Calls<'_, M>) -> PyResult<()> {
    let mut heard = Ok(());
    loop {
        let inbox = &mut calls.inbox;
        let arrived = match py.detach(move || inbox.recv_timeout(PAUSE)) {
            Ok(first) => iter::once(first).chain(calls.inbox.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => return heard,
        };
        if heard.is_ok() {
            heard = py.check_signals().and_then(|()| (calls.answer)(arrived));
        }
        if heard.is_err() {
            stop.request();
        }
    }
}
