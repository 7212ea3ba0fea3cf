//! The search for the decisions that a text means.
//!
//! A text names what is removed, not how each question was answered. So the reader plays on from the start of the turn:
//! each row that opens takes one of the text's notes of captures, which settles every question about it, and where the
//! player may choose between rows, every choice is tried. A path that uses up all notes is a reading.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::position::{Outcome, Position, Reason};
use crate::rules::{OpenedRow, Phase, Setup};

use super::error::{Failure, ReadError};
use super::ledger::{Capture, Ledger};

/// More steps than any text of a real game needs.
const BUDGET: usize = 4_000;
/// The most notes of captures in a text: there are 21 lines, and two removals.
pub(super) const MOST_NOTES: usize = 2 * crate::geometry::LINES;

/// A text as the search sees it: a placement, and notes of captures numbered in their order.
pub(super) trait Script {
    /// Returns the number of notes, at most [`MOST_NOTES`].
    fn notes(&self) -> usize;

    /// Returns a note as it was written.
    fn text(&self, note: usize) -> &str;

    /// Returns whether the note may stand for this row, given the notes used so far and the phases of their rows.
    fn is_of(&self, note: usize, row: &OpenedRow, used: &[(usize, Phase)]) -> bool;

    /// Returns which of the pieces that may be spared are removed, if the note can mean the row; otherwise why it cannot.
    fn fit(&self, note: usize, row: &OpenedRow) -> Result<Bitboard, Misfit>;

    /// Returns whether a row may be opened without a note; all pieces that may be spared then stay.
    fn may_go_unnoted(&self, capture: &Capture) -> bool;

    /// Returns the placement that the text means, given the notes left.
    fn placement(&self, ledger: &Ledger, left: Notes) -> Result<Action, Failure>;

    /// Returns those captures of a ledger since the start of the search that the text covers.
    fn captures(&self, ledger: &Ledger) -> Vec<Capture>;

    /// Returns whether the text ends here.
    fn is_over(&self, ledger: &Ledger) -> bool;

    /// Returns whether the text may already end here if it says nothing about what comes next.
    fn may_stop(&self, _: &Ledger) -> bool {
        false
    }

    /// Returns why the text cannot end here although all notes are used.
    fn objection(&self, ledger: &Ledger) -> Option<Failure>;
}

/// Why a note does not mean a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It is about another row.
    Elsewhere(String),
    /// It is about this row, but wrong.
    Wrong(String),
}

/// A set of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notes(u64);

impl Notes {
    fn all(count: usize) -> Self {
        debug_assert!(count <= MOST_NOTES);
        Self((1 << count) - 1)
    }

    const fn without(self, note: usize) -> Self {
        Self(self.0 & !(1 << note))
    }

    const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOST_NOTES).filter(move |note| self.0 >> note & 1 == 1)
    }
}

/// Decisions that a text can mean, and where they lead.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub actions: Vec<Action>,
    pub ledger: Ledger,
}

impl Reading {
    /// Returns the result by which readings are compared.
    pub fn result(&self) -> (Setup, Option<Outcome>) {
        result_of(&self.ledger)
    }

    fn comes_before(&self, other: &Self) -> bool {
        let indices = |reading: &Self| reading.actions.iter().map(|action| action.index()).collect::<Vec<_>>();
        indices(self) < indices(other)
    }
}

/// Returns the result by which readings that end here are compared.
pub(super) fn result_of(ledger: &Ledger) -> (Setup, Option<Outcome>) {
    (ledger.position().to_setup(), ledger.position().outcome())
}

/// Returns the reading of a text from a ledger: of several that lead to the same position, the first in the order of
/// action indices.
///
/// # Errors
/// If it has no reading, or several that lead to different positions, or too many to search.
pub(super) fn search(script: &impl Script, ledger: &Ledger) -> Result<Reading, ReadError> {
    let mut ledger = ledger.clone();
    ledger.take_finished();
    let node = Node {
        ledger,
        seen: 0,
        left: Notes::all(script.notes()),
        used: Vec::new(),
        take: Bitboard::EMPTY,
        actions: Vec::new(),
    };
    let mut search = Search { script, nodes: 0, found: None, other: None, failure: None, wrong: Vec::new() };
    search.explore(node);
    search.into_reading()
}

