//! Agents by name, as in commands and reports.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{CheckpointError, EngineError};

use super::alpha_beta::{AlphaBeta, Level, Settings};
use super::{Agent, CheckpointSpec, Greedy, PlayLevel, Random};

/// Which agent, with which settings: what is written in a command and in reports.
///
/// ```
/// use gipf_train::players::AgentSpec;
///
/// for text in ["random", "greedy", "alpha-beta:3", "alpha-beta:depth=4", "alpha-beta:depth=3,eval=rings"] {
///     assert_eq!(text.parse::<AgentSpec>()?.to_string(), text);
/// }
/// assert!("gamma".parse::<AgentSpec>().is_err());
/// # Ok::<(), gipf_train::players::AgentError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    /// Plays any legal action: `random`.
    Random,
    /// Takes what it can get now: `greedy`.
    Greedy,
    /// The baseline AI at one of its levels: `alpha-beta:3`.
    Level(Level),
    /// The baseline AI with limits of its own: `alpha-beta:depth=4`, `alpha-beta:nodes=10000`, `alpha-beta:time=50ms`;
    /// perhaps with another evaluation: `alpha-beta:depth=4,eval=rings`.
    AlphaBeta(Settings),
    /// The tree search with a network: `pretrained`, `PATH`, `mcts:PATH,sims=64`, `mcts:PATH,time=50ms`.
    Checkpoint(CheckpointSpec),
    /// A strength for people, 1 to 10: `level:3`.
    Strength(PlayLevel),
}

/// An agent could not be named or built.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The text names no agent.
    #[error(
        "unknown agent `{0}`: expected random, greedy, alpha-beta:LEVEL with a level of 1 to 8, alpha-beta: with limits \
         such as depth=4, nodes=10000 or time=50ms and perhaps eval=rings, separated by commas, level:N with a level of 1 \
         to 10, pretrained, or a checkpoint: its path, or mcts:PATH with ,sims=64 or ,time=50ms"
    )]
    Unknown(String),
    /// The file is no sound checkpoint, or one for another rule set.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// No network comes with the program for this rule set.
    #[error("no network for {0} comes with this program: expected basic, standard or tournament, or a checkpoint")]
    NotTrained(Variant),
    /// The network does not fit the observations and actions of this program.
    #[error("{network} is a network of another shape: expected one for {variant} as this program has it")]
    Shape {
        /// Where the network is.
        network: String,
        /// The rule set.
        variant: Variant,
    },
    /// The network cannot be evaluated.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// An agent that takes part in matches: its name, and a way to get as many of it as there are threads.
pub struct Entrant<P> {
    /// How it is called in reports.
    pub name: String,
    /// Builds one.
    pub build: Build<P>,
}

/// Builds an agent.
pub type Build<P> = Box<dyn Fn() -> Box<dyn Agent<P>> + Send + Sync>;

impl AgentSpec {
    /// Returns the agent, ready to play games of a rule set.
    ///
    /// # Errors
    /// If it cannot be built, or does not play this rule set.
    pub fn entrant(&self, variant: Variant) -> Result<Entrant<GipfPosition>, AgentError> {
        let build: Build<GipfPosition> = match self {
            Self::Random => Box::new(|| Box::new(Random::default())),
            Self::Greedy => Box::new(|| Box::new(Greedy::default())),
            &Self::Level(level) => Box::new(move || Box::new(AlphaBeta::new(level.limits(), variant))),
            &Self::AlphaBeta(settings) => Box::new(move || Box::new(AlphaBeta::new(settings, variant))),
            Self::Checkpoint(spec) => searching(spec.clone(), variant)?,
            Self::Strength(level) => level.player(variant).entrant(variant)?.build,
        };
        Ok(Entrant { name: self.to_string(), build })
    }
}

fn searching(spec: CheckpointSpec, variant: Variant) -> Result<Build<GipfPosition>, AgentError> {
    let engine = spec.load(variant)?;
    Ok(Box::new(move || Box::new(spec.agent(Arc::clone(&engine)))))
}

impl FromStr for AgentSpec {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        let parsed = match text.split_once(':') {
            None if text == "random" => Some(Self::Random),
            None if text == "greedy" => Some(Self::Greedy),
            Some(("alpha-beta", settings)) => match settings.parse().ok().and_then(Level::new) {
                Some(level) => Some(Self::Level(level)),
                None => Settings::parse(settings).map(Self::AlphaBeta),
            },
            Some(("level", number)) => number.parse().ok().and_then(PlayLevel::new).map(Self::Strength),
            _ => CheckpointSpec::parse(text).map(Self::Checkpoint),
        };
        parsed.ok_or_else(|| AgentError::Unknown(text.to_owned()))
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Level(level) => write!(f, "alpha-beta:{level}"),
            Self::AlphaBeta(settings) => write!(f, "alpha-beta:{settings}"),
            Self::Checkpoint(spec) => spec.fmt(f),
            Self::Strength(level) => write!(f, "level:{level}"),
        }
    }
}
