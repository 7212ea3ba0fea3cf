//! Files that commands write: opened before any work, and never replacing a file that is still needed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gipf_models::{LockError, WholeFile};

use crate::training::RunDirectory;

/// Why a result could not be written to its file.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// There is a file of this name.
    #[error("{} exists: expected a new name, or --force to replace it", .0.display())]
    Exists(PathBuf),
    /// The path is a folder, or can only be the name of one.
    #[error("{} names a directory: expected the name of a file", .0.display())]
    Folder(PathBuf),
    /// The name is `-`, which elsewhere stands for a stream.
    #[error(
        "- names no file here: expected the name of a file, /dev/stdout for standard output, or ./- for a file of this name"
    )]
    Stream,
    /// There is a file of this name.
    #[error("{} is a file: expected the name of a directory", .0.display())]
    NotFolder(PathBuf),
    /// The file belongs to a run.
    #[error("{path} belongs to the run {run}: expected a file outside of it", path = .0.display(), run = .1.display())]
    InRun(PathBuf, PathBuf),
    /// Another program writes to the folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Another program created a file of this name in the meantime.
    #[error("{path} was made by another program in the meantime; the result is kept as {kept}",
        path = .0.display(), kept = .1.display())]
    Meanwhile(PathBuf, PathBuf),
    /// Writing failed.
    #[error("cannot write {path}: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
}

/// What to do with an existing file of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the output is refused.
    Refused,
    /// The output replaces it once it is complete.
    Replaced,
}

impl Existing {
    /// Returns the choice that an option `--force` stands for, given or not.
    pub const fn by_force(force: bool) -> Self {
        if force { Self::Replaced } else { Self::Refused }
    }
}

/// The result of a command while it is being written: the file gets its name once it is complete. If it is dropped before
/// that, it leaves nothing behind.
///
/// Anything but a regular file, such as a pipe, is written to directly.
///
/// ```
/// use std::io::Write;
/// use gipf_train::{Existing, OutputError, OutputFile};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("book.txt");
/// let mut output = OutputFile::open(&path, Existing::Refused)?;
/// output.write_all(b"openings")?;
/// output.finish()?;
/// assert!(matches!(OutputFile::open(&path, Existing::Refused), Err(OutputError::Exists(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    existing: Existing,
    file: WholeFile,
}

/// Checks that a file or folder, which need not exist yet, belongs to no run.
///
/// # Errors
/// If it does.
pub fn check_outside_runs(path: &Path) -> Result<(), OutputError> {
    RunDirectory::owner_of(path).map_or(Ok(()), |run| Err(OutputError::InRun(path.to_owned(), run)))
}

/// Checks that a path names a file: `-` does not, since elsewhere it stands for a stream.
///
/// # Errors
/// If it is that.
pub fn check_named(path: &Path) -> Result<(), OutputError> {
    if path.as_os_str() == "-" { Err(OutputError::Stream) } else { Ok(()) }
}

impl OutputFile {
    /// Opens a file for output, and removes leftovers of killed programs in its folder.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, belongs to a run, or cannot be written.
    pub fn open(path: &Path, existing: Existing) -> Result<Self, OutputError> {
        if path.is_dir() {
            return Err(OutputError::Folder(path.to_owned()));
        }
        check_named(path)?;
        check_outside_runs(path)?;
        let file = WholeFile::begin(path).map_err(|error| match error.kind() {
            io::ErrorKind::IsADirectory => OutputError::Folder(path.to_owned()),
            _ => OutputError::Io(path.to_owned(), error),
        })?;
        if existing == Existing::Refused && file.replaces() {
            return Err(OutputError::Exists(path.to_owned()));
        }
        Ok(Self { path: path.to_owned(), existing, file })
    }

    /// Returns the path that was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether everything is written directly to the output because it is not a regular file.
    pub fn is_straight(&self) -> bool {
        self.file.is_straight()
    }

    /// Checks that no other program has created a file that must not be replaced, so that no work is done in vain.
    ///
    /// # Errors
    /// If it has.
    pub fn check_free(&self) -> Result<(), OutputError> {
        let is_taken = self.existing == Existing::Refused && !self.is_straight() && self.path.exists();
        if is_taken { Err(OutputError::Exists(self.path.clone())) } else { Ok(()) }
    }

    /// Writes the whole content, and gives the file its name.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn fill(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.write_all(bytes).map_err(|error| OutputError::Io(self.path.clone(), error))?;
        self.finish()
    }

    /// Writes an incomplete result, and returns its path: if a file with the requested path exists, it is the first free one
    /// of `name.1`, `name.2`, …, since half a result must not replace a file.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn fill_in_part(mut self, bytes: &[u8]) -> Result<PathBuf, OutputError> {
        self.write_all(bytes).map_err(|error| OutputError::Io(self.path.clone(), error))?;
        let Self { path, file, .. } = self;
        match file.finish_new() {
            Ok(other) => Ok(other.unwrap_or(path)),
            Err(error) => Err(OutputError::Io(path, error)),
        }
    }

    /// Gives the file its name, and returns once it is on the disk.
    ///
    /// # Errors
    /// If the disk is full, or another program has created a file of this name; the result is then kept under another name.
    pub fn finish(self) -> Result<(), OutputError> {
        let Self { path, existing, file } = self;
        let finished = match existing {
            Existing::Replaced => file.finish().map(|()| None),
            Existing::Refused => file.finish_new(),
        };
        match finished {
            Ok(Some(kept)) => Err(OutputError::Meanwhile(path, kept)),
            Ok(None) => Ok(()),
            Err(error) => Err(OutputError::Io(path, error)),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
