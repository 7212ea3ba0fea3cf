//! One game between two agents.

use std::fmt;
use std::time::Duration;

use gipf_env::{ActionIndex, Outcome, Player, Position, Reason};
use serde::{Deserialize, Serialize};

use crate::players::{Agent, Fault, TurnLimits};
use crate::{Instant, Stop};

use super::openings::{Opening, key_of};
use super::ruling::Cause;

/// The record of a game. Pairs are indexed by colour, White first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// How it ended.
    pub ending: Ending,
    /// The actions after the opening, by their numbers.
    pub actions: Vec<ActionIndex>,
    /// The number of turns played after the opening.
    pub turns: u32,
    /// The turns of each player.
    pub own_turns: [u32; 2],
    /// The positions that each player visited.
    pub nodes: [u64; 2],
    /// The time that each player took.
    pub time: [Duration; 2],
    /// A number that stands for the opening and the actions: equal games have equal numbers.
    pub fingerprint: u64,
    /// The games that were void before this one, in order, each played with the colours of the one after it exchanged.
    /// Only games by the clock have any.
    pub void: Vec<Self>,
}

/// How a game of a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// It ended by the rules.
    Played(Outcome),
    /// It ended by a ruling of the referee, such as a loss by time; never because of what happened on the board.
    Ruled {
        /// The winner, if there is one.
        winner: Option<Player>,
        /// Why.
        cause: Cause,
    },
    /// It did not count, since a position occurred for the third time; another one was played instead.
    Void,
    /// It ended because an agent could not go on.
    Forfeit {
        /// The player whose agent it was, and who lost.
        loser: Player,
        /// Why.
        fault: Fault,
    },
}

impl Ending {
    /// Returns the winner, if there is one.
    pub fn winner(&self) -> Option<Player> {
        match self {
            Self::Played(outcome) => outcome.winner,
            Self::Ruled { winner, .. } => *winner,
            Self::Void => None,
            Self::Forfeit { loser, .. } => Some(loser.other()),
        }
    }

    /// Returns the word for the ending, as in reports and files.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Played(outcome) => outcome.reason.word(),
            Self::Ruled { cause, .. } => cause.word(),
            Self::Void => "void",
            Self::Forfeit { fault, .. } => fault.word(),
        }
    }
}

/// Writes who won and why.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played(outcome) => outcome.fmt(f),
            Self::Ruled { winner: Some(winner), cause } => write!(f, "{winner} wins ({cause})"),
            Self::Ruled { winner: None, cause } => write!(f, "no winner ({cause})"),
            Self::Void => f.write_str("void by repetition"),
            Self::Forfeit { loser, fault } => write!(f, "{loser} forfeits ({fault})"),
        }
    }
}

/// Plays a game from a position to its end, and returns its record; nothing if a stop was requested.
///
/// Agents and seeds are indexed by colour, White first.
///
/// # Panics
/// If an agent chooses an illegal action.
pub fn play_game<P: Position>(
    opening: &P,
    agents: [&mut dyn Agent<P>; 2],
    seeds: [u64; 2],
    stop: &Stop,
) -> Option<GameRecord> {
    play_opening(&Opening::none(opening), agents, seeds, stop)
}

/// Plays a game from an opening to its end, and returns its record; nothing if a stop was requested.
///
/// Agents and seeds are indexed by colour, White first.
///
/// # Panics
/// If an agent chooses an illegal action.
pub fn play_opening<P: Position>(
    opening: &Opening<P>,
    mut agents: [&mut dyn Agent<P>; 2],
    seeds: [u64; 2],
    stop: &Stop,
) -> Option<GameRecord> {
    for (agent, seed) in agents.iter_mut().zip(seeds) {
        agent.begin(&opening.start, &opening.actions, seed);
    }
    let mut position = opening.position.clone();
    let (mut log, limits) = (Log::new(&position), TurnLimits::until(stop));
    loop {
        if let Some(outcome) = position.outcome() {
            return Some(log.finish(Ending::Played(outcome)));
        }
        let player = position.to_move();
        let start = Instant::now();
        let choice = agents[player.index()].choose(&position, &limits);
        // A stop has cut the thinking short, and may have ended the programs as well.
        if stop.requested() {
            return None;
        }
        let choice = match choice {
            Ok(choice) => choice,
            Err(fault) => return Some(log.finish(Ending::Forfeit { loser: player, fault })),
        };
        log.think(&position, choice.nodes, start.elapsed());
        log.play(position.action_index(choice.action));
        position.play(choice.action).expect("agents choose legal actions");
        for agent in &mut agents {
            agent.observe(choice.action);
        }
    }
}

impl GameRecord {
    /// Checks by the rules that a game from this opening can go and end like this; positions visited and times are not
    /// checked.
    pub(super) fn check<P: Position>(&self, opening: &Opening<P>) -> Result<(), &'static str> {
        let mut position = opening.position.clone();
        let mut log = Log::new(&position);
        for &number in &self.actions {
            if position.outcome().is_some() {
                return Err("it goes on behind its end");
            }
            let action = position.action_at(number).filter(|&action| position.is_legal(action));
            let action = action.ok_or("an action is not legal")?;
            log.think(&position, 0, Duration::ZERO);
            log.play(number);
            position.play_unchecked(action);
        }
        let outcome = position.outcome().ok_or("it has not ended")?;
        let Self { nodes, time, .. } = *self;
        let record = Self { nodes, time, ..log.finish(Ending::Played(outcome)) };
        if record == *self { Ok(()) } else { Err("its result or its turns are not those of its actions") }
    }
}

/// A record in progress.
pub(super) struct Log {
    record: GameRecord,
    last: Option<(usize, Player)>,
}

impl Log {
    pub fn new<P: Position>(opening: &P) -> Self {
        let record = GameRecord {
            ending: Ending::Played(Outcome::draw(Reason::Limit)),
            actions: Vec::new(),
            turns: 0,
            own_turns: [0; 2],
            nodes: [0; 2],
            time: [Duration::ZERO; 2],
            fingerprint: key_of(opening),
            void: Vec::new(),
        };
        Self { record, last: None }
    }

    /// Adds the cost of a decision of the player to move.
    pub fn think<P: Position>(&mut self, position: &P, nodes: u64, time: Duration) {
        let (player, record) = (position.to_move(), &mut self.record);
        let this = Some((position.turn(), player));
        if self.last != this {
            record.own_turns[player.index()] += 1;
        }
        if self.last.is_none_or(|(turn, _)| turn != position.turn()) {
            record.turns += 1;
        }
        self.last = this;
        let all = &mut record.nodes[player.index()];
        // A program may report any number.
        *all = all.saturating_add(nodes);
        record.time[player.index()] += time;
    }

    /// Adds the decision.
    pub fn play(&mut self, action: ActionIndex) {
        let record = &mut self.record;
        record.fingerprint = mix(record.fingerprint, action.get() as u64);
        record.actions.push(action);
    }

    pub fn finish(self, ending: Ending) -> GameRecord {
        GameRecord { ending, ..self.record }
    }
}

/// Returns a number that depends on both in an irregular way (the finaliser of splitmix64).
pub(super) const fn mix(seed: u64, number: u64) -> u64 {
    let mut word = seed.rotate_left(32) ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
