//! Agents by name, as in commands and reports.

use std::borrow::Cow;
use std::fmt;
use std::hint;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use gipf_env::text::truncate_escaped;
use gipf_env::{GipfPosition, Variant};
use gipf_models::{Pretrained, Shipped};

use super::alpha_beta::{AlphaBeta, AlphaBetaSpec, Depth, EvaluationKind, Settings, Strength};
use super::{AgentError, Build, CheckpointSpec, Contender, Greedy, Level, Network, Random};

/// An agent with its settings, as written in commands and reports.
///
/// ```
/// use gipf_play::players::AgentSpec;
///
/// for text in ["random", "greedy", "alpha-beta:3", "alpha-beta:depth=4", "baseline:5"] {
///     assert_eq!(text.parse::<AgentSpec>()?.to_string(), text);
/// }
/// assert!("gamma".parse::<AgentSpec>().is_err());
/// # Ok::<(), gipf_play::players::AgentError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    /// Plays any legal action: `random`.
    Random,
    /// Maximises material now: `greedy`.
    Greedy,
    /// The baseline AI at one of its depths: `alpha-beta:3`.
    Depth(Depth),
    /// The baseline AI with limits of its own: `alpha-beta:depth=4`, `alpha-beta:nodes=10000`, `alpha-beta:time=50ms`;
    /// optionally with another evaluation: `alpha-beta:depth=4,eval=terms`, or `alpha-beta:4,eval=PATH` with weights
    /// that `gipf tune` found.
    AlphaBeta(AlphaBetaSpec),
    /// The baseline AI at one of its strengths: `baseline:5`.
    Baseline(Strength),
    /// The tree search with a network, `PATH` being a checkpoint or a run: `pretrained`, `PATH`, `mcts:PATH,sims=64`,
    /// `mcts:PATH,time=50ms`, or with both, where the first limit reached ends the search.
    Checkpoint(CheckpointSpec),
    /// A strength for people, 1 to 10: `level:3`.
    Level(Level),
}

impl AgentSpec {
    /// Returns the agent with the directory of a run replaced by the file of its network; see
    /// [`Network::resolved`](super::Network::resolved).
    ///
    /// # Errors
    /// If the directory holds no run, or one without a network.
    pub fn resolved(&self) -> Result<Self, AgentError> {
        Ok(match self {
            Self::Checkpoint(spec) => {
                Self::Checkpoint(CheckpointSpec { network: spec.network.resolved()?, ..spec.clone() })
            }
            other => other.clone(),
        })
    }

