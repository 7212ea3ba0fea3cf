//! One game of an environment: where it starts, how it is opened, how far it is.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::position::{ActionIndex, Outcome, Player, Position};

/// What an environment says beside the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The player who decides next. He may be the one who has just decided.
    pub to_move: Player,
    /// The number of legal actions; 0 when the game is over.
    pub legal_actions: usize,
    /// The number of decisions made in this game, those of a random opening included.
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

/// Why an action was refused; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The game has no action of this number.
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

/// A game in progress and the start to which it returns.
#[derive(Clone, Debug)]
pub(crate) struct Episode<P> {
    start: P,
    position: P,
    /// A position whose memory is used again at each ply of an opening.
    spare: P,
    plies: usize,
}

impl<P: Position> Episode<P> {
    pub(crate) fn new(start: P) -> Result<Self, StartIsOver> {
        match start.outcome() {
            Some(outcome) => Err(StartIsOver(outcome)),
            None => Ok(Self { position: start.clone(), spare: start.clone(), start, plies: 0 }),
        }
    }

    #[inline]
    pub(crate) fn position(&self) -> &P {
        &self.position
    }

    /// Lets a change be made to each copy of the start.
    pub(crate) fn for_each_position(&mut self, change: impl FnMut(&mut P)) {
        [&mut self.start, &mut self.position, &mut self.spare].into_iter().for_each(change);
    }

    /// Goes back to the start and makes so many decisions at random.
    ///
    /// An action that would end the game is not played: the opening is then shorter.
    pub(crate) fn restart(&mut self, opening_plies: usize, rng: &mut ChaCha8Rng) {
        self.position.clone_from(&self.start);
        self.plies = 0;
        while self.plies < opening_plies {
            let choice = rng.random_range(0..self.position.num_legal_actions());
            let action = self.position.legal_actions().nth(choice).expect("the choice is below the number of actions");
            self.spare.clone_from(&self.position);
            self.spare.play_unchecked(action);
            if self.spare.outcome().is_some() {
                return;
            }
            std::mem::swap(&mut self.position, &mut self.spare);
            self.plies += 1;
        }
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

    /// Returns what is known of the game, given its action mask.
    #[inline]
    pub(crate) fn info(&self, mask: &[bool]) -> Info {
        Info {
            to_move: self.position.to_move(),
            legal_actions: mask.iter().map(|&legal| u16::from(legal)).sum::<u16>().into(),
            plies: self.plies,
            turn: self.position.turn(),
            outcome: self.position.outcome(),
        }
    }
}

/// Returns the generator of one game: other games of the same seed have independent ones.
pub(crate) fn generator(seed: u64, index: u64, episode: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, number) in key.chunks_exact_mut(8).zip([seed, index, episode]) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}
