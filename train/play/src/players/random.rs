//! An agent that plays any legal action.

use gipf_env::Position;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::{Agent, Choice, Fault, TurnLimits};

/// Plays every legal action with the same chance.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Default for Random {
    fn default() -> Self {
        Self(ChaCha8Rng::seed_from_u64(0))
    }
}

impl<P: Position> Agent<P> for Random {
    fn begin(&mut self, _start: &P, _opening: &[P::Action], seed: u64) {
        self.0 = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, position: &P, _limits: &TurnLimits) -> Result<Choice<P::Action>, Fault> {
        let action = position.legal_actions().choose(&mut self.0).expect("the game is not over");
        Ok(Choice::unsearched(action))
    }

    fn prefer(&mut self, _position: &P, turns: &[Vec<P::Action>]) -> usize {
        (0..turns.len()).choose(&mut self.0).unwrap_or(0)
    }
}
