//! The tree search with a network as a player.

use std::time::{Duration, Instant};

use gipf_env::Position;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Agent, Choice};
use crate::search::{Budget, Evaluation, Evaluator, Search, SearchConfig, SearchResult};

/// How long the search thinks about a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thinking {
    /// So many simulations.
    Simulations(u32),
    /// About so much time: sequential halving has to know the number of simulations beforehand, so it is estimated from
    /// the pace of the decisions before.
    Time(Duration),
}

/// Plays what the search holds to be best, without noise.
pub struct Mcts<P: Position, E> {
    search: Search<P>,
    evaluator: E,
    thinking: Thinking,
    rng: ChaCha8Rng,
    evaluation: [Evaluation; 1],
    /// Simulations per second, as seen so far.
    pace: f64,
}

/// Simulations that measure the pace before the first decision under a time limit.
const TRIAL: u32 = 32;
/// The part of the time that is planned for: the pace of one decision is not that of the next.
const PLANNED: f64 = 0.9;

impl<P: Position, E: Evaluator<P>> Mcts<P, E> {
    /// Returns a player that searches with these settings.
    pub fn new(config: SearchConfig, evaluator: E, thinking: Thinking) -> Self {
        Self {
            search: Search::new(config),
            evaluator,
            thinking,
            rng: ChaCha8Rng::seed_from_u64(0),
            evaluation: [Evaluation::default()],
            pace: 0.0,
        }
    }

    /// Searches a position and returns all that was found.
    ///
    /// # Panics
    /// If the game is over.
    pub fn think(&mut self, position: &P) -> SearchResult<P::Action> {
        match self.thinking {
            Thinking::Simulations(simulations) => self.simulate(position, simulations),
            Thinking::Time(time) => self.think_for(position, time),
        }
    }

    fn think_for(&mut self, position: &P, time: Duration) -> SearchResult<P::Action> {
        if self.pace == 0.0 {
            self.simulate(position, TRIAL);
        }
        let simulations = (self.pace * PLANNED * time.as_secs_f64()).max(1.0) as u32;
        self.simulate(position, simulations)
    }

    fn simulate(&mut self, position: &P, simulations: u32) -> SearchResult<P::Action> {
        let began = Instant::now();
        self.search.start(position, Budget::quiet(simulations), &mut self.rng);
        while let Some(leaf) = self.search.gather() {
            self.evaluator.evaluate(std::slice::from_ref(leaf), &mut self.evaluation);
            self.search.apply(&self.evaluation[0]);
        }
        let result = self.search.result();
        self.keep_pace(result.simulations, began.elapsed());
        result
    }

    /// A search that a proof cut short says nothing about the pace.
    fn keep_pace(&mut self, simulations: u32, time: Duration) {
        if simulations >= TRIAL / 2 {
            let pace = f64::from(simulations) / time.as_secs_f64().max(1e-6);
            self.pace = if self.pace == 0.0 { pace } else { f64::midpoint(self.pace, pace) };
        }
    }
}

impl<P: Position, E: Evaluator<P> + Send> Agent<P> for Mcts<P, E> {
    fn new_game(&mut self, seed: u64) {
        self.search.forget();
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, position: &P) -> Choice<P::Action> {
        let result = self.think(position);
        Choice {
            action: result.action,
            value: Some(result.value),
            nodes: u64::from(result.simulations),
            depth: result.principal_variation.len() as u32,
        }
    }
}
