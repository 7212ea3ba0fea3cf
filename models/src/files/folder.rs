//! Folders: made, copied into, synced and swept.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::whole::{LEFTOVER, WholeFile};

/// Returns the folder in which a file lies, which is the current one for a name alone.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns once the names in a folder are on the disk, if the folder can be opened as a file: on Unix, by those who may
/// read it. Otherwise it does nothing.
///
/// # Errors
/// If there is no such folder, or the disk fails.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    FolderSync::of(folder)?.sync()
}

/// A folder that is open so that its names can be written to the disk, if it can be opened.
pub(super) struct FolderSync(Option<File>);

impl FolderSync {
    /// Opens a folder.
    ///
    /// # Errors
    /// If it cannot be opened, except for lack of permission: names can be changed in a folder that may not be read.
    pub fn of(folder: &Path) -> io::Result<Self> {
        if cfg!(unix) { Self::opened(File::open(folder)) } else { Ok(Self(None)) }
    }

    fn opened(folder: io::Result<File>) -> io::Result<Self> {
        match folder {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(Self(None)),
            folder => folder.map(Some).map(Self),
        }
    }

    /// Returns once its names are on the disk.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn sync(self) -> io::Result<()> {
        self.0.map_or(Ok(()), |folder| folder.sync_all())
    }
}

/// Creates a folder and its missing parents, and returns once all of them are on the disk.
///
/// # Errors
/// If a folder cannot be created, or something else has its name ([`io::ErrorKind::NotADirectory`]).
pub fn create_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<_> =
        folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).collect();
    fs::create_dir_all(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            io::Error::new(io::ErrorKind::NotADirectory, "expected the name of a directory")
        }
        _ => error,
    })?;
    missing.iter().rev().try_for_each(|made| sync_folder(folder_of(made)))
}

/// Creates a new folder, with its missing parents: the first of `name`, `name-2`, `name-3`, … that is free.
///
/// # Errors
/// If a folder cannot be created.
pub fn create_new_folder(name: &Path) -> io::Result<PathBuf> {
    create_folders(folder_of(name))?;
    let numbered = |number: u32| {
        let mut other = name.as_os_str().to_owned();
        other.push(format!("-{number}"));
        PathBuf::from(other)
    };
    for folder in std::iter::once(name.to_owned()).chain((2..).map(numbered)) {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    unreachable!("there are numbers without end")
}

/// Copies a file atomically.
///
/// # Errors
/// If one cannot be read or the other cannot be written.
pub fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let (mut source, mut copy) = (File::open(from)?, WholeFile::begin(to)?);
    io::copy(&mut source, &mut copy)?;
    copy.finish()
}

/// Removes a file, and returns whether it was there.
///
/// # Errors
/// If it is there and cannot be removed.
pub fn remove_if_there(file: &Path) -> io::Result<bool> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// Removes what killed programs have left in a folder; files that are being written stay.
///
/// Failing to remove one is harmless.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_leftover(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let path = entry.path();
            // A program that is writing to it holds its lock; here the lock is held until the file is gone.
            if let Ok(file) = File::open(&path)
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn is_leftover(name: &OsStr) -> bool {
    let [prefix, suffix] = LEFTOVER;
    name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::super::whole::temporary_in;
    use super::*;

    #[test]
    fn leftovers_go_and_files_under_way_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".gipf-abc.tmp"), "half").unwrap();
        fs::write(folder.path().join("gipf-abc.tmp"), "somebody's").unwrap();
        let working = temporary_in(folder.path()).unwrap();
        sweep(folder.path());
        assert!(working.path().exists() && folder.path().join("gipf-abc.tmp").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_that_may_not_be_read_is_not_synced_and_one_that_is_not_there_is_an_error() {
        use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        let is_left_out = |kind: io::ErrorKind| FolderSync::opened(Err(kind.into())).map(|folder| folder.0.is_none());
        assert!(is_left_out(PermissionDenied).unwrap());
        for kind in [NotFound, NotADirectory, io::ErrorKind::Other] {
            assert_eq!(is_left_out(kind).unwrap_err().kind(), kind);
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(sync_folder(folder.path()).is_ok());
        assert!(cfg!(not(unix)) || sync_folder(&folder.path().join("none")).is_err());
    }

    #[test]
    fn folders_are_made_down_to_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        create_folders(&deep).unwrap();
        create_folders(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(folder.path().join("file"), "").unwrap();
        for taken in ["file", "file/x"] {
            let error = create_folders(&folder.path().join(taken)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotADirectory, "{taken}");
        }
    }

    #[test]
    fn a_copy_has_the_bytes_and_replaces_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old and longer").unwrap();
        copy_whole(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to).unwrap(), "new");
    }
}
