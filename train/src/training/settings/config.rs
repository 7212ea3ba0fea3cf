//! All settings of a training run, in one file: each with its unit, its default and the paper's value.

use gipf_env::rules::SetupError;
use gipf_models::{ConfigError, LineConfig, NetKind};
use gipf_play::search::{SearchConfig, SearchConfigError};
use gipf_play::{GameConfig, printable};
use serde::{Deserialize, Serialize};

use super::learning::LearningConfig;
use super::phase::{Phase, turn_late_phase};
use super::setting::{drop_retired, hold, laid_over, rename};
use super::words::in_words;
use crate::training::samples::{ReplayConfig, SampleConfig};
use crate::training::self_play::SelfPlayConfig;

/// The settings of a run, saved with it as `config.toml`. Unknown keys are refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The length of the run, and its seed.
    pub run: RunConfig,
    /// The game.
    pub game: GameConfig,
    /// The kind of the network and its sizes.
    pub network: NetworkConfig,
    /// The search in self-play.
    pub search: SearchConfig,
    /// How games of self-play are played.
    pub self_play: SelfPlayConfig,
    /// The replay buffer: how many samples are kept, and how often they are used.
    pub replay: ReplayConfig,
    /// How the network learns.
    pub learning: LearningConfig,
    /// How checkpoints are measured.
    pub evaluation: EvaluationConfig,
    /// What changes in the course of the run, in order; each phase sets any of the settings above, except those of
    /// the run, of the game and of evaluation.
    pub phases: Vec<Phase>,
}

/// How long a run takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// The number of iterations; each consists of self-play, learning and evaluation.
    pub iterations: u32,
    /// Games of self-play per iteration. AlphaZero: 25 000 between checkpoints (Go).
    pub games: u64,
    /// The seed of all random numbers: the same seed on the same machine gives the same weights.
    pub seed: u64,
    /// How many iterations the network that plays lags behind the newest one, 0 to 2: iteration i is played by the
    /// network of iteration i - 1 - lag. With 1 or 2 an iteration is played while the ones before it are learned and
    /// measured, which keeps many cores busy; the result is just as deterministic, but a different one. AlphaZero,
    /// KataGo: some lag, not deterministic.
    pub lag: u32,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { iterations: 38, games: 1000, seed: 1, lag: 0 }
    }
}

/// The network: its kind and sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkConfig(pub NetKind);

impl Default for NetworkConfig {
    fn default() -> Self {
        Self(NetKind::Line(LineConfig::default()))
    }
}

/// How checkpoints are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// The opponents, named as in `gipf eval`. One that has lost its last 80 games plays again only at the end of the run.
    pub opponents: Vec<String>,
    /// Games against each opponent after every iteration, in pairs with colours exchanged (an even number).
    pub games: u32,
    /// Games against each opponent after the last iteration, instead of `games` (an even number).
    pub final_games: u32,
    /// Simulations of the checkpoint's search for each decision.
    pub simulations: u32,
    /// The search with which checkpoints are measured: as in `gipf eval` and `gipf play`, which is stronger than the
    /// search that learns best.
    pub search: SearchConfig,
    /// Gating: a new checkpoint must beat the best one to become the best. Self-play uses the newest either way.
    pub gating: GatingConfig,
}

/// How the best checkpoint so far is found: after an iteration the newest plays it until a sequential test decides,
/// and takes its place in `best.safetensors` if it is better. Self-play goes on with the newest either way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatingConfig {
    /// The most games between the two after an iteration (an even number); if they leave it open, the old one stays
    /// the best. 0 turns gating off: where the steps are small, a test takes hundreds of games. `AlphaGo` Zero: 400.
    pub games: u32,
    /// The difference in Elo that counts as no progress in the sequential test.
    pub elo0: f64,
    /// The difference in Elo that counts as progress. `AlphaGo` Zero: a score of 55 %, 35 Elo.
    pub elo1: f64,
}

