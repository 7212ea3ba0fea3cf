//! Position text: one line that holds the start of a turn (section 8 of the rules).
//!
//! ```text
//! standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0
//!    │            │            │  │ │  │ └┴─ potentials in hand of White, of Black
//!    │            │            │  │ │  └─ right to bring in GIPF-pieces: G White, g Black, Gg both, - none
//!    │            │            │  └─┴─ reserves of White, of Black
//!    │            │            └─ whose turn it is: w, b
//!    │            └─ columns b..h, each from its lowest spot up; a digit is a run of vacant spots
//!    └─ rule set
//! ```
//!
//! White's pieces are upper case, Black's lower case: S single, G GIPF-piece, Z piece loaded with a potential, J used
//! potential. The placement limit, the placements made, earlier positions and an unfinished turn are not part of the
//! text.
//!
//! ```
//! use gipf_env::{GipfPosition, Setup, Variant};
//!
//! let text = "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0";
//! assert_eq!(Setup::start(Variant::STANDARD).to_string(), text);
//! assert_eq!(GipfPosition::from_gpn(text)?, GipfPosition::start(Variant::STANDARD));
//!
//! let error = GipfPosition::from_gpn("standard g2G/5/6/G5x/6/5/g2G w 12 12 - 0 0").unwrap_err();
//! assert_eq!((error.field, error.column), (gipf_env::GpnField::Board, 20));
//! # Ok::<(), gipf_env::GpnError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::geometry::{Direction, Line, Spot};
use crate::position::Player;
use crate::rules::{Board, GipfPosition, InvalidPosition, Kind, MATERIAL, POTENTIALS, Setup, Variant};
use crate::text::truncate_escaped;

/// A field of a position text, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GpnField {
    /// The rule set.
    RuleSet,
    /// The pieces on the spots.
    Board,
    /// Whose turn it is.
    Side,
    /// The basic pieces in reserve of a player.
    Reserve(Player),
    /// Who may still bring in GIPF-pieces.
    GipfRights,
    /// The potentials in hand of a player.
    Potentials(Player),
}

impl GpnField {
    /// All eight fields.
    pub const ALL: [Self; 8] = [
        Self::RuleSet,
        Self::Board,
        Self::Side,
        Self::Reserve(Player::White),
        Self::Reserve(Player::Black),
        Self::GipfRights,
        Self::Potentials(Player::White),
        Self::Potentials(Player::Black),
    ];
}

impl fmt::Display for GpnField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RuleSet => f.write_str("rule set"),
            Self::Board => f.write_str("board"),
            Self::Side => f.write_str("side"),
            Self::Reserve(player) => write!(f, "reserve of {player}"),
            Self::GipfRights => f.write_str("GIPF rights"),
            Self::Potentials(player) => write!(f, "potentials of {player}"),
        }
    }
}

/// Why a text does not describe a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position text, column {column}, {field}: found {found}, expected {expected}")]
pub struct GpnError {
    /// The field that is wrong.
    pub field: GpnField,
    /// The column at which the text is wrong, counted in characters from 1.
    pub column: usize,
    /// What was found there.
    pub found: String,
    /// What was expected there.
    pub expected: String,
}

impl GipfPosition {
    /// Returns the text of this position.
    ///
    /// It restores a position at the start of a turn, and at the placement unless a row of GIPF-pieces was left
    /// standing before it (the text then asks about that row again). Anywhere else the state of the turn is lost. The
    /// placement limit, the placements made and the earlier positions are always lost. If the game is over, the side is
    /// the player who moved last or would be next.
    pub fn to_gpn(&self) -> String {
        self.to_setup().to_string()
    }

    /// Returns the position of this text at its first decision, without a placement limit except that of push-off.
    ///
    /// # Errors
    /// If the text does not describe a position of its rule set.
    pub fn from_gpn(text: &str) -> Result<Self, GpnError> {
        let setup: Setup = text.parse()?;
        Ok(Self::from_setup(&setup).expect("a setup that was read is valid"))
    }
}

