//! Checkpoints as agents: a network and the limits of its search.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Engine, EngineOptions, Precision};

use super::alpha_beta::MAX_THREADS;
use super::network::PRETRAINED;
use super::setting::{SettingError, check_each_once, number};
use super::time_text::{TimeText, time_above_zero};
use super::{AgentError, Mcts, Network, Thinking, search_settings};
use crate::NetEvaluator;
use crate::evaluator::{CacheConfig, LONG};
use crate::search::SearchConfig;

/// The tree search with a network: one in a file, `PATH` or `mcts:PATH`, that of a run by its directory, or the one
/// that comes with the program for the rule set, `pretrained`.
///
/// Settings follow after commas, or after `pretrained:`: `sims=64`, `time=50ms`, `temperature=0.5`,
/// `precision=f32`, `cache=64`, and those of the search, such as `root=gumbel`. With both `sims` and `time` the search
/// ends at whichever comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointSpec {
    /// The place of the network.
    pub network: Network,
    /// The limits of the search for a decision. Default: 64 simulations.
    pub thinking: Thinking,
    /// The temperature of the choice: 0 plays the best action of the search; otherwise actions are drawn with the
    /// search's policy to the power of 1 / temperature. Default: 0.
    pub temperature: f32,
    /// The precision of the network, if not the default.
    pub precision: Option<Precision>,
    /// Megabytes of evaluations that each thread keeps for positions that occur again: it plays the same, faster.
    /// Default: 8 where the search is long enough for that to pay (METHODS.md), else 0.
    pub cache: Option<usize>,
    /// The settings of the search.
    pub search: SearchConfig,
    /// The threads that search its tree, 1 to 256. Default: 1. With more, what it plays depends on their timing.
    pub threads: usize,
    /// The simulations under way at once on each thread, evaluated as one batch, 1 to 1024. Default: 1. More cost
    /// strength, and pay off where a batch is evaluated much faster than its positions one by one.
    pub leaves: usize,
}

const DEFAULT_THINKING: Thinking = Thinking::Simulations(64);
/// Megabytes of evaluations that a long search keeps.
const CACHE: usize = 8;
/// The names of the settings but for those of the search.
const NAMES: [&str; 7] = ["sims", "time", "temperature", "precision", "cache", "threads", "leaves"];

/// Iterates over the names of all settings.
fn names() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain(search_settings::names())
}

/// Returns an error that lists the settings.
fn unknown(name: &str) -> SettingError {
    let all: Vec<_> = names().map(|name| format!("{name}=")).collect();
    let (last, others) = all.split_last().expect("there are settings");
    SettingError::unknown(name, format!("{} or {last}", others.join(", ")))
}

impl CheckpointSpec {
    /// Returns the network at this place, with the default search.
    pub fn new(network: Network) -> Self {
        let (thinking, search) = (DEFAULT_THINKING, SearchConfig::play());
        Self { network, thinking, temperature: 0.0, precision: None, cache: None, search, threads: 1, leaves: 1 }
    }

