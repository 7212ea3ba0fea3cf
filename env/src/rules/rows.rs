//! Rows of four or more, and what is captured with them (section 4 of the rules).

use crate::bitboard::Bitboard;
use crate::geometry::{LINES, Line, Spot};

/// A set of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lines(pub(crate) u32);

impl Lines {
    pub const EMPTY: Self = Self(0);
    pub const ALL: Self = Self((1 << LINES) - 1);

    pub const fn of(line: Line) -> Self {
        Self(1 << line.index())
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn with(self, line: Line) -> Self {
        Self(self.0 | Self::of(line).0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = Line> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let line = (rest != 0).then(|| Line::from_index(rest.trailing_zeros() as usize));
            rest &= rest.wrapping_sub(1);
            line
        })
    }
}

/// The shifts of a step along the three axes: N, NE, SE.
const AXES: [u32; 3] = [1, 9, 8];

/// Returns the spots at which four pieces of the set begin along an axis.
#[inline]
const fn fours(pieces: u64, step: u32) -> u64 {
    let pairs = pieces & pieces >> step;
    pairs & pairs >> (2 * step)
}

/// Returns whether four or more pieces of one of these sets, which do not overlap, stand next to each other on some
/// line.
///
/// Two neighbours of one colour are a pair, and three pairs one step apart are a row: so from the pairs on, both
/// colours are handled together. A step is a rotation here, which needs no copy of the word; what wraps around lands on
/// bits that no spot has.
#[inline]
pub(crate) fn has_row([white, black]: [Bitboard; 2]) -> bool {
    let two = |set: u64, step| set & set.rotate_right(step);
    let found = AXES.iter().fold(0, |found, &step| {
        let pairs = two(white.0, step) | two(black.0, step);
        found | two(two(pairs, step), step)
    });
    found != 0
}

/// Returns the lines on which four or more of these pieces stand next to each other.
#[inline]
pub(crate) fn rows(pieces: Bitboard) -> Lines {
    let fours = AXES.map(|step| fours(pieces.0, step));
    if fours[0] | fours[1] | fours[2] == 0 {
        return Lines::EMPTY;
    }
    let mut lines = Lines::EMPTY;
    for (axis, starts) in fours.into_iter().enumerate() {
        for spot in Bitboard(starts) {
            lines = lines.with(Line::through(spot, axis));
        }
    }
    lines
}

/// Returns the row that these pieces form on a line, with every piece contiguous with it: up to the first gap each way.
///
/// A run of four always covers the middle of its line, so the stretch of occupied spots around the middle is the set.
pub(crate) fn capture_set(line: Line, occupied: Bitboard) -> Bitboard {
    let step = line.direction().shift().unsigned_abs();
    let on_line = line.spots().0 & occupied.0;
    let mut set = 1_u64 << middle(line).bit();
    debug_assert!(on_line & set != 0, "a row covers the middle of its line");
    loop {
        let grown = set | (set << step | set >> step) & on_line;
        if grown == set {
            return Bitboard(set);
        }
        set = grown;
    }
}

/// Returns the middle spot of a line, the later of two.
pub(crate) fn middle(line: Line) -> Spot {
    line.spots().into_iter().nth(line.len() / 2).expect("a line has four spots or more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_row_has_one_colour() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut found = 0;
        for _ in 0..20_000 {
            let mut colours = [Bitboard::EMPTY; 2];
            for spot in Spot::all() {
                // Full boards have rows of mixed colours everywhere.
                if let colour @ 0..2 = rng.random_range(0..3) {
                    colours[colour] |= Bitboard::of(spot);
                }
            }
            let expected = colours.iter().any(|&pieces| !rows(pieces).is_empty());
            assert_eq!(has_row(colours), expected, "{colours:?}");
            found += usize::from(expected);
        }
        assert!((2_000..18_000).contains(&found), "{found}");
    }

    #[test]
    fn every_run_of_four_is_found_on_its_line_and_covers_the_middle() {
        for line in Line::all() {
            let spots: Vec<_> = line.spots().into_iter().collect();
            for run in spots.windows(4) {
                let run: Bitboard = run.iter().copied().collect();
                assert_eq!(rows(run), Lines::of(line));
                assert!(run.contains(middle(line)));
                assert_eq!(capture_set(line, run), run);
            }
            for run in spots.windows(3) {
                assert!(rows(run.iter().copied().collect()).is_empty());
            }
        }
    }
}
