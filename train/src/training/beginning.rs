//! What a new run begins with, and the settings that follow from it.

use std::io;
use std::path::{Path, PathBuf};

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Engine, EngineError, Precision, read_text};
use gipf_play::players::{AgentError, Network};
use gipf_play::run::CONFIG;

use super::trainer::{NamedStart, TrainError, Trainer};
use super::{Config, ConfigFault, NetworkConfig, NewRun, RunDirectory, assigned, old_names};

/// Everything that defines a new run, except its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOrder {
    /// The preset to begin with.
    pub preset: Option<String>,
    /// A file of settings instead.
    pub config: Option<PathBuf>,
    /// Changes, such as `run.games=200`.
    pub settings: Vec<String>,
    /// The rule set.
    pub variant: Option<Variant>,
    /// The run, checkpoint or `pretrained` that it begins from.
    pub from: Option<PathBuf>,
    /// Datasets that its network is first fitted to.
    pub data: Vec<PathBuf>,
    /// Iterations in all.
    pub iterations: Option<u32>,
}

/// The most bytes of a file of settings.
const LARGEST: u64 = 1 << 20;

/// Why an order cannot begin a run.
#[derive(Debug, thiserror::Error)]
pub enum RunOrderError {
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
    /// A change of a setting makes no sense: the change, and why.
    #[error("{0}: {1}")]
    Change(String, ConfigFault),
    /// A file of settings cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of settings holds something else.
    #[error("{path}: {source}", path = path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ConfigFault,
    },
    /// The network cannot be read.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The network does not answer in finite numbers: weights that are finite one by one can still make sums over
    /// them overflow.
    #[error("{path}: {source}", path = path.display())]
    Engine {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        source: EngineError,
    },
}

/// The initial state of a new run.
pub enum Beginning {
    /// Random weights, drawn by the run's seed.
    Nothing,
    /// Another run: its network and its samples.
    Run(PathBuf),
    /// A trained network, and the path by which errors name it.
    Network(PathBuf, Box<Checkpoint>),
}

impl RunOrder {
    /// Returns the name of the preset, or of the default one.
    pub fn preset_name(&self) -> &str {
        self.preset.as_deref().unwrap_or("quick")
    }

    /// Returns a text that two orders share only if they define the same run, apart from its length.
    pub fn origin(&self) -> String {
        let Self { preset, config, settings, variant, from, data, iterations: _ } = self;
        // An edited file is another order.
        let config =
            config.as_ref().map(|path| (path, read_text(path, LARGEST).ok().map(|text| blake3::hash(text.as_bytes()))));
        format!("{preset:?} {config:?} {variant:?} {settings:?} {from:?} {data:?}")
    }

    /// Returns whether the order names anything besides the length.
    pub const fn changes_settings(&self) -> bool {
        self.names_a_beginning()
            || !self.settings.is_empty()
            || self.variant.is_some()
            || self.from.is_some()
            || !self.data.is_empty()
    }

    const fn names_a_beginning(&self) -> bool {
        self.preset.is_some() || self.config.is_some()
    }

    /// Returns what the run begins with, and its settings. `variant` is the rule set of the order, or of the datasets
    /// that the run learns from first. `warn` is called with a file and the old and the new name of a setting in it.
    ///
    /// # Errors
    /// If a setting makes no sense, or a file cannot be read.
    pub fn beginning(
        &self,
        variant: Option<Variant>,
        warn: &mut dyn FnMut(&Path, &str, &str),
    ) -> Result<(Beginning, Config), RunOrderError> {
        let mut config = self.first_settings(warn)?;
        let variant = variant.or(self.assigned_variant(&config)?);
        config.game.variant = variant.unwrap_or(config.game.variant);
        let beginning = match self.from.as_deref().map(Network::named) {
            None => Beginning::Nothing,
            Some(Network::File(run)) if run.is_dir() => Beginning::Run(run),
            Some(network) => {
                let checkpoint = self.network(&network, variant, &mut config)?;
                Beginning::Network(network.path().to_owned(), Box::new(checkpoint))
            }
        };
        if let Beginning::Network(_, network) = &beginning
            && self.config.is_none()
        {
            // The network's sizes apply, whatever the phases say, and its values can be trusted from the start.
            config.network = NetworkConfig(network.config.net.clone());
            config.skip_to_last_phase();
            config.phases.iter_mut().for_each(|phase| drop(phase.changes.remove("network")));
        }
        Ok((beginning, self.as_asked(variant, self.changed(config)?)?))
    }

    /// Refuses settings that changed what was asked for beside them, as a whole table of them can.
    fn as_asked(&self, variant: Option<Variant>, config: Config) -> Result<Config, RunOrderError> {
        let other = |name: &str, set: String, asked: String| {
            Err(RunOrderError::Setting(format!("{name} is set to {set}: expected {asked}, which is given beside it")))
        };
        match (variant, self.iterations) {
            (Some(asked), _) if asked != config.game.variant => {
                other("game.variant", config.game.variant.to_string(), asked.to_string())
            }
            (_, Some(asked)) if asked != config.run.iterations => {
                other("run.iterations", config.run.iterations.to_string(), asked.to_string())
            }
            _ => Ok(config),
        }
    }

