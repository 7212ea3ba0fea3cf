//! The pieces on the spots, and what a push does to them.

use serde::{Deserialize, Serialize};

use crate::bitboard::Bitboard;
use crate::geometry::{Entry, Spot, Track};
use crate::position::Player;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A basic piece.
    Single,
    /// A GIPF-piece: two basic pieces stacked.
    Gipf,
    /// A basic piece with a ZÈRTZ-potential on top.
    Loaded,
    /// A used ZÈRTZ-potential: a piece without powers.
    Used,
}

impl Kind {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Single, Self::Gipf, Self::Loaded, Self::Used];

    /// Returns the letter of a White piece of this kind in a position text.
    pub const fn letter(self) -> char {
        match self {
            Self::Single => 'S',
            Self::Gipf => 'G',
            Self::Loaded => 'Z',
            Self::Used => 'J',
        }
    }
}

/// The pieces on the spots: a set of spots for each colour, and one for each kind that is not a single.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Board {
    pub(crate) colours: [Bitboard; 2],
    pub(crate) gipfs: Bitboard,
    pub(crate) loaded: Bitboard,
    pub(crate) used: Bitboard,
}

impl Board {
    /// Returns the spots on which a player's pieces stand.
    #[inline]
    pub const fn pieces_of(&self, player: Player) -> Bitboard {
        self.colours[player.index()]
    }

