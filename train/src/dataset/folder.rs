//! The folder of a dataset while it is written.
//!
//! Each step writes files under unused names, then the manifest that names them, then removes the files that it no
//! longer names. If killed between any two of these, a dataset resumes from its manifest, and leftovers are removed.
//!
//! Before each change the folder must still be the one that was taken: whoever moves or deletes it takes the lock along,
//! and another program may have begun, or completed, a dataset in its place.

use std::fs;
use std::path::{Path, PathBuf};

use gipf_models::{FolderLock, LockError, create_folders, sweep, sync_folder, write_whole};

use super::manifest::{
    Entry, Manifest, TEXT, TextEntry, file_name, is_missing, open_stem, parquet_files, stem, text_name,
};
use super::{DataFile, DatasetError, Plan, Row, card, part, sidecar};
use crate::output::Existing;
use crate::training::RunDirectory;

/// The name of the lock file, which lets only one program at a time write to the folder.
const LOCK: &str = "_lock";

/// The folder of a dataset that is being written, and the part of the dataset on the disk.
#[derive(Debug)]
pub(super) struct DatasetFolder {
    taken: TakenFolder,
    manifest: Manifest,
}

impl DatasetFolder {
    /// Checks that a dataset can be begun or resumed.
    ///
    /// # Errors
    /// As for [`Self::open`], except that another program may be using the folder.
    pub fn check(path: &Path, plan: &Plan, existing: Existing) -> Result<(), DatasetError> {
        found(path, plan, existing).map(drop)
    }

    /// Begins a dataset, or resumes a partial one of the same plan.
    ///
    /// # Errors
    /// If the folder holds another dataset that is not to be replaced, is in use, lies in a run, or cannot be written
    /// to.
    pub fn open(path: &Path, plan: &Plan, existing: Existing) -> Result<Self, DatasetError> {
        // A request that is refused leaves no trace.
        if !path.join(LOCK).exists() {
            found(path, plan, existing)?;
        }
        TakenFolder::take(path)?.open(plan, existing)
    }

    pub fn path(&self) -> &Path {
        &self.taken.path
    }

    /// Returns the folder, for what lies beside the files.
    pub const fn taken(&self) -> &TakenFolder {
        &self.taken
    }

    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the file that was closed early, if there is one.
    pub fn open_file(&self) -> Option<DataFile> {
        self.manifest.open.as_ref().map(|entry| DataFile::named(self.path(), entry))
    }

    /// Adds a file with the rows of `games` games.
    ///
    /// # Errors
    /// If writing fails; the earlier files then stay.
    pub fn add(&mut self, rows: &[Row], games: u64, plan: &Plan) -> Result<(), DatasetError> {
        let entry = self.write(&stem(self.manifest.files.len()), rows, games, plan)?;
        self.manifest.files.push(entry);
        self.write_manifest(None)
    }

    /// Keeps the rows of games that do not fill a file, in place of those that were kept before.
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn keep(&mut self, rows: &[Row], games: u64, plan: &Plan) -> Result<(), DatasetError> {
        let number = self.manifest.files.len();
        let name = open_stem(number, games);
        // As many games as before may be other ones, since not all that have ended may fit.
        let is_taken = self.manifest.open.as_ref().is_some_and(|open| open.name == file_name(&name));
        let name = if is_taken { open_stem(number, games + 1) } else { name };
        let entry = if games > 0 { Some(self.write(&name, rows, games, plan)?) } else { None };
        self.write_manifest(entry)
    }

    /// Declares the dataset complete.
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn complete(mut self) -> Result<(), DatasetError> {
        self.taken.check()?;
        // Removed files must not reappear with a complete manifest after a power failure.
        sync_folder(self.path()).map_err(DatasetError::io(self.path(), "write to the directory"))?;
        self.manifest.complete = true;
        self.manifest.program = None;
        self.taken.write_manifest(&self.manifest)
    }

