//! The limits of the search.

use std::fmt;
use std::time::Duration;

use crate::players::TurnLimits;
use crate::players::setting::{SettingError, number};
use crate::players::time_text::{TimeText, time_above_zero};

/// The limits of a search, which stops at the first that is reached. A search of one turn is always finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of turns to look ahead, the one being played included; 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// The number of turns after that in which captures are still searched; 0 to [`MAX_CAPTURES`].
    pub captures: u32,
    /// The number of positions to visit for one decision, if limited.
    pub nodes: Option<u64>,
    /// The time for one decision, if limited.
    pub time: Option<Duration>,
}

/// The largest depth, in turns.
pub const MAX_DEPTH: u32 = 64;

/// The settings that the name of an agent may have.
pub(super) const SETTINGS: &str = "a depth of 1 to 8, depth=, captures=, nodes=, time=, eval=, threads= or hash=";

/// The largest number of turns of captures only.
pub const MAX_CAPTURES: u32 = 8;

impl Limits {
    /// The largest depth and no other limit; two turns of captures.
    pub const NONE: Self = Self { depth: MAX_DEPTH, captures: 2, nodes: None, time: None };

    /// Returns whether there is no limit that a search would reach within the time of a game.
    pub const fn are_none(&self) -> bool {
        self.depth == MAX_DEPTH && self.nodes.is_none() && self.time.is_none()
    }

    /// Returns limits of this number of turns.
    pub const fn depth(depth: u32) -> Self {
        Self { depth, ..Self::NONE }
    }

    /// Returns these limits, each replaced where the turn has a limit of the same kind.
    pub(crate) fn within(self, limits: &TurnLimits) -> Self {
        let own = if limits.lifted { self.lifted() } else { self.part(limits.parts()) };
        Self {
            depth: limits.depth.unwrap_or(own.depth).clamp(1, MAX_DEPTH),
            nodes: limits.nodes.or(own.nodes),
            time: limits.time.or(own.time),
            ..own
        }
    }

    /// Returns these limits without those that end a search.
    pub(crate) const fn lifted(self) -> Self {
        Self { captures: self.captures, ..Self::NONE }
    }

    /// Returns these limits with the nodes and the time divided by this number; the depth stays.
    pub(super) fn part(self, parts: u32) -> Self {
        let nodes = self.nodes.map(|nodes| nodes.div_ceil(parts.into()));
        Self { nodes, time: self.time.map(|time| time / parts), ..self }
    }

    /// Returns these limits, with one replaced.
    pub(super) fn with(self, name: &str, value: &str) -> Result<Self, SettingError> {
        Ok(match name {
            "depth" => Self { depth: number("depth", value, 1..=MAX_DEPTH)?, ..self },
            "captures" => Self { captures: number("captures", value, 0..=MAX_CAPTURES)?, ..self },
            "nodes" => Self { nodes: Some(number("nodes", value, 1..=u64::MAX)?), ..self },
            "time" => Self { time: Some(time_above_zero("time", value)?), ..self },
            _ => return Err(SettingError::unknown(name, SETTINGS)),
        })
    }
}

/// Writes the settings in the form that is parsed.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut settings = Vec::new();
        if self.depth != MAX_DEPTH || *self == Self::NONE {
            settings.push(format!("depth={}", self.depth));
        }
        if self.captures != Self::NONE.captures {
            settings.push(format!("captures={}", self.captures));
        }
        settings.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        settings.extend(self.time.map(|time| format!("time={}", TimeText(time))));
        f.write_str(&settings.join(","))
    }
}
