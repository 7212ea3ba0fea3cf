//! Books of openings: positions chosen beforehand, each with the turns that lead to it.
//!
//! ```text
//! # Checksum: 0123456789abcdef
//! # Lines that begin like this say how the book was made.
//! standard 1S1G/5/1s4/G5g/6/5/g2G w 11 11 - 0 0 | b3 d2-d4
//! # Checksum: 0123456789abcdef
//! ```
//!
//! A line is a position text and, after a bar, the turns from the start of the rule set in the official notation, so
//! that records of games begin at the start of the game. Without turns, games begin at the position itself. The
//! checksum covers all other lines and is written at both ends, so that a truncated book is detected too; a book
//! written by hand needs none.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use gipf_env::notation::ReadError;
use gipf_env::text::{truncate_escaped, without_mark};
use gipf_env::{Action, GipfPosition, GpnError, Phase, Setup, Variant};
use gipf_models::read_text;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::openings::Opening;
use crate::checksum::{LineSum, Seal};
use crate::ugi::UgiGame;

/// Distinct openings of one rule set.
///
/// ```
/// use gipf_env::{Position, Variant};
/// use gipf_play::arena::Book;
///
/// let book = Book::of(Variant::STANDARD);
/// let openings = book.openings(100, 400, 7)?;
/// assert!(openings.iter().all(|opening| opening.position.outcome().is_none()));
/// # Ok::<(), gipf_play::arena::BookError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    name: String,
    variant: Variant,
    lines: Vec<Line>,
    checksum: String,
    seal: Seal,
}

/// One opening: the position, and the actions that lead to it, if the book has them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    setup: Setup,
    actions: Option<Vec<Action>>,
}

/// Why a file or a text is not the book that is wanted.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Io(String, #[source] io::Error),
    /// The book is for another rule set.
    #[error("{name} is a book of {found}: expected one of {wanted}")]
    Variant {
        /// The name of the book.
        name: String,
        /// The rule set that it is for.
        found: Variant,
        /// The rule set that is played.
        wanted: Variant,
    },
    /// There is no position.
    #[error("book {0}: no position: expected one position text a line")]
    Empty(String),
    /// A line is wrong.
    #[error("book {book}, line {line}: {fault}")]
    Line {
        /// The name of the book.
        book: String,
        /// The number of the line, from 1.
        line: usize,
        /// The fault.
        fault: LineFault,
    },
    /// More openings are needed than there are.
    #[error("book {book} has {found} openings: expected at least {wanted}, one for each pair of games")]
    TooFew {
        /// The name of the book.
        book: String,
        /// The openings that it has.
        found: usize,
        /// The openings asked for.
        wanted: usize,
    },
    /// The games are cut off before the players' first turn.
    #[error(
        "openings of book {book} have up to {longest} placements: expected a placement limit above that, not {limit}"
    )]
    Limit {
        /// The name of the book.
        book: String,
        /// The placements of its longest opening.
        longest: u16,
        /// The placements after which games are cut off.
        limit: u16,
    },
}

/// What is wrong with a line of a book.
#[derive(Debug, thiserror::Error)]
pub enum LineFault {
    /// It has no position text.
    #[error(transparent)]
    Position(#[from] GpnError),
    /// The position is of another rule set than those before it.
    #[error("a position of {found}: expected {expected} as before")]
    Variant {
        /// The rule set of the line.
        found: Variant,
        /// The rule set of the first position.
        expected: Variant,
    },
    /// The game is over.
    #[error("the game is over: expected a position to play from")]
    Over,
    /// Rows stand or are being removed: a position text cannot express that.
    #[error("rows are to be removed first: expected a position in which a piece is to be brought in")]
    NotQuiet,
    /// A turn cannot be played.
    #[error("turn `{turn}`: {error}")]
    Turn {
        /// The turn.
        turn: String,
        /// Why it cannot be played.
        error: ReadError,
    },
    /// The turns do not lead to the position.
    #[error("the turns lead to {found}: expected the position of the line")]
    Elsewhere {
        /// Where they lead.
        found: String,
    },
    /// The position is already in the book.
    #[error("the position of line {0} again, turned, mirrored or with the colours exchanged: expected a new one")]
    Twice(usize),
}

impl Book {
    /// Returns the book of a rule set that comes with the program.
    pub fn of(variant: Variant) -> Self {
        let text = match variant.to_string().as_str() {
            "basic" => include_str!("book/basic.txt"),
            "standard" => include_str!("book/standard.txt"),
            "tournament" => include_str!("book/tournament.txt"),
            "basic+zertz" => include_str!("book/basic+zertz.txt"),
            "standard+zertz" => include_str!("book/standard+zertz.txt"),
            "tournament+zertz" => include_str!("book/tournament+zertz.txt"),
            _ => include_str!("book/push-off.txt"),
        };
        Self::parse(&variant.to_string(), text).expect("the books of the program are read by its tests")
    }