    /// Returns the file that the agent is made of, or the directory of its run, if the user named one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::AlphaBeta(spec) => spec.weights.as_deref(),
            Self::Checkpoint(CheckpointSpec { network: Network::File(path), .. }) => Some(path),
            _ => None,
        }
    }

    /// Returns the rule set that the agent plays; none if it plays several.
    ///
    /// # Errors
    /// If its network cannot be read, or is for another game than GIPF.
    pub fn variant(&self) -> Result<Option<Variant>, AgentError> {
        match self {
            Self::Checkpoint(spec) => spec.network.variant(),
            _ => Ok(None),
        }
    }

    /// Returns the agent that plays under the name of a strength, with its settings; for others the agent itself.
    pub fn behind(&self, variant: Variant) -> Cow<'_, Self> {
        match self {
            Self::Level(level) => Cow::Owned(level.player(variant)),
            Self::Baseline(strength) => Cow::Owned(Self::AlphaBeta(strength.settings().into())),
            other => Cow::Borrowed(other),
        }
    }

    /// Returns the agent, ready to play games of a rule set. Its name states the file of a run that it plays with.
    ///
    /// # Errors
    /// If it cannot be built, or does not play this rule set.
    pub fn contender(&self, variant: Variant) -> Result<Contender<GipfPosition>, AgentError> {
        let spec = self.resolved()?;
        let file = spec.file(variant)?;
        spec.contender_of(&file, variant)
    }

    /// Returns the content of the file that the agent is made of: its network, or its weights; nothing if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or there is no network for this rule set.
    pub fn file(&self, variant: Variant) -> Result<Cow<'static, [u8]>, AgentError> {
        match self {
            Self::Checkpoint(spec) => spec.network.bytes(variant),
            Self::AlphaBeta(spec) => Ok(Cow::Owned(spec.file()?.unwrap_or_default())),
            Self::Level(level) => level.player(variant).file(variant),
            Self::Random | Self::Greedy | Self::Depth(_) | Self::Baseline(_) => Ok(Cow::Borrowed(&[])),
        }
    }

    /// Returns the agent as [`contender`](Self::contender) does, given the content of its file: the one that it names may be
    /// on another machine.
    ///
    /// # Errors
    /// If it cannot be built, or does not play this rule set.
    pub fn contender_of(&self, file: &[u8], variant: Variant) -> Result<Contender<GipfPosition>, AgentError> {
        self.check_memory()?;
        Ok(Contender { name: self.to_string(), build: self.builder(file, variant)? })
    }

    /// Returns the file that comes with the program and that the agent needs for a rule set, if any.
    pub fn shipped_file(&self, variant: Variant) -> Option<Shipped> {
        match &*self.behind(variant) {
            Self::Depth(_) => EvaluationKind::default().file(variant),
            Self::AlphaBeta(spec) => spec.settings.evaluation.file(variant),
            Self::Checkpoint(spec) if spec.network == Network::Pretrained => {
                Pretrained::of(&variant.to_string()).map(|network| network.file)
            }
            _ => None,
        }
    }

    /// Returns the number of threads that the agent thinks on.
    pub const fn threads(&self) -> usize {
        match self {
            Self::AlphaBeta(spec) => spec.settings.threads,
            Self::Checkpoint(spec) => spec.threads,
            _ => 1,
        }
    }

    /// Returns whether it has a time limit of its own, so that what it plays depends on the speed of its core.
    pub const fn is_timed(&self) -> bool {
        match self {
            Self::AlphaBeta(spec) => spec.settings.limits.time.is_some(),
            Self::Checkpoint(spec) => spec.thinking.time().is_some(),
            _ => false,
        }
    }

    /// Checks that something limits the agent's thinking, for games in which no clock does.
    ///
    /// # Errors
    /// If nothing does.
    pub fn check_end(&self) -> Result<(), AgentError> {
        match self {
            // Its full name would show a depth that nobody asked for.
            Self::AlphaBeta(spec) if spec.settings.limits.are_none() => Err(AgentError::Endless(spec.unlimited_name())),
            _ => Ok(()),
        }
    }

    /// Returns the agent on this number of threads, and with this much memory for what it knows about positions, in
    /// megabytes: the transposition table of alpha-beta, the caches of a network's evaluations. Random and greedy do not
    /// search, and strengths stay as they are.
    #[must_use]
    pub fn with_resources(self, threads: Option<usize>, megabytes: Option<usize>) -> Self {
        if threads.is_none() && megabytes.is_none() {
            return self;
        }
        match self {
            Self::Depth(depth) => Self::AlphaBeta(depth.limits().into()).with_resources(threads, megabytes),
            Self::AlphaBeta(AlphaBetaSpec { settings, weights }) => {
                let (threads, hash) = (threads.unwrap_or(settings.threads), megabytes.or(settings.hash));
                Self::AlphaBeta(AlphaBetaSpec { settings: Settings { threads, hash, ..settings }, weights })
            }
            Self::Checkpoint(spec) => {
                let threads = threads.unwrap_or(spec.threads);
                // Each thread has a cache of its own.
                let cache = megabytes.map(|all| (all / threads).max(1)).or(spec.cache);
                Self::Checkpoint(CheckpointSpec { cache, threads, ..spec })
            }
            other => other,
        }
    }

    /// Checks that the memory that the agent's name asks for is available: where it is taken, a lack of it would end the
    /// program.
    ///
    /// # Errors
    /// If it is not.
    pub fn check_memory(&self) -> Result<(), AgentError> {
        let megabytes = match self {
            Self::AlphaBeta(spec) => spec.settings.hash.unwrap_or(0),
            Self::Checkpoint(spec) => spec.cache.unwrap_or(0) * spec.threads,
            _ => 0,
        };
        let mut memory = Vec::<u8>::new();
        let found = memory.try_reserve_exact(megabytes << 20);
        // Nothing is written to it: without this, the request might be optimised away.
        hint::black_box(&memory);
        found.map_err(|_| AgentError::Memory { agent: self.to_string(), megabytes })
    }

    fn builder(&self, file: &[u8], variant: Variant) -> Result<Build<GipfPosition>, AgentError> {
        Ok(match self {
            Self::Random => Box::new(|| Box::new(Random::default())),
            Self::Greedy => Box::new(|| Box::new(Greedy::default())),
            &Self::Depth(depth) => Box::new(move || Box::new(AlphaBeta::new(depth.limits(), variant))),
            Self::AlphaBeta(spec) => {
                let (spec, evaluation) = (spec.clone(), spec.evaluation_of(file, variant)?);
                Box::new(move || Box::new(spec.agent(evaluation.clone())))
            }
            Self::Checkpoint(spec) => {
                let (spec, engine) = (spec.clone(), spec.engine(&spec.network.checkpoint_of(file, variant)?, variant)?);
                Box::new(move || Box::new(spec.agent(Arc::clone(&engine))))
            }
            Self::Baseline(_) | Self::Level(_) => self.behind(variant).builder(file, variant)?,
        })
    }
}

