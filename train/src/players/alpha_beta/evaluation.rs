//! The static evaluation of a settled position: what the pieces are worth, in hundredths of a basic piece.

use gipf_env::bitboard::Bitboard;
use gipf_env::geometry::Spot;
use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player};

/// A value in hundredths of a captured basic piece, or a proven result: see [`win_in`].
pub type Score = i32;

/// A won position, less the number of turns to the end.
pub const WIN: Score = 1_000_000;

/// Scores beyond this, either way, are proven results.
pub const PROVEN: Score = WIN - 100_000;

/// What the features of a position are worth, in hundredths of a captured basic piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// A basic piece that is not captured, on the board or in reserve.
    pub material: Score,
    /// A piece on the board, by its ring: 0 is the centre, 3 the edge.
    pub ring: [Score; 4],
    /// Having this number of GIPF-pieces on the board; the last entry stands for more.
    pub gipfs: [Score; 7],
    /// Four spots in line on which two of the player's pieces stand.
    pub twos: Score,
    /// Four spots in line on which three of the player's pieces stand.
    pub threes: Score,
    /// Having this number of basic pieces in reserve; the last entry stands for more.
    pub reserve: [Score; 10],
    /// The right to bring in GIPF-pieces.
    pub right: Score,
    /// Being to move.
    pub tempo: Score,
}

impl Weights {
    /// Returns the weights for a rule set that opens in this way, with or without potentials.
    pub const fn of(opening: Opening) -> Self {
        match opening {
            Opening::Basic => BASIC,
            Opening::Standard => STANDARD,
            Opening::Tournament => TOURNAMENT,
        }
    }

    /// Returns the value of a position without an outcome, for the player to move.
    #[inline]
    pub fn evaluate(&self, position: &GipfPosition) -> Score {
        let me = position.to_move();
        self.of_player(position, me) - self.of_player(position, me.other()) + self.tempo
    }

    #[inline]
    fn of_player(&self, position: &GipfPosition, player: Player) -> Score {
        let board = position.board();
        let own = board.pieces_of(player);
        let gipfs = (own & board.gipfs()).count() as usize;
        let reserve = position.reserve(player);
        let material = Score::from(board.material(player) + reserve);
        let rings: Score = (0..4).map(|ring| self.ring[ring] * (own & RINGS[ring]).count() as Score).sum();
        let (twos, threes) = rows_begun(own);
        let right = if position.gipf_right(player) { self.right } else { 0 };
        self.material * material
            + rings
            + self.gipfs[gipfs.min(6)]
            + self.twos * twos
            + self.threes * threes
            + self.reserve[usize::from(reserve).min(9)]
            + right
    }
}

const BASIC: Weights = Weights {
    material: 100,
    ring: [-36, -21, -20, -23],
    gipfs: [0; 7],
    twos: 6,
    threes: 27,
    reserve: [-550, -80, -40, -15, 10, 10, 16, 16, 16, 0],
    right: 0,
    tempo: 7,
};

const STANDARD: Weights = Weights {
    material: 100,
    ring: [5, 10, -8, -16],
    gipfs: [0, 0, 150, 200, 200, 200, 200],
    twos: 5,
    threes: 29,
    reserve: [-800, -180, -100, -60, -20, -20, 0, 30, 30, 0],
    right: 0,
    tempo: 11,
};

const TOURNAMENT: Weights = Weights {
    material: 100,
    ring: [-10, 16, 6, 0],
    gipfs: [0, 0, 150, 200, 100, 0, -100],
    twos: 4,
    threes: 30,
    reserve: [-700, -300, -160, -100, -40, -40, 10, 10, 10, 0],
    right: -150,
    tempo: 12,
};

/// The spots at each distance from the centre.
const RINGS: [Bitboard; 4] = {
    let mut rings = [0_u64; 4];
    let mut index = 0;
    while index < gipf_env::geometry::SPOTS {
        let spot = Spot::from_index(index);
        rings[spot.ring() as usize] |= 1 << spot.bit();
        index += 1;
    }
    let mut sets = [Bitboard::EMPTY; 4];
    let mut ring = 0;
    while ring < 4 {
        sets[ring] = Bitboard::from_bits(rings[ring]).expect("spots are on the board");
        ring += 1;
    }
    sets
};

/// The bits between neighbours along the three axes of lines.
const STEPS: [u32; 3] = [1, 9, 8];

/// Where four spots in line begin, along each axis.
const FOURS: [u64; 3] = {
    let board = Bitboard::BOARD.bits();
    let mut fours = [0; 3];
    let mut axis = 0;
    while axis < 3 {
        let step = STEPS[axis];
        fours[axis] = board & board >> step & board >> (2 * step) & board >> (3 * step);
        axis += 1;
    }
    fours
};

/// Returns the numbers of windows of four spots in line that hold exactly two, exactly three of these pieces.
#[inline]
fn rows_begun(pieces: Bitboard) -> (Score, Score) {
    let a = pieces.bits();
    let (mut twos, mut threes) = (0, 0);
    for (axis, step) in STEPS.into_iter().enumerate() {
        let (b, c, d) = (a >> step, a >> (2 * step), a >> (3 * step));
        let (either, both) = (a ^ b, a & b);
        let (other_either, other_both) = (c ^ d, c & d);
        threes += ((either & other_both | both & other_either) & FOURS[axis]).count_ones();
        let two = either & other_either | (both ^ other_both) & !(either | other_either);
        twos += (two & FOURS[axis]).count_ones();
    }
    (twos as Score, threes as Score)
}
