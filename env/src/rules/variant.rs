//! The rule sets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::action_space::ActionSpace;
use crate::text::truncate_escaped;

use super::setup::PLACEMENT_LIMIT;

/// How the game opens (section 2 of the rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Opening {
    /// Six singles on the corner spots; no GIPF-pieces.
    Basic,
    /// Six GIPF-pieces on the corner spots; none can be added.
    Standard,
    /// An empty board; GIPF-pieces are brought in by the players.
    Tournament,
    /// The other game of the German rules page: whole lines move, and pieces fall off the far end (section 7).
    PushOff,
}

/// A rule set: an opening, with or without ZÈRTZ-potentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    opening: Opening,
    zertz: bool,
}

/// Why a text names no rule set; holds the beginning of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant `{0}`: expected basic, standard or tournament, each also with +zertz, or push-off")]
pub struct UnknownVariant(pub String);

/// The number of characters of the text that an error quotes.
const SHOWN: usize = 40;

impl Variant {
    /// The game for beginners: no GIPF-pieces.
    pub const BASIC: Self = Self { opening: Opening::Basic, zertz: false };
    /// The game with three GIPF-pieces each.
    pub const STANDARD: Self = Self { opening: Opening::Standard, zertz: false };
    /// The game in which players bring in their GIPF-pieces.
    pub const TOURNAMENT: Self = Self { opening: Opening::Tournament, zertz: false };
    /// The other game of the German rules page; it has no attrition, so there is always a placement limit, at which a game
    /// ends without a winner unless a player has lost the last GIPF-piece before.
    pub const PUSH_OFF: Self = Self { opening: Opening::PushOff, zertz: false };
    /// The three official games.
    pub const OFFICIAL: [Self; 3] = [Self::BASIC, Self::STANDARD, Self::TOURNAMENT];
    /// Every rule set.
    pub const ALL: [Self; 7] = [
        Self::BASIC,
        Self::STANDARD,
        Self::TOURNAMENT,
        Self::BASIC.with_zertz(),
        Self::STANDARD.with_zertz(),
        Self::TOURNAMENT.with_zertz(),
        Self::PUSH_OFF,
    ];

    /// Returns this rule set with ZÈRTZ-potentials (section 7).
    ///
    /// # Panics
    /// If it is push-off, which has none.
    pub const fn with_zertz(self) -> Self {
        assert!(!self.is_push_off(), "push-off has no ZÈRTZ-potentials");
        Self { zertz: true, ..self }
    }

    /// Returns how the game opens.
    pub const fn opening(self) -> Opening {
        self.opening
    }

    /// Returns whether the game is played with ZÈRTZ-potentials.
    pub const fn has_zertz(self) -> bool {
        self.zertz
    }

    /// Returns whether whole lines move and all rows are evaluated in one go.
    #[inline]
    pub const fn is_push_off(self) -> bool {
        matches!(self.opening, Opening::PushOff)
    }

    /// Returns the placement limit of games that are set up without one, where the rules alone may never end a game.
    pub const fn compulsory_limit(self) -> Option<u16> {
        if self.is_push_off() { Some(PLACEMENT_LIMIT) } else { None }
    }

    /// Returns whether there are GIPF-pieces.
    pub const fn has_gipfs(self) -> bool {
        !matches!(self.opening, Opening::Basic)
    }

    /// Returns whether the rule set has pieces that may be spared from capture: GIPF-pieces, loaded pieces.
    pub const fn has_spared_pieces(self) -> bool {
        self.has_gipfs() || self.zertz
    }

    /// Returns the actions (section 6).
    #[inline]
    pub const fn action_space(self) -> ActionSpace {
        match (self.opening, self.zertz) {
            (Opening::Basic, false) => ActionSpace::BASIC,
            (Opening::Standard, false) => ActionSpace::STANDARD,
            (Opening::Tournament, false) => ActionSpace::TOURNAMENT,
            (_, true) => ActionSpace::ZERTZ,
            (Opening::PushOff, false) => ActionSpace::PUSH_OFF,
        }
    }

    /// Returns the number of actions.
    #[inline]
    pub const fn num_actions(self) -> usize {
        self.action_space().size()
    }

    /// Returns the number of basic pieces in each player's reserve at the start.
    pub const fn starting_reserve(self) -> u8 {
        match self.opening {
            Opening::Basic | Opening::Standard => 12,
            Opening::Tournament | Opening::PushOff => 18,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opening = match self.opening {
            Opening::Basic => "basic",
            Opening::Standard => "standard",
            Opening::Tournament => "tournament",
            Opening::PushOff => "push-off",
        };
        if self.zertz { f.pad(&format!("{opening}+zertz")) } else { f.pad(opening) }
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        let known = Self::ALL.into_iter().find(|variant| variant.to_string() == text);
        known.ok_or_else(|| UnknownVariant(truncate_escaped(text, SHOWN)))
    }
}

/// Rule sets are written by name.
impl Serialize for Variant {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
