//! Long work, which Ctrl-C ends.

use std::iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gipf_play::Stop;
use pyo3::prelude::*;

use crate::error::{InternalError, guarded};

/// The interval between two checks for Ctrl-C. Python lets only its first thread check; on others nothing comes of
/// it.
const PAUSE: Duration = Duration::from_millis(50);

/// What the work asks of Python meanwhile.
pub struct Calls<'a, M> {
    /// Where the questions arrive; the work alone holds the other end, so that it ends with the work.
    pub inbox: Receiver<M>,
    /// Deals with all that have arrived, in their order. What it raises ends the work.
    pub answer: &'a mut dyn FnMut(Vec<M>) -> PyResult<()>,
}

/// Does work that heeds a wish to stop, and returns what came of it, or raises what a signal raises meanwhile.
///
/// Python hears signals on the thread that calls, and only while that thread is not at work; so the work is done on
/// another.
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

/// Does work that heeds no wish to stop, within work that does: whoever is asked to stop waits no longer, and the work
/// goes on alone.
pub fn unless_stopped<T: Send + 'static>(
    stop: &Stop,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (done, found) = channel();
    // Nobody listens to work that goes on alone.
    let work = move || drop(done.send(guarded(work)));
    let worker = thread::Builder::new().spawn(work);
    worker.map_err(|error| InternalError::new_err(format!("no thread to work on: {error}")))?;
    loop {
        match found.recv_timeout(PAUSE) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) if !stop.requested() => {}
            // Never seen: a requested stop raises another exception.
            Err(_) => return Err(InternalError::new_err("the work was asked to stop")),
        }
    }
}

/// Answers until the work has ended, and returns the first exception that was raised; from then on nothing is answered.
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
