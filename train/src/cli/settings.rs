//! The settings of a training: from a preset or a file, then changed one by one.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use gipf_env::Variant;

use super::{Console, WrongUse, renamed};
use crate::training::{Beginning, Config, ConfigFault, RunOrder, RunOrderError, assigned};

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

/// Returns the error for an opponent that cannot play, which names where it is from: one of these changes, or else the file
/// of the settings, if there is one.
pub(super) fn unfit(fault: &ConfigFault, changes: &[String], file: Option<&Path>) -> anyhow::Error {
    let (setting, why) = match fault {
        ConfigFault::Opponent(why) => ("evaluation.opponents", why),
        ConfigFault::SelfPlayOpponent(why) => ("self_play.opponent", why),
        _ => return WrongUse(fault.to_string()).into(),
    };
    // A table sets all that is in it.
    let sets = |change: &&String| {
        setting.strip_prefix(assigned(change)).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match (changes.iter().rfind(sets), file) {
        (Some(change), _) => WrongUse(format!("--set {change}: {why}")).into(),
        (None, Some(path)) => anyhow!("{}: {fault}", path.display()),
        (None, None) => WrongUse(fault.to_string()).into(),
    }
}
