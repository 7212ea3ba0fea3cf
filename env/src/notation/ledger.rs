//! What is needed to write a game down: each turn with all its removals, asked about or not.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::geometry::Line;
use crate::position::{IllegalAction, Outcome, Player};
use crate::rules::{Board, GipfPosition, InvalidPosition, OpenedRow, Phase, Setup};

/// A row that was opened, and what was removed of its capture set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The row, and the pieces on the spots when it was opened.
    pub row: OpenedRow,
    /// Whether the player chose it before other rows.
    pub chosen: bool,
    /// The pieces removed.
    pub removed: Bitboard,
}

impl Capture {
    fn of(row: OpenedRow, chosen: Option<Line>) -> Self {
        Self { row, chosen: chosen == Some(row.line), removed: row.compulsory() }
    }
}

/// A turn: rows removed, a placement, rows removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose turn it is.
    pub player: Player,
    /// The start of the turn, before its removals: what a position text holds.
    pub setup: Setup,
    /// The rows opened before the placement, in order.
    pub before: Vec<Capture>,
    /// The placement, and the pieces on the spots before it; `None` if the game ended before it.
    pub placement: Option<(Action, Board)>,
    /// The rows opened after it, in order.
    pub after: Vec<Capture>,
    /// All decisions, in order; empty if the game ended by a forced removal.
    pub actions: Vec<Action>,
    /// The player's reserve after the turn.
    pub reserve: u8,
    /// How the game ended in this turn, if it did.
    pub outcome: Option<Outcome>,
}

impl Turn {
    fn new(setup: Setup) -> Self {
        let (before, after, actions) = (Vec::new(), Vec::new(), Vec::new());
        Self { player: setup.to_move, setup, before, placement: None, after, actions, reserve: 0, outcome: None }
    }

    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.actions.is_empty()
    }
}

/// A position with the turn in progress.
///
/// A removal that leaves nothing to decide happens within the action before it, which may be the opponent's. So a turn
/// may have begun, and may even be over, before its player is first asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    position: GipfPosition,
    turn: Turn,
    finished: Vec<Turn>,
}

impl Ledger {
    /// Opens the ledger of a game.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set.
    pub fn new(setup: &Setup) -> Result<Self, InvalidPosition> {
        let mut rows = Vec::new();
        let position = GipfPosition::from_setup_watched(setup, &mut |row| rows.push(row))?;
        let mut turn = Turn::new(setup.clone());
        if setup.variant.is_push_off() {
            // A player who cannot push passes, which is not a turn of its own.
            turn.player = position.turn_of();
        }
        let mut ledger = Self { position, turn, finished: Vec::new() };
        for row in rows {
            ledger.note_row(row, None);
        }
        ledger.note_end(Phase::Pre);
        Ok(ledger)
    }

    /// Opens the ledger of a game that goes on from a position. A turn in progress there is taken to begin there: what
    /// has already happened in it is not known.
    pub fn at(position: GipfPosition) -> Self {
        let turn = Turn { player: position.turn_of(), ..Turn::new(position.to_setup()) };
        Self { position, turn, finished: Vec::new() }
    }

    /// Returns the position now.
    pub const fn position(&self) -> &GipfPosition {
        &self.position
    }

    /// Returns the turn in progress; `reserve` and `outcome` are not known yet.
    ///
    /// Once the game is over this is an empty turn, unless the last turn had no decision: then it is that turn.
    pub const fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Returns the setup whose text shows how the game stands: the start of the turn in progress; once the game is
    /// over, what is left on the board, with the player who would be next.
    pub fn setup(&self) -> Setup {
        if self.position.outcome().is_none() {
            return self.turn.setup.clone();
        }
        let next = if self.turn.is_empty() { self.turn.setup.to_move } else { self.turn.player.other() };
        Setup { to_move: next, ..self.position.to_setup() }
    }

    /// Returns the turns finished since they were last taken, in order.
    pub fn finished(&self) -> &[Turn] {
        &self.finished
    }

    /// Returns the turns finished since they were last taken, in order, and clears them.
    pub fn take_finished(&mut self) -> Vec<Turn> {
        std::mem::take(&mut self.finished)
    }