    /// Returns the book of a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a book, or is for another rule set.
    pub fn read(path: &Path, variant: Variant) -> Result<Self, BookError> {
        let name = path.display().to_string();
        let text = read_text(path, Self::LARGEST).map_err(|error| BookError::Io(name.clone(), error))?;
        let book = Self::parse(&name, &text)?;
        if book.variant != variant {
            return Err(BookError::Variant { name, found: book.variant, wanted: variant });
        }
        Ok(book)
    }

    /// Larger than the file of a book of as many positions as [`make_book`](super::make_book) finds, in bytes.
    const LARGEST: u64 = 64 << 20;

    /// Reads a book. Empty lines and those that begin with `#` are ignored, and so is a byte-order mark.
    ///
    /// # Errors
    /// If a line is wrong, or there is no position.
    pub fn parse(name: &str, text: &str) -> Result<Self, BookError> {
        let text = without_mark(text);
        let mut lines: Vec<Line> = Vec::new();
        let mut keys = HashMap::new();
        for (number, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let variant = lines.first().map(|line| line.setup.variant);
            let read =
                Line::parse(text, variant).and_then(|line| match keys.insert(key_of_opening(&line.setup), number) {
                    Some(earlier) => Err(LineFault::Twice(earlier)),
                    None => Ok(line),
                });
            lines.push(read.map_err(|fault| BookError::Line { book: name.to_owned(), line: number, fault })?);
        }
        let variant = lines.first().ok_or_else(|| BookError::Empty(name.to_owned()))?.setup.variant;
        let (plain, seal) = unsealed(text);
        // Different line endings do not make a different book.
        let checksum = blake3::hash(plain.replace("\r\n", "\n").as_bytes()).to_hex().to_string();
        Ok(Self { name: name.to_owned(), variant, lines, checksum, seal })
    }

    /// Returns the name: the rule set, or the name of its source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the rule set.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the number of openings.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub const fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether the text is as a program wrote it.
    pub const fn seal(&self) -> Seal {
        self.seal
    }

    /// Returns the checksum of the text without the checksums in it, in hexadecimal digits; different books have
    /// different ones.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Returns an opening by its number, from 0, for games that are cut off after `limit` placements: if that is before its
    /// end, the opening ends there.
    ///
    /// # Panics
    /// If the book has no such opening.
    pub fn opening(&self, number: usize, limit: u16) -> Opening<GipfPosition> {
        let Line { setup, actions } = &self.lines[number];
        let start = if actions.is_some() { &Setup::start(self.variant) } else { setup };
        let start = start.clone().with_placement_limit(Some(limit));
        let mut opening = Opening::none(&GipfPosition::from_setup(&start).expect("the book was read"));
        for &action in actions.iter().flatten() {
            if opening.position.outcome().is_some() {
                break;
            }
            opening.play(action);
        }
        opening
    }

    /// Returns the numbers of all openings in an order that depends on a seed.
    pub fn order(&self, seed: u64) -> Vec<usize> {
        let mut numbers: Vec<_> = (0..self.len()).collect();
        numbers.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        numbers
    }

    /// Returns `count` different openings, the first in the [order](Self::order) of a seed.
    ///
    /// # Errors
    /// If the book has fewer, or the limit leaves nothing of the game to play.
    pub fn openings(&self, count: usize, limit: u16, seed: u64) -> Result<Vec<Opening<GipfPosition>>, BookError> {
        if count > self.len() {
            return Err(BookError::TooFew { book: self.name.clone(), found: self.len(), wanted: count });
        }
        let openings: Vec<_> =
            self.order(seed).into_iter().take(count).map(|number| self.opening(number, limit)).collect();
        if openings.iter().any(|opening| opening.position.outcome().is_some()) {
            return Err(BookError::Limit { book: self.name.clone(), longest: self.longest(), limit });
        }
        Ok(openings)
    }

    /// Returns the placements of the longest opening.
    fn longest(&self) -> u16 {
        let placements = |number| self.opening(number, u16::MAX).position.placements();
        (0..self.len()).map(placements).max().unwrap_or(0)
    }

