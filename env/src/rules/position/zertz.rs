//! ZÈRTZ-potentials: loaded pieces and jumps (section 7 of the rules).

use crate::bitboard::Bitboard;
use crate::geometry::{Direction, Spot};
use crate::rules::board::Kind;
use crate::rules::legal::ActionSet;

use super::GipfPosition;

impl GipfPosition {
    /// Returns whether the player may bring in pieces loaded with a potential.
    #[inline]
    pub(super) fn may_load(&self) -> bool {
        self.now.hands.potentials(self.now.to_move) > 0 && self.now.hands.entered(self.now.to_move)
    }

    /// Returns the set with all jumps.
    pub(super) fn with_jumps(&self, mut set: ActionSet) -> ActionSet {
        let vacant = !self.now.board.occupied();
        for spot in self.now.board.pieces_of(self.now.to_move) & self.now.board.loaded {
            for direction in Direction::ALL {
                if landings(spot, direction, vacant).is_some() {
                    set.add_jump(spot, direction);
                }
            }
        }
        set
    }

    /// Returns where a jump lands: on the first vacant spot behind one or more pieces. None if the next spot is vacant, or
    /// no vacant spot follows.
    ///
    /// Which pieces may jump, the legal actions say.
    ///
    /// ```
    /// use gipf_env::GipfPosition;
    /// use gipf_env::geometry::{Direction, Point};
    ///
    /// // ○ ○ ○ ● ·   up the column c
    /// let position = GipfPosition::from_gpn("basic 4/SSSs1/6/7/6/5/4 w 9 12 - 0 0")?;
    /// let [first, last] = ["c2", "c6"].map(|name| name.parse::<Point>().unwrap().spot().unwrap());
    /// assert_eq!(position.landing(first, Direction::N), Some(last));
    /// assert_eq!(position.landing(first, Direction::NE), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn landing(&self, from: Spot, direction: Direction) -> Option<Spot> {
        let landings = landings(from, direction, !self.now.board.occupied())?;
        if direction.shift() > 0 { landings.first() } else { landings.last() }
    }

    pub(super) fn jump(&mut self, from: Spot, direction: Direction) {
        let landing = self.landing(from, direction).expect("a legal jump lands on the board");
        self.now.board.loaded = self.now.board.loaded.without(Bitboard::of(from));
        self.now.board.put(landing, self.now.to_move, Kind::Used);
        self.end_placement();
    }
}

/// Returns the vacant spots in a direction if there are any and the next spot is not one of them.
#[inline]
fn landings(from: Spot, direction: Direction, vacant: Bitboard) -> Option<Bitboard> {
    let vacant = from.ray(direction) & vacant;
    let next = Bitboard(Bitboard::of(from).0.rotate_left((direction.shift() & 63) as u32));
    (!vacant.is_empty() && !vacant.intersects(next)).then_some(vacant)
}
