//! Agents: anything that chooses an action in a position.
//!
//! A *player* is a colour; what plays it is an *agent*.

mod agent;
pub mod alpha_beta;
mod checkpoint;
mod considered;
mod contender;
mod deadline;
mod error;
mod expected;
mod external;
mod greedy;
mod level;
mod mcts;
mod network;
mod random;
mod scale;
mod search_settings;
mod setting;
mod spec;
mod time;
mod time_text;

pub use agent::{Agent, Choice, Fault};
pub use alpha_beta::AlphaBeta;
pub use checkpoint::CheckpointSpec;
pub use considered::{Candidate, Considered};
pub use contender::{Build, Contender};
pub use error::AgentError;
pub(crate) use expected::forced;
pub use expected::{Expected, expected};
pub use external::{External, ProgramError, program};
pub use greedy::Greedy;
pub use level::Level;
pub use mcts::{Mcts, Thinking};
pub use network::Network;
pub use random::Random;
pub use setting::SettingError;
pub use spec::AgentSpec;
pub use time::{Clocks, TurnBudget, TurnLimits, Used};
pub use time_text::{TimeText, parse_time};

/// The stack of a thread on which agents think, in bytes: that of a main thread on most systems, since searches recurse
/// deeply.
pub const STACK_BYTES: usize = 8 << 20;
