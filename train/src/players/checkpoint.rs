//! Checkpoints as agents: a network, and how long its search thinks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Checkpoint, Engine, EngineOptions, Precision};

use super::time_text::{TimeText, parse_time};
use super::{AgentError, Mcts, Thinking};
use crate::NetEvaluator;
use crate::cache::{CacheConfig, Form};
use crate::search::SearchConfig;

/// The tree search with the network in a file: `PATH`, or `mcts:PATH` with settings such as `,sims=64`, `,time=50ms`,
/// `,precision=floats`,
/// `,cache=64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointSpec {
    /// The file.
    pub path: PathBuf,
    /// How long the search thinks about a decision. Default: 64 simulations.
    pub thinking: Thinking,
    /// How exactly the network computes, if not in the default way.
    pub precision: Option<Precision>,
    /// Megabytes of evaluations that it keeps for positions that come again: it plays the same, sooner. Default: 0.
    pub cache: usize,
}

const DEFAULT_THINKING: Thinking = Thinking::Simulations(64);

impl CheckpointSpec {
    /// Reads `mcts:PATH`, with or without how long it thinks, or a path that cannot be taken for a misspelt name: one with a
    /// separator or an extension.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let spec = |path: &str| Self { path: path.into(), thinking: DEFAULT_THINKING, precision: None, cache: 0 };
        if let Some(mut rest) = text.strip_prefix("mcts:") {
            let mut settings = Vec::new();
            while let Some((path, setting)) = rest.rsplit_once(',')
                && let Some(setting) = Setting::parse(setting)
            {
                settings.push(setting);
                rest = path;
            }
            let spec = settings.into_iter().rev().fold(spec(rest), Self::with);
            return (!rest.is_empty()).then_some(spec);
        }
        let path = Path::new(text);
        let looks_like_one = path.extension().is_some() || path.components().count() > 1;
        looks_like_one.then(|| spec(text))
    }

    fn with(self, setting: Setting) -> Self {
        match setting {
            Setting::Thinking(thinking) => Self { thinking, ..self },
            Setting::Precision(precision) => Self { precision: Some(precision), ..self },
            Setting::Cache(cache) => Self { cache, ..self },
        }
    }

    /// Reads the file, and returns its network.
    ///
    /// # Errors
    /// If the file is no sound checkpoint, or its network is not one for this rule set.
    pub fn load(&self, variant: Variant) -> Result<Arc<Engine>, AgentError> {
        let checkpoint = Checkpoint::load_for(&self.path, &variant.to_string())?;
        let start = GipfPosition::start(variant);
        let fits = checkpoint.config.layout == start.observation_layout();
        if !fits || checkpoint.config.num_actions != start.num_actions() {
            return Err(AgentError::Shape { path: self.path.clone(), variant });
        }
        let usual = EngineOptions::default();
        let options = EngineOptions { precision: self.precision.unwrap_or(usual.precision), ..usual };
        Ok(Arc::new(Engine::with_options(&checkpoint.weights, &checkpoint.config, options)?))
    }

    /// Returns the agent, given its network.
    pub fn agent(&self, engine: Arc<Engine>) -> Mcts<GipfPosition, NetEvaluator<'static>> {
        let cache = CacheConfig { megabytes: self.cache, form: Form::Exact };
        Mcts::new(SearchConfig::play(), NetEvaluator::new(engine).with_cache(cache), self.thinking)
    }
}

/// One of the settings behind a path.
#[derive(Clone, Copy)]
enum Setting {
    Thinking(Thinking),
    Precision(Precision),
    Cache(usize),
}

impl Setting {
    fn parse(text: &str) -> Option<Self> {
        match text.split_once('=')? {
            ("sims", number) => number.parse().ok().map(|number| Self::Thinking(Thinking::Simulations(number))),
            ("time", time) => {
                let time = parse_time(time).filter(|time| *time > Duration::ZERO)?;
                Some(Self::Thinking(Thinking::Time(time)))
            }
            ("cache", megabytes) => {
                let megabytes = megabytes.parse().ok().filter(|megabytes| *megabytes <= CacheConfig::MOST_MEGABYTES)?;
                Some(Self::Cache(megabytes))
            }
            ("precision", precision) => precision.parse().ok().map(Self::Precision),
            _ => None,
        }
    }
}

/// Writes the file and the settings.
impl fmt::Display for CheckpointSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mcts:{}", self.path.display())?;
        match self.thinking {
            Thinking::Simulations(simulations) => write!(f, ",sims={simulations}")?,
            Thinking::Time(time) => write!(f, ",time={}", TimeText(time))?,
        }
        if let Some(precision) = self.precision {
            write!(f, ",precision={precision}")?;
        }
        if self.cache > 0 { write!(f, ",cache={}", self.cache) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_efforts_are_told_apart() {
        let parsed = |text| CheckpointSpec::parse(text).map(|spec| spec.to_string());
        let same = [
            "mcts:a/b.safetensors,sims=200",
            "mcts:net,time=50ms",
            "mcts:odd,name=3,sims=0",
            "mcts:net,sims=8,precision=floats",
            "mcts:net,time=1s,cache=64",
        ];
        for text in same {
            assert_eq!(parsed(text).as_deref(), Some(text));
        }
        for text in ["net.safetensors", "runs/1", "./net"] {
            assert_eq!(parsed(text), Some(format!("mcts:{text},sims=64")));
        }
        assert_eq!(parsed("mcts:net,sims=x").unwrap(), "mcts:net,sims=x,sims=64", "a file of an odd name");
        for text in ["", "net", "mcts:", "mcts:,sims=3"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
