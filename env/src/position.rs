//! The contract that search, players, learning and the environment are written against.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::text::listed;

/// One of the two players. White moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Player {
    /// The player who begins.
    White,
    /// The player who moves second.
    Black,
}

impl Player {
    /// Both players, in the order of their indices.
    pub const BOTH: [Self; 2] = [Self::White, Self::Black];

    /// Returns 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the opponent.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns +1 for White, -1 for Black: the factor between a value for this player and a value for White.
    #[inline]
    pub const fn sign(self) -> f32 {
        match self {
            Self::White => 1.0,
            Self::Black => -1.0,
        }
    }
}

impl Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// Why a game ended (section 5 of the rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser has no GIPF-piece left on the board.
    NoGipf,
    /// The loser can neither bring in a piece nor jump.
    NoMove,
    /// The position occurred for the third time (FAQ 7).
    Repetition,
    /// The placement limit was reached: the game was cut off, not decided.
    Limit,
    /// A player resigned. The rules never end a game this way; records of games between people do.
    Resignation,
    /// A game other than GIPF ended by a rule of its own.
    OwnRule,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 6] =
        [Self::NoGipf, Self::NoMove, Self::Repetition, Self::Limit, Self::Resignation, Self::OwnRule];

    /// Returns the word for the reason, as in reports and files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoGipf => "no-gipf",
            Self::NoMove => "no-move",
            Self::Repetition => "repetition",
            Self::Limit => "limit",
            Self::Resignation => "resignation",
            Self::OwnRule => "own-rule",
        }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// The winner, if there is one.
    pub winner: Option<Player>,
    /// Why the game ended.
    pub reason: Reason,
}

impl Outcome {
    /// Returns the outcome in which this player has won.
    pub const fn win(winner: Player, reason: Reason) -> Self {
        Self { winner: Some(winner), reason }
    }

    /// Returns the outcome in which nobody has won.
    pub const fn draw(reason: Reason) -> Self {
        Self { winner: None, reason }
    }

    /// Returns +1 if the player has won, -1 if they have lost, 0 otherwise.
    pub fn reward(self, player: Player) -> f32 {
        match self.winner {
            Some(winner) if winner == player => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        }
    }

    /// Returns whether a limit cut the game off, rather than the rules ending it.
    pub fn truncated(self) -> bool {
        self.reason == Reason::Limit
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} wins ({})", self.reason),
            None => write!(f, "no winner ({})", self.reason),
        }
    }
}

/// The number of an action in the policy head and the action mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActionIndex(pub u16);

impl ActionIndex {
    /// Returns the number as an array index.
    #[inline]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl Display for ActionIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// How an observation is laid out: planes of `rows` × `columns` cells, in the order pieces, marks, scalars.
///
/// Only the `cells` listed belong to the board (on a hexagonal board not all of the square do). A network that reads
/// the pieces and marks there and each scalar once misses nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObservationLayout {
    /// The number of planes that are 1 where a kind of piece stands; at most one of them on each cell.
    pub pieces: usize,
    /// The number of further planes with a value on each cell.
    pub marks: usize,
    /// The number of planes with one value on all cells of the square.
    pub scalars: usize,
    /// The number of rows of each plane.
    pub rows: usize,
    /// The number of columns of each plane.
    pub columns: usize,
    /// The cells, `columns · row + column`, that belong to the board, in the order of its spots.
    pub cells: Vec<usize>,
}

impl ObservationLayout {
    /// Returns the number of planes.
    pub const fn planes(&self) -> usize {
        self.pieces + self.marks + self.scalars
    }

    /// Returns `[planes, rows, columns]`.
    pub const fn shape(&self) -> [usize; 3] {
        [self.planes(), self.rows, self.columns]
    }

    /// Returns the number of values of an observation.
    pub const fn size(&self) -> usize {
        self.planes() * self.rows * self.columns
    }
}

