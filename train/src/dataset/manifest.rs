//! The manifest of a dataset: its files, and whether it is complete.
//!
//! It is written as a whole after each step, and always last: the files that it names are on the disk. Any other file
//! with a name of the dataset was left by a killed program.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gipf_models::{read_regular, write_whole};
use serde::{Deserialize, Serialize};

use super::{DatasetError, Plan};

/// The name of the manifest. Libraries that open folders of Parquet files ignore names that begin with `_`.
pub(super) const MANIFEST: &str = "_manifest.json";
/// The folder of the same games as text.
pub(super) const TEXT: &str = "_text";
/// The largest size of a manifest: each file of some hundred games takes 400 bytes.
const LARGEST: u64 = 256 << 20;
/// The version of the manifest that this program writes, and the only one that it reads.
const VERSION: u32 = 1;

/// The part of a dataset on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The version of this file.
    pub version: u32,
    /// Whether the dataset is complete.
    pub complete: bool,
    /// The command that writes the dataset.
    pub command: String,
    /// The checksum of everything that determines its content.
    pub settings: String,
    /// The program that began the dataset, which is a part of that checksum. Only an unfinished dataset needs it here,
    /// and older manifests do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The number of games asked for, if one was given.
    pub games: Option<u64>,
    /// The checksums of the sources of the games: manifests, datasets without a manifest, networks.
    pub parents: Vec<String>,
    /// The full files, in order, and the last one.
    pub files: Vec<Entry>,
    /// A file that was closed early, with all games that had ended; it is rewritten when the dataset is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Entry>,
}

/// A file and the text of the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub name: String,
    pub games: u64,
    pub rows: u64,
    pub bytes: u64,
    pub blake3: String,
    pub text: TextEntry,
}

/// The text of the games of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextEntry {
    pub name: String,
    pub bytes: u64,
    pub blake3: String,
}

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Manifest {
    /// Returns the manifest of a dataset that is still empty.
    pub fn of(plan: &Plan) -> Self {
        Self {
            version: VERSION,
            complete: false,
            command: plan.command.to_owned(),
            settings: plan.settings(),
            program: Some(plan.provenance.program.clone()),
            games: plan.games,
            parents: plan.parents.clone(),
            files: Vec::new(),
            open: None,
        }
    }

    /// Returns the manifest of the same dataset, to be gone on with by its plan.
    pub fn again(self, plan: &Plan) -> Self {
        Self { complete: false, program: Some(plan.provenance.program.clone()), ..self }
    }

    /// Reads the manifest of a folder, if it has one.
    ///
    /// # Errors
    /// If it cannot be read, or is not one of this version.
    pub fn read(folder: &Path) -> Result<Option<Self>, DatasetError> {
        let path = folder.join(MANIFEST);
        let text = match read_regular(&path, LARGEST) {
            Err(error) if is_missing(&error) => return Ok(None),
            read => read.map_err(DatasetError::io(&path, "read"))?,
        };
        let wrong = |what: String| DatasetError::Manifest { path: path.clone(), what };
        let Versioned { version } = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if version != VERSION {
            return Err(wrong(format!("version {version}, expected {VERSION}")));
        }
        let manifest: Self = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if let Some(entry) = manifest.entries().find(|entry| !entry.is_well_named()) {
            return Err(wrong(format!("{:?} is not the name of one of its files", entry.name)));
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// If writing fails; the previous manifest then stays.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(MANIFEST);
        write_whole(&path, self.text().as_bytes()).map_err(DatasetError::io(&path, "write"))
    }

    /// Returns the checksum of the manifest.
    pub fn checksum(&self) -> String {
        blake3::hash(self.text().as_bytes()).to_string()
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest is plain values") + "\n"
    }

    /// Returns all files that it names.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.files.iter().chain(&self.open)
    }

    /// Returns whether the dataset is complete, and was written by this plan.
    pub fn completes(&self, plan: &Plan) -> bool {
        self.complete && self.settings == plan.settings()
    }

    /// Returns whether it names a file, given without its extension; the text of its games has the same name.
    pub fn names(&self, stem: &str) -> bool {
        self.entries().any(|entry| entry.stem() == stem)
    }

    /// Returns whether a killed program may have left a file, given without its extension: the next file, or one
    /// closed early in the place of the next or the last one.
    pub fn can_have_left(&self, name: &str) -> bool {
        let next = self.files.len();
        let is_open = |number| name.strip_prefix(&open_prefix(number)).is_some_and(is_number);
        !self.complete && (name == stem(next) || is_open(next) || is_open(next.saturating_sub(1)))
    }

    /// Returns a Parquet file in the folder that somebody else has put there.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn foreign(&self, folder: &Path) -> Result<Option<PathBuf>, DatasetError> {
        let named: HashSet<_> = self.entries().map(Entry::stem).collect();
        let is_own = |file: &PathBuf| {
            let stem = file.file_stem().and_then(|stem| stem.to_str());
            stem.is_some_and(|stem| named.contains(stem) || self.can_have_left(stem))
        };
        Ok(parquet_files(folder)?.into_iter().find(|file| !is_own(file)))
    }
}

