//! The evaluation by patterns: the pieces on each of the 21 lines, and the counts of both players, weighed by tables
//! that were fitted to games.
//!
//! The value is a sum of weights, one for the pattern on each line and the others for counts: a linear model over
//! patterns, as in programs for Othello since Logistello (Buro 1997). Nothing is known about the patterns beforehand,
//! except which are the same: lines of one length by symmetry, and a line and its reverse.

mod features;
mod file;
mod lines;

use std::sync::{Arc, OnceLock};

use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Variant};
use gipf_models::{Shipped, shipped};

pub use features::{Layout, NONE, View, cover, is_loaded};
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
    /// By player, potentials in hand and used ones; empty where there are none.
    potentials: [Vec<i16>; 2],
    tempo: Score,
}

/// The largest entry of a table: for any weights of a file, the 30 entries of a position stay below a proven result.
const MOST_SUM: Score = 29_000;
const _: () = assert!(30 * MOST_SUM < super::PROVEN && MOST_SUM <= i16::MAX as Score);

impl Patterns {
    /// Returns the weights that come with the program for rule sets that open in this way: fitted to games of alpha-beta
    /// against itself.
    pub fn of(opening: Opening) -> Arc<Self> {
        static READ: [Read; 3] = [const { OnceLock::new() }; 3];
        read(&READ[number(opening)], Self::file(opening), Variant::OFFICIAL[number(opening)])
    }

    /// Returns those that were fitted to games of the networks that come with the program, and to what their searches
    /// expected.
    pub fn distilled(opening: Opening) -> Arc<Self> {
        static READ: [Read; 3] = [const { OnceLock::new() }; 3];
        read(&READ[number(opening)], Self::distilled_file(opening), Variant::OFFICIAL[number(opening)])
    }

    /// Returns those of basic+zertz, fitted to games of alpha-beta against itself.
    pub fn loaded() -> Arc<Self> {
        static READ: Read = OnceLock::new();
        read(&READ, Self::LOADED_FILE, Variant::BASIC.with_zertz())
    }

    /// The file of [`loaded`](Self::loaded).
    pub const LOADED_FILE: Shipped = shipped!("patterns-basic-zertz.bin", "basic-zertz.bin");

    /// Returns the file of [`of`](Self::of).
    pub const fn file(opening: Opening) -> Shipped {
        FITTED[number(opening)]
    }

    /// Returns the file of [`distilled`](Self::distilled).
    pub const fn distilled_file(opening: Opening) -> Shipped {
        DISTILLED[number(opening)]
    }

    /// Builds the tables from weights in the order of a layout, in hundredths of a basic piece.
    ///
    /// # Panics
    /// If their number is wrong for the layout.
    pub fn new(layout: &Layout, weights: &[i16]) -> Self {
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
            potentials: [0, 1].map(|player| {
                let pairs = 0..Counts::POTENTIALS * Counts::POTENTIALS;
                pairs.map_while(|pair| layout.of_potentials(player, pair)).map(|number| sum(&[number])).collect()
            }),
            tempo: sum(&[layout.of_tempo()]).into(),
        }
    }

    /// Returns the value of a position without an outcome, for the player to move.
    #[inline]
    pub fn evaluate(&self, position: &GipfPosition) -> Score {
        self.weigh(&View::without_potentials(position))
    }

    /// Returns the value as [`evaluate`](Self::evaluate) does, by weights of basic+zertz.
    #[inline]
    pub fn evaluate_with_potentials(&self, position: &GipfPosition) -> Score {
        let view = View::with_potentials(position);
        let [own, other] = [0, 1].map(|player| Score::from(self.potentials[player][view.potentials(player)]));
        self.weigh(&view) + own + other
    }

    #[inline]
    fn weigh(&self, view: &View) -> Score {
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

/// Weights that are read when they are first needed.
type Read = OnceLock<Arc<Patterns>>;

fn read(known: &'static Read, file: Shipped, variant: Variant) -> Arc<Patterns> {
    let patterns = known.get_or_init(|| {
        let weights = unpacked(file.bytes(), variant).expect("the files that come with the program are sound");
        Arc::new(Patterns::new(&Layout::of(variant), &weights))
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