    /// Reads `pretrained` or `mcts:PATH`, with or without settings, or a path that cannot be a misspelt name: one with
    /// a separator or an extension, or an existing one. None if the text is none of these. A comma before the settings of
    /// `pretrained` is as good as the colon.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, SettingError> {
        if let Some(path) = text.strip_prefix("mcts:") {
            return parse_file(path);
        }
        if let (PRETRAINED, settings) = parted(text) {
            return Self::with_all(Network::Pretrained, settings.into_iter().rev()).map(Some);
        }
        if let Some(settings) = text.strip_prefix(PRETRAINED).and_then(|rest| rest.strip_prefix(':')) {
            return Self::with_all(Network::Pretrained, settings.split(',')).map(Some);
        }
        let looks_like_path = |text: &str| {
            let path = Path::new(text);
            path.extension().is_some() || path.components().count() > 1 || path.exists()
        };
        if looks_like_path(parted(text).0) { parse_file(text) } else { Ok(None) }
    }

    /// Returns the agent of a network with these settings.
    fn with_all<'a>(network: Network, settings: impl Iterator<Item = &'a str> + Clone) -> Result<Self, SettingError> {
        check_each_once(settings.clone())?;
        search_settings::check_root(&settings)?;
        let mut spec = Self::new(network);
        let (mut simulations, mut longest) = (None, None);
        for setting in settings {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            match name {
                "sims" => simulations = Some(number("sims", value, 0..=u32::MAX)?),
                "time" => longest = Some(time_above_zero("time", value)?),
                _ => spec = spec.with(name, value)?,
            }
        }
        spec.thinking = Thinking::of(simulations, longest).unwrap_or(spec.thinking);
        Ok(spec)
    }

    /// Returns the agent with one setting changed.
    fn with(self, name: &str, value: &str) -> Result<Self, SettingError> {
        Ok(match name {
            "temperature" => Self { temperature: number("temperature", value, 0.0..=100.0)?, ..self },
            "cache" => Self { cache: Some(number("cache", value, 0..=CacheConfig::MOST_MEGABYTES)?), ..self },
            "threads" => Self { threads: number("threads", value, 1..=MAX_THREADS)?, ..self },
            "leaves" => Self { leaves: number("leaves", value, 1..=1024)?, ..self },
            "precision" => {
                let wrong = |_| SettingError::value("precision", value, "f32 or int8");
                Self { precision: Some(value.parse().map_err(wrong)?), ..self }
            }
            _ => {
                let setting = search_settings::names().find(|&own| own == name).ok_or_else(|| unknown(name))?;
                Self { search: search_settings::changed(self.search, setting, value)?, ..self }
            }
        })
    }

    /// Reads the network.
    ///
    /// # Errors
    /// If the file is not a valid checkpoint, or its network is not for this rule set.
    pub fn load(&self, variant: Variant) -> Result<Arc<Engine>, AgentError> {
        self.engine(&self.network.checkpoint(variant)?, variant)
    }

    /// Prepares a network that was already read from this place.
    ///
    /// # Errors
    /// If it is not for this rule set.
    pub fn engine(&self, checkpoint: &Checkpoint, variant: Variant) -> Result<Arc<Engine>, AgentError> {
        self.network.check_shape(checkpoint, variant)?;
        let usual = EngineOptions::default();
        let options = EngineOptions { precision: self.precision.unwrap_or(usual.precision), ..usual };
        let engine = Engine::with_options(&checkpoint.weights, &checkpoint.config, options);
        engine.map(Arc::new).map_err(|source| AgentError::Engine { network: self.network.to_string(), source })
    }

    /// Returns the megabytes of evaluations that are kept within the limits of the name, unless it says otherwise.
    fn usual_cache(&self) -> usize {
        let is_long = self.thinking.simulations().is_none_or(|simulations| simulations >= LONG);
        if is_long { CACHE } else { 0 }
    }

    /// Returns the agent without the settings that do not change what it plays.
    pub(crate) fn essential(&self) -> Self {
        let usual = EngineOptions::default().precision;
        // With a time limit, it plays better if more is kept.
        let is_timed = self.thinking.time().is_some();
        let cache = self.cache.filter(|&megabytes| is_timed && megabytes != self.usual_cache());
        Self { cache, precision: self.precision.filter(|&own| own != usual), ..self.clone() }
    }

    /// Returns the name of the agent without the limits of its search.
    pub(crate) fn unlimited_name(&self) -> String {
        let settings = self.other_settings();
        match &self.network {
            Network::File(path) => format!("{}{settings}", path.display()),
            Network::Pretrained => format!("{PRETRAINED}{}", settings.replacen(',', ":", 1)),
        }
    }

    /// Returns the settings other than the limits of the search, each after a comma.
    fn other_settings(&self) -> String {
        let Self { temperature, precision, cache, threads, leaves, search, .. } = self;
        let settings = [
            (*temperature > 0.0).then(|| format!(",temperature={temperature}")),
            precision.map(|precision| format!(",precision={precision}")),
            cache.map(|megabytes| format!(",cache={megabytes}")),
            (*threads != 1).then(|| format!(",threads={threads}")),
            (*leaves != 1).then(|| format!(",leaves={leaves}")),
            Some(search_settings::Changes(search).to_string()),
        ];
        settings.into_iter().flatten().collect()
    }

    /// Returns the agent, given its network.
    pub fn agent(&self, engine: Arc<Engine>) -> Mcts<GipfPosition, NetEvaluator<'static>> {
        let evaluator = |engine| match self.cache {
            Some(megabytes) => NetEvaluator::new(engine).with_cache(CacheConfig { megabytes }),
            None => NetEvaluator::new(engine).with_cache_when_long(CacheConfig { megabytes: CACHE }),
        };
        let others: Vec<_> = (1..self.threads).map(|_| evaluator(Arc::clone(&engine))).collect();
        Mcts::new(self.search, evaluator(engine), self.thinking)
            .with_threads(others)
            .with_leaves(self.leaves)
            .with_temperature(self.temperature)
    }
}

