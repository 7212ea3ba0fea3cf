//! Self-play in shards: pieces of an iteration that anybody may play, anywhere, in any order.
//!
//! A [`ShardSpec`] says everything that games depend on, besides the network. Playing it is a pure function of bytes:
//! [`play_shard`] takes a checkpoint and a specification, and returns games. A [`Coordinator`] hands out the
//! specifications of the iterations that may be played, takes in results in any order and any number of times, and
//! returns the games of each iteration in the order of their numbers. It does no input or output and starts no threads.
//!
//! Results come from others. Before they count, their games are replayed by the rules: [`games`] says what is checked.

mod coordinator;
mod error;
pub mod games;
mod play;
mod spec;

pub use self::coordinator::{Coordinator, Counts, Harvest, Ingested, ReleasedNetwork, ShardId};
pub use self::error::ShardError;
pub use self::games::ShardGames;
pub use self::play::{play_here, play_shard};
pub use self::spec::{ShardSpec, Terms};
