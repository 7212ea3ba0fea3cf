//! Who plays.

use std::fmt;

use gipf_play::players::AgentSpec;

use crate::own::Own;

/// Who plays.
pub enum Who {
    /// An agent of the program.
    Named(AgentSpec),
    /// The tree search with an evaluator of Python.
    Own(Own),
}

impl Who {
    /// Returns the evaluator of Python that it searches with, if it does.
    pub fn own(&self) -> Option<&Own> {
        match self {
            Self::Own(own) => Some(own),
            Self::Named(_) => None,
        }
    }

    /// Returns the agent of the program that it is, if it is one.
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
