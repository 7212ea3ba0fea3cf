//! Limits on the cost of turns and decisions.

use std::time::Duration;

use gipf_env::Player;

use crate::Stop;

/// The limits of a turn, in any combination; whichever is reached first ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnBudget {
    /// The time that each player has left, White first.
    pub left: [Option<Duration>; 2],
    /// The time that each player gets for a turn.
    pub increment: [Duration; 2],
    /// The time for this turn.
    pub move_time: Option<Duration>,
    /// The positions to visit in this turn.
    pub nodes: Option<u64>,
    /// The turns to look ahead.
    pub depth: Option<u32>,
    /// Whether to answer only when asked to stop.
    pub infinite: bool,
}

/// The limits of one decision. Whichever is reached first ends the search; by default there is none.
///
/// An agent that does not search ignores them. One that does also keeps to its own limits, unless they are lifted:
/// where both have a limit of the same kind, the one here applies. With a clock, an agent whose own limit is a time, or
/// that has none, uses the time that the clock gives it; others think as they always do, and their time is charged.
#[derive(Clone, Debug, Default)]
pub struct TurnLimits {
    /// The number of turns to look ahead, if limited.
    pub depth: Option<u32>,
    /// The number of positions to visit, if limited.
    pub nodes: Option<u64>,
    /// The time, if limited.
    pub time: Option<Duration>,
    /// Whether the agent's own limits are lifted.
    pub lifted: bool,
    /// The number of searches that share the agent's own simulations, positions and time, if several make one decision.
    pub sharing: u32,
    /// Ends the search as soon as it has an action to play.
    pub stop: Stop,
    /// The clocks, if the game is played by them.
    pub clocks: Option<Clocks>,
}

/// The clocks when a decision is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Their times when the turn began, as sent to programs.
    pub turn: TurnBudget,
    /// The time after which no answer helps: the time left, and the time for a last turn.
    pub patience: Duration,
}

/// The part of a turn's budget that its decisions have used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The time.
    pub time: Duration,
    /// The positions visited.
    pub nodes: u64,
}

/// The turns that the time left has to last for, at any moment of the game: a game has some 30 turns of each player.
const TURNS_TO_COME: u32 = 20;
/// The part of the time left that is never used, since answers need time to arrive: this, or a twentieth if that is
/// more.
const MARGIN: Duration = Duration::from_millis(50);
const MARGIN_PART: u32 = 20;
/// The part of the rest of a turn's budget that one decision may use: most turns are one decision, but a capture can
/// bring more.
const DECISION: [u32; 2] = [4, 5];

impl TurnBudget {
    /// Returns how much time the player may use for their turn, if the time is limited.
    ///
    /// By the clock it is a twentieth of the time left and most of the increment, but never more than the time left
    /// less a margin; the time for this turn is used as given. With both, the smaller holds.
    pub fn time_for_turn(&self, player: Player) -> Option<Duration> {
        let (left, increment) = (self.left[player.index()], self.increment[player.index()]);
        let by_the_clock = left.map(|left| {
            let margin = MARGIN.max(left / MARGIN_PART);
            (left / TURNS_TO_COME).saturating_add(increment / 4 * 3).min(left.saturating_sub(margin))
        });
        [by_the_clock, self.move_time].into_iter().flatten().min()
    }

    /// Returns the limits of the next decision of the turn: most of the rest of the budget.
    pub fn for_decision(&self, player: Player, used: Used, stop: &Stop) -> TurnLimits {
        let time = self.time_for_turn(player).map(|time| time_for_decision(time.saturating_sub(used.time)));
        let nodes = self.nodes.map(|nodes| nodes_for_decision(nodes.saturating_sub(used.nodes)));
        TurnLimits { nodes, time, depth: self.depth, lifted: self.infinite, ..TurnLimits::until(stop) }
    }
}

/// Returns the time that one decision may use of the rest of its turn.
fn time_for_decision(left: Duration) -> Duration {
    left / DECISION[1] * DECISION[0]
}

/// Returns the positions that one decision may visit of the rest of its turn.
fn nodes_for_decision(left: u64) -> u64 {
    (u128::from(left) * u128::from(DECISION[0])).div_ceil(u128::from(DECISION[1])) as u64
}