    /// Writes a file and its text, which nothing names yet.
    fn write(&self, stem: &str, rows: &[Row], games: u64, plan: &Plan) -> Result<Entry, DatasetError> {
        let text = sidecar::text(rows);
        let (name, text_name) = (file_name(stem), text_name(stem));
        let path = self.path().join(&name);
        let bytes = part::encode(rows, &plan.provenance).map_err(DatasetError::writing(&path))?;
        self.taken.make_texts()?;
        self.taken.put(&text_name, text.as_bytes())?;
        self.taken.put(&name, &bytes)?;
        let sum = |bytes: &[u8]| blake3::hash(bytes).to_string();
        let text = TextEntry { name: text_name, bytes: text.len() as u64, blake3: sum(text.as_bytes()) };
        Ok(Entry { name, games, rows: rows.len() as u64, bytes: bytes.len() as u64, blake3: sum(&bytes), text })
    }

    /// Writes the manifest with this file as the one closed early, and removes the previous one.
    fn write_manifest(&mut self, open: Option<Entry>) -> Result<(), DatasetError> {
        let before = std::mem::replace(&mut self.manifest.open, open);
        self.taken.write_manifest(&self.manifest)?;
        match before.filter(|before| self.manifest.open.as_ref().is_none_or(|open| open.name != before.name)) {
            None => Ok(()),
            Some(before) => self.taken.remove_files(&before),
        }
    }
}

/// A folder that no other program writes to from here on; its contents are unchanged.
#[derive(Debug)]
pub(super) struct TakenFolder {
    path: PathBuf,
    lock: FolderLock,
}

impl TakenFolder {
    /// Creates the folder if it is missing, and takes it.
    ///
    /// # Errors
    /// If it is in use, or cannot be written to.
    pub fn take(path: &Path) -> Result<Self, DatasetError> {
        create_folders(path).map_err(DatasetError::io(path, "make the directory"))?;
        let lock = FolderLock::take(path, LOCK).map_err(lock_error)?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// Begins a dataset, or resumes a partial one of the same plan.
    ///
    /// # Errors
    /// As for [`DatasetFolder::open`].
    pub fn open(self, plan: &Plan, existing: Existing) -> Result<DatasetFolder, DatasetError> {
        let manifest = match found(&self.path, plan, existing)? {
            Some(manifest) => manifest.again(plan),
            None => self.begin(plan)?,
        };
        self.remove_strays(&manifest)?;
        Ok(DatasetFolder { taken: self, manifest })
    }

    /// Resumes a dataset of the same plan even if it is complete, for one of two datasets that end together.
    ///
    /// # Errors
    /// As for [`DatasetFolder::open`].
    pub fn open_again(self, plan: &Plan) -> Result<DatasetFolder, DatasetError> {
        if let Some(manifest) = Manifest::read(&self.path)?.filter(|found| found.settings == plan.settings()) {
            self.write_manifest(&manifest.again(plan))?;
        }
        self.open(plan, Existing::Refused)
    }

    /// Writes a file of this name, as a whole or not at all.
    ///
    /// # Errors
    /// If writing fails, or the folder is no longer in its place.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), DatasetError> {
        self.check()?;
        let path = self.path.join(name);
        write_whole(&path, bytes).map_err(DatasetError::io(&path, "write"))
    }

