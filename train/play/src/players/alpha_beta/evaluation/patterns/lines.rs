//! The patterns on the 21 lines, as one number each.

use gipf_env::geometry::LONGEST_LINE;

/// The states of a spot: vacant, a piece of the player to move, of the opponent, a GIPF-piece of the player, of the
/// opponent.
pub const STATES: usize = 5;

/// The states without GIPF-pieces.
pub const PLAIN: usize = 3;

/// The lengths of the lines.
pub const LENGTHS: [usize; 4] = [4, 5, 6, 7];

/// Calls `each` with every line: its length, counted from 4, and its number, in which the states of its spots are
/// digits.
///
/// The end from which a line is read is unspecified: its weight must not depend on it.
#[inline]
pub fn for_each([own, other, gipfs]: [u64; 3], mut each: impl FnMut(usize, usize)) {
    let axes = [own, other, gipfs].map(axes);
    for (axis, lines) in LINES.iter().enumerate() {
        for &Line { byte, low, length } in lines {
            let digits = |set: usize| DIGITS[(axes[set][axis] >> byte & 0x7f) as usize >> low];
            each(length - 4, (digits(0) + 2 * (digits(1) + digits(2))) as usize);
        }
    }
}

/// Converts the number in base 3 of a line without GIPF-pieces, from [`for_each_plain`], to the number of [`for_each`].
pub fn of_plain(mut index: usize) -> usize {
    let (mut number, mut power) = (0, 1);
    while index > 0 {
        number += index % PLAIN * power;
        (index, power) = (index / PLAIN, power * STATES);
    }
    number
}

/// Calls `each` with every line of a board without GIPF-pieces, as [`for_each`] does but with numbers in base
/// 3: their tables are so small that they stay in the nearest cache.
#[inline]
pub fn for_each_plain([own, other]: [u64; 2], mut each: impl FnMut(usize, usize)) {
    let axes = [own, other].map(axes);
    for (axis, lines) in LINES.iter().enumerate() {
        for &Line { byte, low, length } in lines {
            let digits = |set: usize| PLAIN_DIGITS[(axes[set][axis] >> byte & 0x7f) as usize >> low];
            each(length - 4, usize::from(digits(0) + 2 * digits(1)));
        }
    }
}

/// Returns the states of a line's spots, given its number and its length in spots.
pub fn states(mut index: usize, length: usize) -> Vec<usize> {
    let mut next = || {
        let state = index % STATES;
        index /= STATES;
        state
    };
    (0..length).map(|_| next()).collect()
}

/// The number of a line on which single pieces of the player to move stand at these bits.
const DIGITS: [u32; 1 << LONGEST_LINE] = {
    let mut digits = [0; 1 << LONGEST_LINE];
    let mut set = 0;
    while set < digits.len() {
        let (mut bit, mut power) = (0, 1);
        while bit < LONGEST_LINE {
            if set >> bit & 1 == 1 {
                digits[set] += power;
            }
            power *= STATES as u32;
            bit += 1;
        }
        set += 1;
    }
    digits
};

/// The same in base 3.
const PLAIN_DIGITS: [u16; 1 << LONGEST_LINE] = {
    let mut digits = [0; 1 << LONGEST_LINE];
    let mut set = 1;
    while set < digits.len() {
        digits[set] = PLAIN as u16 * digits[set >> 1] + (set & 1) as u16;
        set += 1;
    }
    digits
};

/// The place of a line in the word of its axis.
#[derive(Clone, Copy)]
struct Line {
    /// The lowest bit of its byte.
    byte: u32,
    /// The place of its first spot in the byte.
    low: u32,
    length: usize,
}

/// Returns the line at this offset from the middle one: as many spots shorter, at the low or the high end of its byte.
const fn line(byte: u32, offset: i32) -> Line {
    let low = if offset < 0 { -offset as u32 } else { 0 };
    Line { byte: 8 * byte, low, length: LONGEST_LINE - offset.unsigned_abs() as usize }
}