impl TurnLimits {
    /// Returns limits with nothing but this way to stop.
    pub fn until(stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..Self::default() }
    }

    /// Returns the limits for an agent that does, or does not, use the time that a clock gives it.
    pub(super) fn for_agent(&self, heeds_clock: bool) -> Self {
        if self.clocks.is_some() && !heeds_clock { Self::until(&self.stop) } else { self.clone() }
    }

    /// Returns the number of parts into which the agent's own limits are divided.
    pub(super) fn parts(&self) -> u32 {
        self.sharing.max(1)
    }

    /// Returns whether nothing but the agent's own limits and `stop` ends the search.
    pub const fn is_open(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.time.is_none() && !self.lifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn no_turn_uses_more_than_the_time_left_less_a_margin() {
        for left in [0, 1, 49, 50, 51, 100, 999, 60_000, 86_400_000, u64::MAX] {
            for increment in [0, 1, 100, 5000, 3_600_000, u64::MAX] {
                let left_and_none = [Some(ms(left)), None];
                let turn = TurnBudget { left: left_and_none, increment: [ms(increment); 2], ..TurnBudget::default() };
                let time = turn.time_for_turn(Player::White).unwrap();
                let most = ms(left).saturating_sub(ms(50).max(ms(left) / 20));
                assert!(time <= most, "{time:?} of {left} ms with {increment} ms");
                // The whole game can be played at this pace, and the clock is not left unused.
                assert!(left < 1000 || time >= (ms(left) / 20).min(most), "{time:?} of {left} ms");
                assert_eq!(turn.time_for_turn(Player::Black), None, "nobody limits Black's time");
            }
        }
    }

    #[test]
    fn a_hundred_turns_by_the_clock_never_use_it_up() {
        for increment in [0, 20, 1000] {
            let mut left = ms(5000);
            for _ in 0..100 {
                let turn =
                    TurnBudget { left: [None, Some(left)], increment: [ms(increment); 2], ..TurnBudget::default() };
                left = left.checked_sub(turn.time_for_turn(Player::Black).unwrap()).unwrap() + ms(increment);
                assert!(left >= ms(50), "{left:?} left with {increment} ms");
            }
        }
    }

    #[test]
    fn the_smaller_of_clock_and_move_time_holds() {
        let turn = TurnBudget { left: [Some(ms(60_000)); 2], move_time: Some(ms(100)), ..TurnBudget::default() };
        assert_eq!(turn.time_for_turn(Player::White), Some(ms(100)));
        let turn = TurnBudget { move_time: Some(ms(100_000)), ..turn };
        assert_eq!(turn.time_for_turn(Player::White), Some(ms(3000)));
        assert_eq!(TurnBudget::default().time_for_turn(Player::White), None);
    }

    #[test]
    fn decisions_share_what_the_turn_has() {
        assert_eq!(time_for_decision(ms(100)), ms(80));
        for left in [1, 2, 5, 100, u64::MAX] {
            assert!((1..=left).contains(&nodes_for_decision(left)));
        }
    }

    #[test]
    fn decisions_of_a_turn_never_use_more_than_the_turn_has() {
        let (second, stop) = (Duration::from_secs(1), Stop::default());
        let turn = TurnBudget { left: [Some(60 * second), Some(second)], nodes: Some(1000), ..TurnBudget::default() };
        for player in Player::BOTH {
            let whole = turn.time_for_turn(player).unwrap();
            let mut used = Used::default();
            for _ in 0..6 {
                let limits = turn.for_decision(player, used, &stop);
                let (time, nodes) = (limits.time.unwrap(), limits.nodes.unwrap());
                assert!(2 * time >= whole.saturating_sub(used.time), "most of what is left can be used");
                used = Used { time: used.time + time, nodes: used.nodes + nodes };
                assert!(used.time <= whole && used.nodes <= 1000, "{used:?}");
            }
        }
        assert!(TurnBudget::default().for_decision(Player::White, Used::default(), &stop).is_open());
    }

    #[test]
    fn an_agent_that_does_not_heed_the_clock_keeps_its_own_limits() {
        let clocks = Some(Clocks { turn: TurnBudget::default(), patience: ms(1) });
        let by_clock = TurnLimits { time: Some(ms(1)), clocks, ..TurnLimits::default() };
        assert!(by_clock.for_agent(false).is_open() && by_clock.for_agent(true).time == Some(ms(1)));
        let asked = TurnLimits { clocks: None, ..by_clock };
        assert!(!asked.for_agent(false).is_open(), "whoever asks for less time gets it");
    }
}
