//! The baseline AI by name: its settings, and a file of weights.

use std::fmt;
use std::path::{Path, PathBuf};

use gipf_env::Variant;

use super::AlphaBeta;
use super::evaluation::{Evaluation, EvaluationKind, WeightsFileError, read_weights_file, weights_of};
use super::limits::Limits;
use super::settings::Settings;
use crate::players::setting::{SettingError, check_each_once};

/// The name of an agent without settings.
const ALPHA_BETA: &str = "alpha-beta";

/// The baseline AI with limits of its own, and optionally with another evaluation: a named one, or weights of patterns
/// in a file that `gipf tune` wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlphaBetaSpec {
    /// How it plays.
    pub settings: Settings,
    /// The file of the weights of the patterns, if not those of the program.
    pub weights: Option<PathBuf>,
}

impl AlphaBetaSpec {
    /// Reads settings as [`Settings::parse`] does, and `eval=` with a path: one with a separator or an extension, or an
    /// existing one that is not the name of an evaluation.
    pub(crate) fn parse(text: &str) -> Result<Self, SettingError> {
        let is_short_depth = |setting: &str| setting.parse::<u32>().is_ok();
        check_each_once(text.split(',').map(|setting| if is_short_depth(setting) { "depth" } else { setting }))?;
        let (mut settings, mut weights) = (Vec::new(), None);
        for setting in text.split(',') {
            match setting.strip_prefix("eval=").map(Path::new).filter(|path| is_path(path)) {
                Some(path) => weights = Some(path.to_owned()),
                None => settings.push(setting),
            }
        }
        let settings = match settings.as_slice() {
            [] => Limits::NONE.into(),
            named => Settings::parse(&named.join(","))?,
        };
        Ok(Self { settings, weights })
    }

    /// Returns the content of the file of weights, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn file(&self) -> Result<Option<Vec<u8>>, WeightsFileError> {
        self.weights.as_deref().map(read_weights_file).transpose()
    }

    /// Returns the evaluation, ready for a rule set.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or does not fit the rule set.
    pub fn evaluation(&self, variant: Variant) -> Result<Evaluation, WeightsFileError> {
        self.evaluation_of(&self.file()?.unwrap_or_default(), variant)
    }

    /// Returns the evaluation as [`evaluation`](Self::evaluation) does, given the content of its file.
    ///
    /// # Errors
    /// If that is damaged, or does not fit the rule set.
    pub fn evaluation_of(&self, file: &[u8], variant: Variant) -> Result<Evaluation, WeightsFileError> {
        match &self.weights {
            None => Ok(Evaluation::of(self.settings.evaluation, variant)),
            Some(path) => Ok(Evaluation::of_weights(&weights_of(path, file, variant)?, variant)),
        }
    }

    /// Returns the agent, given its evaluation.
    pub fn agent(&self, evaluation: Evaluation) -> AlphaBeta {
        AlphaBeta::of(&self.settings, evaluation)
    }

    /// Returns the agent with other limits.
    pub(crate) fn with_limits(self, limits: Limits) -> Self {
        Self { settings: Settings { limits, ..self.settings }, ..self }
    }

    /// Returns the name of the agent without the limits of its search.
    pub(crate) fn unlimited_name(&self) -> String {
        let text = self.clone().with_limits(self.settings.limits.lifted()).to_string();
        let settings = text.strip_prefix(&Limits::NONE.to_string()).unwrap_or(&text).trim_start_matches(',');
        if settings.is_empty() { ALPHA_BETA.to_owned() } else { format!("{ALPHA_BETA}:{settings}") }
    }
}

impl<T: Into<Settings>> From<T> for AlphaBetaSpec {
    fn from(settings: T) -> Self {
        Self { settings: settings.into(), weights: None }
    }
}

/// Returns whether a text is neither a name of an evaluation nor a misspelt one.
fn is_path(text: &Path) -> bool {
    let is_name = || text.to_str().is_some_and(|name| EvaluationKind::named(name).is_some());
    text.extension().is_some() || text.components().count() > 1 || text.exists() && !is_name()
}

impl fmt::Display for AlphaBetaSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)?;
        self.weights.as_ref().map_or(Ok(()), |path| write!(f, ",eval={}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::players::alpha_beta::{Layout, packed};

    #[test]
    fn files_of_weights_are_told_from_names() {
        for text in
            ["depth=4", "depth=3,eval=terms", "depth=4,eval=a/b", "depth=9,nodes=5,eval=w.bin", "depth=64,eval=./w"]
        {
            let spec = AlphaBetaSpec::parse(text).unwrap();
            assert_eq!(spec.to_string(), text);
            assert_eq!(spec.weights.is_some(), text.contains(['/', '.']), "{text}");
        }
        assert_eq!(AlphaBetaSpec::parse("4,eval=w.bin").unwrap().to_string(), "depth=4,eval=w.bin");
        assert_eq!(AlphaBetaSpec::parse("eval=w.bin").unwrap().to_string(), "depth=64,eval=w.bin");
        let told = |text| AlphaBetaSpec::parse(text).unwrap_err().to_string();
        assert_eq!(
            told("eval=best"),
            "eval `best`: expected patterns, distilled, terms, or the path of a file that gipf tune wrote"
        );
        for (text, name) in [
            ("eval=w.bin,eval=terms", "eval"),
            ("depth=3,time=1s,depth=4", "depth"),
            ("4,hash=1,hash=1", "hash"),
            ("4,depth=6", "depth"),
        ] {
            assert_eq!(told(text), format!("{name} is named twice: expected each setting once"), "{text}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.bin");
        let spec = AlphaBetaSpec::parse(&format!("2,eval={}", path.display())).unwrap();
        let refused = |expected: &str| {
            let told = spec.evaluation(Variant::STANDARD).unwrap_err().to_string();
            assert!(told.contains("weights.bin") && told.contains(expected), "{told}");
        };
        refused("cannot read");
        let weights: Vec<_> = (0..Layout::new().count()).map(|number| (number % 7) as i16).collect();
        let sound = packed(&weights, Variant::STANDARD);
        fs::write(&path, &sound).unwrap();
        assert!(spec.evaluation(Variant::STANDARD).is_ok());
        for (variant, expected) in [("standard+zertz", "not standard+zertz"), ("basic+zertz", "expected")] {
            let told = spec.evaluation(variant.parse().unwrap()).unwrap_err().to_string();
            assert!(told.contains("weights.bin") && told.contains(expected), "{told}");
        }
        for (damaged, expected) in [
            (sound[..sound.len() / 2].to_vec(), "damaged"),
            ([&sound[..], b"more"].concat(), "follow"),
            (packed(&weights[1..], Variant::STANDARD), "expected"),
            (packed(&weights, Variant::TOURNAMENT), "are for tournament: expected standard"),
            (vec![0; 1 << 20], "longer than"),
            (Vec::new(), "damaged"),
        ] {
            fs::write(&path, damaged).unwrap();
            refused(expected);
        }
        for place in (0..sound.len()).step_by(7) {
            let mut damaged = sound.clone();
            damaged[place] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            refused("weights");
        }
    }
}
