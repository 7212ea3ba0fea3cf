//! Whole games, in any of the notations.
//!
//! ```
//! use gipf_env::Player;
//! use gipf_env::notation::official::Form;
//! use gipf_env::notation::record::{self, Conclusion, Notation, Source};
//!
//! let text = "1.Ge2/Gd1-f2 2.Gd2/Ge8 3.Gd1-g2/Gg1-e3 4.c1-f3/Ge1-e4 1-0";
//! let read = record::read(text, &Source::default())?;
//! assert_eq!(read.to_string(), "official notation, tournament, since the first turn brings in a GIPF-piece");
//! assert_eq!(read.record.turns().len(), 8);
//! assert_eq!(read.record.conclusion(), Some(Conclusion::Won(Player::White)));
//! assert_eq!(record::write(&read.record, Notation::Text(Form::Short))?.trim_end(), text);
//! let julio = record::write(&read.record, Notation::Julio)?;
//! assert!(julio.starts_with("Tournament White-Black\n1. Ge2 Gd1*  2. Gd2 Ge8  "));
//!
//! let error = record::read("1.Ge2/Ge2", &Source::default()).unwrap_err().to_string();
//! assert!(error.starts_with("move 1, Black, `Ge2`: e2 is occupied: name the dot to push from"), "{error}");
//! assert!(error.ends_with("; legal are Gb2, Gb3, Gb4, Gb5, Gc2, Gc6, Gd2, Gd7, and 12 more"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A text of the official notation has numbered turns, with a blank or `/` between White's and Black's and `1-0` or
//! `0-1` at the end, or an `X` in the loser's column; or it has one turn a line, or turns between slashes, without
//! numbers. Where Black moves first, which happens only in games that were set up, the first number is followed by `/`.
//! A text of Julio974's notation may begin with the rule set and who moves first, and its result is from the view of
//! the player who moved first. In both, a `*` in place of the result, as in PGN, ends a game without a result, and the
//! first number is 1 unless the caller knows from which position the game starts.

mod detect;
mod error;
mod read;
mod scan;
mod write;

use std::fmt;

use crate::action::Action;
use crate::position::{Outcome, Player, Reason};
use crate::rules::{Setup, Variant};

use super::ledger::{Ledger, Turn};
use super::official::Form;

pub use detect::family;
pub use error::{RecordError, WriteError};
pub use read::read;
pub use write::write;

/// A notation to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The publisher's notation, in every form.
    Official,
    /// Julio974's notation.
    Julio,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Official => "official notation",
            Self::Julio => "Julio974's notation",
        })
    }
}

/// A notation to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// A score sheet: numbered turns with their reserves, one number a line, and an X in the loser's column.
    Sheet(Form),
    /// Running text: numbered turns with `/` between, and `1-0` or `0-1` at the end.
    Text(Form),
    /// One turn a line with its reserve, without numbers.
    Lines(Form),
    /// Julio974's notation.
    Julio,
}

/// What is known about a text to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The notation; `None` to detect it from the text.
    pub family: Option<Family>,
    /// Where the game starts; `None` to detect it from the text.
    pub setup: Option<Setup>,
    /// Whether the text, if it says who moves first, decides that instead of the setup.
    pub text_says_who_begins: bool,
}

impl Source {
    /// Returns a source of which only the rule set is known.
    pub fn of_variant(variant: Variant) -> Self {
        Self { family: None, setup: Some(Setup::start(variant)), text_says_who_begins: true }
    }

    /// Returns whether the position from which the game starts is known, and not only its rule set.
    const fn has_position(&self) -> bool {
        self.setup.is_some() && !self.text_says_who_begins
    }
}

/// How it is known where a game starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupFrom {
    /// The caller said so.
    Caller,
    /// The tags before the text say so.
    Tags,
    /// The text says so.
    Header,
    /// The first turn brings in a GIPF-piece, or does not.
    FirstTurn,
    /// The game can be played by these rules, and not by those tried before.
    Trial,
}

