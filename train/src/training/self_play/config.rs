//! The settings of self-play.

use gipf_play::CacheConfig;
use serde::{Deserialize, Serialize};

use crate::training::ITSELF;

/// The settings of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games played in parallel on each thread; one leaf of each makes a batch. KataGo: as many as the GPU takes.
    pub parallel_games: usize,
    /// Simulations of a full search, whose policy becomes a training target. AlphaZero: 800; Gumbel AlphaZero: 16 to 200.
    pub full_simulations: u32,
    /// Simulations of a cheap search, which only chooses the next action. KataGo: 100 beside 600.
    pub cheap_simulations: u32,
    /// The share of turns that get a full search, 0 to 1. KataGo: 0.25.
    pub full_share: f64,
    /// The most random decisions at the beginning of a game; each game has a random number of them, from 0 to this, so that
    /// games differ and the network sees openings that it would not choose. OLIVAW, KataGo: in a share of the games.
    pub random_plies: usize,
    /// The share of searched decisions in which a random action is played instead of the one that the search chose, 0
    /// to 1, so that the network sees what follows from mistakes; for the decision itself, the result of the search
    /// is still what is learned. The results of games then reflect those mistakes too: learn only the search's value,
    /// with a `learning.value_mix` of 1 and a `learning.value_lambda` of 0.
    pub random_share: f64,
    /// The number of turns at the beginning of a game in which cheap searches have noise too. AlphaZero: 30 moves.
    pub noisy_turns: usize,
    /// The share of games that begin at a position from the replay buffer instead of the start, 0 to 1, so that the
    /// network sees again what it may have forgotten. Go-Exploit (Trudeau and Bowling 2023): most games.
    pub archive_share: f64,
    /// Who plays the other side: `itself`, or an agent named as in `gipf eval`, without a time limit. The network then
    /// learns to beat that agent, as White in one game and as Black in the next: from its own turns what its searches found,
    /// from the agent's turns what the agent played. Adversarial policies (Wang et al. 2023) attack KataGo in this way.
    pub opponent: String,
    /// The cache of evaluations for positions that occur again. Each thread has its own, and it is new in each iteration.
    pub cache: CacheConfig,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            parallel_games: 32,
            full_simulations: 64,
            cheap_simulations: 16,
            full_share: 0.25,
            random_plies: 6,
            random_share: 0.0,
            noisy_turns: 12,
            archive_share: 0.0,
            opponent: ITSELF.to_owned(),
            cache: CacheConfig::default(),
        }
    }
}
