//! The participants of matches.

use super::Agent;

/// A participant of matches: a name, and a way to build one agent per thread.
pub struct Contender<P> {
    /// Its name in reports.
    pub name: String,
    /// Builds an agent that plays games one after the other.
    pub build: Build<P>,
}

/// Builds an agent.
pub type Build<P> = Box<dyn Fn() -> Box<dyn Agent<P>> + Send + Sync>;
