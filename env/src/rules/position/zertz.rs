//! ZÈRTZ-potentials: loaded pieces and jumps (section 7 of the rules).

use crate::bitboard::Bitboard;
use crate::geometry::{Direction, Spot};
use crate::rules::board::Kind;
use crate::rules::legal::ActionSet;

use super::GipfPosition;

impl GipfPosition {
    /// Section 7: pieces loaded with a potential, and jumps.
    pub(super) fn with_zertz_placements(&self, mut set: ActionSet, entries: u64) -> ActionSet {
        let me = self.to_move.index();
        if self.hands.potentials[me] > 0 && self.hands.entered[me] {
            set = set.with_loaded(entries);
        }
        for spot in self.board.pieces_of(self.to_move) & self.board.loaded {
            for direction in Direction::ALL {
                if self.landing(spot, direction).is_some() {
                    set = set.with_jump(spot, direction);
                }
            }
        }
        set
    }

    /// Returns where a jump lands: on the first vacant spot behind one or more pieces.
    pub(crate) fn landing(&self, from: Spot, direction: Direction) -> Option<Spot> {
        let occupied = self.board.occupied();
        let mut spot = from.neighbour(direction).filter(|&next| occupied.contains(next))?;
        while occupied.contains(spot) {
            spot = spot.neighbour(direction)?;
        }
        Some(spot)
    }

    pub(super) fn jump(&mut self, from: Spot, direction: Direction) {
        let landing = self.landing(from, direction).expect("a legal jump lands on the board");
        self.board.loaded = self.board.loaded.without(Bitboard::of(from));
        self.board.put(landing, self.to_move, Kind::Used);
        self.end_placement();
    }
}
