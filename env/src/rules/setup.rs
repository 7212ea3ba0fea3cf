//! Positions from which a game can start, and the single check of what a position must satisfy.

use crate::geometry::{Direction, Point};
use crate::position::Player;

use super::board::{Board, Kind};
use super::variant::{Opening, Variant};

/// The default number of placements after which a game is cut off: in learning, in matches, and always in push-off,
/// where nothing else ends a game in which both players keep a GIPF-piece (section 7 of the rules).
pub const PLACEMENT_LIMIT: u16 = 400;

/// Everything that a game starts from: the start of a turn, with no history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The rule set.
    pub variant: Variant,
    /// The pieces on the spots.
    pub board: Board,
    /// Whose turn it is.
    pub to_move: Player,
    /// The basic pieces in reserve, of White and Black.
    pub reserves: [u8; 2],
    /// Whether White and Black may still bring in GIPF-pieces.
    pub gipf_rights: [bool; 2],
    /// The potentials in hand, of White and Black.
    pub potentials: [u8; 2],
    /// The number of placements after which the game is cut off.
    pub placement_limit: Option<u16>,
}

/// Why a setting does not fit the rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Only basic has a handicap, of 12 to 15 pieces.
    #[error("reserve {0} for {1}: expected {2}")]
    Reserve(u8, Variant, &'static str),
    /// Only `+zertz` has potentials, 3 to 6.
    #[error("{0} potentials for {1}: expected {2}")]
    Potentials(u8, Variant, &'static str),
}

/// Why the fields cannot belong to a position of the rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPosition {
    /// Pieces overlap or lie off the board.
    #[error("board: two pieces on one spot, or a piece off the board")]
    Board,
    /// A kind of piece that the rule set does not have.
    #[error("board: {0:?} pieces do not exist in {1}")]
    Kind(Kind, Variant),
    /// More pieces of a colour than the rule set has.
    #[error("material: {player} has {found} basic pieces on the board and in reserve, expected at most {most}")]
    Material {
        /// The player.
        player: Player,
        /// What the player has.
        found: u8,
        /// What the rule set gives the player.
        most: u8,
    },
    /// A player does not have exactly 18 basic pieces in push-off, where none is ever lost.
    #[error("material: {player} has {found} singles on the board and in reserve, expected 18 in push-off")]
    Singles {
        /// The player.
        player: Player,
        /// What the player has.
        found: u32,
    },
    /// More GIPF-pieces than the game starts with.
    #[error("board: {0} has {1} GIPF-pieces, expected at most 3 in {2}")]
    Gipfs(Player, u32, Variant),
    /// More potentials than a player can have.
    #[error("potentials: {0} has {1} in hand and on the board, expected at most {2}")]
    Potentials(Player, u32, u32),
    /// Entry rights that the rule set or the board rules out.
    #[error("GIPF rights: {0} cannot have them: {1}")]
    Rights(Player, &'static str),
    /// Neither player has a GIPF-piece.
    #[error("board: neither player has a GIPF-piece, so the game has ended and nobody can be to move")]
    NoGipfs,
    /// The state in the middle of a turn contradicts itself.
    #[error("turn: {0}")]
    Turn(&'static str),
}

/// The most basic pieces that any rule set gives a player.
pub(crate) const MATERIAL: u8 = 18;
/// The fewest and the most potentials that a player starts with.
pub(crate) const POTENTIALS: std::ops::RangeInclusive<u8> = 3..=6;

impl Setup {
    /// Returns the start of a game: its pieces, White to move, no placement limit, 3 potentials each in `+zertz`.
    ///
    /// A game of push-off without a limit is played with [`Variant::compulsory_limit`].
    pub fn start(variant: Variant) -> Self {
        Self {
            variant,
            board: starting_board(variant),
            to_move: Player::White,
            reserves: [variant.starting_reserve(); 2],
            gipf_rights: [variant.opening() == Opening::Tournament; 2],
            potentials: [if variant.has_zertz() { *POTENTIALS.start() } else { 0 }; 2],
            placement_limit: None,
        }
    }

    /// Returns the setup with a placement limit: the game is cut off after this many placements, at least one.
    pub fn with_placement_limit(self, limit: Option<u16>) -> Self {
        Self { placement_limit: limit, ..self }
    }

    /// Returns the setup with these reserves of White and Black: a handicap.
    ///
    /// # Errors
    /// Unless the rule set is basic and both are 12 to 15.
    pub fn with_reserves(self, reserves: [u8; 2]) -> Result<Self, SetupError> {
        let basic = self.variant.opening() == Opening::Basic;
        let expected = if basic { "12 to 15" } else { "no handicap; only basic has one" };
        match reserves.iter().find(|reserve| !basic || !(12..=15).contains(*reserve)) {
            Some(&reserve) => Err(SetupError::Reserve(reserve, self.variant, expected)),
            None => Ok(Self { reserves, ..self }),
        }
    }

    /// Returns the setup with this number of potentials for each player.
    ///
    /// # Errors
    /// Unless the rule set has potentials and the number is 3 to 6.
    pub fn with_potentials(self, potentials: u8) -> Result<Self, SetupError> {
        let zertz = self.variant.has_zertz();
        if zertz && POTENTIALS.contains(&potentials) {
            return Ok(Self { potentials: [potentials; 2], ..self });
        }
        let expected = if zertz { "3 to 6" } else { "a variant with +zertz" };
        Err(SetupError::Potentials(potentials, self.variant, expected))
    }

    /// Checks everything that holds for each position of the rule set at the start of a turn.
    ///
    /// # Errors
    /// The first law that the position breaks.
    pub fn validate(&self) -> Result<(), InvalidPosition> {
        self.validate_pieces()?;
        Player::BOTH.into_iter().try_for_each(|player| self.validate_rights(player))?;
        let lost = Player::BOTH.map(|player| self.variant.has_gipfs() && self.has_no_gipf(player));
        if lost == [true; 2] { Err(InvalidPosition::NoGipfs) } else { Ok(()) }
    }

    /// Checks what also holds during a turn and after the end of a game.
    pub(super) fn validate_pieces(&self) -> Result<(), InvalidPosition> {
        if !self.board.is_consistent() {
            return Err(InvalidPosition::Board);
        }
        self.validate_kinds()?;
        Player::BOTH.into_iter().try_for_each(|player| self.validate_player(player))
    }

    /// Returns whether the player has no GIPF-piece on the board although they have brought in their first.
    pub(super) fn has_no_gipf(&self, player: Player) -> bool {
        let own = self.board.pieces_of(player);
        !own.intersects(self.board.gipfs) && self.has_entered(player)
    }

    /// Returns whether the player has brought in their first piece; always true where the board is set up.
    pub(super) fn has_entered(&self, player: Player) -> bool {
        !self.gipf_rights[player.index()] || !self.board.pieces_of(player).is_empty()
    }

    /// Checks that each piece is of a kind that the rule set has.
    fn validate_kinds(&self) -> Result<(), InvalidPosition> {
        let absent = |kind| match kind {
            Kind::Single => false,
            Kind::Gipf => !self.variant.has_gipfs(),
            Kind::Loaded | Kind::Used => !self.variant.has_zertz(),
        };
        match Kind::ALL.into_iter().find(|&kind| absent(kind) && !self.board.of_kind(kind).is_empty()) {
            Some(kind) => Err(InvalidPosition::Kind(kind, self.variant)),
            None => Ok(()),
        }
    }

    /// Checks that a player has no more GIPF-pieces than the game begins with.
    fn validate_gipfs(&self, player: Player) -> Result<(), InvalidPosition> {
        let gipfs = (self.board.pieces_of(player) & self.board.gipfs).count();
        let begins_with_three = matches!(self.variant.opening(), Opening::Standard | Opening::PushOff);
        if begins_with_three && gipfs > 3 { Err(InvalidPosition::Gipfs(player, gipfs, self.variant)) } else { Ok(()) }
    }

    fn validate_player(&self, player: Player) -> Result<(), InvalidPosition> {
        self.validate_material(player)?;
        self.validate_gipfs(player)?;
        let own = self.board.pieces_of(player);
        let potentials =
            u32::from(self.potentials[player.index()]) + (own & (self.board.loaded | self.board.used)).count();
        let most = if self.variant.has_zertz() { u32::from(*POTENTIALS.end()) } else { 0 };
        if potentials > most { Err(InvalidPosition::Potentials(player, potentials, most)) } else { Ok(()) }
    }

    fn validate_material(&self, player: Player) -> Result<(), InvalidPosition> {
        if self.variant.is_push_off() {
            let singles = self.board.pieces_of(player).without(self.board.gipfs).count();
            let found = singles + u32::from(self.reserves[player.index()]);
            return if found == MATERIAL.into() { Ok(()) } else { Err(InvalidPosition::Singles { player, found }) };
        }
        let found = self.board.material(player).saturating_add(self.reserves[player.index()]);
        if found > MATERIAL { Err(InvalidPosition::Material { player, found, most: MATERIAL }) } else { Ok(()) }
    }

    /// Returns whether the player may have had no turn yet, or only that of the first GIPF-piece.
    fn has_moved_once_at_most(&self, player: Player) -> bool {
        let brought_in = self.board.pieces_of(player).count();
        brought_in <= 1
            && self.gipf_rights[player.index()]
            && u32::from(self.reserves[player.index()]) + 2 * brought_in == u32::from(MATERIAL)
    }

    /// Rights end with the first piece brought in that is not a GIPF-piece, and no such piece comes before the first
    /// GIPF-piece. So only GIPF-pieces have left the reserve or come back to it, two basic pieces each, and all
    /// potentials are in hand.
    fn validate_rights(&self, player: Player) -> Result<(), InvalidPosition> {
        if !self.gipf_rights[player.index()] {
            return Ok(());
        }
        let own = self.board.pieces_of(player);
        let because = |why| Err(InvalidPosition::Rights(player, why));
        let (reserve, potentials) = (self.reserves[player.index()], self.potentials[player.index()]);
        if self.variant.opening() != Opening::Tournament {
            return because("only tournament has them");
        }
        if !own.without(self.board.gipfs).is_empty() {
            return because("a piece other than a GIPF-piece is on the board");
        }
        if own.is_empty() && reserve != MATERIAL {
            return because("nothing is on the board, so the reserve must be 18");
        }
        if own.is_empty() && !self.has_moved_once_at_most(player.other()) {
            return because("nothing is on the board, so the opponent has brought in one GIPF-piece at most");
        }
        if reserve % 2 == 1 {
            return because("only GIPF-pieces have been brought in, so the reserve must be even");
        }
        if self.variant.has_zertz() && !POTENTIALS.contains(&potentials) {
            return because("no potential has been brought in, so 3 to 6 must be in hand");
        }
        Ok(())
    }
}

/// Six pieces on the corner spots, alternating in colour from White's e2.
fn starting_board(variant: Variant) -> Board {
    let kind = match variant.opening() {
        Opening::Basic => Kind::Single,
        Opening::Standard | Opening::PushOff => Kind::Gipf,
        Opening::Tournament => return Board::default(),
    };
    let mut board = Board::default();
    for (index, direction) in Direction::ALL.into_iter().enumerate() {
        let centre = Point { q: 0, r: 0 };
        let corner = (0..3).fold(centre, |point, _| point.neighbour(direction));
        // Clockwise from e8, which is Black's: h5, h2, e2, b2, b5.
        let player = Player::BOTH[(index + 1) % 2];
        board.put(corner.spot().expect("three steps from the centre is a spot"), player, kind);
    }
    board
}
