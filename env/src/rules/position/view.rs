//! What can be read from a position.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::geometry::{Entry, Line, Spot};
use crate::position::{Outcome, Player, Position};
use crate::rules::board::Board;
use crate::rules::rows::{capture_set, has_row, middle, rows};
use crate::rules::variant::Variant;

use super::{GipfPosition, Phase};

impl GipfPosition {
    /// Returns the rule set.
    #[inline]
    pub const fn variant(&self) -> Variant {
        self.now.variant
    }

    /// Returns the pieces on the spots.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.now.board
    }

    /// Returns the player who decides; in the official games it is also their turn.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{GipfPosition, Player};
    ///
    /// // White completes the row e2 to e5 and is asked about the GIPF-piece on e4: the same player decides again.
    /// let mut position = GipfPosition::from_gpn("standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// assert_eq!(position.to_move(), Player::White);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn to_move(&self) -> Player {
        self.now.to_move
    }

    /// Returns whose turn it is; in push-off the other player may have decisions to make in it.
    #[inline]
    pub const fn turn_of(&self) -> Player {
        self.now.turn_of
    }

    /// Returns the part of the turn.
    #[inline]
    pub const fn phase(&self) -> Phase {
        self.now.phase
    }

    /// Returns the basic pieces in a player's reserve.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{GipfPosition, Player};
    ///
    /// // e1 → ○ ○ ◎ ○ ● · ·   The row takes Black's piece along: three singles return, one piece was brought in.
    /// let mut position = GipfPosition::from_gpn("standard g3/5/6/SGSs3/6/5/3G w 9 11 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// assert_eq!(Player::BOTH.map(|player| position.reserve(player)), [11, 11]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn reserve(&self, player: Player) -> u8 {
        self.now.hands.reserve(player)
    }

    pub(super) fn reserves(&self) -> [u8; 2] {
        Player::BOTH.map(|player| self.reserve(player))
    }

    /// Returns the potentials in a player's hand.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{GipfPosition, Player, Variant};
    ///
    /// // A single ends the entry of loaded pieces, and loses the potentials still in hand.
    /// let mut position = GipfPosition::start(Variant::BASIC.with_zertz());
    /// assert_eq!(position.potentials(Player::White), 3);
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// assert_eq!(position.potentials(Player::White), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn potentials(&self, player: Player) -> u8 {
        self.now.hands.potentials(player)
    }

    /// Returns whether a player may still bring in GIPF-pieces.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{GipfPosition, Player, Variant};
    ///
    /// // White's second piece is a single, Black's a GIPF-piece.
    /// let mut position = GipfPosition::start(Variant::TOURNAMENT);
    /// for text in ["Ge2", "Ge8", "b2", "Gb5"] {
    ///     position.play(placement::read(&position, text)?)?;
    /// }
    /// assert_eq!(Player::BOTH.map(|player| position.gipf_right(player)), [false, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn gipf_right(&self, player: Player) -> bool {
        self.now.hands.gipf_right(player)
    }

    /// Iterates over the lines handled in this removal phase, including that of the row in hand.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{Action, GipfPosition};
    ///
    /// // White keeps the piece on e4 of the row on e1-e9 and is asked about e5: the line will not be handled again.
    /// let mut position = GipfPosition::from_gpn("standard g3/5/6/SGGs3/6/5/3G w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// position.play(Action::Keep)?;
    /// assert_eq!(position.handled_lines().map(|line| line.to_string()).collect::<Vec<_>>(), ["e1-e9"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handled_lines(&self) -> impl Iterator<Item = Line> + Clone {
        self.now.removal.handled.iter()
    }

    /// Returns the piece that the player is asked to keep or take, if that is the question.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::GipfPosition;
    ///
    /// // White has completed the row e2 to e5; its singles are gone, its GIPF-piece is asked about.
    /// let mut position = GipfPosition::from_gpn("standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// let board = "
    ///    a3       ·       ·       ·      i3
    ///         ·       ·       ·       ·
    ///    a2       ·      ?◎?      ·      i2
    ///         ◉       ·       ·       ·
    /// ";
    /// assert!(position.drawing().to_string().contains(board));
    /// assert_eq!(position.question().map(|spot| spot.to_string()).as_deref(), Some("e4"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn question(&self) -> Option<Spot> {
        self.now.removal.question.first()
    }

    /// Returns the pieces of the row in hand still to be asked about, including the one in question.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::GipfPosition;
    ///
    /// // e1 → ○ ○ ◎ ◎ ● · ·   Of the row, the GIPF-pieces on e4 and e5 are asked about, from the line's first dot.
    /// let mut position = GipfPosition::from_gpn("standard g3/5/6/SGGs3/6/5/3G w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// assert_eq!(position.pending().into_iter().map(|spot| spot.to_string()).collect::<Vec<_>>(), ["e4", "e5"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn pending(&self) -> Bitboard {
        self.now.removal.pending
    }

    /// Returns the rows between which the player chooses, if that is the question.
    pub(crate) fn rows_to_choose(&self) -> impl Iterator<Item = Line> + Clone {
        self.now.removal.choices.iter()
    }

    /// Returns whether a piece can be brought in now, and whether a potential can jump.
    ///
    /// ```
    /// use gipf_env::GipfPosition;
    ///
    /// // White has a potential to jump with, and no piece in reserve.
    /// let position = GipfPosition::from_gpn("basic+zertz 4/5/6/2sZs2/6/5/4 w 0 6 - 0 0")?;
    /// assert_eq!(position.pushes_and_jumps(), [false, true]);
    /// # Ok::<(), gipf_env::GpnError>(())
    /// ```
    pub fn pushes_and_jumps(&self) -> [bool; 2] {
        let can = |wanted: fn(Action) -> bool| self.legal_actions().any(wanted);
        [can(|action| matches!(action, Action::Push(..))), can(|action| matches!(action, Action::Jump(..)))]
    }

    /// Returns what the decision is about in a removal: the piece in question, the player's own pieces in the rows to
    /// choose from, or in push-off the pieces at the ends of the row.
    pub fn at_stake(&self) -> Bitboard {
        if let Some(spot) = self.question() {
            return Bitboard::of(spot);
        }
        let own = self.now.board.pieces_of(self.now.to_move);
        let rows = self.rows_to_choose().map(|line| self.capture_set(line) & own);
        rows.fold(self.pending(), |all, row| all | row)
    }

    /// Returns the pieces that taking the row on a line would put at stake: the row and all pieces contiguous with it.
    ///
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::GipfPosition;
    ///
    /// // White has completed two rows that cross on e3, and chooses which to take first.
    /// let mut position = GipfPosition::from_gpn("basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// let board = "
    ///    a4       ·       ·       ·      i4
    ///         ·       ·      <○>      ·
    ///    a3       ·      <○>      ·      i3
    ///         ·      <○>      ·       ·
    ///    a2      <○>     <○>      ·      i2
    ///         ·       ·       ·       ·
    ///    a1       ·      <○>      ·      i1
    ///        b1       ·       ·      h1
    ///            c1      <○>     g1
    /// ";
    /// assert!(position.drawing().to_string().contains(board));
    /// let sets = position.rows_of(position.to_move()).map(|line| position.capture_set(line).count());
    /// assert_eq!(sets.collect::<Vec<_>>(), [4, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn capture_set(&self, line: Line) -> Bitboard {
        let occupied = self.now.board.occupied();
        // Four in line cover the middle.
        if occupied.contains(middle(line)) { capture_set(line, occupied) } else { Bitboard::EMPTY }
    }

    /// Returns the lines on which a player has a row of four or more.
    ///
    /// ```
    /// use gipf_env::{GipfPosition, Player};
    ///
    /// // ○ ○ ○ ● ·   Three in line, or four of both colours, are not a row.
    /// let position = GipfPosition::from_gpn("basic 4/SSSs1/6/7/6/5/4 w 9 12 - 0 0")?;
    /// assert_eq!(position.rows_of(Player::White).count(), 0);
    /// # Ok::<(), gipf_env::GpnError>(())
    /// ```
    pub fn rows_of(&self, player: Player) -> impl Iterator<Item = Line> + Clone {
        rows(self.now.board.pieces_of(player)).iter()
    }

    /// Returns the entry under which a push at this one is counted: the lowest of those that are the same move.
    ///
    /// ```
    /// use gipf_env::geometry::{Direction, Entry};
    /// use gipf_env::{GipfPosition, Variant};
    ///
    /// //      e2         From d1, e1 and f1 a piece can be put on e2: one move if e2 is vacant,
    /// //  d1      f1     three different pushes if it is occupied.
    /// //      e1
    /// let entry = |dot: &str, direction| {
    ///     let dot = dot.parse::<gipf_env::geometry::Point>().ok()?.dot()?;
    ///     Entry::new(dot, direction)
    /// };
    /// let entries = [("d1", Direction::NE), ("e1", Direction::N), ("f1", Direction::NW)];
    /// let moves = |variant| {
    ///     let position = GipfPosition::start(variant);
    ///     let found = entries.map(|(dot, direction)| entry(dot, direction).map(|entry| position.canonical_entry(entry)));
    ///     found.into_iter().collect::<std::collections::HashSet<_>>().len()
    /// };
    /// assert_eq!((moves(Variant::TOURNAMENT), moves(Variant::STANDARD)), (1, 3));
    /// ```
    pub fn canonical_entry(&self, entry: Entry) -> Entry {
        entry.lowest_same(|other| self.is_interchangeable(other))
    }

    /// Returns whether a push here is the same move as from other dots: onto a vacant spot, in push-off along a vacant
    /// line.
    pub(crate) fn is_interchangeable(&self, entry: Entry) -> bool {
        let decides =
            if self.now.variant.is_push_off() { entry.line().spots() } else { Bitboard::of(entry.first_spot()) };
        !decides.intersects(self.now.board.occupied())
    }

    /// Returns whether a push at this entry completes a row of the player to move. The line must not be full.
    ///
    /// ```
    /// use gipf_env::{Action, GipfPosition, Pushed, notation::placement};
    ///
    /// // e1 → · ○ ○ ○ · · ·   A push to e2 completes the row e2 to e5, a push to b2 completes none.
    /// let position = GipfPosition::from_gpn("basic 4/5/6/1SSS3/6/5/4 w 9 12 - 0 0")?;
    /// let completes = ["e2", "b2"].map(|text| match placement::read(&position, text) {
    ///     Ok(Action::Push(Pushed::Single, entry)) => position.completes_row(entry),
    ///     other => panic!("{other:?}"),
    /// });
    /// assert_eq!(completes, [true, false]);
    /// # Ok::<(), gipf_env::GpnError>(())
    /// ```
    #[inline]
    pub fn completes_row(&self, entry: Entry) -> bool {
        if !self.now.variant.is_push_off() {
            return has_row([self.own_after_push(entry), Bitboard::EMPTY]);
        }
        let mut board = self.now.board;
        board.remove(Bitboard::of(entry.last_spot()));
        board.push_line(entry);
        has_row([board.pieces_of(self.now.to_move) | Bitboard::of(entry.first_spot()), Bitboard::EMPTY])
    }

    /// Returns the pieces of the player to move after a push at this entry, before any row is removed. The line must not be
    /// full, and the rule set not push-off.
    #[inline]
    pub fn own_after_push(&self, entry: Entry) -> Bitboard {
        debug_assert!(!self.now.variant.is_push_off(), "push-off moves whole lines");
        let own = self.now.board.pieces_of(self.now.to_move);
        self.now.board.pushed(own, entry) | Bitboard::of(entry.first_spot())
    }

    /// Returns the number of placements made, including jumps; the count stops at 65 535.
    #[inline]
    pub const fn placements(&self) -> u16 {
        self.now.placements
    }

    /// Returns the number of placements at which the game is cut off, if there is a limit.
    #[inline]
    pub const fn placement_limit(&self) -> Option<u16> {
        self.now.placement_limit
    }

    /// Returns how often the position at the last start of phase push has occurred, 1 to 3; 0 before the first.
    #[inline]
    pub const fn occurrences(&self) -> u8 {
        self.now.occurrences
    }

    /// Returns how the game ended, if it has.
    ///
    /// ```
    /// use gipf_env::{GipfPosition, Player, Reason};
    ///
    /// // White is to move with an empty reserve and no row to remove.
    /// let position = GipfPosition::from_gpn("basic s3/5/6/3S3/6/5/4 w 0 12 - 0 0")?;
    /// let outcome = position.outcome().ok_or("the game goes on")?;
    /// assert_eq!((outcome.winner, outcome.reason), (Some(Player::Black), Reason::NoMove));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.now.outcome
    }
}
