//! An agent that maximises material now.

use gipf_env::{Action, GipfPosition, Phase, Player, Position};
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::{Agent, Choice, Fault, TurnLimits};

/// Looks ahead to the next placement, through all removals before it, and counts basic pieces only: those
/// of its own that are not lost, less the opponent's. Ties are broken at random.
///
/// A game won is worth more than any material, a game lost less.
#[derive(Clone, Debug)]
pub struct Greedy(ChaCha8Rng);

/// More than all material.
const WON: i32 = 1000;

impl Default for Greedy {
    fn default() -> Self {
        Self(ChaCha8Rng::seed_from_u64(0))
    }
}

impl Agent<GipfPosition> for Greedy {
    fn begin(&mut self, _start: &GipfPosition, _opening: &[Action], seed: u64) {
        self.0 = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, position: &GipfPosition, _limits: &TurnLimits) -> Result<Choice<Action>, Fault> {
        let (me, mut nodes) = (position.to_move(), 0);
        let actions: Vec<_> = position.legal_actions().collect();
        let values = actions.iter().map(|&action| quiet_value(&position.after(action), me, &mut nodes));
        let action = actions[self.best(&values.collect::<Vec<_>>())];
        Ok(Choice { action, value: None, nodes, depth: 1 })
    }

    fn prefer(&mut self, position: &GipfPosition, turns: &[Vec<Action>]) -> usize {
        let value = |turn: &Vec<Action>| {
            let after = turn.iter().fold(position.clone(), |position, &action| position.after(action));
            quiet_value(&after, position.to_move(), &mut 0)
        };
        self.best(&turns.iter().map(value).collect::<Vec<_>>())
    }
}

impl Greedy {
    /// Returns the place of the largest value.
    fn best(&mut self, values: &[i32]) -> usize {
        let best = values.iter().max().expect("there is a choice");
        let ties = (0..values.len()).filter(|&place| values[place] == *best);
        ties.choose(&mut self.0).expect("the best is one of the ties")
    }
}

/// Returns what a player has gained when the next placement is due, if both remove in the way that is best for them.
fn quiet_value(position: &GipfPosition, me: Player, nodes: &mut u64) -> i32 {
    *nodes += 1;
    if let Some(outcome) = position.outcome() {
        return WON * outcome.reward(me) as i32;
    }
    if position.phase() == Phase::Push {
        return material(position, me) - material(position, me.other());
    }
    let values = position.legal_actions().map(|action| quiet_value(&position.after(action), me, nodes));
    let best = if position.to_move() == me { values.max() } else { values.min() };
    best.expect("the game is not over")
}

fn material(position: &GipfPosition, player: Player) -> i32 {
    i32::from(position.board().material(player) + position.reserve(player))
}