impl Entry {
    /// Returns the name without its extension.
    fn stem(&self) -> &str {
        self.name.trim_end_matches(".parquet")
    }

    /// Checked because a manifest is read from the disk, and files that it names are removed.
    fn is_well_named(&self) -> bool {
        let stem = self.stem();
        is_stem(stem) && self.name == file_name(stem) && self.text.name == text_name(stem)
    }
}

/// Returns the name of a file of games.
pub(super) fn file_name(stem: &str) -> String {
    format!("{stem}.parquet")
}

/// Returns the name of the same games as text.
pub(super) fn text_name(stem: &str) -> String {
    format!("{TEXT}/{stem}.txt")
}

/// Returns the name of the file of this number, without extension.
pub(super) fn stem(number: usize) -> String {
    format!("games-{number:05}")
}

/// Returns the name of a file that was closed early, with its mark: successive files never share one, so that the next
/// can be written before this one is removed.
pub(super) fn open_stem(number: usize, mark: u64) -> String {
    format!("{}{mark}", open_prefix(number))
}

fn open_prefix(number: usize) -> String {
    format!("{}-open-", stem(number))
}

/// Returns whether a name without extension is one that files of datasets have.
pub(super) fn is_stem(name: &str) -> bool {
    name.strip_prefix("games-").is_some_and(|rest| match rest.split_once("-open-") {
        Some((number, games)) => is_number(number) && is_number(games),
        None => is_number(rest),
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the Parquet files in a folder, hidden ones left out, in order of their names.
///
/// # Errors
/// If the folder cannot be read.
pub(super) fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let unreadable = || DatasetError::io(folder, "read the directory");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable())? {
        let path = entry.map_err(unreadable())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".parquet") && !name.starts_with(['_', '.']) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns whether a path cannot be read because nothing is there; its folder may be missing too.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_named() {
        for name in ["games-00000", "games-123456", "games-00003-open-817"] {
            assert!(is_stem(name), "{name}");
        }
        for name in ["games-", "games-1x", "../games-00000", "games-00000-open-", "games-/00000", "game-00000", ""] {
            assert!(!is_stem(name), "{name}");
        }
    }

    #[test]
    fn a_manifest_that_names_foreign_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |name: &str, text: &str| {
            serde_json::json!({ "name": name, "games": 1, "rows": 1, "bytes": 1, "blake3": "", "text":
                { "name": text, "bytes": 1, "blake3": "" } })
        };
        let read = |version: u32, entry: serde_json::Value| {
            let manifest = serde_json::json!({ "version": version, "complete": true, "command": "", "settings": "",
                "games": null, "parents": [], "files": [entry] });
            fs::write(folder.path().join(MANIFEST), manifest.to_string()).unwrap();
            Manifest::read(folder.path())
        };
        assert!(read(1, entry("games-00000.parquet", "_text/games-00000.txt")).unwrap().is_some());
        let told = |read: Result<Option<Manifest>, DatasetError>| read.unwrap_err().to_string();
        assert!(told(read(1, entry("../games-00000.parquet", "_text/games-00000.txt"))).contains("../games"));
        assert!(told(read(1, entry("games-00000.parquet", "../secret"))).contains("games-00000"));
        assert!(told(read(2, entry("games-00000.parquet", "_text/games-00000.txt"))).contains("version 2, expected 1"));
        assert!(matches!(read(1, serde_json::json!(7)), Err(DatasetError::Manifest { .. })));
    }
}
