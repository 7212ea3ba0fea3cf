//! Pieces: two colours, four kinds, and their letters in a position text.

/// White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// The colour that moves first; its letters are upper case.
    White,
    /// The other one; its letters are lower case.
    Black,
}

impl Colour {
    /// Returns 0 for White, 1 for Black.
    pub fn index(self) -> usize {
        match self {
            Self::White => 0,
            Self::Black => 1,
        }
    }

    /// Returns the opponent's colour.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// What kind of piece it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A basic piece.
    Single,
    /// A GIPF-piece.
    Gipf,
    /// A basic piece with a ZÈRTZ-potential on it.
    Loaded,
    /// A potential that has jumped.
    Used,
}

impl Kind {
    /// Returns how many basic pieces its owner gets back when taking it off the board.
    pub fn basic_pieces(self) -> i32 {
        match self {
            Self::Single | Self::Loaded => 1,
            Self::Gipf => 2,
            Self::Used => 0,
        }
    }

    /// Returns whether the player who takes a capture set may leave such a piece standing.
    pub fn may_be_spared(self) -> bool {
        matches!(self, Self::Gipf | Self::Loaded)
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose piece it is.
    pub colour: Colour,
    /// What kind of piece it is.
    pub kind: Kind,
}

impl Piece {
    /// Returns the piece that a letter of a position text means.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        let kind = match letter.to_ascii_uppercase() {
            'S' => Kind::Single,
            'G' => Kind::Gipf,
            'Z' => Kind::Loaded,
            'J' => Kind::Used,
            _ => return None,
        };
        Some(Self { colour, kind })
    }

    /// Returns the letter of the piece in a position text.
    pub fn letter(self) -> char {
        let letter = match self.kind {
            Kind::Single => 'S',
            Kind::Gipf => 'G',
            Kind::Loaded => 'Z',
            Kind::Used => 'J',
        };
        match self.colour {
            Colour::White => letter,
            Colour::Black => letter.to_ascii_lowercase(),
        }
    }
}
