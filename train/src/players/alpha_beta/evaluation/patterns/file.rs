//! Weights as the bytes of a file.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// The bytes are no weights of this layout.
#[derive(Debug, thiserror::Error)]
pub enum PatternFileError {
    /// They cannot be decompressed.
    #[error("the weights of the patterns are damaged: expected a zlib stream")]
    Damaged(#[from] std::io::Error),
    /// They are those of another layout.
    #[error("found {found} bytes of pattern weights: expected {expected}")]
    Length {
        /// The bytes there are.
        found: usize,
        /// The bytes there should be.
        expected: usize,
    },
}

/// Returns the weights as compressed bytes: first all low bytes, then all high ones, which are nearly all alike.
pub fn packed(weights: &[i16]) -> Vec<u8> {
    let halves = [0, 1].map(|half| weights.iter().map(move |weight| weight.to_le_bytes()[half]));
    let bytes: Vec<u8> = halves.into_iter().flatten().collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes).expect("memory can be written to");
    encoder.finish().expect("memory can be written to")
}

/// Returns the weights in these bytes, of which there should be so many.
///
/// # Errors
/// If the bytes are no zlib stream, or their number is another.
pub fn unpacked(bytes: &[u8], count: usize) -> Result<Vec<i16>, PatternFileError> {
    let expected = 2 * count;
    let mut halves = Vec::with_capacity(expected + 1);
    // One byte more than there should be, so that a stream without end is noticed and does no harm.
    ZlibDecoder::new(bytes).take(expected as u64 + 1).read_to_end(&mut halves)?;
    if halves.len() != expected {
        return Err(PatternFileError::Length { found: halves.len(), expected });
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
        let bytes = packed(&weights);
        assert_eq!(unpacked(&bytes, 600).unwrap(), weights);
        for (bytes, count) in [(&bytes[..], 599), (&bytes[..], 601), (&bytes[..40], 600), (&[7; 9], 600)] {
            assert!(unpacked(bytes, count).is_err(), "{count}");
        }
    }
}
