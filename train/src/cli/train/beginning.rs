//! The initial state of a new run, and the settings that follow from it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gipf_env::{GipfPosition, Variant};
use gipf_models::Checkpoint;
use gipf_play::players::Network;

use super::Args;
use crate::cli::network::check_answers;
use crate::cli::settings::{SettingArgs, read_config};
use crate::cli::{Console, WrongUse};
use crate::training::trainer::{NamedStart, Trainer};
use crate::training::{Config, NetworkConfig, NewRun, RunDirectory};

/// The initial state of a new run.
pub(super) enum Beginning {
    /// Weights that are drawn by its seed.
    Nothing,
    /// Another run: its network and its samples.
    Run(PathBuf),
    /// A trained network.
    Network(Box<Checkpoint>),
}

impl Beginning {
    /// Finds what the arguments name, and the settings of the run that begins with it. A `variant` is that of the
    /// arguments or of the datasets that it learns from first.
    pub(super) fn of(args: &Args, variant: Option<Variant>, console: &mut Console<'_>) -> Result<(Self, Config)> {
        let mut config = args.first_settings(console)?;
        config.game.variant = variant.unwrap_or(config.game.variant);
        let beginning = match &args.from {
            None => Self::Nothing,
            Some(run) if run.is_dir() => Self::Run(run.clone()),
            Some(name) => {
                let network = args.network(name, variant, &mut config)?;
                check_answers(name, &network)?;
                Self::Network(Box::new(network))
            }
        };
        if let Self::Network(network) = &beginning
            && args.settings.config.is_none()
        {
            go_on_with(&mut config, network);
        }
        Ok((beginning, args.settings.change(config, args.iterations)?))
    }

    /// Begins the run; nothing is written if that fails.
    pub(super) fn begin(&self, new: &NewRun<'_>) -> Result<Trainer<GipfPosition>> {
        let start = named_start(new.config());
        Ok(match self {
            Self::Nothing => Trainer::create(new, start)?,
            Self::Run(from) => Trainer::fork(from, new, start)?,
            Self::Network(network) => Trainer::create_with(new, start, network)?,
        })
    }
}

/// Takes over from a trained network its sizes, and that its values are meaningful from the start.
fn go_on_with(config: &mut Config, network: &Checkpoint) {
    config.network = NetworkConfig(network.config.net.clone());
    config.skip_to_last_phase();
}

pub(super) fn named_start(config: &Config) -> NamedStart<GipfPosition> {
    NamedStart::new(config.game.variant.to_string(), config.game.start())
}

impl Args {
    /// Refuses a game whose results teach nothing, unless it was asked for by name. An existing run resumes anyway.
    pub(super) fn check_game(&self, variant: Variant) -> Result<(), WrongUse> {
        if !variant.is_push_off() || self.allow_push_off {
            return Ok(());
        }
        let told = "push-off cannot be learned: its games reach the limit undecided, even those of alpha-beta:6 against \
                    random, so that results teach nothing; expected another rule set, or --allow-push-off";
        Err(WrongUse(told.to_owned()))
    }

    /// Returns everything that defines a new run except its place: the same text is the same command.
    pub(super) fn origin(&self) -> String {
        let Self { settings: SettingArgs { preset, config, settings }, variant, from, iterations, .. } = self;
        format!("{preset:?} {config:?} {variant:?} {settings:?} {from:?} {iterations:?} {:?}", self.data())
    }

    /// Returns the datasets that a new run learns from first.
    pub(super) fn data(&self) -> &[PathBuf] {
        #[cfg(feature = "dataset")]
        return &self.from_data;
        #[cfg(not(feature = "dataset"))]
        return &[];
    }

    /// Returns the settings of the file, the run or the preset that is named.
    fn first_settings(&self, console: &mut Console<'_>) -> Result<Config> {
        let other_run = self.from.as_ref().filter(|from| RunDirectory::is_run(from)).map(|run| run.join("config.toml"));
        match other_run.filter(|_| !self.settings.names_a_beginning()) {
            Some(path) => read_config(&path, console),
            None => self.settings.first(console),
        }
    }

    /// Reads a network: of a file, whose rule set counts where none was chosen, or the one that comes with the program.
    fn network(&self, name: &Path, variant: Option<Variant>, config: &mut Config) -> Result<Checkpoint> {
        let network = Network::named(name);
        if variant.is_none() && self.settings.config.is_none() {
            config.game.variant = network.variant()?.unwrap_or(config.game.variant);
        }
        Ok(network.checkpoint(config.game.variant)?)
    }
}
