//! What the toy games are compared with: exact values by brute force, and positions with the colours exchanged.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use gipf_env::{ActionIndex, IllegalAction, Learnable, ObservationLayout, Outcome, Player, Position};
use gipf_play::search::{Evaluation, Evaluator};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Exact values, remembered by position.
pub struct Exact<P> {
    white_values: HashMap<P, i8>,
}

impl<P: Position> Exact<P> {
    pub fn new() -> Self {
        Self { white_values: HashMap::new() }
    }

    /// Returns -1, 0 or +1: the result for White with best play by both.
    pub fn white_value(&mut self, position: &P) -> i8 {
        if let Some(outcome) = position.outcome() {
            return outcome.reward(Player::White) as i8;
        }
        if let Some(&value) = self.white_values.get(position) {
            return value;
        }
        let sign = position.to_move().sign() as i8;
        let mut best = -1;
        for action in position.legal_actions() {
            best = best.max(sign * self.white_value(&after(position, action)));
            if best == 1 {
                break;
            }
        }
        self.white_values.insert(position.clone(), sign * best);
        sign * best
    }

    /// Returns the result for the player to move.
    pub fn value(&mut self, position: &P) -> i8 {
        position.to_move().sign() as i8 * self.white_value(position)
    }

    /// Returns the result, for the player to move, if they play this action.
    pub fn action_value(&mut self, position: &P, action: P::Action) -> i8 {
        position.to_move().sign() as i8 * self.white_value(&after(position, action))
    }
}

pub fn after<P: Position>(position: &P, action: P::Action) -> P {
    let mut next = position.clone();
    next.play(action).unwrap();
    next
}

/// Returns every position that can be reached, the start included, each once.
pub fn reachable<P: Position>(start: P) -> Vec<P> {
    let mut seen = HashSet::from([start.clone()]);
    let mut found = vec![start];
    let mut next = 0;
    while next < found.len() {
        let position = found[next].clone();
        let successors = position.legal_actions().map(|action| after(&position, action));
        found.extend(successors.filter(|successor| seen.insert(successor.clone())));
        next += 1;
    }
    found
}

/// Returns the positions of one game of random actions.
pub fn random_game<P: Position>(start: &P, rng: &mut ChaCha8Rng) -> Vec<P> {
    let mut position = start.clone();
    let mut decisions = Vec::new();
    loop {
        let actions: Vec<_> = position.legal_actions().collect();
        if actions.is_empty() {
            return decisions;
        }
        decisions.push(position.clone());
        position.play(actions[rng.random_range(0..actions.len())]).unwrap();
    }
}

/// The same game with the colours exchanged: Black begins, and the winner has lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Swapped<P>(pub P);

impl<P: Position> Position for Swapped<P> {
    type Action = P::Action;

    fn num_actions(&self) -> usize {
        self.0.num_actions()
    }

    fn observation_layout(&self) -> ObservationLayout {
        self.0.observation_layout()
    }

    fn to_move(&self) -> Player {
        self.0.to_move().other()
    }

    fn turn(&self) -> usize {
        self.0.turn()
    }

    fn legal_actions(&self) -> impl Iterator<Item = P::Action> {
        self.0.legal_actions()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome().map(|outcome| Outcome { winner: outcome.winner.map(Player::other), ..outcome })
    }

    fn play(&mut self, action: P::Action) -> Result<(), IllegalAction> {
        self.0.play(action)
    }

    fn play_unchecked(&mut self, action: P::Action) {
        self.0.play_unchecked(action);
    }

    fn action_index(&self, action: P::Action) -> ActionIndex {
        self.0.action_index(action)
    }

    fn action_at(&self, index: ActionIndex) -> Option<P::Action> {
        self.0.action_at(index)
    }

    fn observe(&self, planes: &mut [f32]) {
        self.0.observe(planes);
    }
}

impl<P: Learnable> Learnable for Swapped<P> {
    fn symmetries(&self) -> usize {
        self.0.symmetries()
    }

    fn transformed(&self, symmetry: usize) -> Self {
        Self(self.0.transformed(symmetry))
    }

    fn transformed_action(&self, symmetry: usize, action: P::Action) -> P::Action {
        self.0.transformed_action(symmetry, action)
    }
}

/// Arbitrary evaluations that are the same for all images of a position under its symmetries.
pub struct Hashed;

impl<P: Learnable> Evaluator<P> for Hashed {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        for (position, evaluation) in positions.iter().zip(out) {
            // A search must not ask about positions that need no decision.
            assert!(position.outcome().is_none() && position.legal_actions().count() > 1);
            evaluation.logits.clear();
            evaluation.logits.extend(position.legal_actions().map(|action| 2.0 * opinion(position, Some(action))));
            evaluation.value = 0.9 * opinion(position, None);
        }
    }
}

/// Returns a number from -1 to 1 about a position, or one of its actions.
fn opinion<P: Learnable>(position: &P, action: Option<P::Action>) -> f32 {
    let image = |symmetry| {
        let mapped = action.map(|action| position.action_index(position.transformed_action(symmetry, action)));
        let mut hasher = DefaultHasher::new();
        (position.transformed(symmetry), mapped).hash(&mut hasher);
        hasher.finish()
    };
    let canonical = (0..position.symmetries()).map(image).min().unwrap();
    (canonical >> 40) as f32 / (1 << 23) as f32 - 1.0
}
