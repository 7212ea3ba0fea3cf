//! Files of named tensors with a typed header and a checksum, in the safetensors format.
//!
//! The header's metadata has one entry, `gipf`: `{"checksum":"…","body":{…}}`. The checksum is BLAKE3 over the text of
//! the body and over the name, shape and bytes of every tensor, so that no part of a file can change unnoticed.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, TensorView};
use serde::{Serialize, de::DeserializeOwned};

use crate::config::MOST_WEIGHTS;
use crate::files::{read_limited, write_whole};
use crate::sealed::{MOST_HEADER, Sealed, check_header};
use crate::weights::Array;

/// The bytes of the largest network's weights.
const WEIGHTS: u64 = 4 * MOST_WEIGHTS as u64;
/// The most bytes before the numbers: the header, and its length.
const LEAD: u64 = 8 + MOST_HEADER;
/// The largest file of a network, in bytes.
pub(crate) const MOST_OF_NETWORK: u64 = LEAD + WEIGHTS;
/// The largest file that is written or read, in bytes: the file of a learner has four numbers for each weight.
const MOST_BYTES: u64 = LEAD + 4 * WEIGHTS;
pub(crate) const KEY: &str = "gipf";
pub(crate) const OPENING: &str = r#"{"checksum":""#;
pub(crate) const MIDDLE: &str = r#"","body":"#;

/// Named tensors and a body: the content of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorFile<T> {
    /// What the file says about its tensors.
    pub body: T,
    /// The tensors by name.
    pub tensors: BTreeMap<String, Array>,
}

/// Why a file cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TensorFileError {
    /// The system reported an error.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is larger than any that this program writes.
    #[error("{} has {found} bytes: expected at most {most}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: u64,
        /// The largest that is written or read.
        most: u64,
    },
    /// The file is clearly something else, such as a text.
    #[error("{} is not a network of this program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is cut short or in another format.
    #[error("{} is truncated or not a file of this program: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The content is not what was written.
    #[error("{} was altered: its checksum is {found}, expected {expected}", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// The checksum of the content.
        found: String,
        /// The checksum in the header.
        expected: String,
    },
}

impl<T: Serialize + DeserializeOwned> TensorFile<T> {
    /// Writes the file completely or not at all. A file already there is replaced only once the new one is on the disk.
    ///
    /// The bytes depend on the content alone.
    ///
    /// # Errors
    /// If [`load`](Self::load) would refuse the file, or the folder is missing, cannot be written, or is full.
    pub fn save(&self, path: &Path) -> Result<(), TensorFileError> {
        let bytes = self.to_bytes(path)?;
        write_whole(path, &bytes).map_err(|error| unwritable(path, error))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is missing, too large, cut short, altered, or has another kind of body.
    pub fn load(path: &Path) -> Result<Self, TensorFileError> {
        Self::from_bytes(path, &read_file(path, MOST_BYTES)?)
    }

    /// Reads the content of a file; errors name the file by its path.
    ///
    /// # Errors
    /// If it is cut short, altered, or has another kind of body.
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, TensorFileError> {
        let file = Sealed::open(path, bytes)?;
        Ok(Self { body: file.body()?, tensors: file.into_tensors() })
    }

    /// Returns the content of the file; errors name it by its path.
    ///
    /// # Errors
    /// If the shape of a tensor is not that of its values, or [`load`](Self::load) would refuse the file: it is too
    /// large, or has too many tensors or too long a header.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, TensorFileError> {
        self.to_bytes_within(path, MOST_BYTES)
    }

    fn to_bytes_within(&self, path: &Path, most: u64) -> Result<Vec<u8>, TensorFileError> {
        let bytes = self.serialized().map_err(|reason| unwritable(path, io::Error::other(reason)))?;
        check_size(path, bytes.len() as u64, most)?;
        Ok(bytes)
    }

    fn serialized(&self) -> Result<Vec<u8>, String> {
        let body = serde_json::to_string(&self.body).map_err(|error| error.to_string())?;
        let data: Vec<_> = self.tensors.values().map(|array| to_le_bytes(&array.values)).collect();
        let tensors = self.tensors.iter().zip(&data);
        let sum = checksum(&body, tensors.map(|((name, array), data)| (&**name, &array.shape[..], &data[..])));
        let header = HashMap::from([(KEY.to_owned(), format!("{OPENING}{sum}{MIDDLE}{body}}}"))]);
        let views = self.tensors.iter().zip(&data).map(|((name, array), data)| {
            let view = TensorView::new(Dtype::F32, array.shape.clone(), data);
            view.map(|view| (name, view)).map_err(|error| format!("tensor `{name}`: {error}"))
        });
        let views = views.collect::<Result<Vec<_>, _>>()?;
        let bytes = safetensors::serialize(views, Some(header)).map_err(|error| error.to_string())?;
        check_header(&bytes)?;
        Ok(bytes)
    }
}

