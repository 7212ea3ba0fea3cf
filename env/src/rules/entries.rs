//! Which entries are open: those of lines with a vacant spot, but only one for each vacant first spot.

use crate::bitboard::Bitboard;
use crate::geometry::{ENTRIES, Entry, LINES, Line};

/// Returns the entries at which a piece can be brought in, as a set of entry indices.
///
/// Pushing onto a vacant spot is the same move from every dot, and counts under its lowest entry only.
///
/// In the word of a bitboard a byte is a column. So the lines with a vacant spot are: going north, the non-zero bytes;
/// going south-east, the bits of the bytes folded together; going north-east, those of a fold by nine bits, at the
/// places of the lines' first spots.
#[inline]
pub(super) fn open_entries(occupied: Bitboard) -> u64 {
    let vacant = (!occupied).0;
    let north = gathered((vacant + EACH_BYTE * 0x7f) >> 7 & EACH_BYTE);
    let south_east = folded(vacant, 8) & 0x7f;
    let north_east = folded(vacant, 9);
    let north_east = north_east & 0xf | north_east >> 4 & 0x10 | north_east >> 11 & 0x20 | north_east >> 18 & 0x40;
    let [of_north, of_north_east, of_south_east] = &ENTRIES_OF_LINES;
    let open = of_north[north as usize] | of_north_east[north_east as usize] | of_south_east[south_east as usize];
    open & !doubles(vacant)
}

/// Returns whether this entry is one of the open ones.
#[inline]
pub(super) fn is_open(entry: Entry, occupied: Bitboard) -> bool {
    let track = entry.track();
    track.line & !occupied.0 != 0 && (track.first & occupied.0 != 0 || LOWEST >> entry.index() & 1 == 1)
}

/// A bit in each byte that is a column.
const EACH_BYTE: u64 = 0x0001_0101_0101_0101;

/// Returns the lowest bits of the seven bytes, next to each other.
#[inline]
const fn gathered(bits: u64) -> u64 {
    bits.wrapping_mul(0x0102_0408_1020_4080) >> 56 & 0x7f
}

/// Returns for each bit whether it, or any bit that follows it in steps, is set.
#[inline]
const fn folded(bits: u64, step: u32) -> u64 {
    let bits = bits | bits >> (4 * step);
    let bits = bits | bits >> (2 * step);
    bits | bits >> step
}

/// Returns the entries onto vacant spots that are not the lowest of their first spot.
#[inline]
fn doubles(vacant: u64) -> u64 {
    let columns = DOUBLES.iter().enumerate();
    columns.fold(0, |set, (q, doubles)| set | doubles[(vacant >> (8 * q) & 0x7f) as usize])
}

/// For each direction of lines and each set of lines among its seven: the entries of these lines.
///
/// The lines going south-east are numbered by their bit in a byte, the others in the order of their first bits.
const ENTRIES_OF_LINES: [[u64; 128]; 3] = {
    let mut table = [[0; 128]; 3];
    let mut line = 0;
    while line < LINES {
        let ends = Line::from_index(line);
        let entries = 1 << ends.first_entry().index() | 1 << ends.last_entry().index();
        let place = place_of(ends);
        let mut set = 0;
        while set < 128 {
            if set >> place & 1 == 1 {
                table[line / 7][set] |= entries;
            }
            set += 1;
        }
        line += 1;
    }
    table
};

const fn place_of(line: Line) -> usize {
    let first = line.spots().bits().trailing_zeros() as usize;
    match line.index() / 7 {
        0 => first / 8,
        1 if first < 8 => first,
        1 => first / 8 + 3,
        _ => first % 8,
    }
}

/// The entries that are the lowest of their first spot.
const LOWEST: u64 = {
    let (mut lowest, mut seen) = (0, 0);
    let mut entry = 0;
    while entry < ENTRIES {
        let spot = 1_u64 << Entry::from_index(entry).first_spot().bit();
        if seen & spot == 0 {
            lowest |= 1 << entry;
        }
        seen |= spot;
        entry += 1;
    }
    lowest
};

/// For each column and each set of vacant spots in it: the entries onto them that are not the lowest of their spot.
const DOUBLES: [[u64; 128]; 7] = {
    let mut table = [[0; 128]; 7];
    let mut at = 0;
    while at < 128 * ENTRIES {
        let (entry, vacant) = (at / 128, at % 128);
        let bit = Entry::from_index(entry).first_spot().bit() as usize;
        if LOWEST >> entry & 1 == 0 && vacant >> (bit % 8) & 1 == 1 {
            table[bit / 8][vacant] |= 1 << entry;
        }
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Spot;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// What the text of the rule says, entry by entry.
    fn slowly(occupied: Bitboard) -> u64 {
        let is_open = |entry: &Entry| !entry.line().spots().without(occupied).is_empty();
        let is_first = |entry: &Entry| {
            let same = Entry::all().find(|other| other.first_spot() == entry.first_spot());
            occupied.contains(entry.first_spot()) || same == Some(*entry)
        };
        Entry::all().filter(|entry| is_open(entry) && is_first(entry)).fold(0, |set, entry| set | 1 << entry.index())
    }

    #[test]
    fn eighteen_first_spots_are_open_on_an_empty_board() {
        assert_eq!(open_entries(Bitboard::EMPTY).count_ones(), 18);
        assert_eq!(open_entries(Bitboard::BOARD), 0);
    }

    #[test]
    fn lines_are_open_where_one_of_their_spots_is_vacant() {
        for spot in Spot::all() {
            let all_but_one = Bitboard::BOARD.without(Bitboard::of(spot));
            assert_eq!(open_entries(all_but_one), slowly(all_but_one), "{spot}");
        }
        for line in Line::all() {
            assert_eq!(open_entries(line.spots()), slowly(line.spots()), "{line}");
        }
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..20_000 {
            let filled = rng.random_range(0.0..1.0);
            let occupied = Spot::all().filter(|_| rng.random_bool(filled)).collect();
            assert_eq!(open_entries(occupied), slowly(occupied), "{occupied:?}");
            let one_by_one = Entry::all().filter(|&entry| is_open(entry, occupied));
            assert_eq!(one_by_one.fold(0, |set, entry| set | 1 << entry.index()), slowly(occupied), "{occupied:?}");
        }
    }
}
