//! The definition of a new run by its arguments.

use std::path::PathBuf;

use anyhow::Result;
use gipf_env::Variant;

use super::Args;
use crate::cli::{Console, WrongUse, settings};
use crate::training::{Beginning, Config, RunOrder};

impl Args {
    /// Finds what a new run begins with according to the arguments, and its settings. A `variant` is that of the
    /// arguments, or of the datasets that the run learns from first.
    pub(super) fn beginning(&self, variant: Option<Variant>, console: &mut Console<'_>) -> Result<(Beginning, Config)> {
        settings::beginning(&self.order(), variant, console)
    }

    /// Refuses a game whose results teach nothing, unless it was explicitly allowed. An existing run resumes anyway.
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
        let (variant, from, data, iterations) = (self.variant, self.from.clone(), self.data(), self.iterations);
        RunOrder { variant, from, data, iterations, ..self.settings.order() }
    }

    /// Returns the datasets that a new run learns from first.
    fn data(&self) -> Vec<PathBuf> {
        #[cfg(feature = "dataset")]
        return self.from_data.clone();
        #[cfg(not(feature = "dataset"))]
        return Vec::new();
    }
}
