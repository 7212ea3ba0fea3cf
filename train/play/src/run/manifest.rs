//! The manifest of a run: the list of its complete parts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{MANIFEST, RunError, read_text};

/// The most bytes of a manifest.
const LARGEST: u64 = 64 << 20;

/// The complete parts of a run. Everything that it does not name is left over from an interrupted iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this file.
    pub version: u32,
    /// The number of complete iterations.
    pub iterations: u32,
    /// The games of the complete iterations; none in runs of earlier versions, in which all iterations had equally
    /// many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Training steps done.
    pub steps: u64,
    /// Samples made.
    pub samples: u64,
    /// The sample files of the window, oldest first.
    pub window: Vec<SampleFile>,
    /// The iteration of the best checkpoint, if the run selects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<u32>,
    /// Whether the run has a student.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub student: bool,
    /// The iterations that were complete when the run began from the state of another, in runs whose games are played by an
    /// older network than the newest: no network from before that iteration plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u32>,
    /// The checksum of the settings' file; none in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The lines of metrics that belong to the complete iterations; none in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<LogSeal>,
    /// The checksum of the run's initial inputs, so that the same command resumes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The checksums of the files of the opponents that have played, by the opponents' names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub opponents: BTreeMap<String, String>,
}

/// A file of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleFile {
    /// The iteration that made them, from 1.
    pub iteration: u32,
    /// The checksum of the file.
    pub blake3: String,
}

/// The beginning of a file that grows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSeal {
    /// Its length.
    pub bytes: u64,
    /// Its checksum.
    pub blake3: String,
}

/// The version of the manifest that this program writes, and the only one that it reads.
pub const MANIFEST_VERSION: u32 = 3;
/// The most iterations of a run: this many lines of metrics, of some 2 000 bytes each, are not longer than what is
/// read.
pub const MOST_ITERATIONS: u32 = 100_000;

/// The file: its content, after its checksum.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<T> {
    blake3: String,
    manifest: T,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: MANIFEST_VERSION,
            iterations: 0,
            games: None,
            steps: 0,
            samples: 0,
            window: Vec::new(),
            best: None,
            student: false,
            base: None,
            config: None,
            metrics: None,
            origin: None,
            opponents: BTreeMap::new(),
        }
    }
}

impl Manifest {
    /// Reads the manifest of a run; none if it has none yet.
    ///
    /// # Errors
    /// If it cannot be read, was altered, or is of another version.
    pub fn read(run: &Path) -> Result<Option<Self>, RunError> {
        let path = run.join(MANIFEST);
        if path.metadata().is_err() {
            return Ok(None);
        }
        let text = read_text(&path, LARGEST)?;
        let manifest = Self::parse(&text).map_err(|why| RunError::Damaged(path.clone(), why))?;
        if manifest.version != MANIFEST_VERSION {
            return Err(RunError::Foreign(path, "the run was made by another version of this program"));
        }
        if manifest.iterations > MOST_ITERATIONS {
            let told = format!("{} iterations: expected at most {MOST_ITERATIONS}", manifest.iterations);
            return Err(RunError::Damaged(path, told));
        }
        Ok(Some(manifest))
    }

    /// Returns the content of the file.
    pub fn to_text(&self) -> String {
        let manifest = serde_json::to_value(self).expect("a manifest is plain values");
        let sealed = Sealed { blake3: checksum(&manifest), manifest };
        serde_json::to_string_pretty(&sealed).expect("a manifest is plain values")
    }

    fn parse(text: &str) -> Result<Self, String> {
        // Earlier versions wrote no checksum.
        if let Ok(manifest) = serde_json::from_str(text) {
            return Ok(manifest);
        }
        let sealed: Sealed<serde_json::Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if checksum(&sealed.manifest) != sealed.blake3 {
            return Err("its checksum differs".to_owned());
        }
        serde_json::from_value(sealed.manifest).map_err(|error| error.to_string())
    }
}

impl LogSeal {
    /// Seals a text.
    pub fn of(text: &str) -> Self {
        Self { bytes: text.len() as u64, blake3: blake3::hash(text.as_bytes()).to_string() }
    }

    /// Returns the beginning of a text that was sealed, if it is unchanged.
    pub fn prefix<'a>(&self, text: &'a str) -> Option<&'a str> {
        let prefix = text.get(..usize::try_from(self.bytes).ok()?)?;
        (Self::of(prefix) == *self).then_some(prefix)
    }
}

fn checksum(manifest: &serde_json::Value) -> String {
    blake3::hash(manifest.to_string().as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_can_change_unnoticed() {
        let window = vec![SampleFile { iteration: 7, blake3: "1f".to_owned() }];
        let manifest =
            Manifest { iterations: 7, steps: 50, samples: 900, window, best: Some(3), ..Manifest::default() };
        let text = manifest.to_text();
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
        for (place, byte) in text.bytes().enumerate() {
            for other in [byte ^ 1, byte ^ 2, b'0', b'9'].into_iter().filter(|other| *other != byte) {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = other;
                let read = String::from_utf8(bytes).ok().and_then(|text| Manifest::parse(&text).ok());
                assert!(read.is_none_or(|read| read == manifest), "byte {place}");
            }
        }
    }

    #[test]
    fn manifests_of_earlier_programs_are_read() {
        let text = r#"{"version": 3, "iterations": 2, "steps": 5, "samples": 9, "window": []}"#;
        assert_eq!(
            Manifest::parse(text).unwrap(),
            Manifest { iterations: 2, steps: 5, samples: 9, ..Manifest::default() }
        );
    }
}
