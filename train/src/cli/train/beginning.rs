//! The definition of a new run by its arguments.

use std::path::PathBuf;

use anyhow::Result;
use gipf_env::Variant;

use super::Args;
use crate::cli::{Console, WrongUse, renamed};
use crate::training::{Beginning, Config, RunOrder, RunOrderError};

impl Args {
    /// Finds what the arguments name, and the settings of the run that begins with it. A `variant` is that of the
    /// arguments or of the datasets that it learns from first.
    pub(super) fn beginning(&self, variant: Option<Variant>, console: &mut Console<'_>) -> Result<(Beginning, Config)> {
        let found = self.order().beginning(variant, &mut |path, old, new| {
            console.warn(&renamed::told(&path.display().to_string(), old, new));
        });
        found.map_err(|error| match error {
            RunOrderError::Setting(told) => WrongUse(told).into(),
            other => other.into(),
        })
    }

    /// Refuses a game whose results teach nothing, unless it was asked for by name. An existing run resumes anyway.
    pub(super) fn check_game(&self, variant: Variant) -> Result<(), WrongUse> {
        if !variant.is_push_off() || self.allow_push_off {
            return Ok(());
        }
        let told = "push-off cannot be learned: its games reach the limit undecided, even those of alpha-beta:6 against \
                    random, so that results teach nothing; expected another rule set, or --allow-push-off";
        Err(WrongUse(told.to_owned()))
    }

    /// Returns everything that defines a new run except its place.
    pub(super) fn order(&self) -> RunOrder {
        RunOrder {
            preset: self.settings.preset.clone(),
            config: self.settings.config.clone(),
            settings: self.settings.settings.clone(),
            variant: self.variant,
            from: self.from.clone(),
            data: self.data(),
            iterations: self.iterations,
        }
    }

    /// Returns the datasets that a new run learns from first.
    fn data(&self) -> Vec<PathBuf> {
        #[cfg(feature = "dataset")]
        return self.from_data.clone();
        #[cfg(not(feature = "dataset"))]
        return Vec::new();
    }
}
