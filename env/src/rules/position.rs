//! A position of the game, and the turn: remove rows, bring in a piece, remove rows (section 3 of the rules).

mod evaluation;
mod forms;
mod hands;
mod history;
mod key;
mod push_off;
mod removal;
mod view;
mod zertz;

use serde::{Deserialize, Serialize};

use crate::action::{Action, Pushed};
use crate::bitboard::Bitboard;
use crate::geometry::{Entry, Line};
use crate::position::{IllegalAction, Outcome, Player, Reason};

use super::board::{Board, Kind};
use super::entries::{is_open, open_entries};
use super::legal::ActionSet;
use super::rows::{Lines, capture_set, has_row};
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
    /// The player whose row it is, and who removes it.
    pub player: Player,
    /// The part of the player's turn.
    pub phase: Phase,
    /// The line on which it lies.
    pub line: Line,
    /// The pieces on the spots before any piece of the capture set is removed.
    pub board: Board,
    /// The reserves of White and Black at that moment.
    pub reserves: [u8; 2],
}

impl OpenedRow {
    /// Returns the row with every piece contiguous with it on its line.
    pub fn capture_set(&self) -> Bitboard {
        capture_set(self.line, self.board.occupied())
    }

    /// Returns the pieces of the capture set that must go; the others may be spared.
    pub fn compulsory(&self) -> Bitboard {
        self.capture_set().without(self.board.gipfs | self.board.loaded)
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
    /// The lines handled in this removal phase, including the one in hand.
    handled: Lines,
    /// The rows between which the player chooses, if that is the question.
    choices: Lines,
    /// The pieces of the row in hand that are still to be asked about.
    pending: Bitboard,
    /// The one of them in question, as a set of one spot or none.
    question: Bitboard,
    /// What push-off has to remember about the rows that it evaluates.
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
    /// Returns the start of a game of this rule set, without a placement limit except in push-off, which always has one.
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

    /// Returns the position at the first decision from this setup; rows that already stand are removed first.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    ///
    /// # Examples
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

    /// Returns the position at the first decision from this setup, and passes every row opened before it to `watch`.
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

    /// Returns the legal actions; empty once the game is over.
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
    ///
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
    ///
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

    /// Plays an action that is known to be legal. Any other action leaves a meaningless position, or panics.
    #[inline]
    pub fn play_unchecked(&mut self, action: Action) {
        self.play_watched(action, &mut |_| ());
    }

    /// Plays an action that is known to be legal, and passes every row that is opened, by it or after it, to `watch`.
    ///
    /// Forced removals are not asked about, so this is the only way to see them. Push-off passes no rows.
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

    /// Plays an action other than a push of an official game; it is kept apart since nearly all actions are such pushes.
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
                let lines: Vec<_> = self.rows_to_choose().map(|line| line.to_string()).collect();
                format!("{} must take one of the rows {}", self.now.to_move, lines.join(", "))
            }
        }
    }

    // --- phase push ---------------------------------------------------------------------------------------------

    /// The placements of section 3.2, with the order of entry of the tournament opening and of the potentials.
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
        // Without a limit a game may have more placements than the counter can hold.
        self.now.placements = self.now.placements.saturating_add(1);
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
