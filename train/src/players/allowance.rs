//! What a single decision may cost, where whoever asks for it says so.

use std::time::Duration;

use crate::Stop;

/// What one decision may cost. Whichever limit is reached first ends the search; by default there is none.
///
/// What an agent's own limits are then worth, the agent says at [`choose_within`](super::Agent::choose_within).
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// The number of turns to look ahead, if limited.
    pub depth: Option<u32>,
    /// The number of positions to look at, if limited.
    pub nodes: Option<u64>,
    /// The time, if limited.
    pub time: Option<Duration>,
    /// Whether the agent's own limits do not hold.
    pub lifted: bool,
    /// Ends the search as soon as it has anything to play.
    pub stop: Stop,
}

impl Allowance {
    /// Returns whether nothing but the agent's own limits and `stop` ends the search.
    pub const fn is_open(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.time.is_none() && !self.lifted
    }
}