/// A point of the search.
#[derive(Clone)]
struct Node {
    ledger: Ledger,
    /// The number of captures already handled.
    seen: usize,
    left: Notes,
    used: Vec<(usize, Phase)>,
    /// The pieces that may be spared but are removed, in the row in hand.
    take: Bitboard,
    actions: Vec<Action>,
}

impl Node {
    fn noted(&self, note: Option<usize>, row: &OpenedRow, take: Bitboard) -> Self {
        let mut next = Self { seen: self.seen + 1, take, ..self.clone() };
        if let Some(note) = note {
            next.left = next.left.without(note);
            next.used.push((note, row.phase));
        }
        next
    }

    fn played(&self, action: Action) -> Self {
        let mut next = self.clone();
        next.ledger.play(action).expect("the search plays legal actions only");
        next.actions.push(action);
        next
    }

    /// Returns the progress in the text: the rows and the placement passed.
    fn progress(&self) -> usize {
        self.seen + self.actions.iter().filter(|action| action.is_placement()).count()
    }

    /// Returns whether the text says nothing about what comes next: all notes are used, and the last has no piece left
    /// to be removed.
    fn is_silent(&self) -> bool {
        self.left.is_empty() && (self.take.is_empty() || self.ledger.position().question().is_none())
    }
}

struct Search<'a, S> {
    script: &'a S,
    nodes: usize,
    found: Option<Reading>,
    /// A reading that leads to another position.
    other: Option<Reading>,
    /// The failure furthest in the text, and how far that is.
    failure: Option<(usize, Failure)>,
    /// The notes that were wrong about their row somewhere.
    wrong: Vec<usize>,
}

