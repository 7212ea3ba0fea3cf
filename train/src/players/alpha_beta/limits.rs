//! How long the search may go on.

use std::fmt;
use std::time::Duration;

use crate::players::Allowance;
use crate::players::time_text::{TimeText, parse_time};

/// What stops a search: whichever limit is reached first. A search of one turn is always finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of turns to look ahead, the one being played included; 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// The number of turns after that in which captures are still looked at; 0 to [`MAX_CAPTURES`].
    pub captures: u32,
    /// The number of positions to look at for one decision, if limited.
    pub nodes: Option<u64>,
    /// The time for one decision, if limited.
    pub time: Option<Duration>,
}

/// The largest depth, in turns.
pub const MAX_DEPTH: u32 = 64;

/// The largest number of turns of captures only.
pub const MAX_CAPTURES: u32 = 8;

impl Limits {
    /// No limit but the largest depth; two turns of captures.
    pub const NONE: Self = Self { depth: MAX_DEPTH, captures: 2, nodes: None, time: None };

    /// Looks ahead this number of turns.
    pub const fn depth(depth: u32) -> Self {
        Self { depth, ..Self::NONE }
    }

    /// Returns these limits, each replaced by the one that the allowance has of its kind.
    pub(crate) fn within(self, allowance: &Allowance) -> Self {
        let own = if allowance.lifted { Self { captures: self.captures, ..Self::NONE } } else { self };
        Self {
            depth: allowance.depth.unwrap_or(own.depth).clamp(1, MAX_DEPTH),
            nodes: allowance.nodes.or(own.nodes),
            time: allowance.time.or(own.time),
            ..own
        }
    }

    /// Reads settings such as `depth=4`, `nodes=10000` or `time=50ms`, separated by commas; at least one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut limits = Self::NONE;
        for setting in text.split(',') {
            match setting.split_once('=')? {
                ("depth", value) => {
                    limits.depth = value.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth))?;
                }
                ("captures", value) => {
                    limits.captures = value.parse().ok().filter(|captures| *captures <= MAX_CAPTURES)?;
                }
                ("nodes", value) => limits.nodes = Some(value.parse().ok()?),
                ("time", value) => limits.time = Some(parse_time(value)?),
                _ => return None,
            }
        }
        Some(limits)
    }
}

/// Writes the settings as they are read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        for text in
            ["depth=4", "nodes=10000", "time=50ms", "time=2s", "time=0.5ms", "depth=8,captures=0,nodes=5,time=1500ms"]
        {
            assert_eq!(Limits::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Limits::parse("time=1.5s").unwrap().time, Some(Duration::from_millis(1500)));
        assert_eq!(Limits::parse(&Limits::NONE.to_string()), Some(Limits::NONE));
    }

    #[test]
    fn foreign_settings_are_refused() {
        let depths = ["", "4", "depth", "depth=0", "depth=65", "depth=-1", "depth=3,"];
        let others = ["captures=9", "nodes=x", "time=50", "time=-1s", "time=nans", "width=3"];
        for text in depths.into_iter().chain(others) {
            assert_eq!(Limits::parse(text), None, "{text}");
        }
    }
}