impl Default for GatingConfig {
    fn default() -> Self {
        Self { games: 0, elo0: 0.0, elo1: 35.0 }
    }
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        let opponents = ["random", "greedy", "alpha-beta:1", "alpha-beta:2"].map(str::to_owned).to_vec();
        let (search, gating) = (SearchConfig::play(), GatingConfig::default());
        Self { opponents, games: 40, final_games: 200, simulations: 64, search, gating }
    }
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFault {
    /// The text is not a configuration.
    #[error("{}{what}", .line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Text {
        /// The line, from 1, if the fault is on one.
        line: Option<usize>,
        /// What is wrong with it.
        what: String,
    },
    /// A number is out of range.
    #[error("setting {name} is {value}: expected {expected}")]
    Range {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// Its range.
        expected: &'static str,
    },
    /// A setting that was removed.
    #[error(
        "setting {name} is {value}: it was removed; expected {expected}, which is what is done now, or no such setting"
    )]
    Retired {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// The one value that may still be there.
        expected: &'static str,
    },
    /// A setting is given by both its old and its new name.
    #[error("setting {new} is there twice: `{old}` is its old name")]
    Twice {
        /// The old name.
        old: &'static str,
        /// The new name.
        new: &'static str,
    },
    /// A phase is wrong.
    #[error("phase {number}: {reason}")]
    Phase {
        /// Its number, from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There are more phases than a run can have.
    #[error("{found} phases: expected at most {most}")]
    Phases {
        /// The number of phases.
        found: usize,
        /// The largest that is allowed.
        most: usize,
    },
    /// The network is impossible.
    #[error("setting network: {0}")]
    Network(#[from] ConfigError),
    /// The settings of the search are wrong.
    #[error(transparent)]
    Search(#[from] SearchConfigError),
    /// The start of games is wrong.
    #[error("setting game.potentials: {0}")]
    Setup(#[from] SetupError),
    /// An opponent cannot play.
    #[error("setting evaluation.opponents: {0}")]
    Opponent(String),
    /// The opponent of self-play cannot play.
    #[error("setting self_play.opponent: {0}")]
    SelfPlayOpponent(String),
    /// An override names no setting.
    #[error("`{0}`: expected a setting with its group and its value, such as self_play.full_simulations=128")]
    Override(String),
    /// There is no such preset.
    #[error("unknown preset `{0}`: expected quick, hour, overnight or smoke")]
    Preset(String),
}

/// A parser's message, with the line of the text that it is about.
fn text_fault(text: &str, error: &toml::de::Error) -> ConfigFault {
    let line = |start: usize| 1 + text.get(..start).unwrap_or(text).matches('\n').count();
    let what = printable(&in_words(&error.message().replace('\n', " ")));
    ConfigFault::Text { line: error.span().map(|span| line(span.start)), what }
}

impl Config {
    /// Returns the settings of a preset: `quick` (the default, four minutes on two cores), `hour`, `overnight` (two
    /// to four hours, with more games than `hour`), or `smoke` (under a minute, to see that everything works).
    ///
    /// # Errors
    /// If there is no such preset.
    pub fn preset(name: &str) -> Result<Self, ConfigFault> {
        let hour = include_str!("presets/hour.toml");
        match name {
            "quick" => Self::parse(include_str!("presets/quick.toml")),
            "hour" => Self::parse(hour),
            "overnight" => {
                let [hour, own] = [hour, include_str!("presets/overnight.toml")].map(sound_table);
                Self::parse(&laid_over(hour, own).to_string())
            }
            "smoke" => Self::parse(include_str!("presets/smoke.toml")),
            _ => Err(ConfigFault::Preset(name.to_owned())),
        }
    }

    /// Reads settings from TOML text; settings that it does not name are those of the preset `quick`. If it has no
    /// phases, the settings that it names hold for the whole run.
    ///
    /// # Errors
    /// If it is not TOML, names an unknown setting, or a setting is out of range.
    pub fn parse(text: &str) -> Result<Self, ConfigFault> {
        let fault = |error: toml::de::Error| text_fault(text, &error);
        let mut own = toml::from_str(text).map_err(fault)?;
        // Parsed on its own first, so that errors name lines of this text.
        let mut base = quick();
        if !(rename(&mut own)? | drop_retired(&mut own)? | turn_late_phase(&mut own, &base)) {
            toml::from_str::<Self>(text).map_err(fault)?;
        }
        if !own.contains_key("phases") {
            for (group, values) in &own {
                hold(&mut base, &toml::Table::from_iter([(group.clone(), values.clone())]));
            }
        }
        let config: Self = laid_over(base, own).try_into().map_err(fault)?;
        config.validate()?;
        Ok(config)
    }

    /// Returns these settings as TOML text.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("settings are tables of plain values")
    }

    /// Returns how samples are made from games.
    pub fn sampling(&self) -> SampleConfig {
        SampleConfig { surprise: self.replay.surprise, value_lambda: self.learning.value_lambda }
    }

    /// Checks every setting, including those of all phases.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn validate(&self) -> Result<(), ConfigFault> {
        self.check_settings()?;
        self.check_phases()
    }
}

/// Returns the settings in the text of a preset.
fn sound_table(preset: &str) -> toml::Table {
    preset.parse().expect("the preset is sound")
}

/// Returns all settings of the preset `quick`: a search that is given only in part has the defaults of its place for
/// the rest.
fn quick() -> toml::Table {
    let config: Config = toml::from_str(include_str!("presets/quick.toml")).expect("the preset is sound");
    toml::Table::try_from(config).expect("settings are tables of plain values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_survive_their_text() {
        for preset in ["quick", "hour", "overnight", "smoke"] {
            let config = Config::preset(preset).unwrap();
            assert_eq!(Config::parse(&config.to_text()).unwrap(), config);
            // Settings that are off are not written, and stay off whatever the presets say.
            let mut plain = config;
            plain.network.0 = NetKind::Line(LineConfig::default());
            assert_eq!(Config::parse(&plain.to_text()).unwrap(), plain);
        }
        assert!(Config::preset("fast").is_err());
        let [hour, overnight] = ["hour", "overnight"].map(|preset| Config::preset(preset).unwrap());
        assert_eq!(overnight, hour.with("run.iterations=840").unwrap());
        let quick = Config::preset("quick").unwrap();
        assert_eq!(Config::parse("").unwrap(), quick);
        let self_play = SelfPlayConfig { full_share: 0.5, ..SelfPlayConfig::default() };
        assert_eq!((quick.run.clone(), quick.self_play.clone()), (RunConfig::default(), self_play));
        let one = Config::parse("[search.method.gumbel]\nconsidered = 8").unwrap();
        assert_eq!(one, quick.with("search.method.gumbel.considered=8").unwrap());
        assert!(Config::parse("[search.method.puct]").is_ok());
    }

    #[test]
    fn what_a_file_without_phases_names_holds_throughout() {
        for text in ["[search.method.puct]\nc_init = 1.5", "[search.method.gumbel]\nc_scale = 0.5\n[run]\ngames = 7"] {
            let config = Config::parse(text).unwrap();
            let named: toml::Table = text.parse().unwrap();
            for games in [0, 3999, 4000, 1_000_000] {
                let then = toml::Table::try_from(config.at(games)).unwrap();
                assert_eq!(laid_over(then.clone(), named.clone()), then, "{text} after {games} games");
            }
        }
        let phases = "[[phases]]\nafter_games = 8\n[phases.search.method.gumbel]\nc_scale = 1.0";
        let config = Config::parse(&format!("[search.method.gumbel]\nc_scale = 0.5\n{phases}")).unwrap();
        assert_ne!(config.at(8).search, config.search);
    }

    #[test]
    fn settings_without_phases_are_told_and_read_back() {
        let config = Config::preset("smoke").unwrap().with("phases=[]").unwrap();
        assert_eq!(Config::parse(&config.to_commented_text()).unwrap(), config);
    }

    #[test]
    fn self_play_trusts_values_more_after_the_first_games() {
        for preset in ["quick", "hour", "overnight"] {
            let config = Config::preset(preset).unwrap();
            assert_eq!([0, 3999].map(|games| config.at(games).search), [config.search; 2]);
            assert_eq!(config.at(4000).search, SearchConfig::self_play());
        }
        let learning = LearningConfig { value_mix: 0.4, value_mix_games: 1000, ..LearningConfig::default() };
        assert_eq!([0.0, 500.0, 5000.0].map(|games| learning.value_mix_at(games)), [0.0, 0.2, 0.4]);
        let trusting = LearningConfig { value_mix_games: 0, ..learning };
        assert_eq!(trusting.value_mix_at(0.0), 0.4, "a run that begins with trust");
    }
}
