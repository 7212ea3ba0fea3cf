//! The time of each contestant of a match.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gipf_env::text::truncate_escaped;
use serde::{Deserialize, Serialize};

use super::clock::Clock;
use crate::players::{TimeText, parse_time};

/// The time of each contestant for a game with its replays, and the increment at the end of every turn.
///
/// ```
/// use gipf_play::arena::TimeControl;
///
/// let control: TimeControl = "1.5s+10ms".parse()?;
/// assert_eq!((control.to_string().as_str(), control.tag().as_str()), ("1500ms+10ms", "1.5+0.01"));
/// assert!("60".parse::<TimeControl>().is_err());
/// # Ok::<(), gipf_play::arena::TimeControlError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// The time at the start.
    pub time: Duration,
    /// The time added at the end of every turn.
    pub increment: Duration,
}

/// Why a text is not the time of a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: expected a time of at least 1ms and perhaps an increment, such as 60s, 5m+3s or 500ms+10ms")]
pub struct TimeControlError(String);

impl TimeControl {
    /// Returns the clock of a contestant at the start.
    pub const fn clock(&self) -> Clock {
        Clock::new(self.time).with_increment(self.increment)
    }

    /// Returns the text for the tag `TimeControl` of PGN, in seconds: `60+1`, or `60` without an increment.
    pub fn tag(&self) -> String {
        let time = self.time.as_secs_f64();
        if self.increment.is_zero() { time.to_string() } else { format!("{time}+{}", self.increment.as_secs_f64()) }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (time, increment) = text.split_once('+').map_or((text, None), |(time, more)| (time, Some(more)));
        let time = parse_time(time).filter(|time| *time >= Duration::from_millis(1));
        let increment = increment.map_or(Some(Duration::ZERO), parse_time);
        let read = time.zip(increment).map(|(time, increment)| Self { time, increment });
        read.ok_or_else(|| TimeControlError(truncate_escaped(text, 80)))
    }
}

/// Writes the times in the form that is parsed.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TimeText(self.time).fmt(f)?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", TimeText(self.increment)) }
    }
}

impl TryFrom<String> for TimeControl {
    type Error = TimeControlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> Self {
        control.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for (text, tag) in [("60s+1s", "60+1"), ("2s+10ms", "2+0.01"), ("500ms", "0.5"), ("86400s", "86400")] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!((control.to_string(), control.tag()), (text.to_owned(), tag.to_owned()));
            assert_eq!((control.clock().left(), control.clock().increment()), (control.time, control.increment));
            let json = serde_json::to_string(&control).unwrap();
            assert_eq!((json.as_str(), serde_json::from_str(&json).ok()), (&*format!("\"{text}\""), Some(control)));
        }
        assert_eq!("60s+0s".parse::<TimeControl>().unwrap().to_string(), "60s");
        assert_eq!("5m+3s".parse::<TimeControl>().unwrap().tag(), "300+3");
    }

    #[test]
    fn what_is_no_clock_is_refused() {
        for text in ["", "60", "60s+", "+1s", "60s+1", "60s+1s+1s", "0s", "0.5ms+1s", "-1s", "60s + 1s", "1e9s", "nans"]
        {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}`: expected a time")), "{error}");
        }
    }
}
