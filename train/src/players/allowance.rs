//! What a single decision may cost, where whoever asks for it says so.

use std::time::Duration;

use gipf_env::Player;

use crate::Stop;
use crate::ugi::Go;

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

/// What the decisions of a turn have used of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The time.
    pub time: Duration,
    /// The positions looked at.
    pub nodes: u64,
}

/// What the clocks say when a decision of a match is due.
#[derive(Clone, Debug)]
pub struct TurnTime {
    /// The clocks of both players, as a program is told.
    pub go: Go,
    /// What the decision may use: its part of what [`Go::time_for_turn`] gave the turn when it began.
    pub allowance: Allowance,
    /// The time after which no answer can help any more: what is left, and the time for a last turn.
    pub patience: Duration,
}

impl Allowance {
    /// Returns what the next decision of a turn may cost: most of what the decisions before have left of the turn's limits.
    pub fn of_turn(go: &Go, player: Player, used: Used, stop: &Stop) -> Self {
        let time = go.time_for_turn(player).map(|time| Go::time_for_decision(time.saturating_sub(used.time)));
        let nodes = go.nodes.map(|nodes| Go::nodes_for_decision(nodes.saturating_sub(used.nodes)));
        Self { depth: go.depth, nodes, time, lifted: go.infinite, stop: stop.clone() }
    }

    /// Returns whether nothing but the agent's own limits and `stop` ends the search.
    pub const fn is_open(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.time.is_none() && !self.lifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_of_a_turn_never_use_more_than_the_turn_has() {
        let (second, stop) = (Duration::from_secs(1), Stop::default());
        let go = Go { left: [Some(60 * second), Some(second)], nodes: Some(1000), ..Go::default() };
        for player in Player::BOTH {
            let whole = go.time_for_turn(player).unwrap();
            let mut used = Used::default();
            for _ in 0..6 {
                let allowance = Allowance::of_turn(&go, player, used, &stop);
                let (time, nodes) = (allowance.time.unwrap(), allowance.nodes.unwrap());
                assert!(2 * time >= whole.saturating_sub(used.time), "most of what is left can be used");
                used = Used { time: used.time + time, nodes: used.nodes + nodes };
                assert!(used.time <= whole && used.nodes <= 1000, "{used:?}");
            }
        }
        assert!(Allowance::of_turn(&Go::default(), Player::White, Used::default(), &stop).is_open());
    }
}