impl<S: Script> Search<'_, S> {
    fn explore(&mut self, node: Node) {
        if self.nodes == BUDGET || self.other.is_some() {
            return;
        }
        self.nodes += 1;
        match self.script.captures(&node.ledger).get(node.seen) {
            Some(capture) => self.note(&node, capture),
            None if self.script.is_over(&node.ledger) => self.end(node),
            None if node.is_silent() && self.script.may_stop(&node.ledger) => self.end(node),
            None => self.decide(&node),
        }
    }

    /// Tries every note that can stand for a row. A row that was chosen takes the next note; all others
    /// are independent and may be noted in any order.
    fn note(&mut self, node: &Node, capture: &Capture) {
        let (row, most) = (capture.row, if capture.chosen { 1 } else { MOST_NOTES });
        let notes = node.left.iter().filter(|&note| self.script.is_of(note, &row, &node.used)).take(most);
        let mut tried: Vec<usize> = Vec::new();
        for note in notes {
            if tried.iter().any(|&other| self.script.text(other) == self.script.text(note)) {
                continue;
            }
            tried.push(note);
            match self.script.fit(note, &row) {
                Ok(take) => self.explore(node.noted(Some(note), &row, take)),
                Err(misfit) => self.fail_to_fit(node, &row, note, misfit),
            }
        }
        if self.script.may_go_unnoted(capture) {
            self.explore(node.noted(None, &row, Bitboard::EMPTY));
        } else if tried.is_empty() {
            self.fail(node, Failure::unnoted(&row));
        }
    }

    fn decide(&mut self, node: &Node) {
        let position = node.ledger.position();
        if let Some(spot) = position.question() {
            let answer = if node.take.contains(spot) { Action::Take } else { Action::Keep };
            self.explore(node.played(answer));
        } else if position.phase() == Phase::Push {
            match self.script.placement(&node.ledger, node.left) {
                Ok(action) => self.explore(node.played(action)),
                Err(Failure::NoRow(_)) if node.left.iter().next().is_some_and(|note| self.wrong.contains(&note)) => {}
                Err(failure) => self.fail(node, failure),
            }
        } else {
            for action in position.legal_actions() {
                self.explore(node.played(action));
            }
        }
    }

    fn end(&mut self, node: Node) {
        if let Some(note) = self.unplayed(&node) {
            // As where a placement is due: if it is known why the note does not fit its row, that says more.
            if !self.wrong.contains(&note) {
                self.fail(&node, Failure::no_row(self.script.text(note)));
            }
            return;
        }
        match self.script.objection(&node.ledger).or_else(|| self.not_taken(&node)) {
            Some(failure) => self.fail(&node, failure),
            None => self.keep(Reading { actions: node.actions, ledger: node.ledger }),
        }
    }

    /// Returns a note that is left over. If a player's last GIPF-piece was taken, those of rows that still stand do not
    /// count: rows that do not overlap may be noted in any order.
    fn unplayed(&self, node: &Node) -> Option<usize> {
        let mut standing = self.standing(node);
        node.left.iter().find(|&note| {
            let is_meant =
                |row: &OpenedRow| self.script.is_of(note, row, &node.used) && self.script.fit(note, row).is_ok();
            standing.iter().position(is_meant).map(|place| standing.swap_remove(place)).is_none()
        })
    }

    /// Returns the rows that a player no longer had to remove, having taken the other one's last GIPF-piece.
    fn standing(&self, node: &Node) -> Vec<OpenedRow> {
        let position = node.ledger.position();
        let last = self.script.captures(&node.ledger).last().map(|capture| capture.row);
        let won = |row: &OpenedRow| position.outcome() == Some(Outcome::win(row.player, Reason::NoGipf));
        let Some(last) = last.filter(won) else { return Vec::new() };
        position.rows_of(last.player).map(|line| OpenedRow { line, board: *position.board(), ..last }).collect()
    }

    /// If a player's last GIPF-piece was taken, GIPF-pieces named after it are ignored, but nothing else is.
    fn not_taken(&self, node: &Node) -> Option<Failure> {
        let captures = self.script.captures(&node.ledger);
        let last = captures.last()?;
        let spared = node.take.without(last.removed).without(last.row.board.gipfs());
        let (text, spot) = (self.script.text(node.used.last()?.0), spared.first()?);
        Some(Failure::misfit(text, &last.row, format!("the game ends before the piece on {spot} is taken")))
    }

    fn keep(&mut self, reading: Reading) {
        match &self.found {
            // Where a text may stop, what uses it up first counts.
            Some(found) if reading.actions.starts_with(&found.actions) => {}
            Some(found) if found.actions.starts_with(&reading.actions) => self.found = Some(reading),
            Some(found) if found.result() != reading.result() => self.other = Some(reading),
            Some(found) if found.comes_before(&reading) => {}
            _ => self.found = Some(reading),
        }
    }

    fn fail(&mut self, node: &Node, failure: Failure) {
        self.fail_after(node.progress() + 1, failure);
    }

    /// A note about another row is less informative than any other failure.
    fn fail_to_fit(&mut self, node: &Node, row: &OpenedRow, note: usize, misfit: Misfit) {
        let text = self.script.text(note);
        match misfit {
            Misfit::Wrong(why) => {
                self.wrong.push(note);
                self.fail(node, Failure::misfit(text, row, why));
            }
            Misfit::Elsewhere(why) => {
                self.fail_after(node.progress(), Failure::misfit(text, row, why));
            }
        }
    }

    fn fail_after(&mut self, progress: usize, failure: Failure) {
        if self.failure.as_ref().is_none_or(|&(best, _)| best < progress) {
            self.failure = Some((progress, failure));
        }
    }

    fn into_reading(self) -> Result<Reading, ReadError> {
        match (self.found, self.other) {
            (Some(one), Some(other)) => Err(ReadError::ambiguous(&one.actions, &other.actions)),
            _ if self.nodes == BUDGET => Err(ReadError::TooManyReadings),
            (Some(reading), None) => Ok(reading),
            (None, _) => Err(ReadError::from(self.failure.expect("an attempt that is no reading has failed").1)),
        }
    }
}
