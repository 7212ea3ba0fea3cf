//! Times as written in the names of agents.

use std::fmt;
use std::time::Duration;

use super::setting::SettingError;

/// Reads a time such as `50ms`, `1.5s` or `5m`, up to a day.
pub fn parse_time(text: &str) -> Option<Duration> {
    const DAY: f64 = 86_400.0;
    // `ms` before `s`, which it ends in.
    let mut units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0)].into_iter();
    let (number, unit) = units.find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let seconds = unit * number.parse::<f64>().ok()?;
    (0.0..=DAY).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// Reads a setting that is a time to think.
pub(super) fn time_above_zero(name: &'static str, value: &str) -> Result<Duration, SettingError> {
    let wrong = |expected| SettingError::value(name, value, expected);
    match parse_time(value) {
        Some(Duration::ZERO) => Err(wrong("a time above 0, such as 50ms or 1.5s")),
        Some(time) => Ok(time),
        None => Err(wrong("a time up to a day, such as 50ms or 1.5s")),
    }
}

/// A time, written in the form that is parsed.
pub struct TimeText(pub Duration);

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.subsec_nanos() == 0 && !self.0.is_zero() {
            write!(f, "{}s", self.0.as_secs())
        } else {
            write!(f, "{}ms", self.0.as_nanos() as f64 / 1e6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["50ms", "0.5ms", "2s", "0ms", "1500ms"] {
            assert_eq!(TimeText(parse_time(text).unwrap()).to_string(), text);
        }
        assert_eq!(parse_time("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(parse_time("5m"), Some(Duration::from_mins(5)));
        for text in ["", "50", "ms", "m", "-1s", "nans", "infs", "100000s", "1441m", "1 s"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
