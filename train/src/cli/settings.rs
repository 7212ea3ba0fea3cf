//! The settings of a training: from a preset or a file, then changed one by one.

use std::path::PathBuf;

use anyhow::Result;
use gipf_env::Variant;

use super::{Console, WrongUse, renamed};
use crate::training::{Beginning, Config, RunOrder, RunOrderError};

// No documentation: clap would use it as the command's description.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct SettingArgs {
    /// The settings to begin with: quick (the default, four minutes on two cores), hour, overnight, or smoke (seconds)
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,
    /// A file of settings instead of a preset; `gipf train --print-config` writes one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Changes one setting, such as `self_play.full_simulations=128`, for the whole run; may be repeated
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    pub settings: Vec<String>,
}

impl SettingArgs {
    /// Returns these settings as the order for a new run.
    pub fn order(&self) -> RunOrder {
        let Self { preset, config, settings } = self.clone();
        RunOrder { preset, config, settings, ..RunOrder::default() }
    }
}

/// Finds what a new run begins with, and its settings; warns about names that have changed. A `variant` is that of the
/// order, or of the datasets that the run learns from first.
pub(super) fn beginning(
    order: &RunOrder,
    variant: Option<Variant>,
    console: &mut Console<'_>,
) -> Result<(Beginning, Config)> {
    let found = order.beginning(variant, &mut |path, old, new| {
        console.warn(&renamed::told(&path.display().to_string(), old, new));
    });
    found.map_err(|error| match error {
        RunOrderError::Setting(told) => WrongUse(told).into(),
        change @ RunOrderError::Change(..) => WrongUse(format!("--set {change}")).into(),
        // Passed on unchanged, so that its kind can be recognised.
        RunOrderError::Agent(error) => error.into(),
        other => other.into(),
    })
}
