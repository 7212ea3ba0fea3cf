//! An agent that plays any legal action.

use gipf_env::Position;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::{Agent, Choice};

/// Plays every legal action with the same chance.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Default for Random {
    fn default() -> Self {
        Self(ChaCha8Rng::seed_from_u64(0))
    }
}

impl<P: Position> Agent<P> for Random {
    fn new_game(&mut self, seed: u64) {
        self.0 = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, position: &P) -> Choice<P::Action> {
        let action = position.legal_actions().choose(&mut self.0).expect("the game is not over");
        Choice::unsearched(action)
    }
}
