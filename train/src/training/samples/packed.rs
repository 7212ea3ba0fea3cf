//! Many samples in little memory.

use std::marker::PhantomData;

use gipf_env::Position;

use super::sample::Sample;

/// A list of samples, each kept as bytes and unpacked when asked for.
///
/// A sample of GIPF whose policy is one action takes about 90 bytes, and about 6 more for each further action: a
/// million of them fit in 100 MB, or in 300 MB with the policies of a search.
#[derive(Clone, Debug)]
pub struct PackedSamples<P> {
    /// The samples one after the other, as `postcard` writes them.
    bytes: Vec<u8>,
    /// Where each sample ends.
    ends: Vec<usize>,
    position: PhantomData<P>,
}

impl<P> Default for PackedSamples<P> {
    fn default() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), position: PhantomData }
    }
}

impl<P: Position> PackedSamples<P> {
    /// Adds a sample.
    pub fn push(&mut self, sample: &Sample<P>) {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(sample, bytes).expect("samples are plain values");
        self.ends.push(self.bytes.len());
    }

    /// Adds all samples of another list.
    pub fn append(&mut self, other: &Self) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of bytes that the samples take.
    pub fn size(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.ends)
    }

    /// Returns a sample.
    ///
    /// # Panics
    /// If there is no sample of this number.
    pub fn get(&self, index: usize) -> Sample<P> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        postcard::from_bytes(&self.bytes[start..self.ends[index]]).expect("the bytes are those of a sample")
    }
}

impl<P: Position> Extend<Sample<P>> for PackedSamples<P> {
    fn extend<I: IntoIterator<Item = Sample<P>>>(&mut self, samples: I) {
        for sample in samples {
            self.push(&sample);
        }
    }
}
