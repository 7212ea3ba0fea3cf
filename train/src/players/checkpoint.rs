//! Checkpoints as agents: a network, and how long its search thinks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Checkpoint, Engine, EngineOptions, Precision, Pretrained};

use super::time_text::{TimeText, parse_time};
use super::{AgentError, Mcts, Thinking, search_settings};
use crate::NetEvaluator;
use crate::cache::{CacheConfig, Form};
use crate::search::SearchConfig;

/// The tree search with a network: one in a file, `PATH` or `mcts:PATH`, or the one that comes with the program for the
/// rule set, `pretrained`.
///
/// Settings follow behind commas, or behind `pretrained:`: `sims=64`, `time=50ms`, `temperature=0.5`,
/// `precision=floats`, `cache=64`, and those of the search (`root`, `c_init`, …).
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointSpec {
    /// Where the network is.
    pub network: Network,
    /// How long the search thinks about a decision. Default: 64 simulations.
    pub thinking: Thinking,
    /// The temperature of the choice: 0 plays what the search holds to be best; else actions are drawn with the search's
    /// policy to the power of 1 / temperature. Default: 0.
    pub temperature: f32,
    /// How exactly the network computes, if not in the default way.
    pub precision: Option<Precision>,
    /// Megabytes of evaluations that it keeps for positions that come again: it plays the same, sooner. Default: 8 where
    /// the search is long enough for that to pay (METHODS.md), else 0.
    pub cache: Option<usize>,
    /// How it searches.
    pub search: SearchConfig,
}

/// Where a network is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// In this file.
    File(PathBuf),
    /// In the program.
    Pretrained,
}

impl Network {
    /// Reads the network.
    ///
    /// # Errors
    /// If the file is no sound checkpoint, or there is no network for this rule set.
    pub fn checkpoint(&self, variant: Variant) -> Result<Checkpoint, AgentError> {
        let game = variant.to_string();
        match self {
            Self::File(path) => Ok(Checkpoint::load_for(path, &game)?),
            Self::Pretrained => {
                let found = Pretrained::of(&game).ok_or(AgentError::NotTrained(variant))?;
                Ok(found.checkpoint())
            }
        }
    }
}

const DEFAULT_THINKING: Thinking = Thinking::Simulations(64);
/// Megabytes of evaluations that a long search keeps.
const CACHE: usize = 8;
/// Simulations from which on a cache saves more time than it costs.
const LONG: u32 = 1600;
const PRETRAINED: &str = "pretrained";

impl CheckpointSpec {
    /// Returns the network at this place, searching as by default.
    pub fn new(network: Network) -> Self {
        let (thinking, search) = (DEFAULT_THINKING, SearchConfig::play());
        Self { network, thinking, temperature: 0.0, precision: None, cache: None, search }
    }

