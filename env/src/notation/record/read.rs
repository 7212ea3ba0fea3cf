//! Reading of whole games.

use crate::action::Action;
use crate::notation::error::ReadError;
use crate::notation::ledger::{Ledger, Turn};
use crate::notation::{julio, official};
use crate::position::Player;
use crate::rules::{Setup, Variant};
use crate::text::{excerpt, with_hyphens};

use super::scan::{Header, Scanned, Written};
use super::{Conclusion, Family, Reading, Record, RecordError, SetupFrom, Source, detect, scan};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// Reads a game.
///
/// Neither notation says where a game starts, except for a header of Julio974's. Without a setup from the caller, a
/// game whose first turn brings in a GIPF-piece is read as tournament, any other as standard, or as basic if it cannot
/// be played as standard; with potentials if the text has any.
///
/// # Errors
/// If the text is not a game; the error names the move, the player, the text and what could have been played.
pub fn read(text: &str, source: &Source) -> Result<Reading, RecordError> {
    if text.len() > LONGEST {
        return Err(RecordError::TooLong { found: text.len(), most: LONGEST });
    }
    let text = &with_hyphens(text);
    if let Some(family) = source.family {
        return read_as(family, text, source);
    }
    let family = detect::family(text);
    match read_as(family, text, source) {
        // An X after the last turn is a capture in one notation and a loss in the other.
        Err(error) if family == Family::Julio => read_as(Family::Official, text, source).map_err(|_| error),
        read => read,
    }
}

fn read_as(family: Family, text: &str, source: &Source) -> Result<Reading, RecordError> {
    let scanned = match family {
        Family::Official => scan::official(text)?,
        Family::Julio => scan::julio(text)?,
    };
    // Another number is that of a game whose first turns are missing, unless it is known to start from a position.
    if let Some(number) = scanned.first_number.filter(|&number| number != 1 && !source.has_position()) {
        return Err(RecordError::FirstNumber(number));
    }
    let mut furthest: Option<(RecordReplay<'_>, Refused<'_>)> = None;
    for (setup, setup_from) in starts(&scanned, family, source)? {
        let mut replay = RecordReplay::new(&setup, family, &scanned)?;
        match replay.run() {
            Ok(record) => return Ok(Reading { record, family, setup_from }),
            Err(refused) if furthest.as_ref().is_none_or(|(other, _)| replay.read > other.read) => {
                furthest = Some((replay, refused));
            }
            Err(_) => {}
        }
    }
    let (replay, refused) = furthest.expect("at least one start was tried");
    Err(replay.told(refused))
}

/// Why a game cannot be read from its start. Listing what could have been played takes time, and is done only for the
/// one start that is reported.
enum Refused<'a> {
    Turn(&'a Written, Box<ReadError>),
    Other(RecordError),
}

impl<T: Into<RecordError>> From<T> for Refused<'_> {
    fn from(error: T) -> Self {
        Self::Other(error.into())
    }
}

/// Returns where the game may start, in the order in which the starts are tried.
fn starts(scanned: &Scanned, family: Family, source: &Source) -> Result<Vec<(Setup, SetupFrom)>, RecordError> {
    let first = scanned.header.and_then(|header| header.first).or(scanned.turns.first().and_then(|turn| turn.column));
    if let Some(setup) = &source.setup {
        let first = first.filter(|_| source.text_says_who_begins);
        let setup = Setup { to_move: first.unwrap_or(setup.to_move), ..setup.clone() };
        return match scanned.header {
            Some(header) if header.variant != setup.variant => {
                Err(RecordError::Header { found: header.variant, expected: setup.variant })
            }
            Some(Header { first: Some(found), .. }) if found != setup.to_move => {
                Err(RecordError::FirstPlayer { found, expected: setup.to_move })
            }
            _ => Ok(vec![(setup, SetupFrom::Caller)]),
        };
    }
    let start = |variant| Setup { to_move: first.unwrap_or(Player::White), ..Setup::start(variant) };
    if let Some(header) = scanned.header {
        return Ok(vec![(start(header.variant), SetupFrom::Header)]);
    }
    let has_potentials =
        family == Family::Official && scanned.turns.iter().any(|turn| turn.text.contains(['Z', 'J', 'j']));
    let variant = |variant: Variant| if has_potentials { variant.with_zertz() } else { variant };
    let start = |opening, from| (start(variant(opening)), from);
    if scanned.turns.first().is_some_and(|turn| turn.text.trim_start().starts_with('G')) {
        return Ok(vec![start(Variant::TOURNAMENT, SetupFrom::FirstTurn)]);
    }
    Ok(vec![start(Variant::STANDARD, SetupFrom::FirstTurn), start(Variant::BASIC, SetupFrom::Trial)])
}

