//! Several actions of one position, each with what an agent expects of it.

use super::Choice;
use crate::search::Proven;

/// What an agent thinks about the actions of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Considered<A> {
    /// What it would play.
    pub choice: Choice<A>,
    /// The result for the player to move, if it is proven. A draw that is proven for the best
    /// action does not count while another may still win.
    pub proven: Option<Proven>,
    /// The actions that it considered most, the best first; at least one.
    pub candidates: Vec<Candidate<A>>,
}

/// One action, and what an agent expects of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<A> {
    /// The action.
    pub action: A,
    /// The result expected for the player to move, -1 to 1; none from an agent without values, and for a forced action,
    /// which is not searched.
    pub value: Option<f32>,
    /// The share of a tree search's simulations that went through it, 0 to 1.
    pub share: Option<f32>,
    /// The result for the player to move, if it is proven.
    pub proven: Option<Proven>,
    /// The actions expected from here on, this one first.
    pub line: Vec<A>,
}

impl<A: Copy> Considered<A> {
    /// Returns a choice with the line expected, as the only candidate.
    pub fn only(choice: Choice<A>, line: Vec<A>) -> Self {
        let line = if line.is_empty() { vec![choice.action] } else { line };
        let candidate = Candidate { action: choice.action, value: choice.value, share: None, proven: None, line };
        Self { choice, proven: None, candidates: vec![candidate] }
    }
}
