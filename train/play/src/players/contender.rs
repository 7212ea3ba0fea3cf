//! Who takes part in matches.

use super::Agent;

/// One who takes part in matches: a name, and a way to get as many agents of it as there are threads.
pub struct Contender<P> {
    /// How it is called in reports.
    pub name: String,
    /// Builds one to play games, one after the other.
    pub build: Build<P>,
}

/// Builds an agent.
pub type Build<P> = Box<dyn Fn() -> Box<dyn Agent<P>> + Send + Sync>;
