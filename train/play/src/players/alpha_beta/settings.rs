//! The settings of the baseline AI: its limits, its evaluation, and its pruning.

use std::fmt;

use super::depth::Depth;
use super::evaluation::EvaluationKind;
use super::limits::{Limits, SETTINGS};
use super::selectivity::Selectivity;
use crate::players::setting::{SettingError, number};

/// The values of `eval`.
const EVALUATIONS: &str = "patterns, distilled, terms, or the path of a file that gipf tune wrote";
/// The same for a user who gives an old name.
const RINGS: &str = "patterns, distilled, terms, or the path of a file that gipf tune wrote; rings was removed";

/// All settings of the baseline AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The limits of the search.
    pub limits: Limits,
    /// The evaluation.
    pub evaluation: EvaluationKind,
    /// The pruning.
    pub selectivity: Selectivity,
    /// The threads that it searches on, 1 to [`MAX_THREADS`]; with more than one, what it plays depends on their timing.
    pub threads: usize,
    /// The size of its transposition table, in megabytes, 1 to [`MAX_HASH`]; by default what its limits can fill.
    pub hash: Option<usize>,
}

/// The most threads of a search.
pub const MAX_THREADS: usize = 256;
/// The largest transposition table, in megabytes.
pub const MAX_HASH: usize = 1 << 16;

/// Takes the evaluation and the selectivity that play best.
impl From<Limits> for Settings {
    fn from(limits: Limits) -> Self {
        Self { limits, evaluation: EvaluationKind::default(), selectivity: Selectivity::PLAY, threads: 1, hash: None }
    }
}

impl Settings {
    /// Reads limits such as `depth=4` or `nodes=10000,time=50ms`, optionally after a depth whose limits they change,
    /// and `eval=` with the name of an evaluation among them; at least one setting.
    pub(crate) fn parse(text: &str) -> Result<Self, SettingError> {
        let mut settings = Self::from(Limits::NONE);
        for (place, setting) in text.split(',').enumerate() {
            match setting.split_once('=') {
                Some(("eval", name)) => settings.evaluation = evaluation(name)?,
                Some(("threads", value)) => settings.threads = number("threads", value, 1..=MAX_THREADS)?,
                Some(("hash", value)) => settings.hash = Some(number("hash", value, 1..=MAX_HASH)?),
                Some((name, value)) => settings.limits = settings.limits.with(name, value)?,
                None if place == 0 => settings.limits = setting.parse::<Depth>()?.limits(),
                None => return Err(SettingError::unknown(setting, SETTINGS)),
            }
        }
        Ok(settings)
    }
}

fn evaluation(name: &str) -> Result<EvaluationKind, SettingError> {
    let unknown = || SettingError::value("eval", name, if name == "rings" { RINGS } else { EVALUATIONS });
    EvaluationKind::named(name).ok_or_else(unknown)
}

/// Writes the settings in the form that is parsed; the selectivity is not written.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.limits.fmt(f)?;
        if self.evaluation != EvaluationKind::default() {
            write!(f, ",eval={}", self.evaluation)?;
        }
        if self.threads != 1 {
            write!(f, ",threads={}", self.threads)?;
        }
        self.hash.map_or(Ok(()), |megabytes| write!(f, ",hash={megabytes}"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        let texts = ["depth=4", "nodes=10000", "time=50ms", "time=2s", "time=0.5ms", "depth=3,eval=terms"];
        for text in texts
            .into_iter()
            .chain(["depth=8,captures=0,nodes=5,time=1500ms", "nodes=10,time=50ms,eval=terms,threads=2,hash=64"])
        {
            let read = Settings::parse(text).unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(Settings::parse(&read.to_string()), Ok(read), "{text}");
        }
        assert_eq!(Settings::parse("time=1.5s").unwrap().limits.time, Some(Duration::from_millis(1500)));
        assert_eq!(Settings::parse("eval=terms,depth=3").unwrap().to_string(), "depth=3,eval=terms");
        assert_eq!(Settings::parse("1").unwrap().to_string(), "depth=1,captures=0");
        assert_eq!(Settings::parse("4,nodes=9,eval=terms").unwrap().to_string(), "depth=4,nodes=9,eval=terms");
        assert_eq!(Settings::parse(&Limits::NONE.to_string()), Ok(Limits::NONE.into()));
    }

    #[test]
    fn what_is_wrong_with_a_setting_is_named() {
        let values = [
            ("depth=0", "depth `0`: expected a number from 1 to 64"),
            ("depth=65", "depth `65`: expected a number from 1 to 64"),
            ("depth=-1,nodes=3", "depth `-1`: expected a number from 1 to 64"),
            ("captures=9", "captures `9`: expected a number from 0 to 8"),
            ("nodes=0", "nodes `0`: expected a number from 1 to 18446744073709551615"),
            ("time=0s", "time `0s`: expected a time above 0, such as 50ms or 1.5s"),
            ("time=50", "time `50`: expected a time up to a day, such as 50ms or 1.5s"),
            ("time=-1s", "time `-1s`: expected a time up to a day, such as 50ms or 1.5s"),
            (
                "depth=3,eval=best",
                "eval `best`: expected patterns, distilled, terms, or the path of a file that gipf tune wrote",
            ),
            (
                "depth=3,eval=rings",
                "eval `rings`: expected patterns, distilled, terms, or the path of a file that gipf tune wrote; rings was removed",
            ),
            ("time=1s,threads=0", "threads `0`: expected a number from 1 to 256"),
            ("time=1s,hash=0", "hash `0`: expected a number from 1 to 65536"),
            ("9", "depth `9`: expected a number from 1 to 8"),
            ("", "depth ``: expected a number from 1 to 8"),
        ];
        for (text, told) in values {
            assert_eq!(Settings::parse(text).unwrap_err().to_string(), told, "{text}");
        }
        for text in ["width=3", "depth=3,", "depth=3,4", "depth=3,eval"] {
            let told = Settings::parse(text).unwrap_err().to_string();
            assert!(
                told.starts_with("unknown setting `") && told.ends_with("eval=, threads= or hash="),
                "{text}: {told}"
            );
        }
    }
}
