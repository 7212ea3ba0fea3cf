//! One game of an environment: its start, its opening, its progress.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::position::{ActionIndex, Outcome, Player, Position};

/// What an environment reports besides the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The player who decides next, possibly the one who has just decided; once the game is over, the player whose view
    /// the last observation shows.
    ///
    /// In GIPF the limit ends a game before the turn passes, so this is then the player whose turn it was: the one who
    /// acted, or in push-off possibly the other. A value of the last observation, to bootstrap from where the game was
    /// cut off, is for this player; if the other player acted, change its sign to get the value for them.
    pub to_move: Player,
    /// The number of legal actions; 0 when the game is over.
    pub legal_actions: usize,
    /// The number of decisions made in this game, including those of a random opening.
    pub plies: usize,
    /// The number of the turn; in GIPF the placements made before it.
    pub turn: usize,
    /// How the game ended, and why, if it has.
    pub outcome: Option<Outcome>,
}

impl Info {
    /// Returns whether the rules have ended the game.
    pub fn terminated(&self) -> bool {
        self.outcome.is_some_and(|outcome| !outcome.truncated())
    }

    /// Returns whether a limit has cut the game off.
    pub fn truncated(&self) -> bool {
        self.outcome.is_some_and(Outcome::truncated)
    }
}

/// Why an action was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The game has no action with this number.
    #[error("action index {index}: expected a number below {actions}")]
    OutOfRange {
        /// The number.
        index: ActionIndex,
        /// The size of the action space.
        actions: usize,
    },
    /// The action is not legal now.
    #[error(transparent)]
    Illegal(#[from] crate::position::IllegalAction),
    /// The game is over.
    #[error("the game is over, {0}: expected a reset before the next step")]
    Over(Outcome),
}

/// A start from which no game can be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game is over before it starts, {0}: expected a start with something to decide")]
pub struct StartIsOver(pub Outcome);

/// A game in progress.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Episode<P> {
    position: P,
    plies: usize,
}

/// The number of a game, which seeds the generator of its opening.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameNumber {
    pub(crate) seed: u64,
    /// The number of the environment.
    pub(crate) environment: u64,
    /// The number of the game in this environment.
    pub(crate) episode: u64,
}

impl<P: Position> Episode<P> {
    pub(crate) fn new(start: P) -> Result<Self, StartIsOver> {
        match start.outcome() {
            Some(outcome) => Err(StartIsOver(outcome)),
            None => Ok(Self { position: start, plies: 0 }),
        }
    }

    #[inline]
    pub(crate) fn position(&self) -> &P {
        &self.position
    }

    #[inline]
    pub(crate) fn position_mut(&mut self) -> &mut P {
        &mut self.position
    }

    /// Goes back to the start and makes this many random decisions.
    ///
    /// An action that would end the game is not played: the opening is then shorter. That it ends the game shows only
    /// after playing it, so the same decisions are then replayed without the last one.
    pub(crate) fn restart(&mut self, start: &P, opening_plies: usize, game: GameNumber) {
        self.open(start, opening_plies, game);
        if self.position.outcome().is_some() {
            self.open(start, self.plies - 1, game);
        }
    }

    /// Goes back to the start and makes this many random decisions, or fewer if the game ends.
    fn open(&mut self, start: &P, plies: usize, game: GameNumber) {
        self.position.clone_from(start);
        self.plies = 0;
        if plies == 0 {
            return;
        }
        let mut rng = game.generator();
        while self.plies < plies && self.position.outcome().is_none() {
            let choice = rng.random_range(0..self.position.num_legal_actions());
            let action = self.position.legal_actions().nth(choice).expect("the choice is below the number of actions");
            self.play_unchecked(action);
        }
    }

    /// Returns whether the action with this number can be played now.
    #[inline]
    pub(crate) fn is_legal(&self, index: ActionIndex) -> bool {
        self.position.action_at(index).is_some_and(|action| self.position.is_legal(action))
    }

    /// Returns why the action with this number cannot be played now.
    #[cold]
    pub(crate) fn refusal(&self, index: ActionIndex) -> StepError {
        if let Some(outcome) = self.position.outcome() {
            return StepError::Over(outcome);
        }
        let actions = self.position.num_actions();
        match self.position.action_at(index) {
            Some(action) => self.position.clone().play(action).expect_err("a legal action is not refused").into(),
            None => StepError::OutOfRange { index, actions },
        }
    }

    /// Plays an action known to be legal, and returns the player who made it.
    #[inline]
    pub(crate) fn play_unchecked(&mut self, action: P::Action) -> Player {
        let actor = self.position.to_move();
        self.position.play_unchecked(action);
        self.plies += 1;
        actor
    }

    /// Returns what is known of the game, given the number of its legal actions.
    #[inline]
    pub(crate) fn info(&self, legal_actions: usize) -> Info {
        Info {
            to_move: self.position.to_move(),
            legal_actions,
            plies: self.plies,
            turn: self.position.turn(),
            outcome: self.position.outcome(),
        }
    }
}

impl GameNumber {
    /// Returns the random generator of the game, independent of those of other games with the same seed.
    fn generator(self) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (bytes, number) in key.chunks_exact_mut(8).zip([self.seed, self.environment, self.episode]) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}
