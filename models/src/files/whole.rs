//! Files that are written whole or not at all: under another name, then renamed.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::folder::{FolderSync, folder_of, sweep};
use super::place::Place;

/// The prefix and suffix of the names of temporary files.
pub(super) const LEFTOVER: [&str; 2] = [".gipf-", ".tmp"];

/// Replaces the content of a file with these bytes, or leaves it as it was.
///
/// A reader sees the old file or the new one, even after a power failure.
///
/// # Errors
/// If the folder or the file cannot be written to, or the disk is full.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::begin(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file being written under another name; it takes its own at [`Self::finish`]. If it is dropped before, it leaves
/// nothing.
///
/// Links are followed, and a replaced file passes its mode and owner to its successor. Anything but a regular file is
/// written to directly.
#[derive(Debug)]
pub struct WholeFile(Way);

#[derive(Debug)]
enum Way {
    Beside { temporary: NamedTempFile, path: PathBuf, replaces: bool },
    Straight(File),
}

impl WholeFile {
    /// Begins a file, and removes what killed programs have left in its folder.
    ///
    /// # Errors
    /// If the folder, or the file that it replaces, cannot be written to.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let (path, replaced) = match Place::of(path)? {
            Place::Straight(file) => return Ok(Self(Way::Straight(file))),
            Place::Free(path) => (path, None),
            Place::Taken(path, replaced) => (path, Some(replaced)),
        };
        // The folder after following links: earlier temporary files were there too.
        sweep(folder_of(&path));
        let temporary = temporary_in(folder_of(&path))?;
        if let Some(replaced) = &replaced {
            keep_rights(temporary.as_file(), replaced)?;
        }
        Ok(Self(Way::Beside { temporary, path, replaces: replaced.is_some() }))
    }

    /// Returns whether another file had the name when this one was begun.
    pub fn replaces(&self) -> bool {
        matches!(self.0, Way::Beside { replaces: true, .. })
    }

    /// Returns whether it is not a regular file, so that everything is written to it directly.
    pub fn is_straight(&self) -> bool {
        matches!(self.0, Way::Straight(_))
    }

    /// Gives the file its name, and returns once it is on the disk.
    ///
    /// # Errors
    /// If the disk is full, or the folder can no longer be written to: the file that was to be replaced then stays. If the
    /// disk fails while the new name is written: the new file is there, but may be the old one again after a power failure.
    pub fn finish(self) -> io::Result<()> {
        self.finish_by(|temporary, path| temporary.persist(path).map(drop).map_err(|error| error.error))
    }

    /// Gives the file its name unless another file has taken it, and returns once it is on the disk. If the name is
    /// taken, it uses the first free one of `name.1`, `name.2`, …, since its content may have taken long to produce.
    ///
    /// Returns the name used instead of its own, if any.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn finish_new(self) -> io::Result<Option<PathBuf>> {
        let mut taken = None;
        self.finish_by(|temporary, path| {
            taken = Some(persist_new(temporary, path)?).filter(|name| name != path);
            Ok(())
        })?;
        Ok(taken)
    }

    fn finish_by(self, name: impl FnOnce(NamedTempFile, &Path) -> io::Result<()>) -> io::Result<()> {
        match self.0 {
            Way::Straight(mut file) => file.flush(),
            Way::Beside { temporary, path, .. } => {
                temporary.as_file().sync_all()?;
                // Before the file has its name, since nothing may follow that can fail for lack of permission or memory.
                let folder = FolderSync::of(folder_of(&path))?;
                name(temporary, &path)?;
                // The new name is safe only once the folder is on the disk as well.
                folder.sync()
            }
        }
    }
}

impl Write for WholeFile {
    /// An interruption is not a failure, and not every library that writes here retries.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = match &mut self.0 {
            Way::Beside { temporary, .. } => temporary.as_file_mut(),
            Way::Straight(file) => file,
        };
        loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Creates a file that vanishes unless it is given a name, with the permissions of any new file. It is locked while it
/// is open: an unlocked one was left by a killed program.
///
/// # Errors
/// If the folder cannot be written to.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let [prefix, suffix] = LEFTOVER;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.prefix(prefix).suffix(suffix);
    loop {
        let file = builder.tempfile_in(folder)?;
        if hold(&file)? {
            return Ok(file);
        }
    }
}

/// Locks a file that was just created; returns false if a program that swept the folder has removed it as a leftover.
fn hold(file: &NamedTempFile) -> io::Result<bool> {
    match file.as_file().try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // Where the file system has no locks, leftovers stay.
        Err(TryLockError::Error(_)) => Ok(true),
        Ok(()) => file.path().try_exists(),
    }
}