/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 80;

impl FromStr for AgentSpec {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Self, AgentError> {
        let setting = |source| AgentError::Setting { agent: truncate_escaped(text, SHOWN), source };
        let parsed = match text.split_once(':') {
            None if text == "random" => Some(Self::Random),
            None if text == "greedy" => Some(Self::Greedy),
            Some(("alpha-beta", depth)) if !depth.contains(['=', ',']) => {
                Some(Self::Depth(depth.parse().map_err(setting)?))
            }
            Some(("alpha-beta", settings)) => Some(Self::AlphaBeta(AlphaBetaSpec::parse(settings).map_err(setting)?)),
            Some(("baseline", number)) => Some(Self::Baseline(number.parse().map_err(setting)?)),
            Some(("level", number)) => Some(Self::Level(number.parse().map_err(setting)?)),
            _ => CheckpointSpec::parse(text).map_err(setting)?.map(Self::Checkpoint),
        };
        parsed.ok_or_else(|| AgentError::Unknown(truncate_escaped(text, SHOWN)))
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Depth(depth) => write!(f, "alpha-beta:{depth}"),
            Self::AlphaBeta(spec) => write!(f, "alpha-beta:{spec}"),
            Self::Baseline(strength) => write!(f, "baseline:{strength}"),
            Self::Checkpoint(spec) => spec.fmt(f),
            Self::Level(level) => write!(f, "level:{level}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_names_the_file_that_it_plays_with() {
        for (agent, variant, name) in [
            ("level:3", "standard", Some("standard.safetensors")),
            ("pretrained:sims=4", "tournament", Some("tournament.safetensors")),
            ("level:5", "tournament+zertz", Some("tournament-zertz.safetensors")),
            ("baseline:3", "standard", Some("distilled-standard.bin")),
            ("level:5", "standard+zertz", Some("standard-zertz.safetensors")),
            ("alpha-beta:2", "tournament", Some("patterns-tournament.bin")),
            ("alpha-beta:depth=2,eval=distilled", "basic", Some("distilled-basic.bin")),
            ("alpha-beta:depth=2,eval=terms", "basic", None),
            ("alpha-beta:2", "push-off", None),
            ("level:1", "push-off", None),
            ("greedy", "basic", None),
        ] {
            let file = agent.parse::<AgentSpec>().unwrap().shipped_file(variant.parse().unwrap());
            assert_eq!(file.map(|file| file.name), name, "{agent}, {variant}");
            assert!(file.is_none_or(|file| !file.bytes().is_empty()));
        }
    }

    #[test]
    fn memory_is_shared_among_the_threads() {
        for (agent, threads, megabytes, cache) in [
            ("pretrained:sims=9", Some(4), Some(512), "cache=128"),
            ("pretrained:sims=9,threads=2", None, Some(512), "cache=256"),
            ("pretrained:sims=9", Some(4), Some(2), "cache=1"),
            ("pretrained:sims=9,cache=5", Some(4), None, "cache=5"),
            ("alpha-beta:2", Some(4), Some(512), "hash=512"),
        ] {
            let agent = agent.parse::<AgentSpec>().unwrap().with_resources(threads, megabytes).to_string();
            assert!(agent.split([':', ',']).any(|setting| setting == cache), "{agent}");
        }
    }
}
