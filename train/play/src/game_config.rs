//! The game to play, as named in settings.

use gipf_env::rules::SetupError;
use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Setup, Variant};
use serde::{Deserialize, Serialize};

/// The game to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameConfig {
    /// The rule set: basic, standard or tournament, each also with `+zertz`; or push-off, which cannot be learned.
    pub variant: Variant,
    /// The number of placements after which a game is cut off; such a game has no result to learn. AlphaZero: 512 moves
    /// (chess).
    pub placement_limit: u16,
    /// ZÈRTZ-potentials of each player, 3 to 6, in rule sets with `+zertz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub potentials: Option<u8>,
}

impl Default for GameConfig {
    fn default() -> Self {
        Self { variant: Variant::STANDARD, placement_limit: PLACEMENT_LIMIT, potentials: None }
    }
}

impl GameConfig {
    /// Returns the setup in which games begin.
    ///
    /// # Errors
    /// If the rule set has no such number of potentials.
    pub fn setup(&self) -> Result<Setup, SetupError> {
        let setup = Setup::start(self.variant).with_placement_limit(Some(self.placement_limit));
        self.potentials.map_or(Ok(setup.clone()), |potentials| setup.with_potentials(potentials))
    }

    /// Returns the position in which games begin.
    ///
    /// # Panics
    /// If the settings are not valid.
    pub fn start(&self) -> GipfPosition {
        let setup = self.setup().expect("settings are validated when they are read");
        GipfPosition::from_setup(&setup).expect("the start of a game is a valid position")
    }
}
