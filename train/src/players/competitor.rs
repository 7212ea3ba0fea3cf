//! Those who play games of a match: agents of this program, which never fail, and others, which may.

use std::borrow::Cow;
use std::ops::DerefMut;
use std::time::Duration;

use gipf_env::Position;
use serde::{Deserialize, Serialize};

use super::{Agent, Choice, Entrant, TurnTime};

/// Plays one side of the games of a match.
///
/// A game begins with [`begin`](Self::begin); then every action of it, whoever chose it, is told to
/// [`note`](Self::note).
pub trait Competitor<P: Position>: Send {
    /// Begins a game from a position that the opening leads to, and takes the seed for it.
    fn begin(&mut self, start: &P, opening: &[P::Action], seed: u64);

    /// Takes note of an action that was played.
    fn note(&mut self, action: P::Action);

    /// Chooses one of the legal actions.
    ///
    /// # Errors
    /// If it cannot, which loses the game.
    ///
    /// # Panics
    /// If the game is over.
    fn decide(&mut self, position: &P) -> Result<Choice<P::Action>, Fault>;

    /// Chooses one of the legal actions while its clock runs.
    ///
    /// # Errors
    /// If it cannot, which loses the game.
    ///
    /// # Panics
    /// If the game is over.
    fn decide_by_clock(&mut self, position: &P, time: &TurnTime) -> Result<Choice<P::Action>, Fault>;
}

/// Takes part in matches: it has a name, and there are as many of it as are needed.
pub trait Participant<P: Position>: Sync {
    /// Returns what it is called in reports.
    fn name(&self) -> &str;

    /// Returns one to play games, one after the other.
    fn competitor(&self) -> Box<dyn Competitor<P>>;
}

/// Why a competitor could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Fault {
    /// The program ended, or never began.
    #[error("crash: {0}")]
    Crash(String),
    /// What it answered is no legal move.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// It did not answer in time.
    #[error("silence: no answer to `{command}` within {:.3} s", waited.as_secs_f64())]
    Silence {
        /// What it should have answered.
        command: Cow<'static, str>,
        /// How long it had.
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

/// An agent, owned or borrowed, is a competitor that never fails.
impl<'a, P: Position, A: DerefMut<Target = dyn Agent<P> + 'a> + Send> Competitor<P> for A {
    fn begin(&mut self, _start: &P, _opening: &[P::Action], seed: u64) {
        self.new_game(seed);
    }

    fn note(&mut self, _action: P::Action) {}

    fn decide(&mut self, position: &P) -> Result<Choice<P::Action>, Fault> {
        Ok(self.choose(position))
    }

    /// An agent that does not heed the clock is only charged.
    fn decide_by_clock(&mut self, position: &P, time: &TurnTime) -> Result<Choice<P::Action>, Fault> {
        if !self.heeds_clock() {
            return self.decide(position);
        }
        Ok(self.choose_within(position, &time.allowance, &mut |_| ()))
    }
}

impl<P: Position> Participant<P> for Entrant<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn competitor(&self) -> Box<dyn Competitor<P>> {
        Box::new((self.build)())
    }
}
