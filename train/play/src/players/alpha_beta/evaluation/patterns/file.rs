//! Weights as the bytes of a file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gipf_env::Variant;
use gipf_env::text::truncate_escaped;
use gipf_models::read_limited;

use super::features::{Layout, cover};

/// What a file begins with; the name of its rule set and a line break follow. Files of older versions have no such
/// line.
const LABEL: &[u8] = b"GIPF weights for ";
/// The most characters of a name that are read, and shown.
const LONGEST_NAME: usize = 40;

/// Why bytes are not weights for a rule set.
#[derive(Debug, thiserror::Error)]
pub enum PatternFileError {
    /// They are for another rule set.
    #[error("the weights of the patterns are for {found}: expected {expected}")]
    Variant {
        /// The rule set that they name, or the beginning of the text in its place.
        found: String,
        /// The rule set expected.
        expected: Variant,
    },
    /// They cannot be decompressed.
    #[error("the weights of the patterns are damaged: expected a zlib stream")]
    Damaged(#[from] io::Error),
    /// There are bytes after the weights.
    #[error("{0} bytes follow the weights of the patterns: expected none")]
    Behind(u64),
    /// They belong to another layout.
    #[error("found {found} bytes of pattern weights: expected {expected}")]
    Length {
        /// The number of bytes found.
        found: usize,
        /// The number of bytes expected.
        expected: usize,
    },
}

/// Why a file of weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsFileError {
    /// The system reported an error.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It holds something else, or is damaged.
    #[error("{}: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PatternFileError,
    },
    /// Patterns do not cover the pieces of the rule set.
    #[error("{} has weights of patterns: expected basic, standard, tournament or basic+zertz, not {variant}", path.display())]
    Variant {
        /// The file.
        path: PathBuf,
        /// The rule set.
        variant: Variant,
    },
}

/// Reads the weights in a file, as many as the layout of a rule set has.
///
/// # Errors
/// If the file cannot be read, holds anything else, or patterns do not cover the pieces of the rule set.
pub fn read_weights(path: &Path, variant: Variant) -> Result<Vec<i16>, WeightsFileError> {
    weights_of(path, &read_weights_file(path)?, variant)
}

/// Reads the bytes of a file of weights, at most as many as such a file can have.
///
/// # Errors
/// If the file cannot be read.
pub fn read_weights_file(path: &Path) -> Result<Vec<u8>, WeightsFileError> {
    // Bytes that cannot be compressed take hardly more than that.
    let most = 3 * Layout::new().count() as u64;
    let read = File::open(path).and_then(|file| read_limited(file, most));
    read.map_err(|source| WeightsFileError::Io { path: path.to_owned(), source })
}

/// Returns the weights in the bytes of a file, whose path is for messages.
///
/// # Errors
/// If they are damaged or of another rule set, or patterns do not cover its pieces.
pub fn weights_of(path: &Path, bytes: &[u8], variant: Variant) -> Result<Vec<i16>, WeightsFileError> {
    let path = path.to_owned();
    if !cover(variant) {
        return Err(WeightsFileError::Variant { path, variant });
    }
    unpacked(bytes, variant).map_err(|source| WeightsFileError::Content { path, source })
}

/// Returns the weights for a rule set as the bytes of a file.
pub fn packed(weights: &[i16], variant: Variant) -> Vec<u8> {
    [LABEL, format!("{variant}\n").as_bytes(), &compressed(weights)].concat()
}

/// Compresses first all low bytes, then all high bytes, which are nearly all alike.
fn compressed(weights: &[i16]) -> Vec<u8> {
    let halves = [0, 1].map(|half| weights.iter().map(move |weight| weight.to_le_bytes()[half]));
    let bytes: Vec<u8> = halves.into_iter().flatten().collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes).expect("memory can be written to");
    encoder.finish().expect("memory can be written to")
}

/// Returns the weights in the bytes of a file, as many as the layout of the rule set has.
///
/// # Errors
/// If they name another rule set, are damaged, or are of another layout.
pub fn unpacked(bytes: &[u8], variant: Variant) -> Result<Vec<i16>, PatternFileError> {
    let Some(labelled) = bytes.strip_prefix(LABEL) else { return decompressed(bytes, Layout::of(variant).count()) };
    let name = labelled.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match labelled.get(name.len() + 1..) {
        Some(stream) if name == variant.to_string().as_bytes() => decompressed(stream, Layout::of(variant).count()),
        _ => {
            let shown = String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]);
            Err(PatternFileError::Variant { found: truncate_escaped(&shown, LONGEST_NAME), expected: variant })
        }
    }
}

/// Returns the weights in a zlib stream, `count` of them.
fn decompressed(bytes: &[u8], count: usize) -> Result<Vec<i16>, PatternFileError> {
    let expected = 2 * count;
    let mut halves = Vec::with_capacity(expected + 1);
    // One byte more than expected, so that an endless stream is noticed and harmless.
    let mut stream = ZlibDecoder::new(bytes).take(expected as u64 + 1);
    stream.read_to_end(&mut halves)?;
    let behind = bytes.len() as u64 - stream.get_ref().total_in();
    if halves.len() != expected {
        return Err(PatternFileError::Length { found: halves.len(), expected });
    }
    if behind > 0 {
        return Err(PatternFileError::Behind(behind));
    }
    let (low, high) = halves.split_at(count);
    Ok(low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_back_and_other_bytes_are_refused() {
        let weights: Vec<_> = (-300..300).map(|weight| 7 * weight).collect();
        let bytes = compressed(&weights);
        assert_eq!(decompressed(&bytes, 600).unwrap(), weights);
        for (bytes, count) in [(&bytes[..], 599), (&bytes[..], 601), (&bytes[..40], 600), (&[7; 9], 600)] {
            assert!(decompressed(bytes, count).is_err(), "{count}");
        }
    }

    #[test]
    fn weights_are_those_of_their_rule_set_and_older_files_of_any() {
        let weights = vec![7; Layout::new().count()];
        let old = compressed(&weights);
        for variant in Variant::OFFICIAL {
            assert_eq!(unpacked(&old, variant).unwrap(), weights);
            for other in Variant::ALL.into_iter().filter(|&other| cover(other)) {
                let read = unpacked(&packed(&weights, variant), other);
                if other == variant {
                    assert_eq!(read.unwrap(), weights);
                } else {
                    let told = read.unwrap_err().to_string();
                    assert_eq!(told, format!("the weights of the patterns are for {variant}: expected {other}"));
                }
            }
        }
        let strange = [LABEL, b"\x1b[2J", &[b'x'; 90], &old].concat();
        let told = unpacked(&strange, Variant::BASIC).unwrap_err().to_string();
        assert!(told.len() < 130 && !told.contains('\x1b'), "{told}");
    }
}
