//! The interface of agents, which choose actions.

use std::borrow::Cow;
use std::time::Duration;

use gipf_env::Position;
use serde::{Deserialize, Serialize};

use super::{Considered, TurnLimits};

/// Chooses actions in the games of one kind of position: part of this program, another program, or a person.
///
/// A game begins with [`begin`](Self::begin); then every action of it, by any agent, is passed to
/// [`observe`](Self::observe). The choices of an agent of this program may depend on the seed of the game, the
/// positions it was asked about since, and, with a time limit, on the clock; on nothing else.
pub trait Agent<P: Position>: Send {
    /// Begins a game: drops the one before, and takes the position from which it starts, the actions of its opening,
    /// and its seed.
    fn begin(&mut self, start: &P, opening: &[P::Action], seed: u64);

    /// Observes an action that was played, its own included. An agent that uses the position alone need not implement
    /// this.
    fn observe(&mut self, action: P::Action) {
        let _ = action;
    }

    /// Chooses one of the legal actions, at a cost within these limits.
    ///
    /// # Errors
    /// If it cannot, which loses the game. Agents of this program never fail.
    ///
    /// # Panics
    /// If the game is over.
    fn choose(&mut self, position: &P, limits: &TurnLimits) -> Result<Choice<P::Action>, Fault>;

    /// Chooses as [`choose`](Self::choose) does, and reports each new intermediate choice meanwhile.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    ///
    /// # Panics
    /// If the game is over.
    fn choose_and_tell(
        &mut self,
        position: &P,
        limits: &TurnLimits,
        _tell: &mut dyn FnMut(&Choice<P::Action>),
    ) -> Result<Choice<P::Action>, Fault> {
        self.choose(position, limits)
    }

    /// Returns the line that the agent expects from this position, the last one for which it chose, with its choice
    /// first; nothing if it keeps no such line.
    fn expected_line(&self, _position: &P) -> Vec<P::Action> {
        Vec::new()
    }

    /// Thinks as [`choose`](Self::choose) does, and returns up to `most` actions with what it expects of each, the best
    /// first. An agent that knows only about its choice returns just that one.
    ///
    /// # Errors
    /// As for [`choose`](Self::choose).
    ///
    /// # Panics
    /// If the game is over.
    fn consider(&mut self, position: &P, limits: &TurnLimits, _most: usize) -> Result<Considered<P::Action>, Fault> {
        let choice = self.choose(position, limits)?;
        Ok(Considered::only(choice, self.expected_line(position)))
    }

    /// Returns the place of the turn that the agent prefers among these, each with all its decisions. Only an agent that
    /// expects no results is asked, since values decide otherwise: the first turn, unless it says which.
    fn prefer(&mut self, _position: &P, _turns: &[Vec<P::Action>]) -> usize {
        0
    }
}

/// An action, and what the agent knows about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<A> {
    /// The action chosen.
    pub action: A,
    /// The result that the agent expects for the player to move, -1 to 1, if it has one.
    pub value: Option<f32>,
    /// The number of positions visited.
    pub nodes: u64,
    /// How far the search looked ahead: alpha-beta in full, in turns; a tree search along the line that it expects, in
    /// decisions. 0 without a search.
    pub depth: u32,
}

impl<A> Choice<A> {
    /// Returns a choice made without looking ahead.
    pub const fn unsearched(action: A) -> Self {
        Self { action, value: None, nodes: 0, depth: 0 }
    }
}

/// Why an agent failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Fault {
    /// The program ended, or never began.
    #[error("crash: {0}")]
    Crash(String),
    /// Its answer is not a legal move.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// It did not answer in time.
    #[error("silence: no answer to `{command}` within {:.3} s", waited.as_secs_f64())]
    Silence {
        /// The unanswered command.
        command: Cow<'static, str>,
        /// The time that it had.
        waited: Duration,
    },
}

impl Fault {
    /// Returns the word for the fault, as in reports and files.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Crash(_) => "crash",
            Self::IllegalMove(_) => "illegal-move",
            Self::Silence { .. } => "silence",
        }
    }
}