/// A record that was read, and how it was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The game.
    pub record: Record,
    /// The notation of the text.
    pub family: Family,
    /// How it is known where the game starts.
    pub setup_from: SetupFrom,
}

/// Writes how the text was understood, such as `official notation, standard, since …`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variant = self.record.setup.variant;
        write!(f, "{}, {variant}, ", self.family)?;
        f.write_str(match self.setup_from {
            SetupFrom::Caller => "as asked for",
            SetupFrom::Tags => "as its tags say",
            SetupFrom::Header => "as the header says",
            SetupFrom::FirstTurn if self.record.turns.is_empty() => "since nothing says otherwise",
            SetupFrom::FirstTurn if variant.opening() == crate::rules::Opening::Tournament => {
                "since the first turn brings in a GIPF-piece"
            }
            SetupFrom::FirstTurn => "since the first turn brings in no GIPF-piece",
            SetupFrom::Trial => "since the game cannot be standard",
        })
    }
}

/// How a game was concluded, by its rules or by a player who resigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// This player has won.
    Won(Player),
    /// The game is void, or nobody has won.
    Void,
}

impl Conclusion {
    /// Returns the conclusion that follows from an outcome; `None` if the game was only cut off.
    pub fn of(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome { winner: Some(winner), .. } => Some(Self::Won(winner)),
            Outcome { reason: Reason::Limit, .. } => None,
            Outcome { .. } => Some(Self::Void),
        }
    }

    /// Returns whether an outcome is the one that a text states, if it states one.
    fn is_stated(stated: Option<Self>, outcome: Outcome) -> bool {
        stated.is_some() && Self::of(outcome) == stated
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(player) => write!(f, "{player} wins"),
            Self::Void => f.write_str("nobody wins"),
        }
    }
}

/// A game from its start, turn by turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    setup: Setup,
    turns: Vec<Turn>,
    conclusion: Option<Conclusion>,
}

impl Record {
    /// Plays the decisions of a game; those of an unfinished last turn are dropped.
    ///
    /// # Errors
    /// If the setup or a decision is illegal, or the conclusion contradicts the rules.
    pub fn new(setup: &Setup, actions: &[Action], conclusion: Option<Conclusion>) -> Result<Self, RecordError> {
        let mut ledger = Ledger::new(setup)?;
        for (played, &action) in actions.iter().enumerate() {
            ledger.play(action).map_err(|why| RecordError::Decision { number: played + 1, why })?;
        }
        Self::finished(setup, &mut ledger, Vec::new(), conclusion)
    }

    /// Returns the record of a game that was played on a ledger, given the turns already taken from it.
    fn finished(
        setup: &Setup,
        ledger: &mut Ledger,
        mut turns: Vec<Turn>,
        stated: Option<Conclusion>,
    ) -> Result<Self, RecordError> {
        turns.extend(ledger.take_finished());
        let outcome = ledger.position().outcome();
        let reached = outcome.and_then(Conclusion::of);
        match (stated, outcome) {
            (Some(stated), Some(outcome)) if reached.unwrap_or(Conclusion::Void) != stated => {
                Err(RecordError::Contradiction { stated, outcome })
            }
            _ => Ok(Self { setup: setup.clone(), turns, conclusion: reached.or(stated) }),
        }
    }

    /// Returns where the game starts.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the rule set.
    pub const fn variant(&self) -> Variant {
        self.setup.variant
    }

    /// Returns the turns in order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Returns all decisions in order.
    pub fn actions(&self) -> Vec<Action> {
        self.turns.iter().flat_map(|turn| turn.actions.iter().copied()).collect()
    }

    /// Returns how the rules ended the game in its last turn, if they did.
    pub fn outcome(&self) -> Option<Outcome> {
        self.turns.last()?.outcome
    }

    /// Returns how the game was concluded, if it was.
    pub const fn conclusion(&self) -> Option<Conclusion> {
        self.conclusion
    }
}