/// Reads a path followed by settings.
fn parse_file(text: &str) -> Result<Option<CheckpointSpec>, SettingError> {
    let (path, settings) = parted(text);
    if path.is_empty() {
        return Ok(None);
    }
    CheckpointSpec::with_all(Network::File(path.into()), settings.into_iter().rev()).map(Some)
}

/// Splits a path from the settings after it, last first. Text that does not begin like a setting belongs to the path,
/// unless no file has that name and one has the shorter name: then it is a misspelt setting.
fn parted(text: &str) -> (&str, Vec<&str>) {
    let (mut path, mut settings) = (text, Vec::new());
    while let Some((shorter, setting)) = path.rsplit_once(',')
        && let Some((name, _)) = setting.split_once('=')
        && (names().any(|own| own == name) || !Path::new(path).exists() && Path::new(shorter).exists())
    {
        settings.push(setting);
        path = shorter;
    }
    (path, settings)
}

/// Writes the network and the settings.
impl fmt::Display for CheckpointSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.network {
            Network::File(path) => write!(f, "mcts:{},", path.display())?,
            Network::Pretrained => write!(f, "{PRETRAINED}:")?,
        }
        let simulations = self.thinking.simulations().map(|simulations| format!("sims={simulations}"));
        let time = self.thinking.time().map(|time| format!("time={}", TimeText(time)));
        f.write_str(&[simulations, time].into_iter().flatten().collect::<Vec<_>>().join(","))?;
        f.write_str(&self.other_settings())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_efforts_are_told_apart() {
        let parsed = |text| CheckpointSpec::parse(text).unwrap().map(|spec| spec.to_string());
        let same = [
            "mcts:a/b.safetensors,sims=200",
            "mcts:net,time=50ms",
            "mcts:odd,name=3,sims=0",
            "mcts:net,sims=8,precision=f32",
            "mcts:net,time=1s,cache=64",
            "mcts:net,time=1s,threads=2,leaves=8",
            "pretrained:sims=64,time=1s",
            "pretrained:sims=64",
            "pretrained:time=50ms,temperature=0.5,precision=f32,cache=8",
            "mcts:net,sims=64,root=gumbel,considered=8,c_scale=0.5,c_init=2,fpu_reduction=0.1",
            "mcts:net,sims=64,prior_temperature=2,c_spread=0.5,lcb=2",
        ];
        for text in same {
            assert_eq!(parsed(text).as_deref(), Some(text));
        }
        assert_eq!(parsed("pretrained").as_deref(), Some("pretrained:sims=64"));
        assert_eq!(parsed("pretrained,time=1s,sims=9").as_deref(), Some("pretrained:sims=9,time=1s"));
        assert_eq!(parsed("pretrained:time=1s,sims=9").as_deref(), Some("pretrained:sims=9,time=1s"));
        assert_eq!(parsed("pretrained:considered=8").as_deref(), Some("pretrained:sims=64,root=gumbel,considered=8"));
        for text in ["net.safetensors", "runs/1", "./net", "./pretrained", "pretrained,old.safetensors"] {
            assert_eq!(parsed(text), Some(format!("mcts:{text},sims=64")));
        }
        assert_eq!(parsed("runs/1,time=1s,sims=9").as_deref(), Some("mcts:runs/1,sims=9,time=1s"));
        for text in ["", "net", "net,sims=3", "mcts:", "mcts:,sims=3"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    /// Only the value of each is refused, after a path and after the name of a network.
    #[test]
    fn every_name_of_a_setting_is_one() {
        for name in names() {
            for network in ["mcts:net,", "pretrained:"] {
                let told = CheckpointSpec::parse(&format!("{network}{name}=?")).unwrap_err().to_string();
                assert!(told.starts_with(&format!("{name} `?`: expected ")), "{told}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_setting_is_named() {
        let values = [
            ("mcts:net,sims=x", "sims `x`: expected a number from 0 to 4294967295"),
            ("mcts:net,sims=-1,time=1s", "sims `-1`: expected a number from 0 to 4294967295"),
            ("mcts:net,time=0s", "time `0s`: expected a time above 0, such as 50ms or 1.5s"),
            ("mcts:a,b,time=5", "time `5`: expected a time up to a day, such as 50ms or 1.5s"),
            ("pretrained:temperature=101", "temperature `101`: expected a number from 0 to 100"),
            ("pretrained:threads=0", "threads `0`: expected a number from 1 to 256"),
            ("pretrained:leaves=2000", "leaves `2000`: expected a number from 1 to 1024"),
            ("pretrained:precision=high", "precision `high`: expected f32 or int8"),
            ("pretrained:sims=4,c_init=-1", "c_init `-1`: expected 0 to 1000000"),
            ("pretrained:c_base=nan", "c_base `nan`: expected 1 to 1000000000"),
            ("pretrained:c_init=", "c_init ``: expected a number"),
            ("pretrained:considered=0", "considered `0`: expected a number from 1 to 4294967295"),
            ("pretrained:sims=9,time=1s,sims=9", "sims is named twice: expected each setting once"),
            ("mcts:net,c_init=2,c_init=3", "c_init is named twice: expected each setting once"),
            ("pretrained:root=best", "root `best`: expected gumbel or puct"),
            ("pretrained:considered=8,root=puct", "considered `8`: expected root=gumbel, to which it belongs"),
            ("mcts:net,root=puct,c_scale=1", "c_scale `1`: expected root=gumbel, to which it belongs"),
            ("pretrained:lcb=5,root=gumbel", "lcb `5`: expected root=puct, to which it belongs"),
            ("pretrained:considered=8,lcb=0", "lcb `0`: expected root=puct, to which it belongs"),
            ("mcts:net,lcb=5,c_scale=1", "lcb `5`: expected root=puct, to which it belongs"),
        ];
        for (text, told) in values {
            assert_eq!(CheckpointSpec::parse(text).unwrap_err().to_string(), told, "{text}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        let misspelt = ["", "mcts:"].map(|before| format!("{before}{},sim=4", file.path().display()));
        let short = ["pretrained:", "pretrained:fast", "pretrained:sims=4,width=2"].map(str::to_owned);
        for text in short.iter().chain(&misspelt) {
            let told = CheckpointSpec::parse(text).unwrap_err().to_string();
            let all = "expected sims=, time=, temperature=, precision=, cache=, threads=, leaves=, root=, considered=, \
                       c_scale=, c_init=, c_base=, fpu_reduction=, prior_temperature=, c_spread= or lcb=";
            assert!(told.starts_with("unknown setting `") && told.ends_with(all), "{text}: {told}");
        }
    }
}