impl FromStr for GipfPosition {
    type Err = GpnError;

    fn from_str(text: &str) -> Result<Self, GpnError> {
        Self::from_gpn(text)
    }
}

/// Writes the position text; a placement limit is not part of it.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rights = match self.gipf_rights {
            [true, true] => "Gg",
            [true, false] => "G",
            [false, true] => "g",
            [false, false] => "-",
        };
        let side = match self.to_move {
            Player::White => 'w',
            Player::Black => 'b',
        };
        let ([white, black], [potentials_white, potentials_black]) = (self.reserves, self.potentials);
        write!(f, "{} {} {side} {white} {black} {rights}", self.variant, self.board)?;
        write!(f, " {potentials_white} {potentials_black}")
    }
}

/// Writes the board field of the position text, such as `g2G/5/6/G5g/6/5/g2G`.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut vacant = 0;
        for spot in Spot::all() {
            let piece = self.piece_at(spot);
            vacant += usize::from(piece.is_none());
            let ends_column = spot.neighbour(Direction::N).is_none();
            if vacant > 0 && (piece.is_some() || ends_column) {
                write!(f, "{vacant}")?;
                vacant = 0;
            }
            if let Some((player, kind)) = piece {
                write!(f, "{}", letter(player, kind))?;
            }
            if ends_column && spot.index() + 1 < Spot::all().len() {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

/// Reads a position text; there is no placement limit.
impl FromStr for Setup {
    type Err = GpnError;

    fn from_str(text: &str) -> Result<Self, GpnError> {
        let words = words(text)?;
        let [variant, board, side, reserve_white, reserve_black, rights, potentials_white, potentials_black] = words;
        let setup = Self {
            variant: variant.read_variant()?,
            board: board.read_board()?,
            to_move: side.read_side()?,
            reserves: [reserve_white.read_number(MATERIAL)?, reserve_black.read_number(MATERIAL)?],
            gipf_rights: rights.read_rights()?,
            potentials: [
                potentials_white.read_number(*POTENTIALS.end())?,
                potentials_black.read_number(*POTENTIALS.end())?,
            ],
            placement_limit: None,
        };
        match setup.validate() {
            Ok(()) => Ok(setup),
            Err(invalid) => Err(located(&setup, &words, &invalid)),
        }
    }
}

/// The text of a field, and the column at which it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    field: GpnField,
    column: usize,
    text: &'a str,
}

/// Splits a text at single spaces into its eight fields; missing ones are empty.
fn words(text: &str) -> Result<[Word<'_>; 8], GpnError> {
    let text = text.trim_end();
    let length = text.chars().count();
    let mut column = 1;
    let mut words = text.split(' ').map(|word| {
        let start = column;
        column += word.chars().count() + 1;
        (start, word)
    });
    let end = (length + 1, "");
    let fields = GpnField::ALL.map(|field| {
        let (column, text) = words.next().unwrap_or(end);
        Word { field, column, text }
    });
    if let Some(blank) = fields.iter().find(|word| word.text.is_empty() && word.column <= length) {
        return Err(blank.error_with("a blank".to_owned(), "one blank between fields, none before them".to_owned()));
    }
    let [.., last] = fields;
    match words.find(|(_, word)| !word.is_empty()) {
        Some((column, text)) => Err(Word { column, text, ..last }.error("the end of the text")),
        None => Ok(fields),
    }
}

impl Word<'_> {
    fn read_variant(self) -> Result<Variant, GpnError> {
        let expected = "basic, standard or tournament, each also with +zertz, or push-off";
        self.text.parse().map_err(|_| self.error(expected))
    }

    fn read_side(self) -> Result<Player, GpnError> {
        match self.text {
            "w" => Ok(Player::White),
            "b" => Ok(Player::Black),
            _ => Err(self.error("w or b")),
        }
    }

    fn read_number(self, most: u8) -> Result<u8, GpnError> {
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { self.text.parse().ok() } else { None };
        number.ok_or_else(|| self.error(&format!("a number from 0 to {most}")))
    }

    fn read_rights(self) -> Result<[bool; 2], GpnError> {
        match self.text {
            "-" => Ok([false, false]),
            "G" => Ok([true, false]),
            "g" => Ok([false, true]),
            "Gg" => Ok([true, true]),
            _ => Err(self.error("G, g, Gg or -")),
        }
    }

    fn read_board(self) -> Result<Board, GpnError> {
        let mut board = Board::default();
        let mut texts = self.text.split('/');
        let mut column = self.column;
        // The first seven lines are the columns b..h.
        for line in Line::all().take(7) {
            let missing = || Word { column: column - 1, text: "", ..self }.error("seven columns, b to h");
            let text = texts.next().ok_or_else(missing)?;
            Word { column, text, ..self }.read_board_column(&mut board, line)?;
            column += text.chars().count() + 1;
        }
        match texts.next() {
            Some(text) => Err(Word { column, text, ..self }.error("seven columns, b to h")),
            None => Ok(board),
        }
    }

    /// Reads the pieces on one column of the board.
    fn read_board_column(self, board: &mut Board, line: Line) -> Result<(), GpnError> {
        let mut spots = line.spots().into_iter();
        let length = || format!("{} spots from {} on", line.len(), line.spots().first().expect("lines have spots"));
        for (offset, (start, character)) in self.text.char_indices().enumerate() {
            let text = &self.text[start..start + character.len_utf8()];
            let here = Word { column: self.column + offset, text, ..self };
            let too_long = || here.error(&length());
            if let Some(run @ 1..=7) = character.to_digit(10) {
                (0..run).try_for_each(|_| spots.next().map(drop)).ok_or_else(too_long)?;
            } else {
                let piece = piece_of(character).ok_or_else(|| here.error("a piece S G Z J s g z j, or a digit 1 to 7"));
                let (player, kind) = piece?;
                board.put(spots.next().ok_or_else(too_long)?, player, kind);
            }
        }
        if spots.next().is_some() { Err(self.error(&length())) } else { Ok(()) }
    }

    fn error(self, expected: &str) -> GpnError {
        self.error_with(quoted(self.text), expected.to_owned())
    }

    fn error_with(self, found: String, expected: String) -> GpnError {
        GpnError { field: self.field, column: self.column, found, expected }
    }
}