    /// Returns the spots on which a piece stands.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colours[0] | self.colours[1]
    }

    /// Returns the spots of the GIPF-pieces, of both players.
    #[inline]
    pub const fn gipfs(&self) -> Bitboard {
        self.gipfs
    }

    /// Returns the spots of the pieces loaded with a potential, of both players.
    #[inline]
    pub const fn loaded(&self) -> Bitboard {
        self.loaded
    }

    /// Returns the spots of the used potentials, of both players.
    #[inline]
    pub const fn used(&self) -> Bitboard {
        self.used
    }

    /// Returns the spots of one kind of piece, of both players.
    pub fn of_kind(&self, kind: Kind) -> Bitboard {
        match kind {
            Kind::Single => self.occupied().without(self.gipfs | self.loaded | self.used),
            Kind::Gipf => self.gipfs,
            Kind::Loaded => self.loaded,
            Kind::Used => self.used,
        }
    }

    /// Returns the piece on a spot, if there is one.
    pub fn piece_at(&self, spot: Spot) -> Option<(Player, Kind)> {
        let player = Player::BOTH.into_iter().find(|&player| self.pieces_of(player).contains(spot))?;
        let kind = Kind::ALL.into_iter().find(|&kind| self.of_kind(kind).contains(spot))?;
        Some((player, kind))
    }

    /// Returns the number of a player's basic pieces on the board, those in GIPF-pieces and loaded pieces included.
    pub fn material(&self, player: Player) -> u8 {
        let own = self.pieces_of(player);
        (own.count() + (own & self.gipfs).count() - (own & self.used).count()) as u8
    }

    /// Puts a piece on a vacant spot.
    #[inline]
    pub(crate) fn put(&mut self, spot: Spot, player: Player, kind: Kind) {
        self.put_bit(Bitboard::of(spot), player, kind);
    }

    #[inline]
    fn put_bit(&mut self, spot: Bitboard, player: Player, kind: Kind) {
        debug_assert!(!self.occupied().intersects(spot));
        // Both are written, since an array indexed by the player would have to be read back from memory.
        let [white, black] = &mut self.colours;
        let if_black = Bitboard((player as u64).wrapping_neg());
        *white |= spot.without(if_black);
        *black |= spot & if_black;
        match kind {
            Kind::Single => {}
            Kind::Gipf => self.gipfs |= spot,
            Kind::Loaded => self.loaded |= spot,
            Kind::Used => self.used |= spot,
        }
    }

    /// Pushes what stands in the way, and puts a piece on the entry's first spot. The line must not be full.
    #[inline]
    pub(crate) fn bring_in(&mut self, entry: Entry, player: Player, kind: Kind) {
        self.push(entry);
        self.put_bit(Bitboard(entry.track().first), player, kind);
    }

    /// Takes all pieces on these spots off the board.
    pub(crate) fn remove(&mut self, spots: Bitboard) {
        for set in self.sets_mut() {
            *set = set.without(spots);
        }
    }

    /// Moves the pieces between the entry's dot and the first vacant spot one step on, so that the entry's first spot
    /// is vacant.
    ///
    /// The pieces that move are one stretch of a line, so one rotation of the word moves all of them; pieces outside
    /// the stretch stay.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        let track = entry.track();
        let stretch = self.pushed_stretch(track);
        let [white, black] = &mut self.colours;
        for set in [white, black, &mut self.gipfs] {
            set.move_on(stretch, track.rotation);
        }
        if !(self.loaded | self.used).is_empty() {
            for set in [&mut self.loaded, &mut self.used] {
                set.move_on(stretch, track.rotation);
            }
        }
    }

    /// Returns a set of pieces as a push at this entry moves them.
    #[inline]
    pub(crate) fn pushed(&self, mut set: Bitboard, entry: Entry) -> Bitboard {
        let track = entry.track();
        set.move_on(self.pushed_stretch(track), track.rotation);
        set
    }

    /// Moves every piece of the entry's line one step on, gaps or not; its far spot has to be vacant.
    #[inline]
    pub(crate) fn push_line(&mut self, entry: Entry) {
        let track = entry.track();
        for set in self.sets_mut() {
            set.move_on(track.line, track.rotation);
        }
        debug_assert!(self.is_consistent() && !self.occupied().contains(entry.first_spot()));
    }

    /// Returns the spots from the dot up to the first vacant one: those whose pieces a push moves.
    ///
    /// They are what lies below the lowest vacant spot of the line or, going down, above the highest. Which of the two
    /// is close to random, so both are computed: a branch would be mispredicted every other time.
    #[inline]
    fn pushed_stretch(&self, track: &Track) -> u64 {
        let vacant = track.line & !self.occupied().0;
        debug_assert!(vacant != 0, "a full line cannot be entered");
        let below_lowest = vacant.wrapping_sub(1) & !vacant;
        let above_highest = u64::MAX << ((64 - vacant.leading_zeros()) & 63);
        track.line & (below_lowest & !track.downward | above_highest & track.downward)
    }

    /// Returns the board with each of its sets of spots mapped.
    pub(crate) fn map(&self, map: impl Fn(Bitboard) -> Bitboard) -> Self {
        Self { colours: self.colours.map(&map), gipfs: map(self.gipfs), loaded: map(self.loaded), used: map(self.used) }
    }

    #[inline]
    fn sets_mut(&mut self) -> [&mut Bitboard; 5] {
        let [white, black] = &mut self.colours;
        [white, black, &mut self.gipfs, &mut self.loaded, &mut self.used]
    }

    /// Returns whether the sets describe a board: on the spots only, one colour and one kind each.
    pub(crate) fn is_consistent(&self) -> bool {
        let kinds = [self.gipfs, self.loaded, self.used];
        let all = kinds.iter().fold(self.occupied(), |all, &kind| all | kind);
        let one_kind_each =
            kinds.iter().map(|kind| kind.count()).sum::<u32>() == (self.gipfs | self.loaded | self.used).count();
        Bitboard::from_bits(all.0).is_some()
            && all == self.occupied()
            && one_kind_each
            && !self.colours[0].intersects(self.colours[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Fills a board at random and pushes at every entry whose line has room, spot by spot and by the word.
    #[test]
    fn a_push_moves_every_piece_one_spot_on() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for entry in (0..200).flat_map(|_| Entry::all()) {
            let (mut board, filled) = (Board::default(), rng.random_range(0.0..1.0));
            for spot in Spot::all().filter(|_| rng.random_bool(filled)).collect::<Vec<_>>() {
                board.put(spot, Player::BOTH[rng.random_range(0..2)], Kind::ALL[rng.random_range(0..4)]);
            }
            let ray: Vec<_> = entry.ray().collect();
            let Some(gap) = ray.iter().position(|&spot| board.piece_at(spot).is_none()) else { continue };
            let before = board;
            board.bring_in(entry, Player::Black, Kind::Loaded);
            assert!(board.is_consistent());
            assert_eq!(board.piece_at(ray[0]), Some((Player::Black, Kind::Loaded)));
            for place in 1..=gap {
                assert_eq!(board.piece_at(ray[place]), before.piece_at(ray[place - 1]), "{entry}");
            }
            let moved: Bitboard = ray[..=gap].iter().copied().collect();
            assert!((!moved).into_iter().all(|spot| board.piece_at(spot) == before.piece_at(spot)), "{entry}");
        }
    }

    #[test]
    fn a_push_moves_pieces_up_to_the_first_gap() {
        let mut board = Board::default();
        let spot = |text: &str| text.parse::<crate::geometry::Point>().unwrap().spot().unwrap();
        for (text, player) in [("e2", Player::White), ("e3", Player::Black), ("e5", Player::White)] {
            board.put(spot(text), player, Kind::Single);
        }
        let dot = "e1".parse::<crate::geometry::Point>().unwrap().dot().unwrap();
        board.push(Entry::new(dot, crate::geometry::Direction::N).unwrap());
        assert_eq!(board.piece_at(spot("e2")), None);
        assert_eq!(board.piece_at(spot("e3")), Some((Player::White, Kind::Single)));
        assert_eq!(board.piece_at(spot("e4")), Some((Player::Black, Kind::Single)));
        assert_eq!(board.piece_at(spot("e5")), Some((Player::White, Kind::Single)));
    }
}
