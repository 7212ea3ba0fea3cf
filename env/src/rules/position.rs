//! A position of the game, and the turn: remove rows, bring in a piece, remove rows (section 3 of the rules).

mod evaluation;
mod forms;
mod hands;
mod history;
mod key;
mod push_off;
mod removal;
mod zertz;

use serde::{Deserialize, Serialize};

use crate::action::{Action, Pushed};
use crate::bitboard::Bitboard;
use crate::geometry::{Entry, Line, Spot};
use crate::position::{IllegalAction, Outcome, Player, Reason};

use super::board::{Board, Kind};
use super::entries::{is_open, open_entries};
use super::legal::ActionSet;
use super::rows::{Lines, capture_set, has_row, rows};
use super::setup::{InvalidPosition, Setup};
use super::variant::Variant;
use evaluation::Evaluation;
use hands::Hands;
use history::History;

/// The part of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Removal before the move.
    Pre,
    /// The placement: a push, or a jump with a potential.
    Push,
    /// Removal after the move; in push-off the evaluation of all rows.
    Post,
}

/// A row that a player begins to remove, by choice or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedRow {
    /// Whose row it is, and who removes it.
    pub player: Player,
    /// The part of the player's turn.
    pub phase: Phase,
    /// The line on which it lies.
    pub line: Line,
    /// The pieces on the spots before any of the capture set goes.
    pub board: Board,
    /// The reserves of White and Black at that moment.
    pub reserves: [u8; 2],
}

impl OpenedRow {
    /// Returns the row with every piece contiguous with it on its line.
    pub fn capture_set(&self) -> Bitboard {
        capture_set(self.line, self.board.occupied())
    }
}

/// All that decides what may happen next, at a decision or at the end of the game.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GipfPosition {
    now: Now,
    /// The positions at the start of phase push that may still recur.
    history: History,
}

/// The present state: all but the history. It is copied as one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Now {
    board: Board,
    hands: Hands,
    removal: Removal,
    placements: u16,
    placement_limit: Option<u16>,
    variant: Variant,
    to_move: Player,
    /// Whose turn it is: in the official games always the player who decides.
    turn_of: Player,
    phase: Phase,
    /// How often the position at the last start of phase push has occurred.
    occurrences: u8,
    outcome: Option<Outcome>,
}

/// The progress of a removal phase; empty in phase push.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Removal {
    /// The lines handled in this removal phase, the one in hand included.
    handled: Lines,
    /// The rows between which the player chooses, if that is the question.
    choices: Lines,
    /// The pieces of the row in hand that are still to be asked about.
    pending: Bitboard,
    /// The one of them in question, as a set of one spot or none.
    question: Bitboard,
    /// What push-off has to remember of the rows that it evaluates.
    evaluation: Evaluation,
}

/// `clone_from` keeps the memory of the history, so that games can be started over without allocating.
impl Clone for GipfPosition {
    #[inline]
    fn clone(&self) -> Self {
        Self { now: self.now, history: self.history.clone() }
    }

    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.now = source.now;
        self.history.clone_from(&source.history);
    }
}

/// The third occurrence of a position ends the game (FAQ 7).
const VOID_AT: u8 = 3;

impl GipfPosition {
    /// Returns the start of a game of this rule set, without a placement limit.
    ///
    /// ```
    /// use gipf_env::{GipfPosition, Position, Variant};
    ///
    /// let position = GipfPosition::start(Variant::STANDARD);
    /// assert_eq!(position.legal_actions().count(), 30);
    /// ```
    pub fn start(variant: Variant) -> Self {
        Self::from_setup(&Setup::start(variant)).expect("the start of a game is a valid position")
    }

