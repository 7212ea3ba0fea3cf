//! The board as text, for terminals and documents.
//!
//! The rim names the dots. From a dot, go up its column, or along a slant: a push `e1-e2` starts at `e1`.
//!
//! ```
//! use gipf_env::{GipfPosition, Variant};
//!
//! let board = "
//!                    e9
//!                d8      f8
//!            c7       ◉      g7
//!        b6       ·       ·      h6
//!    a5       ·       ·       ·      i5
//!         ◎       ·       ·       ◎
//!    a4       ·       ·       ·      i4
//!         ·       ·       ·       ·
//!    a3       ·       ·       ·      i3
//!         ·       ·       ·       ·
//!    a2       ·       ·       ·      i2
//!         ◉       ·       ·       ◉
//!    a1       ·       ·       ·      i1
//!        b1       ·       ·      h1
//!            c1       ◎      g1
//!                d1      f1
//!                    e1
//! ";
//! let drawing = GipfPosition::start(Variant::STANDARD).drawing().to_string();
//! assert!(drawing.starts_with(&board[1..]), "{drawing}");
//! ```

use std::fmt;

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::geometry::{Point, Spot};
use crate::position::Player;
use crate::rules::{GipfPosition, Kind, Opening, Phase, Setup, Variant};

/// How a drawing tells the players' pieces apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Plain characters: White's pieces are hollow, Black's are filled.
    #[default]
    Plain,
    /// The same characters, with colours by ANSI escape sequences.
    Ansi,
}

/// A position drawn as a hexagon with a legend below: 23 lines of 37 columns, some lines of the legend a little longer.
///
/// | sign | means |
/// |---|---|
/// | `○ ●` | single of White, of Black |
/// | `◎ ◉` | GIPF-piece |
/// | `△ ▲` | piece loaded with a potential |
/// | `◇ ◆` | used potential |
/// | `·` | vacant spot |
/// | `[○]` | the piece placed last |
/// | `?◎?` | the piece that the player is asked to keep or take |
/// | `<○>` | a piece of the rows between which the player chooses; in push-off, one at the ends of a row |
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    position: &'a GipfPosition,
    start: Option<&'a Setup>,
    style: Style,
    last: Option<Action>,
    last_text: Option<String>,
}

impl GipfPosition {
    /// Returns a drawing of the position, in plain characters.
    pub fn drawing(&self) -> Drawing<'_> {
        Drawing { position: self, start: None, style: Style::Plain, last: None, last_text: None }
    }
}

impl<'a> Drawing<'a> {
    /// Returns the drawing with the pieces and reserves of the start of the turn: before its forced removals.
    pub fn with_start(self, start: &'a Setup) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Returns the drawing in another style.
    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Returns the drawing with a mark on the piece that the last action brought in or jumped from.
    pub fn with_last(self, last: Option<Action>) -> Self {
        Self { last, ..self }
    }

    /// Returns the drawing with this text for the last action, for instance in a notation, instead of its usual one.
    pub fn with_last_text(self, last_text: Option<String>) -> Self {
        Self { last_text, ..self }
    }
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = Marks::of(self);
        // The height of a point is its distance from the centre in half steps to the north.
        for height in (-8..=8).rev() {
            writeln!(f, "{}", self.board_line(height, &marks).trim_end())?;
        }
        writeln!(f)?;
        writeln!(f, "{}", self.key())?;
        for player in Player::BOTH {
            writeln!(f, "{}", self.belongings(player))?;
        }
        writeln!(f, "{}", self.question())?;
        writeln!(f, "{}", self.progress())
    }
}

/// The characters between the centres of neighbouring columns; rows of text are half a step apart.
const PITCH: usize = 4;
/// The text column of the centre of column a.
const FIRST: usize = 4;

/// The spots that carry a mark.
struct Marks {
    last: Bitboard,
    question: Bitboard,
    choices: Bitboard,
}

impl Marks {
    fn of(drawing: &Drawing<'_>) -> Self {
        let position = drawing.position;
        Self {
            last: position.placed_by(drawing.last).map_or(Bitboard::EMPTY, Bitboard::of),
            question: position.question().map_or(Bitboard::EMPTY, Bitboard::of),
            choices: if position.question().is_none() { position.at_stake() } else { Bitboard::EMPTY },
        }
    }

