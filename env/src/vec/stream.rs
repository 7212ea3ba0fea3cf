//! Rows written around the caches.
//!
//! What is more than the caches hold is fetched into them only to be overwritten, and pushes out what else they hold. Stores
//! that pass them by do neither, but they have to fill whole lines of the cache: rows are put together in a small memory.

/// The values of a line of the cache.
const LINE: usize = 16;
/// The most values of a row that can be written so.
const LONGEST: usize = 19 * 49;
/// From so many bytes on it pays: 17.6 MB of observations were a fifth faster so, 8.8 MB a fifth slower, beside a last cache
/// of 32 MB.
const WORTHWHILE: usize = 16 << 20;

/// Where rows are put together.
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
    /// How many values of the scratch memory wait for the rest of their line.
    waiting: usize,
}

impl<'a> Stream<'a> {
    /// Returns whether rows of this size should be written so, given how many bytes all of them have.
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
    /// If rows or their values are more than there is room for.
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

    /// Ends after the last row: what was written can be read from here on.
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

/// Writes a line, which begins where lines of the cache do.
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

    /// From every place in a line, rows of all kinds of sizes arrive whole, and nothing beside them is touched.
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