/// Why an action was refused: it is not legal in the position, which is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal action {action}: {expected}")]
pub struct IllegalAction {
    /// The action, as text.
    pub action: String,
    /// What the position allows instead.
    pub expected: String,
}

/// All that decides what may happen next in a game of two players, and the moves from there: what a game must provide
/// to be played, searched, measured and offered as an environment. Networks also need [`Learnable`](crate::Learnable).
///
/// One *action* is one decision; a *turn* is all decisions until the other player is to move. A turn can hold several
/// actions, in some games even of both players, so the player to move must be asked for, never counted. Games have no
/// chance and no hidden information.
///
/// Laws, tested on every implementation: `legal_actions` ascends by index and is empty exactly when `outcome` is some;
/// every legal action's index is below `num_actions` and `action_at` inverts it; `play` refuses all other actions and
/// then changes nothing; every game ends.
pub trait Position: Clone + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// One decision.
    type Action: Copy + Eq + Debug + Display + Send + Sync;

    /// Returns the size of the policy head and of the action mask; the same for all positions of a game.
    fn num_actions(&self) -> usize;

    /// Returns the layout of the observation; the same for all positions of a game.
    fn observation_layout(&self) -> ObservationLayout;

    /// Returns the player who decides. It may stay the same after an action.
    fn to_move(&self) -> Player;

    /// Returns the number of the turn being played, from 0. All decisions of one turn share it.
    fn turn(&self) -> usize;

    /// Iterates over the legal actions in ascending order of their indices; none if and only if the game is over.
    fn legal_actions(&self) -> impl Iterator<Item = Self::Action>;

    /// Returns whether an action is legal.
    fn is_legal(&self, action: Self::Action) -> bool {
        self.legal_actions().any(|legal| legal == action)
    }

    /// Returns the number of legal actions.
    fn num_legal_actions(&self) -> usize {
        self.legal_actions().count()
    }

    /// Returns how the game ended, if it has.
    fn outcome(&self) -> Option<Outcome>;

    /// Plays a legal action, and everything that follows without a decision.
    ///
    /// # Errors
    /// If the action is not legal; the position is unchanged.
    fn play(&mut self, action: Self::Action) -> Result<(), IllegalAction> {
        if !self.is_legal(action) {
            return Err(IllegalAction { action: action.to_string(), expected: expected(self) });
        }
        self.play_unchecked(action);
        Ok(())
    }

    /// Plays an action that is known to be legal. Any other action leaves a meaningless position, or panics (but memory
    /// stays safe).
    fn play_unchecked(&mut self, action: Self::Action);

    /// Returns the position after an action that is known to be legal, as [`play_unchecked`](Self::play_unchecked)
    /// leaves it.
    #[inline]
    #[must_use]
    fn after(&self, action: Self::Action) -> Self {
        let mut next = self.clone();
        next.play_unchecked(action);
        next
    }

    /// Returns the index of an action.
    fn action_index(&self, action: Self::Action) -> ActionIndex;

    /// Returns the action with this index, legal or not, if the game has one.
    fn action_at(&self, index: ActionIndex) -> Option<Self::Action>;

    /// Writes the observation, from the view of the player to move: `planes` has the size of the layout and is
    /// overwritten completely.
    fn observe(&self, planes: &mut [f32]);

    /// Sets `mask[i]` to whether the action with index i is legal.
    ///
    /// # Panics
    /// If `mask` is shorter than [`Self::num_actions`].
    fn action_mask(&self, mask: &mut [bool]) {
        mask.fill(false);
        for action in self.legal_actions() {
            mask[self.action_index(action).get()] = true;
        }
    }
}

/// Returns what a position allows, for a message.
fn expected<P: Position>(position: &P) -> String {
    if let Some(outcome) = position.outcome() {
        return format!("the game is over, {outcome}");
    }
    let legal = listed(position.legal_actions(), position.num_legal_actions());
    format!("{} must choose one of {legal}", position.to_move())
}