    /// Returns the first decision from this setup; rows that stand are removed first.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    /// ```
    /// use gipf_env::{GipfPosition, Phase, Player, Setup};
    ///
    /// // White's row on column b stands at the start: it goes back to the reserve before White places a piece.
    /// let setup: Setup = "basic SSSS/5/6/7/6/5/4 w 8 12 - 0 0".parse()?;
    /// let position = GipfPosition::from_setup(&setup)?;
    /// assert_eq!((position.phase(), position.reserve(Player::White)), (Phase::Push, 12));
    /// assert!(position.board().occupied().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_setup(setup: &Setup) -> Result<Self, InvalidPosition> {
        Self::from_setup_watched(setup, &mut |_| ())
    }

    /// Returns the first decision from this setup, and passes every row opened before it to `watch`.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    pub fn from_setup_watched(setup: &Setup, watch: &mut impl FnMut(OpenedRow)) -> Result<Self, InvalidPosition> {
        setup.validate()?;
        let now = Now {
            variant: setup.variant,
            board: setup.board,
            to_move: setup.to_move,
            turn_of: setup.to_move,
            phase: Phase::Pre,
            hands: Hands::of(setup),
            removal: Removal::default(),
            placements: 0,
            placement_limit: setup.placement_limit.or(setup.variant.compulsory_limit()),
            occurrences: 0,
            outcome: None,
        };
        let mut position = Self::without_past(now);
        if let Some(loser) = Player::BOTH.into_iter().find(|&player| position.has_no_gipf(player)) {
            position.end(Outcome::win(loser.other(), Reason::NoGipf));
        }
        position.advance(watch);
        Ok(position)
    }

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

    /// Returns whose turn it is; in push-off the other player may have something to decide in it.
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

    fn reserves(&self) -> [u8; 2] {
        Player::BOTH.map(|player| self.reserve(player))
    }

    /// Returns the potentials in a player's hand.
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

    /// Iterates over the lines handled in this removal phase, that of the row in hand included.
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

    /// Returns the pieces of the row in hand still to be asked about, the one in question included.
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

    /// Returns the pieces that taking the row on a line would put at stake: the row and all contiguous with it.
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
        capture_set(line, self.now.board.occupied())
    }

    /// Returns the lines on which a player has a row of four or more.
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

    /// Returns the entry under which a push at this one counts: of entries that are the same move, the lowest.
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
        let is_same = |other: &Entry| other.first_spot() == entry.first_spot() && self.is_interchangeable(*other);
        if self.is_interchangeable(entry) { Entry::all().find(is_same).unwrap_or(entry) } else { entry }
    }

    /// Returns whether a push here is the same move as from other dots: onto a vacant spot, in push-off along a vacant
    /// line.
    pub(crate) fn is_interchangeable(&self, entry: Entry) -> bool {
        let decides =
            if self.now.variant.is_push_off() { entry.line().spots() } else { Bitboard::of(entry.first_spot()) };
        !decides.intersects(self.now.board.occupied())
    }

    /// Returns whether a push at this entry completes a row of the player to move. The line must not be full.
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
        let mut board = self.now.board;
        if self.now.variant.is_push_off() {
            board.remove(Bitboard::of(entry.last_spot()));
            board.push_line(entry);
        } else {
            board.push(entry);
        }
        has_row([board.pieces_of(self.now.to_move) | Bitboard::of(entry.first_spot()), Bitboard::EMPTY])
    }

    /// Returns the number of placements made, jumps included.
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

    /// Returns the legal actions; none once the game is over.
    #[inline]
    pub fn action_set(&self) -> ActionSet {
        if self.now.outcome.is_some() {
            return ActionSet::default();
        }
        if self.now.phase == Phase::Push {
            return self.placements_set();
        }
        if !self.now.removal.question.is_empty() {
            ActionSet::keep_or_take()
        } else if self.now.variant.is_push_off() {
            ActionSet::leave_or_remove()
        } else {
            ActionSet::rows(self.now.removal.choices)
        }
    }

    /// Returns whether an action is legal.
    /// ```
    /// use gipf_env::{Action, GipfPosition, Pushed, notation::placement};
    ///
    /// // e1 → ○ ● ○ ● ○ ● ○   A line without a vacant spot cannot be entered.
    /// let position = GipfPosition::from_gpn("basic 4/5/6/SsSsSsS/6/5/4 w 8 9 - 0 0")?;
    /// let line = gipf_env::geometry::Line::from_index(3);
    /// assert!(!position.is_legal(Action::Push(Pushed::Single, line.first_entry())));
    /// assert!(position.is_legal(placement::read(&position, "b2")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn is_legal(&self, action: Action) -> bool {
        match action {
            Action::Push(pushed, entry) if !self.now.variant.is_push_off() => self.may_push(pushed, entry),
            other => self.action_set().contains(other),
        }
    }

    /// Plays a legal action, and everything that follows without a decision.
    ///
    /// # Errors
    /// If the action is not legal; the position is unchanged.
    /// # Examples
    /// ```
    /// use gipf_env::notation::placement;
    /// use gipf_env::{Action, GipfPosition};
    ///
    /// // e1 → · ○ · · ● · ·   becomes   ○ ○ · · ● · ·   The push stops at the first vacant spot.
    /// let mut position = GipfPosition::from_gpn("basic 4/5/6/S3s2/6/5/4 w 9 12 - 0 0")?;
    /// position.play(placement::read(&position, "e1-e2")?)?;
    /// assert_eq!(position.to_gpn(), "basic 4/5/6/SS2s2/6/5/4 b 8 12 - 0 0");
    /// assert!(position.play(Action::Take).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        if self.is_legal(action) {
            self.play_unchecked(action);
            return Ok(());
        }
        Err(IllegalAction { action: action.to_string(), expected: self.expected_text() })
    }

    /// Plays an action that is known to be legal.
    #[inline]
    pub fn play_unchecked(&mut self, action: Action) {
        self.play_watched(action, &mut |_| ());
    }

    /// Plays an action that is known to be legal, and passes every row that is opened, by it or after it, to `watch`.
    ///
    /// Forced removals are not asked about, so this is the only way to see them. Push-off passes none.
    #[inline(always)]
    pub fn play_watched(&mut self, action: Action, watch: &mut impl FnMut(OpenedRow)) {
        debug_assert!(self.action_set().contains(action), "{action} is illegal in {self:?}");
        match action {
            Action::Push(pushed, entry) if !self.now.variant.is_push_off() => self.push(pushed, entry),
            other => self.play_other(other, watch),
        }
        if self.is_removing() {
            self.advance(watch);
        }
        debug_assert_eq!(self.validate(), Ok(()));
    }

    /// Plays what is not a push of an official game; it is kept apart since nearly all actions are such pushes.
    fn play_other(&mut self, action: Action, watch: &mut impl FnMut(OpenedRow)) {
        match action {
            Action::Push(_, entry) => self.push_line_off(entry),
            Action::Jump(spot, direction) => self.jump(spot, direction),
            Action::TakeRow(line) => self.open_row(line, watch),
            Action::Keep => self.next_question(),
            Action::Take => self.take_piece_in_question(),
            Action::Leave => self.leave_pieces_at_ends(),
            Action::Remove => self.remove_pieces_at_ends(),
        }
    }

    /// Returns what the player is asked, for messages.
    pub(crate) fn expected_text(&self) -> String {
        match (self.now.outcome, self.question()) {
            (Some(outcome), _) => format!("the game is over, {outcome}"),
            (None, Some(spot)) => format!("{} must keep or take the piece on {spot}", self.now.to_move),
            (None, None) if self.now.phase == Phase::Push => {
                format!("{} must bring in a piece, in one of {} ways", self.now.to_move, self.action_set().len())
            }
            (None, None) if self.now.variant.is_push_off() => {
                format!("{} must leave or remove the pieces at the ends of the row", self.now.to_move)
            }
            (None, None) => {
                let lines: Vec<_> = self.now.removal.choices.iter().map(|line| line.to_string()).collect();
                format!("{} must take one of the rows {}", self.now.to_move, lines.join(", "))
            }
        }
    }

    // --- phase push ---------------------------------------------------------------------------------------------

    /// Section 3.2, and the order of entry of the tournament opening and of the potentials.
    #[inline]
    fn placements_set(&self) -> ActionSet {
        if self.now.variant.is_push_off() {
            return self.push_off_placements();
        }
        let me = self.now.to_move;
        let reserve = self.now.hands.reserve(me);
        let entries = if reserve == 0 { 0 } else { open_entries(self.now.board.occupied()) };
        let if_allowed = |allowed: bool| if allowed { entries } else { 0 };
        let singles = if_allowed(self.now.hands.entered(me));
        let gipfs = if_allowed(self.now.hands.gipf_right(me) && reserve >= 2);
        if self.now.variant.has_zertz() {
            return self.with_jumps(ActionSet::pushes(singles, gipfs, if_allowed(self.may_load())));
        }
        ActionSet::pushes(singles, gipfs, 0)
    }

    /// Checks one entry only; the set of all placements costs several times as much.
    #[inline]
    fn may_push(&self, pushed: Pushed, entry: Entry) -> bool {
        let (me, hands) = (self.now.to_move, self.now.hands);
        let allowed = match pushed {
            Pushed::Single => hands.entered(me) && hands.reserve(me) >= 1,
            Pushed::Gipf => hands.gipf_right(me) && hands.reserve(me) >= 2,
            Pushed::Loaded => self.may_load() && hands.reserve(me) >= 1,
        };
        let asked = self.now.phase == Phase::Push && self.now.outcome.is_none();
        asked && allowed && is_open(entry, self.now.board.occupied())
    }

    #[inline]
    fn push(&mut self, pushed: Pushed, entry: Entry) {
        let kind = match pushed {
            Pushed::Single => Kind::Single,
            Pushed::Gipf => Kind::Gipf,
            Pushed::Loaded => Kind::Loaded,
        };
        self.now.board.bring_in(entry, self.now.to_move, kind);
        self.now.hands.bring_in(self.now.to_move, pushed);
        self.end_placement();
    }

    #[inline]
    fn end_placement(&mut self) {
        self.now.placements += 1;
        if has_row(self.now.board.colours) {
            self.begin_removal(Phase::Post);
        } else {
            self.end_turn_without_removal();
        }
    }

    #[inline]
    fn begin_push(&mut self) {
        self.begin_removal(Phase::Push);
        self.now.occurrences = 1 + self.history.add(self.key());
        if self.now.occurrences >= VOID_AT {
            self.end(Outcome::draw(Reason::Repetition));
        } else if !self.can_place() {
            self.end(Outcome::win(self.now.to_move.other(), Reason::NoMove));
        }
    }

    /// Returns whether the player can bring in a piece or jump.
    #[inline]
    fn can_place(&self) -> bool {
        // 36 basic pieces leave one of 37 spots vacant, and with it both ends of its line open. Used potentials may
        // fill it.
        let has_zertz = self.now.variant.has_zertz();
        let can_push = self.now.hands.reserve(self.now.to_move) > 0
            && !(has_zertz && self.now.board.occupied() == Bitboard::BOARD);
        can_push || has_zertz && !self.placements_set().is_empty()
    }

    // --- the end ------------------------------------------------------------------------------------------------

    /// Returns whether the player has no GIPF-piece on the board although they have brought in their first.
    #[inline]
    fn has_no_gipf(&self, player: Player) -> bool {
        self.now.variant.has_gipfs()
            && self.now.hands.entered(player)
            && !self.now.board.pieces_of(player).intersects(self.now.board.gipfs)
    }

    #[cold]
    fn end(&mut self, outcome: Outcome) {
        self.now.outcome = Some(outcome);
        self.now.removal.choices = Lines::EMPTY;
        self.now.removal.pending = Bitboard::EMPTY;
        self.now.removal.question = Bitboard::EMPTY;
    }
}