/// Names a file by the first of `path`, `path.1`, `path.2`, … that is free, and returns it.
fn persist_new(mut temporary: NamedTempFile, path: &Path) -> io::Result<PathBuf> {
    let numbered = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    for name in std::iter::once(path.to_owned()).chain((1..).map(numbered)) {
        match temporary.persist_noclobber(&name) {
            Ok(_) => return Ok(name),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => temporary = error.file,
            Err(error) => return Err(error.error),
        }
    }
    unreachable!("there are infinitely many numbers")
}

/// Gives a file the mode and, where allowed, the owner of the file that it replaces.
fn keep_rights(file: &File, replaced: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    file.set_permissions(replaced.permissions())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_whole(&folder.path().join("no/such"), b"x").is_err());
    }

    #[test]
    fn a_file_dropped_on_its_way_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = WholeFile::begin(&folder.path().join("file")).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_name_of_a_folder_is_no_name_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["new/", "new/.", "new/..", "", "."] {
            let error = WholeFile::begin(&folder.path().join(name)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::IsADirectory, "{name:?}: {error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn leftovers_go_where_a_file_begins_also_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let leftover = folder.path().join("far/.gipf-x.tmp");
        fs::create_dir(folder.path().join("far")).unwrap();
        let mut paths = vec![folder.path().join("far/file")];
        #[cfg(unix)]
        {
            paths.push(folder.path().join("link"));
            std::os::unix::fs::symlink("far/file", &paths[1]).unwrap();
        }
        for path in paths {
            fs::write(&leftover, "half").unwrap();
            drop(WholeFile::begin(&path).unwrap());
            assert!(!leftover.exists(), "{}", path.display());
        }
    }

    #[test]
    fn a_file_under_way_survives_others_that_sweep() {
        let folder = tempfile::tempdir().unwrap();
        let writing = |name: &str| (0..300).try_for_each(|_| write_whole(&folder.path().join(name), b"whole"));
        std::thread::scope(|scope| {
            for thread in ["a", "b", "c", "d"].map(|name| scope.spawn(move || writing(name))) {
                thread.join().unwrap().unwrap();
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_name_taken_on_the_way_is_left_to_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let named = [(); 3].map(|()| {
            let mut file = WholeFile::begin(&path).unwrap();
            file.write_all(b"mine").unwrap();
            fs::write(&path, b"theirs").unwrap();
            file.finish_new().unwrap().unwrap()
        });
        assert_eq!(named, ["file.1", "file.2", "file.3"].map(|name| folder.path().join(name)));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read(&named[2]).unwrap(), b"mine");
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        use std::process::Command;

        use super::*;

        #[test]
        fn links_are_followed_and_stay() {
            let folder = tempfile::tempdir().unwrap();
            let [file, link, loose] = ["file", "link", "loose"].map(|name| folder.path().join(name));
            fs::write(&file, b"old").unwrap();
            symlink("file", &link).unwrap();
            symlink("made", &loose).unwrap();
            write_whole(&link, b"new").unwrap();
            write_whole(&loose, b"made").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"new");
            assert_eq!(fs::read(folder.path().join("made")).unwrap(), b"made");
            assert!(link.is_symlink() && loose.is_symlink());
            let turning = folder.path().join("turning");
            symlink("turning", &turning).unwrap();
            assert!(write_whole(&turning, b"x").is_err());
        }

        #[test]
        fn the_mode_of_a_file_stays() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            for mode in [0o600, 0o640, 0o666] {
                fs::write(&path, b"old").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                write_whole(&path, b"new").unwrap();
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            }
        }

        /// Root may read it all the same.
        #[test]
        fn a_folder_that_may_be_written_to_but_not_read_is_enough() {
            let folder = tempfile::tempdir().unwrap();
            let rights = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            rights(0o333);
            let written = [b"old", b"new"].map(|bytes| write_whole(&folder.path().join("file"), bytes));
            rights(0o755);
            written.into_iter().for_each(Result::unwrap);
            assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"new");
        }

        #[test]
        fn a_pipe_stays_one_and_is_written_to() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pipe");
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            let reader = std::thread::spawn({
                let path = path.clone();
                move || fs::read(path).unwrap()
            });
            write_whole(&path, b"told").unwrap();
            assert_eq!(reader.join().unwrap(), b"told");
            assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        }

        #[test]
        fn a_folder_is_refused() {
            let folder = tempfile::tempdir().unwrap();
            assert!(write_whole(folder.path(), b"x").is_err());
        }
    }
}
