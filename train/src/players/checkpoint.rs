//! Checkpoints as agents: a network, and how long its search thinks.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Checkpoint, Engine};

use super::time_text::{TimeText, parse_time};
use super::{AgentError, Mcts, Thinking};
use crate::NetEvaluator;
use crate::search::SearchConfig;

/// The tree search with the network in a file: `PATH`, or `mcts:PATH` with settings such as `,sims=64`, `,time=50ms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointSpec {
    /// The file.
    pub path: PathBuf,
    /// How long the search thinks about a decision. Default: 64 simulations.
    pub thinking: Thinking,
}

const DEFAULT_THINKING: Thinking = Thinking::Simulations(64);

impl CheckpointSpec {
    /// Reads `mcts:PATH`, with or without how long it thinks, or a path that cannot be taken for a misspelt name: one with a
    /// separator or an extension.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("mcts:") {
            let set = rest.rsplit_once(',').and_then(|(path, setting)| Some((path, parse_thinking(setting)?)));
            let (path, thinking) = set.unwrap_or((rest, DEFAULT_THINKING));
            return (!path.is_empty()).then(|| Self { path: path.into(), thinking });
        }
        let path = PathBuf::from(text);
        let looks_like_one = path.extension().is_some() || path.components().count() > 1;
        looks_like_one.then_some(Self { path, thinking: DEFAULT_THINKING })
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
        Ok(Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?))
    }

    /// Returns the agent, given its network.
    pub fn agent(&self, engine: Arc<Engine>) -> Mcts<GipfPosition, NetEvaluator<'static>> {
        Mcts::new(SearchConfig::play(), NetEvaluator::new(engine), self.thinking)
    }
}

fn parse_thinking(setting: &str) -> Option<Thinking> {
    match setting.split_once('=')? {
        ("sims", number) => number.parse().ok().map(Thinking::Simulations),
        ("time", time) => parse_time(time).filter(|time| *time > Duration::ZERO).map(Thinking::Time),
        _ => None,
    }
}

/// Writes the file and the thinking.
impl fmt::Display for CheckpointSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.thinking {
            Thinking::Simulations(simulations) => write!(f, "mcts:{path},sims={simulations}"),
            Thinking::Time(time) => write!(f, "mcts:{path},time={}", TimeText(time)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_efforts_are_told_apart() {
        let parsed = |text| CheckpointSpec::parse(text).map(|spec| spec.to_string());
        let same = ["mcts:a/b.safetensors,sims=200", "mcts:net,time=50ms", "mcts:odd,name=3,sims=0"];
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
