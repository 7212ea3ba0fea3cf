//! Rows written around the caches.
//!
//! An array larger than the caches is fetched into them only to be overwritten, and evicts everything else they hold. Stores
//! that bypass the caches do neither, but they have to fill whole cache lines, so rows are assembled in a small buffer.

/// The number of values in a cache line.
const LINE: usize = 16;
/// The most values of a row that can be written this way.
const LONGEST: usize = 19 * 49;
/// The number of bytes from which on it pays: with a last-level cache of 32 MB, 17.6 MB of observations were a fifth
/// faster this way, 8.8 MB a fifth slower.
const WORTHWHILE: usize = 16 << 20;

/// The buffer in which rows are assembled.
#[repr(align(64))]
pub struct Scratch([f32; LONGEST + LINE]);

impl Default for Scratch {
    fn default() -> Self {
        Self([0.0; LONGEST + LINE])
    }
}

/// Rows that are written one after the other.
pub(crate) struct Stream<'a> {
    head: &'a mut [f32],
    lines: std::slice::IterMut<'a, [f32; LINE]>,
    tail: &'a mut [f32],
    /// How many values in the buffer wait for the rest of their line.
    waiting: usize,
}

impl<'a> Stream<'a> {
    /// Returns whether rows of this size should be written this way, given the number of bytes of all of them.
    pub fn is_worthwhile(row: usize, bytes: usize) -> bool {
        cfg!(target_arch = "x86_64") && bytes >= WORTHWHILE && row <= LONGEST
    }

    /// Returns a stream that fills these rows.
    pub fn new(rows: &'a mut [f32]) -> Self {
        let place = rows.as_ptr().addr() / size_of::<f32>() % LINE;
        let before = (LINE - place) % LINE;
        let (head, rest) = rows.split_at_mut(before.min(rows.len()));
        let (lines, tail) = rest.as_chunks_mut();
        Self { head, lines: lines.iter_mut(), tail, waiting: 0 }
    }

    /// Writes a row: `write` is given the place for its values.
    ///
    /// # Panics
    /// If there are more rows, or more values in a row, than there is room for.
    #[inline]
    pub fn row(&mut self, size: usize, scratch: &mut Scratch, write: impl FnOnce(&mut [f32])) {
        let all = self.waiting + size;
        write(&mut scratch.0[self.waiting..all]);
        if all < self.head.len() {
            self.waiting = all;
            return;
        }
        let head = std::mem::take(&mut self.head);
        head.copy_from_slice(&scratch.0[..head.len()]);
        let (lines, rest) = scratch.0[head.len()..all].as_chunks();
        for line in lines {
            write_line(self.lines.next().expect("the rows have room for these lines"), line);
        }
        self.waiting = rest.len();
        scratch.0.copy_within(all - self.waiting..all, 0);
    }

    /// Finishes after the last row; what was written can be read from here on.
    pub fn finish(self, scratch: &Scratch) {
        self.tail.copy_from_slice(&scratch.0[..self.tail.len()]);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has the instruction, and it touches no memory.
        #[expect(unsafe_code, reason = "stores around the caches are not ordered otherwise")]
        unsafe {
            std::arch::x86_64::_mm_sfence();
        }
    }
}

/// Writes a line, which is aligned like a cache line.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "nothing else writes around the caches")]
fn write_line(to: &mut [f32; LINE], from: &[f32; LINE]) {
    use std::arch::x86_64::{_mm_loadu_ps, _mm_stream_ps};
    debug_assert!(to.as_ptr().addr().is_multiple_of(size_of_val(to)));
    for (to, from) in to.as_chunks_mut::<4>().0.iter_mut().zip(from.as_chunks::<4>().0) {
        // SAFETY: every x86-64 processor has the instructions; the line is aligned, and so are its quarters.
        unsafe { _mm_stream_ps(to.as_mut_ptr(), _mm_loadu_ps(from.as_ptr())) }
    }
}

#[inline]
#[cfg(not(target_arch = "x86_64"))]
fn write_line(to: &mut [f32; LINE], from: &[f32; LINE]) {
    *to = *from;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starting at any place in a line, rows of all sizes arrive whole, and nothing outside them is touched.
    #[test]
    fn rows_arrive_whole() {
        for (place, size, rows) in [(0, 49, 5), (1, 539, 3), (7, 3, 9), (15, 1, 40), (15, 1, 1), (9, LONGEST, 4)] {
            let mut memory = vec![-1.0; LINE * 2 + place + size * rows];
            let begin = (LINE - memory.as_ptr().addr() / 4 % LINE) % LINE + place;
            let all = begin..begin + size * rows;
            let (mut stream, mut scratch) = (Stream::new(&mut memory[all.clone()]), Scratch::default());
            for row in 0..rows {
                let value = |cell: usize| (row * size + cell) as f32;
                stream.row(size, &mut scratch, |to| to.iter_mut().enumerate().for_each(|(n, to)| *to = value(n)));
            }
            stream.finish(&scratch);
            for (at, &found) in memory.iter().enumerate() {
                let expected = if all.contains(&at) { (at - begin) as f32 } else { -1.0 };
                assert_eq!(found, expected, "value {at} of {rows} rows of {size} from {place}");
            }
        }
    }
}