/// Returns the checksum of a body and of tensors in name order, each with its shape and its bytes.
pub(crate) fn checksum<'a>(body: &str, tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut field = |bytes: &[u8]| {
        // The length goes first, so that no two contents are hashed as the same bytes.
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    field(body.as_bytes());
    for (name, shape, data) in tensors {
        field(name.as_bytes());
        field(format!("{shape:?}").as_bytes());
        field(data);
    }
    hasher.finalize().to_hex().to_string()
}

fn unwritable(path: &Path, source: io::Error) -> TensorFileError {
    TensorFileError::Io { path: path.to_owned(), action: "write", source }
}

fn to_le_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn check_size(path: &Path, found: u64, most: u64) -> Result<(), TensorFileError> {
    if found <= most { Ok(()) } else { Err(TensorFileError::TooLarge { path: path.to_owned(), found, most }) }
}

/// Returns the content of a file of at most this many bytes.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, TensorFileError> {
    let io = |source| TensorFileError::Io { path: path.to_owned(), action: "read", source };
    let file = File::open(path).map_err(io)?;
    check_size(path, file.metadata().map_err(io)?.len(), most)?;
    // The file may grow while it is read, or be a pipe, which has no size.
    read_limited(file, most).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> TensorFile<Vec<u32>> {
        let array = |values: &[f32]| Array { shape: vec![1, values.len()], values: values.to_vec() };
        let tensors = [("a".to_owned(), array(&[1.0, -2.5])), ("b.c".to_owned(), array(&[f32::MIN_POSITIVE]))];
        TensorFile { body: vec![3, 1, 4], tensors: tensors.into() }
    }

    fn load_bytes(folder: &Path, bytes: &[u8]) -> Result<TensorFile<Vec<u32>>, TensorFileError> {
        let path = folder.join("altered");
        std::fs::write(&path, bytes).unwrap();
        TensorFile::load(&path)
    }

    #[test]
    fn what_was_saved_is_loaded_and_bytes_depend_on_content_alone() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|name| folder.path().join(name));
        for path in &paths {
            file().save(path).unwrap();
        }
        assert_eq!(TensorFile::<Vec<u32>>::load(&paths[0]).unwrap(), file());
        let [one, two] = paths.map(|path| std::fs::read(path).unwrap());
        assert_eq!(one, two);
    }

    #[test]
    fn no_bit_can_change_and_no_end_can_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = file().serialized().unwrap();
        for length in 0..bytes.len() {
            assert!(load_bytes(folder.path(), &bytes[..length]).is_err(), "{length} bytes");
        }
        for place in 0..bytes.len() {
            for flip in [0x01, 0x10, 0xff] {
                let mut altered = bytes.clone();
                altered[place] ^= flip;
                assert!(load_bytes(folder.path(), &altered).is_err(), "byte {place} ^ {flip}");
            }
        }
        assert!(load_bytes(folder.path(), &[&bytes[..], b" "].concat()).is_err());
    }

    #[test]
    fn a_failing_save_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        file().save(&path).unwrap();
        let mut wrong = file();
        wrong.tensors.get_mut("a").unwrap().shape = vec![5];
        assert!(wrong.save(&path).is_err());
        assert_eq!(TensorFile::<Vec<u32>>::load(&path).unwrap(), file());
        let missing = folder.path().join("nowhere").join("file");
        let error = file().save(&missing).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn files_too_large_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(matches!(TensorFile::<Vec<u32>>::load(&path), Err(TensorFileError::TooLarge { .. })));
    }

    #[test]
    fn what_would_not_be_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        file().save(&path).unwrap();
        let size = std::fs::metadata(&path).unwrap().len();
        for most in size - 3..size + 3 {
            let is_read = read_file(&path, most).is_ok();
            assert_eq!((is_read, file().to_bytes_within(&path, most).is_ok()), (size <= most, is_read), "{most}");
        }
        let wordy = TensorFile { body: vec![0; MOST_HEADER as usize], ..file() };
        let many = (0..2000).map(|number| (number.to_string(), Array { shape: vec![0], values: Vec::new() }));
        for (file, reason) in
            [(wordy, "header has"), (TensorFile { tensors: many.collect(), ..file() }, "2000 tensors")]
        {
            let told = file.save(&path).unwrap_err().to_string();
            assert!(told.starts_with("cannot write ") && told.contains(reason), "{told}");
        }
        assert_eq!(TensorFile::<Vec<u32>>::load(&path).unwrap(), file());
    }
}