/// In words whose bytes are columns, lines going south-east, and lines going north-east.
const LINES: [[Line; 7]; 3] = {
    let mut lines = [[line(0, 0); 7]; 3];
    let mut number = 0;
    while number < 7 {
        let offset = 3 - number as i32;
        lines[0][number] = line(number as u32, offset);
        lines[1][number] = line(number as u32, offset);
        lines[2][number] = line(offset as u32 & 7, offset);
        number += 1;
    }
    lines
};

/// Returns the set with its columns as bytes, with its lines going south-east, and with those going north-east.
///
/// Spot (q, r) is bit r + 3 of byte q + 3: transposed, a byte holds the spots of one r. Rotating byte q down by q + 3
/// first brings the spots of one r - q together.
#[inline]
fn axes(set: u64) -> [u64; 3] {
    [set, transposed(set), transposed(sheared(set))]
}

/// Exchanges bit i of byte k with bit k of byte i.
#[inline]
const fn transposed(set: u64) -> u64 {
    let set = exchanged(set, 0x00aa_00aa_00aa_00aa, 7);
    let set = exchanged(set, 0x0000_cccc_0000_cccc, 14);
    exchanged(set, 0x0000_0000_f0f0_f0f0, 28)
}

/// Exchanges the bits of the mask with those `step` places above.
#[inline]
const fn exchanged(set: u64, mask: u64, step: u32) -> u64 {
    let change = (set ^ set >> step) & mask;
    set ^ change ^ change << step
}

/// Rotates byte k down by k bits.
#[inline]
const fn sheared(set: u64) -> u64 {
    let set = turned(set, 0xff00_ff00_ff00_ff00, 1, 0x7f7f_7f7f_7f7f_7f7f);
    let set = turned(set, 0xffff_0000_ffff_0000, 2, 0x3f3f_3f3f_3f3f_3f3f);
    turned(set, 0xffff_ffff_0000_0000, 4, 0x0f0f_0f0f_0f0f_0f0f)
}

/// Rotates the bytes of the mask down by `by` bits.
#[inline]
const fn turned(set: u64, bytes: u64, by: u32, low: u64) -> u64 {
    let moved = set >> by & low | set << (8 - by) & !low;
    set & !bytes | moved & bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::bitboard::Bitboard;
    use gipf_env::geometry::{Line, Spot};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Reads the lines spot by spot along their rays.
    #[test]
    fn every_line_is_found_once_with_the_states_of_its_spots() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let mut sets = [0_u64; 3];
            for spot in Spot::all() {
                let (bit, state) = (Bitboard::of(spot).bits(), rng.random_range(0..STATES));
                sets[0] |= if state % 2 == 1 { bit } else { 0 };
                sets[1] |= if state == 2 || state == 4 { bit } else { 0 };
                sets[2] |= if state > 2 { bit } else { 0 };
            }
            let state = |spot: Spot| {
                let [own, other, gipf] = sets.map(|set| usize::from(set & Bitboard::of(spot).bits() != 0));
                own + 2 * other + 2 * gipf
            };
            let either_way = |states: Vec<usize>| states.iter().rev().copied().collect::<Vec<_>>().min(states);
            let mut expected: Vec<_> =
                Line::all().map(|line| either_way(line.first_entry().ray().map(state).collect())).collect();
            let mut found = Vec::new();
            for_each(sets, |length, index| found.push(either_way(states(index, length + 4))));
            expected.sort();
            found.sort();
            assert_eq!(found, expected);

            let [own, other, _] = sets;
            let (mut plain, mut all) = (Vec::new(), Vec::new());
            for_each_plain([own, other], |length, index| plain.push((length, of_plain(index))));
            for_each([own, other, 0], |length, index| all.push((length, index)));
            assert_eq!(plain, all);
        }
    }
}
