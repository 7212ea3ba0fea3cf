//! How the baseline AI plays: how far it looks, how it judges positions, and what it leaves out.

use std::fmt;

use super::evaluation::EvaluationKind;
use super::limits::Limits;
use super::selectivity::Selectivity;

/// All settings of the baseline AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What stops the search.
    pub limits: Limits,
    /// Which evaluation it uses.
    pub evaluation: EvaluationKind,
    /// What it leaves out.
    pub selectivity: Selectivity,
}

/// The evaluation and the selectivity that play best.
impl From<Limits> for Settings {
    fn from(limits: Limits) -> Self {
        Self { limits, evaluation: EvaluationKind::default(), selectivity: Selectivity::PLAY }
    }
}

impl Settings {
    /// Reads limits such as `depth=4` or `nodes=10000,time=50ms`, `eval=` with the name of an evaluation among them;
    /// at least one setting.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (evaluations, limits): (Vec<_>, Vec<_>) = text.split(',').partition(|setting| setting.starts_with("eval="));
        let limits = if limits.is_empty() { Limits::NONE } else { Limits::parse(&limits.join(","))? };
        let mut settings = Self::from(limits);
        for evaluation in evaluations {
            settings.evaluation = evaluation.strip_prefix("eval=")?.parse().ok()?;
        }
        Some(settings)
    }
}

/// Writes the settings as they are read; those of the search that leaves nothing out are not.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.limits.fmt(f)?;
        if self.evaluation == EvaluationKind::default() { Ok(()) } else { write!(f, ",eval={}", self.evaluation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        for text in ["depth=4", "depth=3,eval=rings", "nodes=10,time=50ms,eval=terms"] {
            let read = Settings::parse(text).unwrap();
            assert_eq!(Settings::parse(&read.to_string()), Some(read), "{text}");
        }
        assert_eq!(Settings::parse("eval=rings,depth=3").unwrap().to_string(), "depth=3,eval=rings");
        for text in ["", "eval=", "eval=best", "eval", "depth=3,eval=rings,", "depth=0,eval=rings"] {
            assert_eq!(Settings::parse(text), None, "{text}");
        }
    }
}
