//! The stop flag, shared between its requester and the work that polls it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A flag that asks long work to save what it has and end; all clones are the same flag.
///
/// ```
/// use gipf_play::Stop;
///
/// let stop = Stop::default();
/// let watch = stop.watch();
/// assert!(!stop.requested());
/// assert!(stop.request(), "somebody watches");
/// assert!(stop.requested());
/// # drop(watch);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    requested: AtomicBool,
    watchers: AtomicUsize,
}

/// While it lives, the flag is polled and the work will end cleanly.
#[derive(Debug)]
pub struct Watch(Stop);

impl Stop {
    /// Asks the work to end, and returns whether it will: the flag is watched, and was not set before.
    pub fn request(&self) -> bool {
        let asked_before = self.0.requested.swap(true, Ordering::SeqCst);
        !asked_before && self.0.watchers.load(Ordering::SeqCst) > 0
    }

    /// Returns whether the work has been asked to end.
    pub fn requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// Declares that the flag is polled until the returned value is dropped.
    #[must_use = "the flag is watched only as long as the value lives"]
    pub fn watch(&self) -> Watch {
        self.0.watchers.fetch_add(1, Ordering::SeqCst);
        Watch(self.clone())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.0.watchers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_request_to_a_watched_flag_is_left_to_the_work() {
        let stop = Stop::default();
        assert!(!stop.clone().request(), "nobody watches");
        assert!(stop.requested());

        let stop = Stop::default();
        let watch = stop.watch();
        assert!(stop.request());
        assert!(!stop.request(), "asked twice");
        drop(watch);

        let stop = Stop::default();
        drop(stop.watch());
        assert!(!stop.request(), "nobody watches any more");
    }
}
