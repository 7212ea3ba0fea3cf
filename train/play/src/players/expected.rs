//! What an agent expects of a position, whoever is to move, even if the action is forced or the game is over.

use gipf_env::Position;

use super::{Agent, Fault, TurnLimits};
use crate::search::forced_actions;

/// What an agent expects of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected<A> {
    /// The result expected for White, -1 to 1; none from an agent without values.
    pub value: Option<f32>,
    /// The actions expected, forced ones first; none if the game is over.
    pub line: Vec<A>,
    /// The number of positions visited.
    pub nodes: u64,
    /// The number of turns that the search looked ahead in full; 0 without a search.
    pub depth: u32,
}

/// Returns the actions that have to be played before there is a choice, or the game is over, and the position after them.
pub fn forced<P: Position>(position: &P) -> (Vec<P::Action>, P) {
    let mut next = position.clone();
    let actions = forced_actions(&mut next).collect();
    (actions, next)
}

/// Lets an agent think about a position, or the first one after it in which there is a choice.
///
/// # Errors
/// If the agent fails.
pub fn expected<P: Position>(
    agent: &mut dyn Agent<P>,
    position: &P,
    limits: &TurnLimits,
) -> Result<Expected<P::Action>, Fault> {
    let (mut line, next) = forced(position);
    if let Some(outcome) = next.outcome() {
        let value = Some(outcome.reward(gipf_env::Player::White));
        return Ok(Expected { value, line, nodes: 0, depth: 0 });
    }
    let considered = agent.consider(&next, limits, 1)?;
    let best = considered.candidates.into_iter().next().expect("an agent considers at least one action");
    let value = best.value.map(|value| next.to_move().sign() * value);
    line.extend(best.line);
    Ok(Expected { value, line, nodes: considered.choice.nodes, depth: considered.choice.depth })
}

#[cfg(test)]
mod tests {
    use gipf_env::toy::TicTacToe;
    use gipf_env::{ActionIndex, ObservationLayout, Outcome, Player, Reason};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::players::{Mcts, Thinking};
    use crate::search::{Proven, SearchConfig, UniformEvaluator};

    /// A choice of two, then a thousand actions, each of which is the only legal one; then White has won.
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    struct Corridor(usize);

    impl Position for Corridor {
        type Action = u16;

        fn num_actions(&self) -> usize {
            2
        }

        fn observation_layout(&self) -> ObservationLayout {
            TicTacToe::default().observation_layout()
        }

        fn to_move(&self) -> Player {
            Player::White
        }

        fn turn(&self) -> usize {
            self.0
        }

        fn legal_actions(&self) -> impl Iterator<Item = u16> {
            0..match self.0 {
                0 => 2,
                1..=1000 => 1,
                _ => 0,
            }
        }

        fn outcome(&self) -> Option<Outcome> {
            (self.0 > 1000).then(|| Outcome::win(Player::White, Reason::OwnRule))
        }

        fn play_unchecked(&mut self, _action: u16) {
            self.0 += 1;
        }

        fn action_index(&self, action: u16) -> ActionIndex {
            ActionIndex(action)
        }

        fn action_at(&self, index: ActionIndex) -> Option<u16> {
            Some(index.0)
        }

        fn observe(&self, _planes: &mut [f32]) {}
    }

    #[test]
    fn forced_actions_without_end_are_played_in_parts() {
        let (actions, after) = forced(&Corridor(1));
        assert_eq!((actions.len(), after), (200, Corridor(201)));
        let mut player = Mcts::new(SearchConfig::play(), UniformEvaluator, Thinking::Simulations(100));
        let result = player.think(&Corridor(0));
        assert_eq!((result.proven, result.principal_variation.len()), (Some(Proven::Win), 1001));
        assert!(result.simulations >= 5, "each part is a node of the tree: {}", result.simulations);
    }
}
