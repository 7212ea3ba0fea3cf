//! The files of datasets, and their entries in manifests.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use gipf_models::folder_of;

use super::DatasetError;
use super::manifest::{Entry, MANIFEST, Manifest, parquet_files};
use super::rearrange::PARTS;

/// A file of a dataset, with its entry in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    path: PathBuf,
    /// Its entry in the manifest; none if it has no manifest.
    entry: Option<Entry>,
    /// The checksum of the manifest that names it.
    manifest: Option<String>,
}

/// Which datasets are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// Only datasets that are complete according to their manifests.
    Complete,
    /// All: also datasets without a manifest, and the finished files of incomplete ones.
    Partial,
}

/// Returns the files of the complete dataset in a directory, in order; for a split, those of both parts.
///
/// # Errors
/// As for [`files_of`].
pub fn parts(folder: &Path) -> Result<Vec<DataFile>, DatasetError> {
    of_folder(folder, Accepted::Complete)
}

/// Returns the files that these paths name: for a directory those of its dataset, or of both parts of a split;
/// otherwise the file itself.
///
/// # Errors
/// If a path cannot be read, a directory has no dataset, a dataset is not of the accepted kind, or somebody has put a
/// file beside those of a dataset.
pub fn files_of(paths: &[PathBuf], accepted: Accepted) -> Result<Vec<DataFile>, DatasetError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_file() {
            files.push(single(path, accepted)?);
        } else {
            files.extend(of_folder(path, accepted)?);
        }
    }
    Ok(files)
}

/// Checks that no file occurs twice.
///
/// # Errors
/// If one does.
pub fn check_each_once(files: &[DataFile]) -> Result<(), DatasetError> {
    let mut known = HashSet::new();
    let mut is_new = |file: &DataFile| known.insert(fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone()));
    match files.iter().find(|file| !is_new(file)) {
        Some(file) => Err(DatasetError::Twice(file.path.clone())),
        None => Ok(()),
    }
}

fn single(path: &Path, accepted: Accepted) -> Result<DataFile, DatasetError> {
    let folder = folder_of(path);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(manifest) = Manifest::read(folder)? else { return Ok(DataFile::alone(path)) };
    check_accepted(&manifest, folder, accepted)?;
    match manifest.entries().find(|entry| entry.name == name) {
        Some(entry) => Ok(DataFile { path: path.to_owned(), entry: Some(entry.clone()), manifest: None }),
        None if accepted == Accepted::Partial => Ok(DataFile::alone(path)),
        None => Err(DatasetError::Unnamed(path.to_owned())),
    }
}

fn of_folder(folder: &Path, accepted: Accepted) -> Result<Vec<DataFile>, DatasetError> {
    let parts = PARTS.map(|part| folder.join(part));
    match of_dataset(folder, accepted) {
        Err(DatasetError::Empty(_)) if parts.iter().all(|part| part.join(MANIFEST).is_file()) => {
            of_split(folder, &parts, accepted)
        }
        files => files,
    }
}

/// Returns the files of both parts of a split, one of which may have no games.
fn of_split(folder: &Path, parts: &[PathBuf; 2], accepted: Accepted) -> Result<Vec<DataFile>, DatasetError> {
    let mut files = Vec::new();
    for part in parts {
        match of_dataset(part, accepted) {
            Err(DatasetError::NoGames(_)) => {}
            found => files.extend(found?),
        }
    }
    if files.is_empty() { Err(DatasetError::NoGames(folder.to_owned())) } else { Ok(files) }
}

fn check_accepted(manifest: &Manifest, folder: &Path, accepted: Accepted) -> Result<(), DatasetError> {
    let is_accepted = manifest.complete || accepted == Accepted::Partial;
    if is_accepted { Ok(()) } else { Err(DatasetError::Incomplete(folder.to_owned())) }
}

