//! The evaluation by a few terms: the values of the pieces, in hundredths of a basic piece.

use gipf_env::bitboard::Bitboard;
use gipf_env::geometry::{SPOTS, Spot};
use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player};

use super::Score;

/// The spots at each distance from the centre.
const RINGS: [Bitboard; 4] = {
    let mut rings = [0_u64; 4];
    let mut index = 0;
    while index < SPOTS {
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

/// The values of the features of a position, in hundredths of a captured basic piece.
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
            Opening::Standard | Opening::PushOff => STANDARD,
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

// The weights were found by simultaneous perturbation (Spall 1992) from guesses that logistic regression had given, in
// steps of 16 games at depths 2 and 3 between two settings on either side of the current one: 600 steps for basic, 1500
// for standard, 1300 for tournament. Against the guesses at depths 2 and 3 those for basic win 76 and 57 % of the
// games, those for standard 81 and 71 %, those for tournament 60 and 59 %.

const BASIC: Weights = Weights {
    material: 100,
    ring: [-20, -9, -5, -13],
    gipfs: [0; 7],
    twos: 7,
    threes: 19,
    reserve: [-400, -266, -180, -98, -77, -32, -17, -6, -1, 0],
    right: 0,
    tempo: 2,
};

const STANDARD: Weights = Weights {
    material: 100,
    ring: [16, 16, 8, -5],
    gipfs: [0, 0, 25, 35, 35, 35, 35],
    twos: 7,
    threes: 16,
    reserve: [-652, -497, -172, -76, -46, -21, 8, 16, 17, 0],
    right: 0,
    tempo: -7,
};

const TOURNAMENT: Weights = Weights {
    material: 100,
    ring: [26, 24, 15, 3],
    gipfs: [0, 0, 65, -150, -200, -240, -280],
    twos: 5,
    threes: 12,
    reserve: [-634, -433, -283, -144, -107, -75, -39, -23, -7, 0],
    right: -589,
    tempo: -10,
};

/// The bits between neighbours along the three axes of lines.
pub const STEPS: [u32; 3] = [1, 9, 8];

/// The first spots of windows of four in line, along each axis.
pub const FOURS: [u64; 3] = {
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

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::geometry::{Direction, Spot};
    use gipf_env::{Learnable, Phase, Position, Variant};
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    fn random_quiet_positions() -> Vec<GipfPosition> {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut positions = Vec::new();
        for game in 0..12 {
            let mut position = GipfPosition::start(Variant::OFFICIAL[game % 3]);
            while let Some(action) = position.legal_actions().choose(&mut rng) {
                if position.phase() == Phase::Push {
                    positions.push(position.clone());
                }
                position.play(action).unwrap();
            }
        }
        positions
    }

    #[test]
    fn the_value_is_that_of_every_image_and_of_exchanged_players() {
        for position in random_quiet_positions() {
            let weights = Weights::of(position.variant().opening());
            let value = weights.evaluate(&position);
            assert_eq!(weights.evaluate(&position.with_players_exchanged()), value);
            for symmetry in 0..position.symmetries() {
                assert_eq!(weights.evaluate(&position.transformed(symmetry)), value);
            }
        }
    }

    #[test]
    fn rows_begun_are_the_windows_of_four_with_two_and_with_three_pieces() {
        for position in random_quiet_positions() {
            let own = position.board().pieces_of(position.to_move());
            let mut windows = [0; 5];
            for (spot, axis) in Spot::all().flat_map(|spot| [0, 1, 2].map(|axis| (spot, axis))) {
                let next = |spot: &Spot| spot.neighbour(Direction::ALL[axis]);
                let window: Vec<_> = std::iter::successors(Some(spot), next).take(4).collect();
                if window.len() == 4 {
                    windows[window.into_iter().filter(|&spot| own.contains(spot)).count()] += 1;
                }
            }
            assert_eq!(rows_begun(own), (windows[2], windows[3]));
        }
    }
}
