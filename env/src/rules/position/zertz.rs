//! ZÈRTZ-potentials: loaded pieces and jumps (section 7 of the rules).

use crate::bitboard::Bitboard;
use crate::geometry::{Direction, Spot};
use crate::rules::board::Kind;
use crate::rules::legal::ActionSet;

use super::GipfPosition;

impl GipfPosition {
    /// Section 7: pieces loaded with a potential, and jumps.
    pub(super) fn with_zertz_placements(&self, mut set: ActionSet, entries: u64) -> ActionSet {
        if self.now.hands.potentials(self.now.to_move) > 0 && self.now.hands.entered(self.now.to_move) {
            set = set.with_loaded(entries);
        }
        for spot in self.now.board.pieces_of(self.now.to_move) & self.now.board.loaded {
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
        let occupied = self.now.board.occupied();
        let mut spot = from.neighbour(direction).filter(|&next| occupied.contains(next))?;
        while occupied.contains(spot) {
            spot = spot.neighbour(direction)?;
        }
        Some(spot)
    }

    pub(super) fn jump(&mut self, from: Spot, direction: Direction) {
        let landing = self.landing(from, direction).expect("a legal jump lands on the board");
        self.now.board.loaded = self.now.board.loaded.without(Bitboard::of(from));
        self.now.board.put(landing, self.now.to_move, Kind::Used);
        self.end_placement();
    }
}