/// A game being read.
struct RecordReplay<'a> {
    setup: Setup,
    family: Family,
    scanned: &'a Scanned,
    ledger: Ledger,
    turns: Vec<Turn>,
    /// The number of texts read.
    read: usize,
    /// Whether the last turn had no decision, and has been read.
    is_closed: bool,
}

impl<'a> RecordReplay<'a> {
    fn new(setup: &Setup, family: Family, scanned: &'a Scanned) -> Result<Self, RecordError> {
        let mut ledger = Ledger::new(setup)?;
        let turns = ledger.take_finished();
        Ok(Self { setup: setup.clone(), family, scanned, ledger, turns, read: 0, is_closed: false })
    }

    fn run(&mut self) -> Result<Record, Refused<'a>> {
        for written in &self.scanned.turns {
            self.check_column(written)?;
            self.play(written)?;
            self.read += 1;
        }
        let (turns, conclusion) = (std::mem::take(&mut self.turns), self.conclusion());
        Ok(Record::finished(&self.setup, &mut self.ledger, turns, conclusion)?)
    }

    fn player(&self) -> Player {
        match self.family {
            Family::Official => self.ledger.turn().player,
            Family::Julio => self.ledger.position().to_move(),
        }
    }

    fn check_column(&self, written: &Written) -> Result<(), RecordError> {
        match written.column {
            Some(found) if self.read == 0 && found != self.player() => {
                Err(RecordError::FirstPlayer { found, expected: self.player() })
            }
            _ => Ok(()),
        }
    }

    fn play(&mut self, written: &'a Written) -> Result<(), Refused<'a>> {
        if self.is_closed {
            return Err(RecordError::after_result(&written.text).into());
        }
        let actions = self.actions(&written.text).map_err(|why| Refused::Turn(written, Box::new(why)))?;
        self.is_closed = actions.is_empty();
        for action in actions {
            self.ledger.play(action).expect("a reading has legal decisions");
        }
        self.turns.extend(self.ledger.take_finished());
        Ok(())
    }

    fn actions(&self, text: &str) -> Result<Vec<Action>, ReadError> {
        let is_last = self.read + 1 == self.scanned.turns.len();
        let is_stated = |outcome| Conclusion::is_stated(self.conclusion(), outcome);
        match self.family {
            Family::Official => official::read(&self.ledger, text),
            Family::Julio if is_last => julio::read_last(&self.ledger, text, is_stated),
            Family::Julio => julio::read(&self.ledger, text),
        }
    }

    fn told(&self, refused: Refused<'_>) -> RecordError {
        let (written, why) = match refused {
            Refused::Turn(written, why) => (written, why),
            Refused::Other(error) => return error,
        };
        let instead = match self.family {
            Family::Official => official::options(&self.ledger, &written.text),
            Family::Julio => julio::options(&self.ledger, &written.text),
        };
        let counted = match self.family {
            Family::Official => number_of(&self.setup, self.read),
            Family::Julio => self.read / 2 + 1,
        };
        let number = written.number.unwrap_or(counted);
        let text = excerpt(&written.text);
        RecordError::Turn { number, player: self.player(), text, why, instead }
    }

    /// Returns the conclusion that the text states, if it states one.
    fn conclusion(&self) -> Option<Conclusion> {
        let first = if self.family == Family::Julio { self.setup.to_move } else { Player::White };
        self.scanned.stated.and_then(|stated| stated.conclusion(first))
    }
}

/// Returns the number of the move that a turn belongs to; turns count from 0, and each move begins with White's turn.
pub(super) fn number_of(setup: &Setup, turn: usize) -> usize {
    usize::midpoint(turn, setup.to_move.index()) + 1
}
