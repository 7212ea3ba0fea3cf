//! The kinds of players.

use std::fmt;

use gipf_play::players::AgentSpec;

use crate::own::Own;

/// A kind of player.
pub enum Who {
    /// An agent of the program.
    Named(AgentSpec),
    /// The tree search with a Python evaluator.
    Own(Own),
}

impl Who {
    /// Returns its Python evaluator, if it has one.
    pub fn own(&self) -> Option<&Own> {
        match self {
            Self::Own(own) => Some(own),
            Self::Named(_) => None,
        }
    }

    /// Returns the agent of the program, if it is one.
    pub fn spec(&self) -> Option<&AgentSpec> {
        match self {
            Self::Named(spec) => Some(spec),
            Self::Own(_) => None,
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(spec) => spec.fmt(f),
            Self::Own(own) => own.fmt(f),
        }
    }
}