    /// Plays an action.
    ///
    /// # Errors
    /// If it is not legal; nothing changes.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        if !self.position.action_set().contains(action) {
            return self.position.play(action);
        }
        let phase = self.position.phase();
        self.note_action(action);
        let mut rows = Vec::new();
        self.position.play_watched(action, &mut |row| rows.push(row));
        let chosen = if let Action::TakeRow(line) = action { Some(line) } else { None };
        for row in rows {
            self.note_row(row, chosen);
        }
        self.note_end(phase);
        Ok(())
    }

    fn note_action(&mut self, action: Action) {
        self.turn.actions.push(action);
        match action {
            Action::Push(..) | Action::Jump(..) => self.turn.placement = Some((action, *self.position.board())),
            Action::Take => {
                let taken = self.position.question().map_or(Bitboard::EMPTY, Bitboard::of);
                if let Some(capture) = self.captures_of_phase(self.position.phase()).last_mut() {
                    capture.removed |= taken;
                }
            }
            Action::TakeRow(_) | Action::Keep | Action::Leave | Action::Remove => {}
        }
    }

    fn captures_of_phase(&mut self, phase: Phase) -> &mut Vec<Capture> {
        if phase == Phase::Pre { &mut self.turn.before } else { &mut self.turn.after }
    }

    fn note_row(&mut self, row: OpenedRow, chosen: Option<Line>) {
        if row.player != self.turn.player {
            let before =
                Setup { to_move: row.player, board: row.board, reserves: row.reserves, ..self.position.to_setup() };
            self.finish_turn(before);
        }
        self.captures_of_phase(row.phase).push(Capture::of(row, chosen));
    }

    /// Finishes the turn if it is over, given the phase before.
    fn note_end(&mut self, before: Phase) {
        // A turn without an action has only begun, with a row that was opened.
        let may_end = before != Phase::Pre && !self.turn.actions.is_empty();
        if let Some(outcome) = self.position.outcome() {
            self.turn.outcome = Some(outcome);
            if self.turn.is_empty() {
                // The opponent could not even begin: the game ended with the turn before.
                if let Some(last) = self.finished.last_mut() {
                    last.outcome = Some(outcome);
                }
            } else {
                self.finish_turn(Setup { to_move: self.turn.player.other(), ..self.position.to_setup() });
                self.show_turn_without_decision();
            }
        } else if may_end && self.position.phase() != Phase::Post {
            self.finish_turn(self.position.to_setup());
        }
    }

    /// Keeps such a turn in view, so that its removals can still be read, written and compared with a text.
    fn show_turn_without_decision(&mut self) {
        if let Some(last) = self.finished.last().filter(|last| last.actions.is_empty()) {
            self.turn = last.clone();
        }
    }

    fn finish_turn(&mut self, next: Setup) {
        let reserve = self.position.reserve(self.turn.player);
        let turn = std::mem::replace(&mut self.turn, Turn::new(next));
        self.finished.push(Turn { reserve, ..turn });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_turns_hold_every_action_and_account_for_every_piece() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for variant in Variant::ALL.into_iter().filter(|variant| !variant.is_push_off()).cycle().take(60) {
            let mut ledger = Ledger::new(&Setup::start(variant).with_placement_limit(Some(200))).unwrap();
            let (mut played, mut turns) = (Vec::new(), Vec::new());
            while ledger.position().outcome().is_none() {
                let set = ledger.position().action_set();
                let action = set.nth(rng.random_range(0..set.len())).unwrap();
                check_text(&ledger);
                played.push(action);
                ledger.play(action).unwrap();
                turns.extend(ledger.take_finished());
            }
            let actions: Vec<_> = turns.iter().flat_map(|turn| turn.actions.clone()).collect();
            assert_eq!(actions, played);
            assert!(turns.windows(2).all(|pair| pair[0].player != pair[1].player));
            let captures = turns.iter().flat_map(|turn| turn.before.iter().chain(&turn.after));
            let removed: u32 = captures.map(|capture| capture.removed.count()).sum();
            let placed = turns.iter().filter(|turn| turn.placement.is_some()).count() as u32;
            let start = Setup::start(variant).board.occupied().count();
            assert_eq!(start + placed - removed, ledger.position().board().occupied().count());
            assert_eq!(turns.last().unwrap().outcome, ledger.position().outcome());
            check_starts(&turns);
            check_end(&ledger, turns.last().unwrap());
        }
    }

    #[test]
    fn a_ledger_opened_in_the_midst_of_a_turn_knows_the_turns_that_follow() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for variant in Variant::ALL.repeat(8) {
            let mut ledger = Ledger::new(&Setup::start(variant).with_placement_limit(Some(200))).unwrap();
            let mut late: Option<Ledger> = None;
            while ledger.position().outcome().is_none() {
                let set = ledger.position().action_set();
                let action = set.nth(rng.random_range(0..set.len())).unwrap();
                if late.is_none() || rng.random_bool(0.05) {
                    late = Some(Ledger::at(ledger.position().clone()));
                }
                let late = late.as_mut().unwrap();
                assert_eq!(late.position(), ledger.position());
                ledger.play(action).unwrap();
                late.play(action).unwrap();
                if !late.finished().is_empty() {
                    assert_eq!((late.setup(), late.turn()), (ledger.setup(), ledger.turn()));
                }
            }
        }
    }

    /// The text of a game, with the decisions of the turn in progress, leads to the same position.
    fn check_text(ledger: &Ledger) {
        let setup: Setup = ledger.setup().to_string().parse().unwrap();
        let mut other = Ledger::new(&setup).unwrap();
        ledger.turn().actions.iter().for_each(|&action| other.play(action).unwrap());
        assert!(other.position().identity() == ledger.position().identity(), "{setup}");
    }

    /// The text of a game that is over names the player who would be next, and shows a loss of all GIPF-pieces.
    fn check_end(ledger: &Ledger, last: &Turn) {
        let setup: Setup = ledger.setup().to_string().parse().unwrap();
        assert_eq!(setup.to_move, last.player.other());
        let outcome = ledger.position().outcome().unwrap();
        let lost = outcome.reason == crate::Reason::NoGipf;
        assert!(!lost || GipfPosition::from_setup(&setup).unwrap().outcome() == Some(outcome), "{setup}");
    }

    /// The text of a turn's start leads to the same turn.
    fn check_starts(turns: &[Turn]) {
        for turn in turns {
            let setup: Setup = turn.setup.to_string().parse().unwrap();
            let mut ledger = Ledger::new(&setup).unwrap();
            for &action in &turn.actions {
                ledger.play(action).unwrap();
            }
            let again = &ledger.finished()[0];
            assert_eq!((&again.before, &again.placement, &again.after), (&turn.before, &turn.placement, &turn.after));
            assert_eq!((again.reserve, again.setup.to_string()), (turn.reserve, turn.setup.to_string()));
        }
    }
}