/// Returns a piece of the text for a one-line message.
fn quoted(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { format!("`{}`", truncate_escaped(text, 24)) }
}

fn letter(player: Player, kind: Kind) -> char {
    match player {
        Player::White => kind.letter(),
        Player::Black => kind.letter().to_ascii_lowercase(),
    }
}

fn piece_of(character: char) -> Option<(Player, Kind)> {
    let pieces = Player::BOTH.into_iter().flat_map(|player| Kind::ALL.map(|kind| (player, kind)));
    pieces.into_iter().find(|&(player, kind)| letter(player, kind) == character)
}

/// Returns the error with the field in which a position breaks a law.
fn located(setup: &Setup, words: &[Word<'_>; 8], invalid: &InvalidPosition) -> GpnError {
    let word = |field| *words.iter().find(|word| word.field == field).expect("each field has its word");
    let board = word(GpnField::Board);
    match *invalid {
        InvalidPosition::Kind(kind, variant) => foreign_kind(board, kind, variant),
        InvalidPosition::Material { player, .. } | InvalidPosition::Singles { player, .. } => {
            miscounted(setup, player, board, word(GpnField::Reserve(player)))
        }
        InvalidPosition::Gipfs(player, found, variant) => {
            board.error_with(format!("{found} GIPF-pieces of {player}"), format!("at most 3 in {variant}"))
        }
        InvalidPosition::Potentials(player, found, most) => {
            let in_hand = u32::from(setup.potentials[player.index()]);
            let expected = format!("at most {most} potentials in hand and on the board");
            let field = if in_hand > 0 { GpnField::Potentials(player) } else { GpnField::Board };
            word(field).error_with(format!("{found} of {player}"), expected)
        }
        InvalidPosition::Rights(player, why) => {
            word(GpnField::GipfRights).error(&format!("no right of {player}: {why}"))
        }
        InvalidPosition::NoGipfs => {
            board.error_with("no GIPF-piece".to_owned(), "one of either player, or the game is already over".to_owned())
        }
        InvalidPosition::Board | InvalidPosition::Turn(_) => board.error(&format!("a position ({invalid})")),
    }
}

/// Returns the error at the first piece of a kind that the rule set does not have.
fn foreign_kind(board: Word<'_>, kind: Kind, variant: Variant) -> GpnError {
    let is_kind = |character: char| character.to_ascii_uppercase() == kind.letter();
    let offset = board.text.chars().position(is_kind).unwrap_or(0);
    let here = Word { column: board.column + offset, ..board };
    here.error_with(format!("a piece {}", kind.letter()), format!("only pieces that {variant} has"))
}

/// Returns the error for a player with more basic pieces than there are, or in push-off with fewer: in the field of the
/// board if the board alone has too many, otherwise in that of the reserve.
fn miscounted(setup: &Setup, player: Player, board: Word<'_>, reserve: Word<'_>) -> GpnError {
    let singles = || setup.board.pieces_of(player).without(setup.board.gipfs()).count();
    let (on_board, pieces, at_most) = if setup.variant.is_push_off() {
        (singles(), "singles", "")
    } else {
        (setup.board.material(player).into(), "basic pieces", "at most ")
    };
    match u32::from(MATERIAL).checked_sub(on_board) {
        Some(rest) => reserve.error(&format!("{at_most}{rest} beside the {on_board} {pieces} on the board")),
        None => board.error_with(format!("{on_board} {pieces} of {player}"), format!("at most {MATERIAL}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_written_as_in_the_rules() {
        let text = |variant| Setup::start(variant).to_string();
        assert_eq!(text(Variant::STANDARD), "standard g2G/5/6/G5g/6/5/g2G w 12 12 - 0 0");
        assert_eq!(text(Variant::TOURNAMENT), "tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0");
        assert_eq!(text(Variant::BASIC.with_zertz()), "basic+zertz s2S/5/6/S5s/6/5/s2S w 12 12 - 3 3");
    }

    #[test]
    fn errors_name_field_and_column() {
        let cases = [
            ("", "column 1, rule set: found nothing"),
            ("chess", "column 1, rule set: found `chess`"),
            ("basic", "column 6, board: found nothing"),
            (" basic 4/5/6/7/6/5/4 w 12 12 - 0 0", "column 1, rule set: found a blank, expected one blank between"),
            ("basic  4/5/6/7/6/5/4 w 12 12 - 0 0", "column 7, board: found a blank, expected one blank between"),
            ("basic 4/5/6/7/6/5/4 w 12  12", "column 26, reserve of Black: found a blank"),
            ("basic 4/5/6/7/6/5/4 w 12 12 - 0  0", "column 33, potentials of Black: found a blank"),
            ("basic 4/5/6/7/6/5/x w 12 12 - 0 0", "column 19, board: found `x`"),
            ("basic 4/5/5/7/6/5/4 w 12 12 - 0 0", "column 11, board: found `5`, expected 6 spots from d2 on"),
            ("basic 4/5/6/7/S6/5/4 w 12 12 - 0 0", "column 16, board: found `6`, expected 6 spots from f2 on"),
            ("basic 4/5/6/7/6/5 w 12 12 - 0 0", "column 18, board: found nothing, expected seven columns"),
            ("basic 4/5/6/7/6/5/4/1 w 12 12 - 0 0", "column 21, board: found `1`, expected seven columns"),
            ("basic 4/5/6/7/6/5/4 x 12 12 - 0 0", "column 21, side: found `x`, expected w or b"),
            ("basic 4/5/6/7/6/5/4 w -1 12 - 0 0", "column 23, reserve of White: found `-1`"),
            ("basic 4/5/6/7/6/5/4 w 12 +2 - 0 0", "column 26, reserve of Black: found `+2`"),
            ("basic 4/5/6/7/6/5/4 w 12 19 - 0 0", "column 26, reserve of Black: found `19`, expected at most 18"),
            ("basic S3/5/6/7/6/5/4 w 18 12 - 0 0", "column 24, reserve of White: found `18`, expected at most 17"),
            ("basic 4/5/6/7/6/5/4 w 12 12 Gg 0 0", "column 29, GIPF rights: found `Gg`, expected no right of White"),
            ("basic 4/5/6/7/6/5/4 w 12 12 gG 0 0", "column 29, GIPF rights: found `gG`, expected G, g, Gg or -"),
            (
                "basic 4/5/6/7/6/5/4 w 12 12 - 0 1",
                "column 33, potentials of Black: found 1 of Black, expected at most 0",
            ),
            ("basic 4/5/6/7/6/5/4 w 12 12 - 0 0 9", "column 35, potentials of Black: found `9`, expected the end"),
            ("basic 4/5/6/7/6/5/4 w 12 12 - 0 0  9", "column 36, potentials of Black: found `9`, expected the end"),
            ("basic 4/g4/6/7/6/5/4 w 12 12 - 0 0", "column 9, board: found a piece G, expected only pieces that basic"),
            ("standard 4/5/6/7/6/5/4 w 12 12 - 0 0", "column 10, board: found no GIPF-piece"),
            ("standard GGGG/5/6/7/6/5/4 w 2 12 - 0 0", "column 10, board: found 4 GIPF-pieces of White"),
            (
                "push-off g2G/5/6/G5g/6/5/g2G w 17 18 - 0 0",
                "column 32, reserve of White: found `17`, expected 18 beside the 0 singles on the board",
            ),
            (
                "push-off SSSS/SSSSS/SSSSSS/SSSS2G/5g/5/4 w 0 18 - 0 0",
                "column 10, board: found 19 singles of White, expected at most 18",
            ),
            (
                "standard GGGG/GGGGG/GGG3/7/6/5/g3 w 0 12 - 0 0",
                "column 10, board: found 24 basic pieces of White, expected at most 18",
            ),
            ("tournament S3/5/6/7/6/5/4 w 9 18 Gg 0 0", "column 34, GIPF rights: found `Gg`"),
            ("tournament 4/5/6/7/6/5/4 w 17 18 Gg 0 0", "column 34, GIPF rights: found `Gg`"),
            (
                "tournament G3/5/6/7/6/5/4 w 15 18 Gg 0 0",
                "column 35, GIPF rights: found `Gg`, expected no right of White: only GIPF-pieces have been brought in",
            ),
            (
                "tournament gggg/5/6/7/6/5/4 w 18 10 Gg 0 0",
                "column 37, GIPF rights: found `Gg`, expected no right of White: nothing is on the board, so the opponent",
            ),
            (
                "tournament g3/5/6/7/6/5/4 w 18 15 G 0 0",
                "column 35, GIPF rights: found `G`, expected no right of White",
            ),
            (
                "basic+zertz s2S/5/6/S5s/6/5/s2S w 12 12 - x 3",
                "column 43, potentials of White: found `x`, expected a number from 0 to 6",
            ),
            (
                "tournament+zertz G3/5/6/7/6/5/4 w 16 18 Gg 3 2",
                "column 41, GIPF rights: found `Gg`, expected no right of Black: no potential has been brought in",
            ),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Setup>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("position text, {expected}")), "{text}: {error}");
        }
    }

    #[test]
    fn blanks_may_follow_a_text() {
        let text = Setup::start(Variant::STANDARD).to_string();
        assert_eq!(format!("{text}  \n").parse(), Ok(Setup::start(Variant::STANDARD)));
    }

    #[test]
    fn a_message_has_one_line_whatever_was_read() {
        let text = format!("basic 4/5/6\n{}/7/6/5/4 w 12 12 - 0 0", "é\u{202e}".repeat(50));
        let error = text.parse::<Setup>().unwrap_err().to_string();
        assert!(error.chars().count() < 160 && !error.contains(['\n', '\u{202e}']), "{error}");
    }
}