    /// Iterates over the positions as they are written.
    pub fn setups(&self) -> impl Iterator<Item = &Setup> {
        self.lines.iter().map(|line| &line.setup)
    }
}

impl Line {
    fn parse(text: &str, expected: Option<Variant>) -> Result<Self, LineFault> {
        let (gpn, turns) = text.split_once('|').map_or((text, None), |(gpn, turns)| (gpn, Some(turns)));
        let setup: Setup = gpn.trim().parse()?;
        if let Some(expected) = expected.filter(|&expected| expected != setup.variant) {
            return Err(LineFault::Variant { found: setup.variant, expected });
        }
        let position = position_of(&setup);
        if position.outcome().is_some() {
            return Err(LineFault::Over);
        }
        if position.phase() != Phase::Push {
            return Err(LineFault::NotQuiet);
        }
        let actions = turns.map(|turns| replayed(&setup, turns)).transpose()?;
        Ok(Self { setup, actions })
    }
}

/// The beginning of a line with the checksum of all others.
const CHECKSUM: &str = "# Checksum: ";

/// Returns the text of a book with its checksum at both ends.
pub(super) fn sealed(text: &str) -> String {
    let line = format!("{CHECKSUM}{}\n", LineSum::of(text.lines()).digits());
    format!("{line}{text}{line}")
}

/// Returns the text of a book without its checksums, and whether both are present and right.
fn unsealed(text: &str) -> (String, Seal) {
    let (stated, plain): (Vec<_>, Vec<_>) = text.split_inclusive('\n').partition(|line| line.starts_with(CHECKSUM));
    let plain = plain.concat();
    let found = LineSum::of(plain.lines()).digits();
    let is_right = |line: &&str| line[CHECKSUM.len()..].trim() == found;
    let seal = match stated.len() {
        0 => Seal::Absent,
        2 if stated.iter().all(is_right) => Seal::Intact,
        _ => Seal::Broken,
    };
    (plain, seal)
}

/// Returns the line of a book for an opening, if its turns can be written so that they read back the same; where the
/// rule set has no notation, the position alone.
pub(super) fn line_of(opening: &Opening<GipfPosition>) -> Option<String> {
    let setup = Setup { placement_limit: None, ..opening.position.to_setup() };
    let variant = setup.variant;
    if !UgiGame::is_told(variant) {
        return Line::parse(&setup.to_string(), Some(variant)).ok().map(|_| setup.to_string());
    }
    let mut course = UgiGame::new(&Setup::start(variant)).expect("the start is a valid position");
    opening.actions.iter().try_for_each(|&action| course.play(action)).ok()?;
    let text = format!("{setup} | {}", course.turns().join(" "));
    let read = Line::parse(&text, Some(variant)).ok()?;
    (read.actions.as_ref() == Some(&opening.actions)).then_some(text)
}

/// Plays the turns from the start of the rule set, which must lead to the position.
fn replayed(setup: &Setup, turns: &str) -> Result<Vec<Action>, LineFault> {
    let mut course = UgiGame::new(&Setup::start(setup.variant)).expect("the start is a valid position");
    let mut actions = Vec::new();
    for turn in turns.split_whitespace() {
        let read = course.read(turn).map_err(|error| LineFault::Turn { turn: truncate_escaped(turn, 40), error })?;
        course.play_turn(turn).expect("what was read can be played");
        actions.extend(read);
    }
    let found = Setup { placement_limit: None, ..course.position().to_setup() };
    if found != *setup {
        return Err(LineFault::Elsewhere { found: found.to_string() });
    }
    // Over by repetition, which the position alone does not show.
    if course.position().outcome().is_some() {
        return Err(LineFault::Over);
    }
    if course.position().phase() == Phase::Push { Ok(actions) } else { Err(LineFault::NotQuiet) }
}

fn position_of(setup: &Setup) -> GipfPosition {
    GipfPosition::from_setup(setup).expect("a setup that was read is valid")
}

/// Returns a number that is the same for a position and its images under the 12 symmetries, and under the exchange of
/// the colours and of whose turn it is: the view key of the canonical image is from the view of the player to move.
///
/// # Panics
/// If the setup is not valid ([`Setup::validate`]).
pub fn key_of_opening(setup: &Setup) -> u128 {
    let position = position_of(&Setup { placement_limit: None, ..setup.clone() });
    position.canonical_symmetry().position(&position).view_key()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::Position;

    const START: &str = "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0";

    fn fault(text: &str) -> String {
        Book::parse("mine", text).unwrap_err().to_string()
    }

    #[test]
    fn a_line_is_a_position_with_or_without_the_turns_to_it() {
        let mut course = UgiGame::new(&Setup::start(Variant::STANDARD)).unwrap();
        course.play_turn("b3").unwrap();
        let after = Setup { placement_limit: None, ..course.position().to_setup() };
        let book = Book::parse("mine", &format!("# made by hand\n\n{START}\n{after} | b3\n")).unwrap();
        assert_eq!((book.len(), book.variant(), book.name()), (2, Variant::STANDARD, "mine"));
        let [plain, played] = [0, 1].map(|number| book.opening(number, 50));
        assert_eq!((plain.actions.len(), plain.position.placement_limit()), (0, Some(50)));
        assert_eq!((played.actions.len(), played.start.turn(), played.position.turn()), (1, 0, 1));
        assert_eq!(line_of(&played), Some(format!("{after} | b3")));
    }

    #[test]
    fn what_is_no_book_is_refused_by_line() {
        assert_eq!(fault("# nothing\n"), "book mine: no position: expected one position text a line");
        assert!(fault("\nchess").starts_with("book mine, line 2: position text, column 1, rule set: found `chess`"));
        let basic = "basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0";
        let other = fault(&format!("{START}\n{basic}"));
        assert_eq!(other, "book mine, line 2: a position of basic: expected standard as before");
        assert!(fault(&format!("{START} | z9")).starts_with("book mine, line 1: turn `z9`: "));
        assert!(fault(&format!("{START} | b3")).contains("line 1: the turns lead to standard "));
        assert!(fault("standard g3/5/6/GSSS3/6/5/4 w 8 12 - 0 0").contains("line 1: rows are to be removed first"));
        let exchanged = "standard G2g/5/6/g5G/6/5/G2g b 12 12 - 0 0";
        assert!(fault(&format!("{START}\n{exchanged}")).contains("line 2: the position of line 1 again"));
        assert!(
            fault("basic 4/5/6/7/6/5/4 w 0 1 - 0 0").ends_with("the game is over: expected a position to play from")
        );
    }

    #[test]
    fn a_book_that_was_changed_says_so_and_is_read() {
        let text = sealed(&format!("# made\n{START}\n"));
        let seal = |text: &str| Book::parse("mine", text).unwrap().seal();
        assert_eq!([seal(&text), seal(START)], [Seal::Intact, Seal::Absent]);
        let other = format!("{START}\nstandard 1S1G/5/1s4/G5g/6/5/g2G w 11 11 - 0 0");
        let cut = [&text[..text.len() - 30], &text[29..]];
        for changed in [&text.replace("# made", "# Made"), &text.replace(START, &other), cut[0], cut[1]] {
            assert_eq!(seal(changed), Seal::Broken, "{changed}");
        }
        let plain = Book::parse("mine", &format!("# made\n{START}\n")).unwrap();
        for same in [text.clone(), format!("\u{feff}{text}")] {
            let book = Book::parse("mine", &same).unwrap();
            assert_eq!((book.checksum(), book.seal()), (plain.checksum(), Seal::Intact), "it is the same book");
        }
    }

    #[test]
    fn orders_depend_on_the_seed_and_books_end() {
        let book = Book::of(Variant::STANDARD);
        assert_ne!(book.order(1), book.order(2));
        let all = book.openings(book.len(), 400, 3).unwrap();
        assert_eq!(book.openings(10, 400, 3).unwrap(), all[..10]);
        let error = book.openings(book.len() + 1, 400, 3).unwrap_err().to_string();
        assert!(error.starts_with(&format!("book standard has {} openings: expected at least", book.len())), "{error}");
    }

    #[test]
    fn a_limit_within_the_openings_is_refused_and_ends_them() {
        let book = Book::of(Variant::STANDARD);
        for limit in 1..=6 {
            let told = book.openings(4, limit, 3).unwrap_err().to_string();
            let expected = format!("have up to 6 placements: expected a placement limit above that, not {limit}");
            assert!(told.ends_with(&expected), "{told}");
            let opening = book.opening(0, limit);
            assert!(opening.position.placements() == limit && opening.position.outcome().is_some());
        }
        assert!(book.openings(4, 7, 3).is_ok());
        let push_off = Book::of(Variant::PUSH_OFF);
        assert!(push_off.openings(4, 1, 3).is_ok(), "its openings are positions, of no placements");
    }
}
