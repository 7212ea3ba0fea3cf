//! Folders that one program at a time writes to.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::folder::sweep;

/// The right to write to a folder, held until it is dropped or the program ends.
#[derive(Debug)]
pub struct FolderLock {
    /// `None` where a folder cannot be locked by itself.
    file: Option<File>,
    /// What is locked: a file in the folder, or the folder.
    locked: PathBuf,
    folder: PathBuf,
}

/// Why a folder could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another program holds it.
    #[error("{} is in use by another program: expected to be the only one", .0.display())]
    Held(PathBuf),
    /// What was locked is no longer there, or something else is.
    #[error("{} was moved or replaced while it was in use: expected it to stay where it was", .0.display())]
    Gone(PathBuf),
    /// The lock file cannot be opened.
    #[error("cannot open {path}: {error}", path = .0.display(), error = .1)]
    Io(PathBuf, io::Error),
}

impl FolderLock {
    /// Locks a folder by a file in it, which is created if missing, and removes what killed programs have left there.
    ///
    /// The file's content stays, and it must not be a link: nothing outside the folder is touched.
    ///
    /// # Errors
    /// If another program holds it, or the file cannot be opened.
    pub fn take(folder: &Path, name: impl AsRef<OsStr>) -> Result<Self, LockError> {
        let path = folder.join(name.as_ref());
        let opened = open_own(&path, OpenOptions::new().write(true));
        let file = opened.map_err(|error| LockError::Io(path.clone(), error))?;
        if !try_lock(&file) {
            return Err(LockError::Held(folder.to_owned()));
        }
        sweep(folder);
        Ok(Self { file: Some(file), locked: path, folder: folder.to_owned() })
    }

    /// Locks a folder by itself, without a file in it. Where a folder cannot be opened as a file, that is, on all
    /// systems but Unix, this always succeeds.
    ///
    /// # Errors
    /// As for [`Self::take`].
    pub fn hold(folder: &Path) -> Result<Self, LockError> {
        let held = |file| Self { file, locked: folder.to_owned(), folder: folder.to_owned() };
        if !cfg!(unix) {
            return Ok(held(None));
        }
        let file = File::open(folder).map_err(|error| LockError::Io(folder.to_owned(), error))?;
        if try_lock(&file) { Ok(held(Some(file))) } else { Err(LockError::Held(folder.to_owned())) }
    }

    /// Checks that what was locked is still in its place. A folder that is moved takes its lock along, so that another
    /// program may hold the folder that is there now: nothing may be written to it by this path any more. Only Unix lets
    /// a folder in use be moved.
    ///
    /// # Errors
    /// If it is not there any more, or cannot be looked at.
    pub fn check(&self) -> Result<(), LockError> {
        match self.file.as_ref().map_or(Ok(true), |file| leads_to(&self.locked, file)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(LockError::Gone(self.folder.clone())),
            Err(error) => Err(LockError::Io(self.locked.clone(), error)),
        }
    }
}

/// Returns whether a path leads to this open file, which somebody may have moved, removed or replaced since. Except on
/// Unix, an open file keeps its name.
///
/// # Errors
/// If one of them cannot be looked at.
pub fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |found: std::fs::Metadata| (found.dev(), found.ino());
        match path.metadata() {
            Ok(found) => Ok(place(found) == place(file.metadata()?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (path, file);
        Ok(true)
    }
}

/// The number of attempts to get a lock, and the wait between them.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Locks a file for this program; returns false if another program holds it.
///
/// A process just started by a program that holds the file holds it too for a moment, so there is more than one
/// attempt. Where the file system has no locks, this always succeeds.
pub fn try_lock(file: &File) -> bool {
    for _ in 0..TRIES {
        if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    false
}

/// Opens one of the program's own files, which grows or is locked, and creates it if missing. It must be a regular file
/// and not a link: nothing outside its folder is touched.
///
/// # Errors
/// If it cannot be opened, or is something else.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe would make the program wait for a reader.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("expected a regular file")) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_at_a_time_holds_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path(), "lock").unwrap();
        assert!(matches!(FolderLock::take(folder.path(), "lock"), Err(LockError::Held(_))));
        drop(lock);
        fs::write(folder.path().join("lock"), "kept").unwrap();
        FolderLock::take(folder.path(), "lock").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("lock")).unwrap(), "kept");
    }

    #[cfg(unix)]
    #[test]
    fn one_at_a_time_holds_a_folder_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::hold(folder.path()).unwrap();
        assert!(matches!(FolderLock::hold(folder.path()), Err(LockError::Held(_))));
        drop(lock);
        FolderLock::hold(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(matches!(FolderLock::hold(&folder.path().join("none")), Err(LockError::Io(..))));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_moved_or_replaced_is_told() {
        let around = tempfile::tempdir().unwrap();
        let (folder, elsewhere) = (around.path().join("here"), around.path().join("there"));
        for by_file in [true, false] {
            fs::create_dir(&folder).unwrap();
            let lock = if by_file { FolderLock::take(&folder, "lock") } else { FolderLock::hold(&folder) }.unwrap();
            lock.check().unwrap();
            fs::rename(&folder, &elsewhere).unwrap();
            assert!(matches!(lock.check(), Err(LockError::Gone(path)) if path == folder));
            // Another program begins anew at its place.
            fs::create_dir(&folder).unwrap();
            let _other = FolderLock::take(&folder, "lock").unwrap();
            assert!(matches!(lock.check(), Err(LockError::Gone(_))));
            fs::remove_dir_all(&folder).unwrap();
            fs::rename(&elsewhere, &folder).unwrap();
            lock.check().unwrap();
            fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "data").unwrap();
        for (name, target) in [("lock", "precious"), ("loose", "made")] {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
            assert!(matches!(FolderLock::take(folder.path(), name), Err(LockError::Io(..))));
        }
        assert_eq!(fs::read_to_string(precious).unwrap(), "data");
        assert!(!folder.path().join("made").exists());
    }
}