    /// Returns the characters on both sides of a spot.
    fn around(&self, spot: Spot) -> (char, char) {
        if self.question.contains(spot) {
            ('?', '?')
        } else if self.choices.contains(spot) {
            ('<', '>')
        } else if self.last.contains(spot) {
            ('[', ']')
        } else {
            (' ', ' ')
        }
    }
}

impl Drawing<'_> {
    fn board_line(&self, height: i8, marks: &Marks) -> String {
        let mut line = String::new();
        let mut end = 0;
        for q in (-4..=4).filter(|q| (q + height) % 2 == 0) {
            let point = Point { q, r: i8::midpoint(q, height) };
            if point.radius() > 4 {
                continue;
            }
            let start = FIRST - 1 + PITCH * (q + 4) as usize;
            line.push_str(&" ".repeat(start - end));
            line.push_str(&self.cell(point, marks));
            end = start + 3;
        }
        line
    }

    /// Returns three characters, not counting escape sequences.
    fn cell(&self, point: Point, marks: &Marks) -> String {
        let Some(spot) = point.spot() else {
            return self.coloured(DIM, &format!("{:<3}", point.to_string()));
        };
        let board = self.start.map_or(self.position.board(), |start| &start.board);
        let Some((player, kind)) = board.piece_at(spot) else {
            return self.coloured(DIM, " · ");
        };
        let (left, right) = marks.around(spot);
        self.coloured(colours(player), &format!("{left}{}{right}", sign(player, kind)))
    }

    fn coloured(&self, colours: &str, text: &str) -> String {
        match self.style {
            Style::Plain => text.to_owned(),
            Style::Ansi => format!("\x1b[{colours}m{text}\x1b[0m"),
        }
    }

    /// Returns the legend for the kinds that the rule set has.
    fn key(&self) -> String {
        let kinds = Kind::ALL.into_iter().filter(|&kind| has_kind(self.position.variant(), kind));
        let keys: Vec<_> = kinds
            .map(|kind| format!("{} {} {}", sign(Player::White, kind), sign(Player::Black, kind), word(kind)))
            .collect();
        keys.join("   ")
    }

    /// Returns what a player has off the board.
    fn belongings(&self, player: Player) -> String {
        let now = self.start.cloned().unwrap_or_else(|| self.position.to_setup());
        let (variant, place) = (now.variant, player.index());
        let name = self.coloured(colours(player), &format!(" {} {player} ", sign(player, Kind::Single)));
        let mut parts = vec![format!("{name} reserve {}", now.reserves[place])];
        if variant.opening() == Opening::Tournament {
            let right = if now.gipf_rights[place] { "may" } else { "may not" };
            parts.push(format!("{right} bring in GIPF-pieces"));
        }
        if variant.has_zertz() {
            parts.push(format!("{} potentials in hand", now.potentials[place]));
        }
        parts.join(", ")
    }

    /// Returns what is to be decided, or how the game ended.
    fn question(&self) -> String {
        let (position, player) = (self.position, self.position.to_move());
        if let Some(outcome) = position.outcome() {
            return outcome.to_string();
        }
        match (position.question(), position.phase()) {
            (Some(spot), _) => format!("{player} keeps or takes the piece on {spot}"),
            (None, Phase::Push) => format!("{player} places a piece, in one of {} ways", position.action_set().len()),
            (None, _) if position.variant().is_push_off() => {
                format!("{player} leaves or removes the pieces at the ends of the row")
            }
            (None, Phase::Pre | Phase::Post) => {
                let lines: Vec<_> = position.rows_to_choose().map(|line| line.to_string()).collect();
                format!("{player} first takes the row on {}", lines.join(" or "))
            }
        }
    }

    /// Returns the progress of the game.
    fn progress(&self) -> String {
        let position = self.position;
        let limit = position.placement_limit().map_or(String::new(), |limit| format!(" of {limit}"));
        let mut parts = vec![position.variant().to_string(), format!("placements {}{limit}", position.placements())];
        if position.occurrences() > 1 {
            parts.push(format!("position occurred {} times", position.occurrences()));
        }
        let last = self.last_text.clone().or_else(|| self.last.map(|last| last.to_string()));
        parts.extend(last.map(|last| format!("last {last}")));
        parts.join(", ")
    }
}

