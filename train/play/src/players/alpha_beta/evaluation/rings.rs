//! The evaluation of an older program for the game, as it was described, to measure others against.
//!
//! The description: 20 for a captured piece, 1 for a piece on the board, ring weights 5, 2 and 1, a GIPF-piece half again as
//! much, -5 for a last GIPF-piece, and of both sums their difference divided by their sum. It is read so: the ring weights
//! are for the centre, the six spots around it and the twelve around these, and come on top of the 1 for the piece; the
//! eighteen spots at the edge have none; "half again as much" is of both together; captured are the opponent's pieces that
//! are neither on the board nor in his reserve.

use gipf_env::bitboard::Bitboard;
use gipf_env::geometry::{SPOTS, Spot};
use gipf_env::rules::Opening;
use gipf_env::{GipfPosition, Player};

use super::Score;

/// The spots at each distance from the centre.
pub(super) const RINGS: [Bitboard; 4] = {
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

// All numbers of the description, doubled, so that half again as much for a GIPF-piece is a whole number.

/// For each opposing basic piece captured.
const CAPTURED: Score = 2 * 20;
/// For each piece on the board.
const PIECE: Score = 2;
/// For a piece on the centre, on the six spots around it, on the twelve around these; nothing at the edge.
const RING: [Score; 4] = [2 * 5, 2 * 2, 2, 0];
/// If there is one GIPF-piece left.
const LAST_GIPF: Score = -2 * 5;

/// The score of a player who has everything. In the middle of a game a captured piece then is worth some hundred, as in
/// the other evaluations, so that the margins of the search mean the same.
const WHOLE: Score = 600;

/// Returns the value of a position without an outcome, for the player to move: (own - opponent's) / (own + opponent's) of
/// what the two have in captured pieces, and in pieces on the board by their ring, a GIPF-piece half again as much.
///
/// A player's sum counts as 0 where it is less, so that the quotient lies between -1 and 1.
#[inline]
pub(super) fn evaluate(position: &GipfPosition) -> Score {
    let me = position.to_move();
    let (own, other) = (of_player(position, me), of_player(position, me.other()));
    WHOLE * (own - other) / (own + other).max(1)
}

fn of_player(position: &GipfPosition, player: Player) -> Score {
    let (board, opponent) = (position.board(), player.other());
    let own = board.pieces_of(player);
    let gipfs = own & board.gipfs();
    let on_ring = |ring: usize| {
        let worth = PIECE + RING[ring];
        let count = |set: Bitboard| (set & RINGS[ring]).count() as Score;
        worth * count(own) + worth / 2 * count(gipfs)
    };
    let left = Score::from(board.material(opponent) + position.reserve(opponent));
    let captured = material(position.variant().opening()) - left;
    let last = if gipfs.count() == 1 { LAST_GIPF } else { 0 };
    ((0..4).map(on_ring).sum::<Score>() + CAPTURED * captured.max(0) + last).max(0)
}

/// Returns the basic pieces with which a player begins, those on the board included; a handicap has more.
const fn material(opening: Opening) -> Score {
    match opening {
        Opening::Basic => 15,
        Opening::Standard | Opening::Tournament | Opening::PushOff => 18,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rings_have_1_6_12_and_18_spots() {
        assert_eq!(RINGS.map(Bitboard::count), [1, 6, 12, 18]);
    }
}
