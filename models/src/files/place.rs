//! What a path to write to stands for.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf, is_separator};

use super::folder::folder_of;

/// The most links followed one after the other, as in Linux.
const MOST_LINKS: usize = 40;

/// What a path stands for once its links are followed.
pub(super) enum Place {
    /// Nothing yet.
    Free(PathBuf),
    /// A file that may be written to, and the metadata that its successor keeps.
    Taken(PathBuf, Metadata),
    /// Not a regular file, or one that is already open (`/dev/stdout`): nothing can take its name.
    Straight(File),
}

impl Place {
    /// Follows the links of a path.
    ///
    /// # Errors
    /// If its folder is missing, it has too many links, it names a folder, or it may not be written to.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            if names_folder(&path) {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // These names mean open files, not places in a folder.
            if fs::canonicalize(folder_of(&path))?.starts_with("/proc") {
                return Ok(Self::Straight(appending(&path)?));
            }
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
                // Opened as well, since a rename does not check whether the file may be written to.
                Ok(found) if found.is_file() => return appending(&path).map(|_| Self::Taken(path, found)),
                Ok(_) => return Ok(Self::Straight(appending(&path)?)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Free(path)),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }
}

/// Returns whether a path can only be that of a folder: it ends with a separator or with dots, or is empty.
fn names_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let last = bytes.rsplit(|&byte| is_separator(byte.into())).next();
    matches!(last, None | Some(b"" | b"." | b".."))
}

/// Opens what is there to append to it, and changes nothing.
fn appending(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}
