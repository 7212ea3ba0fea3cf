//! Files that are read up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads an input of at most `most` bytes to its end. An input that never ends, such as a device, must not fill the memory.
///
/// ```
/// use gipf_models::read_limited;
///
/// assert_eq!(read_limited(&b"e2"[..], 2)?, b"e2");
/// assert!(read_limited(std::io::repeat(0), 1000).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If it cannot be read, or is longer ([`io::ErrorKind::FileTooLarge`]).
pub fn read_limited(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more, so that a longer input is noticed.
    input.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    check_length(bytes.len() as u64, most)?;
    Ok(bytes)
}

fn check_length(bytes: u64, most: u64) -> io::Result<()> {
    if bytes <= most {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {most} bytes")))
}

/// Reads a text file in UTF-8 of at most `most` bytes.
///
/// # Errors
/// As for [`read_limited`], or if it is not text ([`io::ErrorKind::InvalidData`]).
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_limited(File::open(path)?, most)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not text in UTF-8"))
}

/// Reads a regular text file, as [`read_text`] does, without opening one that is too long or not regular: a path from
/// outside may name a pipe, and opening that would wait for ever.
///
/// # Errors
/// As for [`read_text`], or if it is not a regular file.
pub fn read_regular(path: &Path, most: u64) -> io::Result<String> {
    check_regular(path, most)?;
    read_text(path, most)
}

/// Checks that a path names a regular file of at most `most` bytes.
///
/// # Errors
/// If it does not.
pub fn check_regular(path: &Path, most: u64) -> io::Result<()> {
    let about = path.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("expected a regular file"));
    }
    check_length(about.len(), most)
}

/// Returns whether a path names something that may keep a reader waiting for ever, such as a pipe: neither a file nor a
/// directory.
pub fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "dötted").unwrap();
        assert_eq!(read_text(&path, 7).unwrap(), "dötted");
        let error = read_text(&path, 6).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::FileTooLarge, "longer than 6 bytes"));
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, 6).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read_limited(io::empty(), 0).unwrap().is_empty());
        std::fs::write(&path, "e2").unwrap();
        assert_eq!(read_regular(&path, 2).unwrap(), "e2");
        assert_eq!(read_regular(&path, 1).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_regular(folder.path(), 9).unwrap_err().to_string(), "expected a regular file");
    }
}
