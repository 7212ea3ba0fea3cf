//! Monte-Carlo tree search with a network's priors and values, over any [`Position`](gipf_env::Position).
//!
//! A [`Search`] is the search of one game. It never calls a network: [`Search::gather`] hands out the next position to be
//! evaluated and [`Search::apply`] takes the answer, so that the leaves of many games can form one batch, as
//! [`search_all`] does; [`Searches`] are many searches whose leaves the caller evaluates, wherever and however.
//!
//! ```
//! use gipf_env::toy::{Column, ConnectFour};
//! use gipf_env::Position;
//! use gipf_play::search::{Budget, Proven, Search, SearchConfig, UniformEvaluator, search_all};
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha8Rng;
//!
//! // . . . . .
//! // . . . . .
//! // . O O . .
//! // . X X X O    White to move: a wins.
//! let mut position = ConnectFour::default();
//! for column in [1, 1, 2, 2, 3, 4] {
//!     position.play(Column(column))?;
//! }
//! let mut search = [Search::new(SearchConfig::default())];
//! search[0].start(&position, Budget::quiet(32), &mut ChaCha8Rng::seed_from_u64(0));
//! search_all(&mut search, &mut UniformEvaluator);
//! let result = search[0].result();
//! assert_eq!((result.action, result.proven), (Column(0), Some(Proven::Win)));
//! # Ok::<(), gipf_env::IllegalAction>(())
//! ```
//!
//! # Point of view
//! One turn can hold several decisions of one player, and even of both. So all sums in the tree are kept from White's
//! view, a selection multiplies by +1 or -1 for the player to move, and nothing is negated per ply. Inputs and outputs
//! are for the player to move.

mod config;
mod driver;
mod evaluator;
mod gumbel;
mod many;
mod noise;
mod puct;
mod result;
mod reuse;
mod shared;
mod solver;
mod tree;

pub use config::{Budget, Gumbel, Interior, Method, Puct, SearchConfig, SearchConfigError};
pub(crate) use driver::forced_actions;
pub use driver::{Search, search_all};
pub use evaluator::{Evaluation, Evaluator, UniformEvaluator};
pub use many::{
    Answers, Lane, Leaves, Searches, SearchesError, Values, Walker, apply_answers, close_gaps, on_all_threads,
    write_leaves,
};
pub(crate) use result::unproven;
pub use result::{RootChild, SearchResult};
pub use shared::search_shared;
pub use solver::Proven;