    /// Checks that the folder is still in its place.
    fn check(&self) -> Result<(), DatasetError> {
        self.lock.check().map_err(lock_error)
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<(), DatasetError> {
        self.check()?;
        manifest.write(&self.path)
    }

    /// Makes the folder of the games as text.
    fn make_texts(&self) -> Result<(), DatasetError> {
        self.check()?;
        let texts = self.path.join(TEXT);
        create_folders(&texts).map_err(DatasetError::io(&texts, "make the directory"))
    }

    /// Removes an existing dataset, and writes the manifest of an empty one: from here on the names of its files are
    /// this program's.
    fn begin(&self, plan: &Plan) -> Result<Manifest, DatasetError> {
        if let Some(before) = Manifest::read(&self.path)? {
            // A half-removed dataset must not look complete. Its names are known as long as its manifest exists.
            let before = Manifest { complete: false, ..before };
            self.write_manifest(&before)?;
            before.entries().try_for_each(|entry| self.remove_files(entry))?;
            self.remove_strays(&before)?;
        }
        let manifest = Manifest::of(plan);
        self.write_manifest(&manifest)?;
        Ok(manifest)
    }

    /// Removes what a killed program may have left beside the files that its manifest names.
    fn remove_strays(&self, manifest: &Manifest) -> Result<(), DatasetError> {
        let texts = self.path.join(TEXT);
        // The description is written last, so the killed program may have left it.
        self.remove(&self.path.join(card::CARD))?;
        sweep(&texts);
        for (folder, extension) in [(&self.path, "parquet"), (&texts, "txt")] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let file = entry.path();
                let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let is_file = file.extension().is_some_and(|found| found == extension);
                if is_file && manifest.can_have_left(stem) && !manifest.names(stem) {
                    self.remove(&file)?;
                }
            }
        }
        Ok(())
    }

    fn remove_files(&self, entry: &Entry) -> Result<(), DatasetError> {
        [&entry.name, &entry.text.name].into_iter().try_for_each(|name| self.remove(&self.path.join(name)))
    }

    fn remove(&self, path: &Path) -> Result<(), DatasetError> {
        self.check()?;
        match fs::remove_file(path) {
            Err(error) if is_missing(&error) => Ok(()),
            removed => removed.map_err(DatasetError::io(path, "remove")),
        }
    }
}

fn lock_error(error: LockError) -> DatasetError {
    match error {
        LockError::Held(folder) => DatasetError::InUse(folder),
        LockError::Gone(folder) => DatasetError::Gone(folder),
        LockError::Io(path, source) => DatasetError::Io { path, action: "open", source },
    }
}

/// Checks that a dataset can be written to a folder, and returns the manifest of its existing part.
fn found(path: &Path, plan: &Plan, existing: Existing) -> Result<Option<Manifest>, DatasetError> {
    if let Some(run) = RunDirectory::owner_of(path) {
        return Err(DatasetError::InRun { path: path.to_owned(), run });
    }
    let Some(manifest) = Manifest::read(path)? else {
        return foreign(path)?.map_or(Ok(None), |found| Err(DatasetError::Taken(found)));
    };
    if !manifest.complete && manifest.settings == plan.settings() {
        return going_on(path, manifest, existing);
    }
    match existing {
        Existing::Replaced => check_own(path, &manifest).map(|()| None),
        Existing::Refused if manifest.complete => {
            let first = manifest.files.first().map_or(path.to_owned(), |entry| path.join(&entry.name));
            Err(DatasetError::Exists(first))
        }
        Existing::Refused => Err(other(path.to_owned(), manifest, plan)),
    }
}

/// Returns the error for a partial dataset of another plan.
fn other(path: PathBuf, manifest: Manifest, plan: &Plan) -> DatasetError {
    match manifest.program {
        // It makes other games of the same settings, or may.
        Some(program) if program != plan.provenance.program => DatasetError::OtherProgram { path, program },
        _ if manifest.command == plan.command && manifest.parents != plan.parents => DatasetError::OtherParents(path),
        _ => DatasetError::OtherSettings(path),
    }
}

/// Checks that nobody else has put a Parquet file into the folder of a dataset: readers would refuse it once it is complete.
pub(super) fn check_own(path: &Path, manifest: &Manifest) -> Result<(), DatasetError> {
    manifest.foreign(path)?.map_or(Ok(()), |file| Err(DatasetError::Unnamed(file)))
}

/// Resumes an undamaged dataset; a damaged one can only be replaced.
fn going_on(path: &Path, manifest: Manifest, existing: Existing) -> Result<Option<Manifest>, DatasetError> {
    check_own(path, &manifest)?;
    let whole = manifest.entries().try_for_each(|entry| {
        let file = DataFile::named(path, entry);
        file.open().and(file.check_text())
    });
    match whole {
        Err(_) if existing == Existing::Replaced => Ok(None),
        whole => whole.map(|()| Some(manifest)),
    }
}

/// Returns a foreign file that a dataset would replace, or be mixed with.
fn foreign(path: &Path) -> Result<Option<PathBuf>, DatasetError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let others = [card::CARD, TEXT].map(|name| path.join(name)).into_iter().filter(|other| other.exists());
    Ok(parquet_files(path)?.into_iter().chain(others).next())
}