    /// Reads `pretrained` or `mcts:PATH`, with or without settings, or a path that cannot be taken for a misspelt name: one
    /// with a separator or an extension.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let file = |path: &str| Self::new(Network::File(path.into()));
        if let Some(path) = text.strip_prefix("mcts:") {
            return parse_file(path);
        }
        if text == PRETRAINED {
            return Some(Self::new(Network::Pretrained));
        }
        if let Some(settings) = text.strip_prefix(PRETRAINED).and_then(|rest| rest.strip_prefix(':')) {
            return settings.split(',').try_fold(Self::new(Network::Pretrained), Self::with);
        }
        let path = Path::new(text);
        let looks_like_one = path.extension().is_some() || path.components().count() > 1;
        looks_like_one.then(|| file(text))
    }

    /// Returns the agent with one setting changed, or nothing if the text is none.
    fn with(self, setting: &str) -> Option<Self> {
        let (name, value) = setting.split_once('=')?;
        let changed = match name {
            "sims" => Self { thinking: Thinking::Simulations(value.parse().ok()?), ..self },
            "time" => {
                let time = parse_time(value).filter(|time| *time > Duration::ZERO)?;
                Self { thinking: Thinking::Time(time), ..self }
            }
            "temperature" => {
                let temperature = value.parse().ok().filter(|temperature| (0.0..=100.0).contains(temperature))?;
                Self { temperature, ..self }
            }
            "cache" => {
                let cache = value.parse().ok().filter(|megabytes| *megabytes <= CacheConfig::MOST_MEGABYTES)?;
                Self { cache: Some(cache), ..self }
            }
            "precision" => Self { precision: Some(value.parse().ok()?), ..self },
            _ => Self { search: search_settings::changed(self.search, name, value)?, ..self },
        };
        Some(changed)
    }

    /// Reads the network.
    ///
    /// # Errors
    /// If the file is no sound checkpoint, or its network is not one for this rule set.
    pub fn load(&self, variant: Variant) -> Result<Arc<Engine>, AgentError> {
        let checkpoint = self.network.checkpoint(variant)?;
        let start = GipfPosition::start(variant);
        let fits = checkpoint.config.layout == start.observation_layout();
        if !fits || checkpoint.config.num_actions != start.num_actions() {
            return Err(AgentError::Shape { network: self.network.to_string(), variant });
        }
        let usual = EngineOptions::default();
        let options = EngineOptions { precision: self.precision.unwrap_or(usual.precision), ..usual };
        Ok(Arc::new(Engine::with_options(&checkpoint.weights, &checkpoint.config, options)?))
    }

    fn thinks_long(&self) -> bool {
        match self.thinking {
            Thinking::Simulations(simulations) => simulations >= LONG,
            Thinking::Time(_) => true,
        }
    }

    /// Returns the agent, given its network.
    pub fn agent(&self, engine: Arc<Engine>) -> Mcts<GipfPosition, NetEvaluator<'static>> {
        let megabytes = self.cache.unwrap_or(if self.thinks_long() { CACHE } else { 0 });
        let cache = CacheConfig { megabytes, form: Form::Exact };
        let evaluator = NetEvaluator::new(engine).with_cache(cache);
        Mcts::new(self.search, evaluator, self.thinking).with_temperature(self.temperature)
    }
}

/// Reads a path with settings behind it. What is no setting belongs to the path.
fn parse_file(text: &str) -> Option<CheckpointSpec> {
    let (mut path, mut settings) = (text, Vec::new());
    let probe = CheckpointSpec::new(Network::Pretrained);
    while let Some((shorter, setting)) = path.rsplit_once(',')
        && probe.clone().with(setting).is_some()
    {
        settings.push(setting);
        path = shorter;
    }
    let spec = CheckpointSpec::new(Network::File(path.into()));
    if path.is_empty() { None } else { settings.into_iter().rev().try_fold(spec, CheckpointSpec::with) }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Pretrained => f.write_str(PRETRAINED),
        }
    }
}

/// Writes the network and the settings.
impl fmt::Display for CheckpointSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.network {
            Network::File(path) => write!(f, "mcts:{},", path.display())?,
            Network::Pretrained => write!(f, "{PRETRAINED}:")?,
        }
        match self.thinking {
            Thinking::Simulations(simulations) => write!(f, "sims={simulations}")?,
            Thinking::Time(time) => write!(f, "time={}", TimeText(time))?,
        }
        if self.temperature > 0.0 {
            write!(f, ",temperature={}", self.temperature)?;
        }
        if let Some(precision) = self.precision {
            write!(f, ",precision={precision}")?;
        }
        if let Some(megabytes) = self.cache {
            write!(f, ",cache={megabytes}")?;
        }
        search_settings::Changes(&self.search).fmt(f)
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
            "pretrained:sims=64",
            "pretrained:time=50ms,temperature=0.5,precision=floats,cache=8",
            "mcts:net,sims=64,root=gumbel,considered=8,c_scale=0.5,c_init=2,fpu_reduction=0.1",
            "mcts:net,sims=64,prior_temperature=2,c_spread=0.5,lcb=2",
        ];
        for text in same {
            assert_eq!(parsed(text).as_deref(), Some(text));
        }
        assert_eq!(parsed("pretrained").as_deref(), Some("pretrained:sims=64"));
        assert_eq!(parsed("pretrained:considered=8").as_deref(), Some("pretrained:sims=64,root=gumbel,considered=8"));
        for text in ["net.safetensors", "runs/1", "./net"] {
            assert_eq!(parsed(text), Some(format!("mcts:{text},sims=64")));
        }
        assert_eq!(parsed("mcts:net,sims=x").unwrap(), "mcts:net,sims=x,sims=64", "a file of an odd name");
        for text in
            ["", "net", "mcts:", "mcts:,sims=3", "pretrained:", "pretrained:fast", "pretrained:sims=4,c_init=-1"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
