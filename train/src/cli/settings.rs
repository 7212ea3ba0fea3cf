//! The settings of trainings: a preset's or a file's, changed one by one.

use std::path::PathBuf;

use anyhow::Result;

use super::{Console, WrongUse, renamed};
use crate::training::{Config, read_config};

// No documentation: clap would use it as the command's description.
#[derive(Debug, clap::Args)]
pub(super) struct SettingArgs {
    /// The settings to begin with: quick (the default, four minutes on two cores), overnight, or smoke (seconds)
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,
    /// A file of settings instead of a preset; `gipf train --print-config` writes one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Changes one setting, such as `self_play.full_simulations=128`; may be given often
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub settings: Vec<String>,
}

impl SettingArgs {
    /// Returns the name of the preset that is named, or the default one.
    pub fn preset(&self) -> &str {
        self.preset.as_deref().unwrap_or("quick")
    }

    /// Returns the settings of the file or the preset, not yet changed.
    pub fn first(&self, console: &mut Console<'_>) -> Result<Config> {
        match &self.config {
            Some(path) => Ok(read_config(path, &mut |path, old, new| {
                console.warn(&renamed::told(&path.display().to_string(), old, new));
            })?),
            None => Ok(Config::preset(self.preset()).map_err(|fault| WrongUse(fault.to_string()))?),
        }
    }

    /// Makes the changes that are named one by one, after that of the length, and checks all settings.
    pub fn change(&self, mut config: Config, iterations: Option<u32>) -> Result<Config> {
        config.run.iterations = iterations.unwrap_or(config.run.iterations);
        for setting in &self.settings {
            config = config.with(setting).map_err(|fault| WrongUse(format!("--set {setting}: {fault}")))?;
        }
        config.validate().map_err(|fault| WrongUse(fault.to_string()))?;
        Ok(config)
    }
}