const DIM: &str = "2";

/// Returns colours that can be told apart on light and on dark terminals: both set the background.
const fn colours(player: Player) -> &'static str {
    match player {
        Player::White => "30;107",
        Player::Black => "97;44",
    }
}

const fn sign(player: Player, kind: Kind) -> char {
    match (player, kind) {
        (Player::White, Kind::Single) => '○',
        (Player::White, Kind::Gipf) => '◎',
        (Player::White, Kind::Loaded) => '△',
        (Player::White, Kind::Used) => '◇',
        (Player::Black, Kind::Single) => '●',
        (Player::Black, Kind::Gipf) => '◉',
        (Player::Black, Kind::Loaded) => '▲',
        (Player::Black, Kind::Used) => '◆',
    }
}

const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Single => "single",
        Kind::Gipf => "GIPF-piece",
        Kind::Loaded => "loaded",
        Kind::Used => "used",
    }
}

const fn has_kind(variant: Variant, kind: Kind) -> bool {
    match kind {
        Kind::Single => true,
        Kind::Gipf => variant.has_gipfs(),
        Kind::Loaded | Kind::Used => variant.has_zertz(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the position after a push from a dot.
    fn drawing_after(text: &str, push: &str) -> String {
        let mut position = GipfPosition::from_gpn(text).unwrap();
        let mut actions = position.action_set().indices().filter_map(Action::from_index);
        let push = actions.find(|action| action.to_string() == push).unwrap();
        position.play(push).unwrap();
        position.drawing().with_last(Some(push)).to_string()
    }

    #[test]
    fn the_piece_in_question_is_marked() {
        let drawing = drawing_after("standard g3/5/6/SGSs3/6/5/3G w 9 12 - 0 0", "e1-e2");
        let expected = "
   a3       ·       ·       ·      i3
        ·       ·       ·       ·
   a2       ·      ?◎?      ·      i2
        ◉       ·       ·       ·
";
        assert!(drawing.contains(expected), "{drawing}");
        let legend = "
○ ● single   ◎ ◉ GIPF-piece
 ○ White  reserve 11
 ● Black  reserve 12
White keeps or takes the piece on e4
standard, placements 1, last e1-e2
";
        assert!(drawing.ends_with(legend), "{drawing}");
    }

    #[test]
    fn rows_to_choose_are_marked() {
        let drawing = drawing_after("basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0", "e1-e2");
        let expected = "
   a4       ·       ·       ·      i4
        ·       ·      <○>      ·
   a3       ·      <○>      ·      i3
        ·      <○>      ·       ·
   a2      <○>     <○>      ·      i2
        ·       ·       ·       ·
   a1       ·      <○>      ·      i1
       b1       ·       ·      h1
           c1      <○>     g1
";
        assert!(drawing.contains(expected), "{drawing}");
        assert!(drawing.contains("White first takes the row on e1-e9 or a1-i5\n"), "{drawing}");
    }

    #[test]
    fn the_last_piece_is_marked() {
        let drawing = drawing_after("basic 4/5/6/7/6/5/4 w 12 12 - 0 0", "a1-b2");
        assert!(drawing.contains("   a1      ") && drawing.contains("\n       [○] "), "{drawing}");
    }

    #[test]
    fn colours_change_no_character() {
        let position = GipfPosition::start(Variant::TOURNAMENT.with_zertz());
        let coloured = position.drawing().with_style(Style::Ansi).to_string();
        let mut parts = coloured.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        let plain = parts.fold(first, |text, part| text + part.split_once('m').unwrap().1);
        let plain: Vec<_> = plain.lines().map(str::trim_end).collect();
        assert_eq!(plain, position.drawing().to_string().lines().collect::<Vec<_>>());
    }
}
