//! Folders that commands write: complete once their last file exists, and never replacing files that are still needed.

use std::fs;
use std::io;
use std::path::Path;

use gipf_models::{FolderLock, create_folders, remove_if_there, sync_folder};

use crate::output::{Existing, OutputError, OutputFile, check_outside_runs};

/// Writes files into a folder, which is created if it is missing. The last file marks that all of them exist: it is
/// written last, and removed before any are replaced. Other files in the folder stay.
///
/// A folder left by a killed program is completed: while the mark is missing, files with the same content count as
/// written.
///
/// ```
/// use gipf_train::{Existing, OutputError, write_folder};
///
/// # let place = tempfile::tempdir()?;
/// # let folder = place.path().join("network");
/// let files = [("weights", vec![1, 2, 3]), ("about.json", b"{}".to_vec())];
/// write_folder(&folder, &files, Existing::Refused)?;
/// assert!(matches!(write_folder(&folder, &files, Existing::Refused), Err(OutputError::Exists(_))));
/// write_folder(&folder, &files, Existing::Replaced)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If one of the files exists and is not to be replaced, the folder belongs to a run or is in use, or something
/// cannot be written.
///
/// # Panics
/// If there are no files.
pub fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)], existing: Existing) -> Result<(), OutputError> {
    let (mark, _) = files.last().expect("a folder holds something");
    let mark = folder.join(mark);
    check_outside_runs(folder)?;
    if folder.exists() && !folder.is_dir() {
        return Err(OutputError::NotFolder(folder.to_owned()));
    }
    let io = |error| OutputError::Io(folder.to_owned(), error);
    create_folders(folder).map_err(io)?;
    let _lock = FolderLock::hold(folder)?;
    match existing {
        Existing::Refused => check_free(folder, &mark, files)?,
        Existing::Replaced => remove(folder, &mark).map_err(io)?,
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        if path == mark || !holds(&path, bytes) {
            OutputFile::open(&path, existing)?.fill(bytes)?;
        }
    }
    Ok(())
}

/// Checks that no file has to be replaced.
fn check_free(folder: &Path, mark: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), OutputError> {
    let others = files.iter().map(|(name, bytes)| (folder.join(name), bytes));
    let taken = others.filter(|(path, bytes)| path.symlink_metadata().is_ok() && (path == mark || !holds(path, bytes)));
    match taken.map(|(path, _)| path).next() {
        Some(path) => Err(OutputError::Exists(path)),
        None => Ok(()),
    }
}

/// Removes a file if it exists, and returns once the removal is on the disk.
fn remove(folder: &Path, file: &Path) -> io::Result<()> {
    if remove_if_there(file)? { sync_folder(folder) } else { Ok(()) }
}

/// Returns whether a file holds exactly these bytes; anything but a regular file is not read.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let fits = path.metadata().is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    fits && fs::read(path).is_ok_and(|found| found == bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(word: &str) -> [(&'static str, Vec<u8>); 3] {
        [("a", format!("{word} a").into()), ("b", format!("{word} b").into()), ("mark", format!("{word} mark").into())]
    }

    fn texts(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn a_folder_left_unfinished_is_completed_and_a_complete_one_stays() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("deep/folder");
        write_folder(&folder, &files("one"), Existing::Refused).unwrap();
        fs::remove_file(folder.join("mark")).unwrap();
        fs::remove_file(folder.join("b")).unwrap();
        write_folder(&folder, &files("one"), Existing::Refused).unwrap();
        assert_eq!(texts(&folder), ["one a", "one b", "one mark"]);
        for again in ["one", "two"] {
            let refused = write_folder(&folder, &files(again), Existing::Refused);
            assert!(matches!(refused, Err(OutputError::Exists(_))), "{refused:?}");
        }
        assert_eq!(texts(&folder), ["one a", "one b", "one mark"]);
    }

    #[test]
    fn what_is_refused_leaves_no_folder_in_a_run() {
        let run = tempfile::tempdir().unwrap();
        fs::create_dir(run.path().join("state")).unwrap();
        fs::write(run.path().join("config.toml"), "").unwrap();
        let refused = write_folder(&run.path().join("to/be/made"), &files("one"), Existing::Replaced);
        assert!(matches!(refused, Err(OutputError::InRun(..))), "{refused:?}");
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 2);
    }

    #[test]
    fn of_programs_that_write_one_folder_at_once_the_first_writes_it() {
        let place = tempfile::tempdir().unwrap();
        for turn in 0..40 {
            let folder = place.path().join(turn.to_string());
            let written = std::thread::scope(|scope| {
                let writing = [(); 4].map(|()| scope.spawn(|| write_folder(&folder, &files("one"), Existing::Refused)));
                writing.map(|thread| thread.join().unwrap())
            });
            let (done, refused): (Vec<_>, Vec<_>) = written.into_iter().partition(Result::is_ok);
            assert_eq!(done.len(), 1, "{refused:?}");
            let others = |other: &_| matches!(other, Err(OutputError::Exists(_) | OutputError::Lock(_)));
            assert!(refused.iter().all(others), "{refused:?}");
            assert_eq!(texts(&folder), ["one a", "one b", "one mark"]);
        }
    }

    #[test]
    fn a_folder_that_another_program_writes_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), &files("one"), Existing::Refused).unwrap();
        let lock = FolderLock::hold(folder.path()).unwrap();
        for existing in [Existing::Refused, Existing::Replaced] {
            let refused = write_folder(folder.path(), &files("two"), existing);
            assert!(matches!(refused, Err(OutputError::Lock(_))), "{refused:?}");
            assert_eq!(texts(folder.path()), ["one a", "one b", "one mark"]);
        }
        drop(lock);
        write_folder(folder.path(), &files("two"), Existing::Replaced).unwrap();
        assert_eq!(texts(folder.path()), ["two a", "two b", "two mark"]);
    }

    #[test]
    fn programs_that_replace_one_folder_at_once_do_not_mix_their_files() {
        let place = tempfile::tempdir().unwrap();
        for turn in 0..40 {
            let folder = &place.path().join(turn.to_string());
            std::thread::scope(|scope| {
                for word in ["one", "two", "three", "four"] {
                    scope.spawn(move || write_folder(folder, &files(word), Existing::Replaced));
                }
            });
            let found = texts(folder);
            let word = found[0].split(' ').next().unwrap();
            assert_eq!(found, files(word).map(|(_, bytes)| String::from_utf8(bytes).unwrap()));
        }
    }

    #[test]
    fn files_of_others_stay_and_are_replaced_only_when_asked() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        fs::write(folder.join("b"), "mine").unwrap();
        fs::write(folder.join("c"), "mine too").unwrap();
        let refused = write_folder(folder, &files("one"), Existing::Refused);
        assert!(matches!(refused, Err(OutputError::Exists(path)) if path.ends_with("b")));
        assert_eq!(texts(folder), ["mine", "mine too"]);
        write_folder(folder, &files("one"), Existing::Replaced).unwrap();
        write_folder(folder, &files("two"), Existing::Replaced).unwrap();
        assert_eq!(texts(folder), ["two a", "two b", "mine too", "two mark"]);
        let file = write_folder(&folder.join("c"), &files("one"), Existing::Replaced);
        assert!(matches!(file, Err(OutputError::NotFolder(_))));
    }
}
