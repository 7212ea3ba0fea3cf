//! One game of a match by the clock, with its replays.

use std::time::Duration;

use gipf_env::{Action, GipfPosition, Outcome, Player, Position};

use super::bout::Bout;
use super::clock::{Clock, Flag};
use super::game::{Ending, GameRecord, Log, mix};
use super::openings::Opening;
use super::ruling::{BoutResult, Cause, Contestant, Event};
use super::time_control::TimeControl;
use crate::Stop;
use crate::players::{Agent, Choice, Clocks, Fault, TurnBudget, TurnLimits, Used};

/// The conditions of a game played by the clock.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// The time of each contestant.
    pub control: TimeControl,
    /// Returns the time since some moment before the game; the contestants' clocks run by it.
    pub now: &'a (dyn Fn() -> Duration + Sync),
    /// Ends the game without a result.
    pub stop: &'a Stop,
}

/// Plays a game from an opening by the clock, as a [`Bout`], and returns the game that counts, with the void ones in
/// it; nothing if a stop was requested.
///
/// Agents and seeds are indexed by contestant; the first is White in the first game. A void game is replayed from the
/// end of the same opening, with colours exchanged and the time that each has left, at most as often as [`Bout`]
/// allows. An agent that cannot go on loses, as in games without a clock; one that has not answered when its clock is
/// spent loses by time. There are no warnings in matches, so there are no penalties.
///
/// # Panics
/// If an agent chooses an illegal action.
pub fn play_bout(
    opening: &Opening<GipfPosition>,
    agents: [&mut dyn Agent<GipfPosition>; 2],
    seeds: [u64; 2],
    conditions: &Conditions<'_>,
) -> Option<GameRecord> {
    let bout = Bout::from_position(opening.position.clone(), [conditions.control.clock(); 2]);
    let log = Log::new(&opening.position);
    let mut table = Table { opening, agents, seeds, conditions, bout, log, void: Vec::new(), turns: [None; 2] };
    table.begin_game();
    table.play()
}

/// The state of a bout in progress.
struct Table<'a, 'c> {
    opening: &'a Opening<GipfPosition>,
    agents: [&'c mut dyn Agent<GipfPosition>; 2],
    seeds: [u64; 2],
    conditions: &'a Conditions<'a>,
    bout: Bout,
    log: Log,
    void: Vec<GameRecord>,
    /// The last turn in which each colour had something to decide.
    turns: [Option<Turn>; 2],
}

/// What a turn has used of its budget.
#[derive(Clone, Copy)]
struct Turn {
    number: usize,
    /// The clocks at its first decision.
    budget: TurnBudget,
    used: Used,
}

impl Table<'_, '_> {
    fn begin_game(&mut self) {
        let (start, actions, number) = (&self.opening.start, &self.opening.actions, self.void.len() as u64);
        for (agent, seed) in self.agents.iter_mut().zip(self.seeds) {
            agent.begin(start, actions, if number == 0 { seed } else { mix(seed, number) });
        }
    }

    fn play(mut self) -> Option<GameRecord> {
        let Conditions { now, stop, .. } = *self.conditions;
        loop {
            if let Some(result) = self.bout.result() {
                let ending = self.ending(result);
                return Some(self.finish(ending));
            }
            let player = self.bout.position().to_move();
            let (limits, contestant) = (self.limits(player), self.bout.contestant(player));
            let start = now();
            let decided = self.agents[contestant.index()].choose(self.bout.position(), &limits);
            let elapsed = now().saturating_sub(start);
            // A stop has cut the thinking short as well.
            if stop.requested() {
                return None;
            }
            match decided {
                Ok(choice) => self.act(player, choice, elapsed),
                Err(fault) => return Some(self.fail(player, fault, elapsed)),
            }
        }
    }

    /// Returns the limits that the clocks set for the next decision of a player.
    fn limits(&mut self, player: Player) -> TurnLimits {
        let (bout, number) = (&self.bout, self.bout.position().turn());
        let begun = Turn { number, budget: shown(bout), used: Used::default() };
        let turn = self.turns[player.index()].filter(|turn| turn.number == number).unwrap_or(begun);
        self.turns[player.index()] = Some(turn);
        let limits = turn.budget.for_decision(player, turn.used, self.conditions.stop);
        let clocks = Clocks { turn: turn.budget, patience: bout.clock(player).until_spent() };
        TurnLimits { clocks: Some(clocks), ..limits }
    }

    fn act(&mut self, player: Player, choice: Choice<Action>, elapsed: Duration) {
        let index = self.bout.position().action_index(choice.action);
        self.log.think(self.bout.position(), choice.nodes, elapsed);
        if let Some(turn) = &mut self.turns[player.index()] {
            let nodes = turn.used.nodes.saturating_add(choice.nodes);
            turn.used = Used { time: turn.used.time + elapsed, nodes };
        }
        let event = self.bout.play(player, choice.action, elapsed).expect("agents choose legal actions");
        if matches!(event, Event::Over(_)) && self.bout.clock(player).flag() == Flag::Spent {
            // It came too late and was not played.
            return;
        }
        self.log.play(index);
        if event == Event::Replay {
            self.replay();
        } else {
            self.agents.iter_mut().for_each(|agent| agent.observe(choice.action));
        }
    }

    fn replay(&mut self) {
        let log = std::mem::replace(&mut self.log, Log::new(&self.opening.position));
        self.void.push(log.finish(Ending::Void));
        self.turns = [None; 2];
        self.begin_game();
    }

    /// Ends the bout, since a player could not go on.
    fn fail(mut self, player: Player, fault: Fault, elapsed: Duration) -> GameRecord {
        let silent = matches!(fault, Fault::Silence { .. });
        let ending = match self.bout.wait(elapsed) {
            Ok(Event::Over(result)) if silent => self.ending(result),
            _ => Ending::Forfeit { loser: player, fault },
        };
        self.finish(ending)
    }

    fn ending(&self, BoutResult { winner, cause }: BoutResult) -> Ending {
        let winner = winner.map(|winner| self.colour(winner));
        match cause {
            Cause::Board(reason) => Ending::Played(Outcome { winner, reason }),
            _ => Ending::Ruled { winner, cause },
        }
    }

    fn colour(&self, contestant: Contestant) -> Player {
        if self.bout.contestant(Player::White) == contestant { Player::White } else { Player::Black }
    }

    fn finish(self, ending: Ending) -> GameRecord {
        GameRecord { void: self.void, ..self.log.finish(ending) }
    }
}

/// Returns the times that both clocks show.
fn shown(bout: &Bout) -> TurnBudget {
    let clocks = Player::BOTH.map(|player| bout.clock(player));
    let (left, increment) = (clocks.map(|clock| Some(clock.shown())), clocks.map(Clock::increment));
    TurnBudget { left, increment, ..TurnBudget::default() }
}
