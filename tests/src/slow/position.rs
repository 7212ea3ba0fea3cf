//! Everything that determines what may happen next, as plain lists.

use std::collections::BTreeMap;

use super::geometry::Point;
use super::piece::{Colour, Kind, Piece};
use super::push_off::Evaluation;
use super::rule_set::{Game, RuleSet, Settings};

/// The part of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Removal before the placement.
    Pre,
    /// The placement.
    Push,
    /// Removal after the placement; in push-off the evaluation.
    Post,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The winner, if there is one.
    pub winner: Option<Colour>,
    /// One of the four reasons of section 5.
    pub reason: &'static str,
}

/// A position of any rule set. Pairs are White's, then Black's.
#[derive(Clone, Debug)]
pub struct SlowPosition {
    /// The rule set.
    pub rules: RuleSet,
    /// The piece on each occupied spot.
    pub board: BTreeMap<Point, Piece>,
    /// Whose turn it is.
    pub side: Colour,
    /// Basic pieces in reserve.
    pub reserve: [i32; 2],
    /// Who may still bring in GIPF-pieces.
    pub gipf_right: [bool; 2],
    /// Potentials in hand.
    pub potentials: [i32; 2],
    /// Whether each player has brought in their first piece; it matters in a tournament game only.
    pub entered: [bool; 2],
    /// The part of the turn.
    pub phase: Phase,
    /// The lines handled in this removal phase or evaluation.
    pub handled: Vec<usize>,
    /// The pieces that still have to be asked about; the first is in question.
    pub pending: Vec<Point>,
    /// What is left of the evaluation in push-off.
    pub evaluation: Evaluation,
    /// The placements made.
    pub placements: i32,
    /// The placement limit, in placements.
    pub placement_limit: Option<i32>,
    /// The position at the start of each phase push so far, as text.
    pub earlier: Vec<String>,
    /// How often the position at the last start of a phase push has occurred at such a start, 0 before the first.
    pub occurrences: usize,
    /// How the game ended, if it has.
    pub end: Option<End>,
}

impl SlowPosition {
    /// Returns the start of a game.
    pub fn start(settings: Settings) -> Self {
        let name = settings.rules.name();
        let rights = if settings.rules.game == Game::Tournament { "Gg" } else { "-" };
        let ([white, black], potentials) = (settings.reserves, settings.potentials);
        let (board, _) = settings.rules.start();
        let text = format!("{name} {board} w {white} {black} {rights} {potentials} {potentials}");
        Self::read(&text, settings.placement_limit).expect("the starts of the rules are possible positions")
    }

    /// Returns the colour of the player who decides.
    pub fn to_move(&self) -> Colour {
        let owner_is_asked = self.rules.game == Game::PushOff && !self.pending.is_empty();
        if owner_is_asked { self.board[&self.pending[0]].colour } else { self.side }
    }

    fn has_gipf(&self, colour: Colour) -> bool {
        self.board.values().any(|piece| *piece == Piece { colour, kind: Kind::Gipf })
    }

    /// Returns whether a player has lost their last GIPF-piece.
    pub fn lacks_gipf(&self, colour: Colour) -> bool {
        self.rules.needs_gipfs() && self.entered[colour.index()] && !self.has_gipf(colour)
    }

    /// Ends the game if one of the players has lost their last GIPF-piece.
    pub fn decide_without_gipfs(&mut self) {
        for colour in [Colour::White, Colour::Black] {
            if self.lacks_gipf(colour) {
                self.lose(colour, "no-gipf");
            }
        }
    }

    /// Ends the game with a loser.
    pub fn lose(&mut self, loser: Colour, reason: &'static str) {
        self.end = Some(End { winner: Some(loser.other()), reason });
    }

    /// Ends the game with no winner.
    pub fn stop(&mut self, reason: &'static str) {
        self.end = Some(End { winner: None, reason });
    }

    /// Ends the game if its placement limit is reached.
    pub fn stop_at_limit(&mut self) {
        if self.placement_limit.is_some_and(|limit| self.placements >= limit) {
            self.stop("limit");
        }
    }

    /// Returns the row of a colour on a line, if it has one: four or more of its pieces on adjacent spots.
    pub fn row_on(&self, line: &[Point], colour: Colour) -> Option<Vec<Point>> {
        self.runs(line, |piece| piece.colour == colour).into_iter().find(|run| run.len() >= 4)
    }

    /// Returns the longest runs of adjacent spots of a line whose pieces satisfy a condition.
    pub fn runs(&self, line: &[Point], is_such: impl Fn(&Piece) -> bool) -> Vec<Vec<Point>> {
        let mut runs = vec![Vec::new()];
        for spot in line {
            if self.board.get(spot).is_some_and(&is_such) {
                runs.last_mut().unwrap().push(*spot);
            } else {
                runs.push(Vec::new());
            }
        }
        runs
    }
}
