//! What an agent expects of a position, whoever is to move, even if the action is forced or the game is over.

use gipf_env::Position;

use super::{Agent, Fault, TurnLimits};

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

/// The most actions that are played because nothing else is legal: more than any turn has.
const MOST_FORCED: usize = 200;

/// Returns the actions that have to be played before there is a choice, or the game is over, and the position after them.
pub fn forced<P: Position>(position: &P) -> (Vec<P::Action>, P) {
    let (mut next, mut actions) = (position.clone(), Vec::new());
    while next.outcome().is_none() && next.num_legal_actions() == 1 && actions.len() < MOST_FORCED {
        let only = next.legal_actions().next().expect("one action is legal");
        next.play_unchecked(only);
        actions.push(only);
    }
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
