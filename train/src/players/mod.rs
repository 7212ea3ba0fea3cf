//! Those who play: anything that chooses an action in a position.
//!
//! A *player* is a colour; who plays it is an *agent*.

mod allowance;
pub mod alpha_beta;
mod checkpoint;
mod competitor;
mod external;
mod greedy;
mod mcts;
mod network;
mod play_level;
mod random;
mod search_settings;
mod setting;
mod spec;
mod time_text;

use gipf_env::Position;

pub use allowance::{Allowance, TurnTime, Used};
pub use alpha_beta::AlphaBeta;
pub use checkpoint::CheckpointSpec;
pub use competitor::{Competitor, Fault, Participant};
pub use external::{External, Programs, ProgramsError};
pub use greedy::Greedy;
pub use mcts::{Mcts, Thinking};
pub use network::Network;
pub use play_level::PlayLevel;
pub use random::Random;
pub use setting::SettingError;
pub use spec::{AgentError, AgentSpec, Build, Entrant};
pub(crate) use time_text::{TimeText, parse_time};

/// Chooses actions in the games of one kind of position.
///
/// What an agent chooses may depend on the seed of the game, the positions it was asked about since, and, if it has a
/// limit in time, on the clock; on nothing else.
pub trait Agent<P: Position>: Send {
    /// Forgets the game before and takes the seed of the next one.
    fn new_game(&mut self, seed: u64);

    /// Chooses one of the legal actions.
    ///
    /// # Panics
    /// If the game is over.
    fn choose(&mut self, position: &P) -> Choice<P::Action>;

    /// Chooses one of the legal actions at a cost that is limited for this decision, and tells meanwhile what it would
    /// choose so far, whenever that is news.
    ///
    /// An agent that does not search ignores the allowance, as it does here.
    ///
    /// # Panics
    /// If the game is over.
    fn choose_within(
        &mut self,
        position: &P,
        _allowance: &Allowance,
        _tell: &mut dyn FnMut(&Choice<P::Action>),
    ) -> Choice<P::Action> {
        self.choose(position)
    }

    /// Returns whether the agent, where a clock runs, thinks as long as the clock gives it: it has a limit of its own in
    /// time, or none. Others think as they always do.
    fn heeds_clock(&self) -> bool {
        false
    }

    /// Returns what the agent expects to be played from this position on, for which it chose last, its choice first;
    /// nothing if it keeps no such line.
    fn expected_line(&self, _position: &P) -> Vec<P::Action> {
        Vec::new()
    }
}

/// An action, and what the agent knows about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<A> {
    /// The action chosen.
    pub action: A,
    /// The result that the agent expects for the player to move, -1 to 1, if it has an opinion.
    pub value: Option<f32>,
    /// The number of positions looked at.
    pub nodes: u64,
    /// The number of turns that the search looked ahead in full; 0 without a search.
    pub depth: u32,
}

impl<A> Choice<A> {
    /// Returns a choice made without looking ahead.
    pub const fn unsearched(action: A) -> Self {
        Self { action, value: None, nodes: 0, depth: 0 }
    }
}
