//! The cost of a proof, and its limits.

use std::cell::Cell;

use super::ProofLimits;
use crate::{Instant, Stop};

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// The question is answered.
    Decided,
    /// The time is used up.
    Time,
    /// The positions that may be visited are used up.
    Nodes,
    /// Play went on for more decisions than the search follows.
    Depth,
    /// A stop was requested.
    Stopped,
}

/// The number of positions visited between two readings of the clock.
const UNWATCHED: u64 = 256;

/// Counts the positions visited by all parts of a proof.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    limits: ProofLimits,
    began: Instant,
    stop: &'a Stop,
    nodes: Cell<u64>,
    /// The number of positions at which the active part pauses.
    pause: Cell<u64>,
    ended: Cell<Option<Ended>>,
}

impl<'a> Meter<'a> {
    pub fn new(limits: ProofLimits, stop: &'a Stop) -> Self {
        let [nodes, pause] = [Cell::new(0), Cell::new(0)];
        Self { limits, began: Instant::now(), stop, nodes, pause, ended: Cell::new(None) }
    }

    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Returns why no more positions may be visited, if so.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.get()
    }

    /// Allows this many more positions before the next pause.
    pub fn grant(&self, nodes: u64) {
        self.pause.set(self.nodes.get().saturating_add(nodes));
    }

    /// Returns whether the active part must pause.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.nodes.get() >= self.pause.get() || self.ended.get().is_some()
    }

    /// Ends the search for good.
    pub fn end(&self, why: Ended) {
        self.ended.set(Some(self.ended.get().unwrap_or(why)));
    }

    /// Counts a visited position.
    #[inline]
    pub fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get().is_multiple_of(UNWATCHED) {
            self.look_at_clock();
        }
    }

    fn look_at_clock(&self) {
        if self.stop.requested() {
            self.end(Ended::Stopped);
        } else if self.limits.time.is_some_and(|time| self.began.elapsed() >= time) {
            self.end(Ended::Time);
        } else if self.limits.nodes.is_some_and(|nodes| self.nodes.get() >= nodes) {
            self.end(Ended::Nodes);
        }
    }
}