    /// Returns the file of settings that the run begins with, if any: the one named, or that of the other run.
    pub fn settings_file(&self) -> Option<PathBuf> {
        let other_run = match self.from.as_deref().map(Network::named) {
            Some(Network::File(run)) if RunDirectory::is_run(&run) => Some(run.join(CONFIG)),
            _ => None,
        };
        other_run.filter(|_| !self.names_a_beginning()).or_else(|| self.config.clone())
    }

    /// Returns the settings of the file, the run or the preset that is named.
    fn first_settings(&self, warn: &mut dyn FnMut(&Path, &str, &str)) -> Result<Config, RunOrderError> {
        match self.settings_file() {
            Some(path) => read_config(&path, warn),
            None => Config::preset(self.preset_name()).map_err(|fault| RunOrderError::Setting(fault.to_string())),
        }
    }

    /// Returns the rule set that `game.variant` was set to, which decides which of the shipped networks is meant.
    fn assigned_variant(&self, config: &Config) -> Result<Option<Variant>, RunOrderError> {
        let Some(setting) = self.settings.iter().rfind(|setting| assigned(setting) == "game.variant") else {
            return Ok(None);
        };
        let changed = config.with(setting).map_err(|fault| RunOrderError::Change(setting.clone(), fault))?;
        Ok(Some(changed.game.variant))
    }

    /// Reads a network: from a file, whose rule set applies if none was chosen, or the one that is shipped with the program.
    fn network(
        &self,
        network: &Network,
        variant: Option<Variant>,
        config: &mut Config,
    ) -> Result<Checkpoint, RunOrderError> {
        if variant.is_none() && self.config.is_none() {
            config.game.variant = network.variant()?.unwrap_or(config.game.variant);
        }
        let checkpoint = network.checkpoint(config.game.variant)?;
        // It learns in floats, and plays in integers.
        let checked = Engine::check(&checkpoint.weights, &checkpoint.config, &Precision::ALL);
        checked.map_err(|source| RunOrderError::Engine { path: network.path().to_owned(), source })?;
        Ok(checkpoint)
    }

    /// Refuses a setting that the order also gives in a field of its own: one of the two would have no effect.
    fn check_each_once(&self) -> Result<(), RunOrderError> {
        let variant = self.variant.map(|variant| ("game.variant", format!("variant {variant}")));
        let length = self.iterations.map(|iterations| ("run.iterations", format!("iterations {iterations}")));
        for (name, other) in variant.into_iter().chain(length) {
            if let Some(setting) = self.settings.iter().find(|setting| assigned(setting) == name) {
                return Err(RunOrderError::Setting(format!("`{setting}` and {other}: expected one of the two")));
            }
        }
        Ok(())
    }

    /// Applies the named changes one by one, after the change of the length, and checks all settings.
    fn changed(&self, mut config: Config) -> Result<Config, RunOrderError> {
        self.check_each_once()?;
        config.run.iterations = self.iterations.unwrap_or(config.run.iterations);
        for setting in &self.settings {
            config = config.with(setting).map_err(|fault| RunOrderError::Change(setting.clone(), fault))?;
        }
        config.validate().map_err(|fault| RunOrderError::Setting(fault.to_string()))?;
        Ok(config)
    }
}

/// Reads a file of settings; `warn` is called with its path and the old and the new name of a setting in it.
///
/// # Errors
/// If it cannot be read, or holds something else.
pub fn read_config(path: &Path, warn: &mut dyn FnMut(&Path, &str, &str)) -> Result<Config, RunOrderError> {
    let text = read_text(path, LARGEST);
    let text = text.map_err(|source| RunOrderError::Read { path: path.to_owned(), source })?;
    for (old, new) in old_names(&text) {
        warn(path, old, new);
    }
    Config::parse(&text).map_err(|source| RunOrderError::Config { path: path.to_owned(), source })
}

impl Beginning {
    /// Begins the run; nothing is written if that fails.
    ///
    /// # Errors
    /// If the directory is not free, or what it begins with does not fit.
    pub fn begin(&self, new: &NewRun<'_>) -> Result<Trainer<GipfPosition>, TrainError> {
        let start = named_start(new.config());
        match self {
            Self::Nothing => Trainer::create(new, start),
            Self::Run(from) => Trainer::fork(from, new, start),
            Self::Network(path, network) => Trainer::create_with(new, start, path, network),
        }
    }
}

/// Returns the start of the games under these settings, with the name of their rule set.
pub fn named_start(config: &Config) -> NamedStart<GipfPosition> {
    NamedStart::new(config.game.variant.to_string(), config.game.start())
}