fn of_dataset(folder: &Path, accepted: Accepted) -> Result<Vec<DataFile>, DatasetError> {
    let Some(manifest) = Manifest::read(folder)? else {
        let found = parquet_files(folder)?;
        return match accepted {
            _ if found.is_empty() => Err(DatasetError::Empty(folder.to_owned())),
            Accepted::Complete => Err(DatasetError::NoManifest(folder.to_owned())),
            Accepted::Partial => Ok(found.iter().map(|path| DataFile::alone(path)).collect()),
        };
    };
    check_accepted(&manifest, folder, accepted)?;
    let checksum = manifest.checksum();
    let named = |entry| DataFile { manifest: Some(checksum.clone()), ..DataFile::named(folder, entry) };
    let files: Vec<_> = manifest.entries().map(named).collect();
    match manifest.foreign(folder)? {
        // A partial dataset may have grown since its manifest was read.
        Some(path) if manifest.complete => Err(DatasetError::Unnamed(path)),
        _ if files.is_empty() => Err(DatasetError::NoGames(folder.to_owned())),
        _ => Ok(files),
    }
}

impl DataFile {
    /// Returns a file without a manifest.
    pub fn alone(path: &Path) -> Self {
        Self { path: path.to_owned(), entry: None, manifest: None }
    }

    pub(super) fn named(folder: &Path, entry: &Entry) -> Self {
        Self { path: folder.join(&entry.name), entry: Some(entry.clone()), manifest: None }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns whether a path is that of the file, or of something that its dataset keeps beside it: manifest,
    /// description, texts.
    pub(super) fn shares(&self, path: &Path) -> bool {
        let whole = |path: &Path| Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?));
        let (Some(own), Some(path)) = (whole(&self.path), whole(path)) else { return false };
        let beside = path.strip_prefix(folder_of(&own)).ok().and_then(|inner| inner.iter().next());
        own == path || (self.entry.is_some() && beside.is_some_and(|name| name.as_encoded_bytes().starts_with(b"_")))
    }

    /// Returns the number of its rows, if its manifest states it.
    pub fn rows(&self) -> Option<u64> {
        self.entry.as_ref().map(|entry| entry.rows)
    }

    /// Returns its checksum.
    ///
    /// # Errors
    /// If it has to be read and cannot be read.
    pub(super) fn checksum(&self) -> Result<String, DatasetError> {
        let entry = self.entry.as_ref().map(|entry| entry.blake3.clone());
        entry.map_or_else(|| checksum(&mut open(&self.path)?, &self.path), Ok)
    }

    /// Returns the checksum of its source: the dataset, or the file itself if it is alone.
    ///
    /// # Errors
    /// As for [`Self::checksum`].
    pub(super) fn parent(&self) -> Result<String, DatasetError> {
        self.manifest.clone().map_or_else(|| self.checksum(), Ok)
    }

    /// Opens the file, and checks all of its bytes if its manifest has their checksum.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub(super) fn open(&self) -> Result<File, DatasetError> {
        let mut file = open(&self.path)?;
        if let Some(entry) = &self.entry {
            check(&mut file, &self.path, &entry.blake3)?;
            file.rewind().map_err(DatasetError::io(&self.path, "read"))?;
        }
        Ok(file)
    }

    /// Checks the file with the text of the same games.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub(super) fn check_text(&self) -> Result<(), DatasetError> {
        let Some(entry) = &self.entry else { return Ok(()) };
        let path = self.path.with_file_name(&entry.text.name);
        check(&mut open(&path)?, &path, &entry.text.blake3)
    }
}

fn open(path: &Path) -> Result<File, DatasetError> {
    File::open(path).map_err(DatasetError::io(path, "open"))
}

fn check(file: &mut File, path: &Path, expected: &str) -> Result<(), DatasetError> {
    if checksum(file, path)? == expected { Ok(()) } else { Err(DatasetError::Damaged(path.to_owned())) }
}

fn checksum(file: &mut impl Read, path: &Path) -> Result<String, DatasetError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(DatasetError::io(path, "read"))?;
    Ok(hasher.finalize().to_string())
}
