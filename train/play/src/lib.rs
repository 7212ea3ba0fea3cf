//! Playing GIPF, and measuring who plays it better: no training, no datasets, no command line.
//!
//! * [`search`] turns a network's outputs for positions into better policies and values; [`NetEvaluator`] provides
//!   these outputs.
//! * [`players`] choose actions, [`arena`] measures their strength.
//! * [`analysis`] gives the turns of a game their values and finds its mistakes.
//! * [`exact`] gives answers that are certain.
//! * [`ugi`] lets other programs take part here, and this one in theirs.
//! * [`reading`] replays a game that somebody wrote down, [`writing`] writes one down.
//! * [`run`] finds the network of a run that training left on disk.
//!
//! ```
//! use gipf_env::Variant;
//! use gipf_play::Stop;
//! use gipf_play::arena::{MatchConfig, Monitor, play_match};
//! use gipf_play::players::AgentSpec;
//!
//! let config = MatchConfig::new(Variant::STANDARD, 10);
//! let [strong, weak] = ["alpha-beta:1", "random"].map(str::parse::<AgentSpec>);
//! let (strong, weak) = (strong?.contender(config.variant)?, weak?.contender(config.variant)?);
//! let monitor = Monitor { progress: &|_| (), stop: &Stop::default(), keeper: None };
//! let report = play_match(&config, [&strong, &weak], monitor)?.report;
//! assert!(report.games == 20 && report.score > 0.5, "{report}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod analysis;
pub mod arena;
mod checksum;
mod clock;
mod evaluator;
pub mod exact;
mod game_config;
mod in_order;
pub mod players;
mod printable;
pub mod reading;
pub mod run;
pub mod search;
mod stop;
mod tagged_game;
pub mod ugi;
pub mod writing;

pub use checksum::Seal;
pub use clock::Instant;
pub use evaluator::{Cache, CacheConfig, EvaluationCounts, Kept, NetEvaluator};
pub use game_config::GameConfig;
pub use in_order::{Numbers, in_order};
pub use printable::{obeyed, printable, printable_lines};
pub use stop::{Stop, Watch};
pub use tagged_game::TaggedGame;
