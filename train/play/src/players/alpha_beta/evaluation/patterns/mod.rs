//! The evaluation by patterns: the pieces on each of the 21 lines, and the counts of both players, weighed by tables
//! that were fitted to games.
//!
//! The value is a sum of weights, one for the pattern on each line and the others for counts: a linear model over
//! patterns, as in programs for Othello since Logistello (Buro 1997). Nothing about the patterns is given except which
//! are the same: lines of one length by symmetry, and a line and its reverse.

mod features;
mod file;
mod lines;

use std::sync::{Arc, OnceLock};

use gipf_env::GipfPosition;
use gipf_env::rules::Opening;
use gipf_models::{Shipped, shipped};

pub use features::{Layout, NONE, View};
pub use file::{PatternFileError, WeightsFileError, packed, read_weights, read_weights_file, unpacked, weights_of};

use super::Score;
use features::Counts;
use lines::{LENGTHS, PLAIN, STATES};

/// Weights combined for playing: one table for each length of lines and for each player's counts.
#[derive(Clone, Debug)]
pub struct Patterns {
    lines: [Vec<i16>; 4],
    /// The same for lines without GIPF-pieces, which are all lines of basic.
    plain_lines: [Vec<i16>; 4],
    /// By player, the one to move first; then by pair of reserve and material.
    pairs: [Vec<i16>; 2],
    /// By player, GIPF-pieces and reserve.
    gipfs: [Vec<i16>; 2],
    rights: [Score; 2],
    tempo: Score,
}

/// The largest entry of a table: for any weights of a file, the 28 entries of a position stay below a proven result.
const MOST_SUM: Score = 30_000;
const _: () = assert!(28 * MOST_SUM < super::PROVEN && MOST_SUM <= i16::MAX as Score);

impl Patterns {
    /// Returns the weights that come with the program for rule sets that open in this way: fitted to games of alpha-beta
    /// against itself.
    pub fn of(opening: Opening) -> Arc<Self> {
        static READ: Official = [const { OnceLock::new() }; 3];
        read(&READ, &FITTED, opening)
    }

    /// Returns those that were fitted to games of the networks that come with the program, and to what their searches
    /// expected.
    pub fn distilled(opening: Opening) -> Arc<Self> {
        static READ: Official = [const { OnceLock::new() }; 3];
        read(&READ, &DISTILLED, opening)
    }

    /// Returns the file of [`of`](Self::of).
    pub const fn file(opening: Opening) -> Shipped {
        FITTED[number(opening)]
    }

    /// Returns the file of [`distilled`](Self::distilled).
    pub const fn distilled_file(opening: Opening) -> Shipped {
        DISTILLED[number(opening)]
    }

    /// Builds the tables from weights in the order of [`Layout`], in hundredths of a basic piece.
    ///
    /// # Panics
    /// If their number is wrong for the layout.
    pub fn new(weights: &[i16]) -> Self {
        let layout = Layout::new();
        assert_eq!(weights.len(), layout.count(), "one weight for each of the layout");
        let sum = |numbers: &[u32]| {
            let weigh = |&number: &u32| if number == NONE { 0 } else { Score::from(weights[number as usize]) };
            let sum: Score = numbers.iter().map(weigh).sum();
            sum.clamp(-MOST_SUM, MOST_SUM) as i16
        };
        let lines: [Vec<_>; 4] = std::array::from_fn(|length| {
            let count = STATES.pow(LENGTHS[length] as u32);
            (0..count).map(|index| sum(&layout.of_line(length, index))).collect()
        });
        let plain_lines = std::array::from_fn(|length| {
            let count = PLAIN.pow(LENGTHS[length] as u32);
            (0..count).map(|index| lines[length][lines::of_plain(index)]).collect()
        });
        let numbers = Counts::MOST + 1;
        let pair = |player, pair: usize| sum(&layout.of_pair(player, pair / numbers, pair % numbers));
        let gipfs = |player, pair: usize| sum(&layout.of_gipfs(player, pair / numbers, pair % numbers));
        Self {
            lines,
            plain_lines,
            pairs: [0, 1].map(|player| (0..Counts::PAIRS).map(|number| pair(player, number)).collect()),
            gipfs: [0, 1].map(|player| (0..Counts::GIPFS * numbers).map(|number| gipfs(player, number)).collect()),
            rights: [0, 1].map(|player| sum(&[layout.of_right(player)]).into()),
            tempo: sum(&[layout.of_tempo()]).into(),
        }
    }

    /// Returns the value of a position without an outcome, for the player to move.
    #[inline]
    pub fn evaluate(&self, position: &GipfPosition) -> Score {
        let view = View::of(position);
        let mut sum = self.tempo;
        let [own, other, gipfs] = view.sets;
        if gipfs == 0 {
            lines::for_each_plain([own, other], |length, index| sum += Score::from(self.plain_lines[length][index]));
        } else {
            lines::for_each(view.sets, |length, index| sum += Score::from(self.lines[length][index]));
        }
        for player in 0..2 {
            let counts = view.counts(player);
            sum += Score::from(self.pairs[player][counts.pair()]);
            sum += Score::from(self.gipfs[player][counts.gipfs * (Counts::MOST + 1) + counts.reserve]);
            if view.rights[player] {
                sum += self.rights[player];
            }
        }
        sum
    }
}

/// Weights for basic, standard and tournament, each read when it is first wanted.
type Official = [OnceLock<Arc<Patterns>>; 3];

fn read(known: &'static Official, files: &[Shipped; 3], opening: Opening) -> Arc<Patterns> {
    let number = number(opening);
    let patterns = known[number].get_or_init(|| {
        let weights = unpacked(files[number].bytes(), Layout::new().count());
        Arc::new(Patterns::new(&weights.expect("the files that come with the program are sound")))
    });
    Arc::clone(patterns)
}

const fn number(opening: Opening) -> usize {
    match opening {
        Opening::Basic => 0,
        Opening::Standard | Opening::PushOff => 1,
        Opening::Tournament => 2,
    }
}

const FITTED: [Shipped; 3] = [
    shipped!("patterns-basic.bin", "basic.bin"),
    shipped!("patterns-standard.bin", "standard.bin"),
    shipped!("patterns-tournament.bin", "tournament.bin"),
];
const DISTILLED: [Shipped; 3] = [
    shipped!("distilled-basic.bin", "distilled/basic.bin"),
    shipped!("distilled-standard.bin", "distilled/standard.bin"),
    shipped!("distilled-tournament.bin", "distilled/tournament.bin"),
];
