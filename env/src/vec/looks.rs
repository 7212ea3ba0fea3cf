//! What arrays must provide so that games can write their outputs to them.

use super::error::VecStepError;
use super::stream::Scratch;
use crate::episode::{Episode, Info};
use crate::position::{Outcome, Player, Position};

/// Arrays that games can write their outputs to: [`VecArrays`](crate::VecArrays), and
/// [`PackedArrays`](crate::PackedArrays) for callers that unpack them elsewhere.
pub trait OutputArrays<P: Position>: Sealed {
    /// What is shown of the positions.
    #[doc(hidden)]
    type Looks<'b>: Looks<P>
    where
        Self: 'b;

    /// Returns what is shown of these games.
    ///
    /// # Errors
    /// If an array has the wrong size.
    #[doc(hidden)]
    fn shown(&mut self, games: &Games<'_, P>) -> Result<Shown<'_, Self::Looks<'_>>, VecStepError>;
}

/// What determines the sizes of arrays.
#[doc(hidden)]
#[derive(Debug)]
pub struct Games<'a, P> {
    pub(crate) start: &'a P,
    /// The size of an observation in floats, which takes a while to compute.
    pub(crate) observation: usize,
    pub(crate) n: usize,
}

/// Allows no other arrays.
pub trait Sealed {}

/// What is shown of the positions of some games, one after the other.
#[doc(hidden)]
pub trait Looks<P>: Send + Sized {
    /// Returns the part of the first games, and that of the others.
    fn split_at(self, games: usize) -> (Self, Self);

    /// Begins to show games, each once and in order.
    fn begin(&mut self) {}

    /// Shows a position.
    fn show(&mut self, game: usize, position: &P, scratch: &mut Scratch);

    /// Shows the last position of a game.
    fn show_last(&mut self, game: usize, position: &P);

    /// Ends after the last game.
    fn finish(self, _scratch: &Scratch) {}
}

/// All that is shown of some games.
#[doc(hidden)]
pub struct Shown<'a, L> {
    pub(crate) looks: L,
    pub(crate) ends: Ends<'a>,
}

impl<L> Shown<'_, L> {
    /// Returns the part of the first games, and that of the others.
    pub(crate) fn split_at<P>(self, games: usize) -> (Self, Self)
    where
        L: Looks<P>,
    {
        let (looks, ends) = (self.looks.split_at(games), self.ends.split_at(games));
        (Self { looks: looks.0, ends: ends.0 }, Self { looks: looks.1, ends: ends.1 })
    }
}

/// The arrays that have one entry for each game, of some games.
#[doc(hidden)]
#[derive(Debug)]
pub struct Ends<'a> {
    pub(crate) to_move: &'a mut [Player],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) terminated: &'a mut [bool],
    pub(crate) truncated: &'a mut [bool],
    pub(crate) final_infos: &'a mut [Option<Info>],
}

impl Ends<'_> {
    /// Returns the part of the first games, and that of the others.
    pub(crate) fn split_at(self, games: usize) -> (Self, Self) {
        let to_move = self.to_move.split_at_mut(games);
        let rewards = self.rewards.split_at_mut(games);
        let terminated = self.terminated.split_at_mut(games);
        let truncated = self.truncated.split_at_mut(games);
        let final_infos = self.final_infos.split_at_mut(games);
        let front = Ends {
            to_move: to_move.0,
            rewards: rewards.0,
            terminated: terminated.0,
            truncated: truncated.0,
            final_infos: final_infos.0,
        };
        let back = Ends {
            to_move: to_move.1,
            rewards: rewards.1,
            terminated: terminated.1,
            truncated: truncated.1,
            final_infos: final_infos.1,
        };
        (front, back)
    }

    /// Clears the ends of the last games.
    pub(crate) fn clear(&mut self) {
        self.rewards.fill(0.0);
        self.terminated.fill(false);
        self.truncated.fill(false);
        self.final_infos.fill(None);
    }

    /// Shows the end of a game: the reward is for the player who acted.
    #[cold]
    pub(crate) fn end<P: Position>(&mut self, game: usize, outcome: Outcome, actor: Player, episode: &Episode<P>) {
        self.rewards[game] = outcome.reward(actor);
        self.truncated[game] = outcome.truncated();
        self.terminated[game] = !outcome.truncated();
        self.final_infos[game] = Some(episode.info(0));
    }

    /// Checks the sizes for n games.
    pub(crate) fn check(&self, n: usize) -> Result<(), VecStepError> {
        check_size("to_move", self.to_move.len(), n)?;
        check_size("rewards", self.rewards.len(), n)?;
        check_size("terminated", self.terminated.len(), n)?;
        check_size("truncated", self.truncated.len(), n)?;
        check_size("final_infos", self.final_infos.len(), n)
    }
}

/// Checks the size of an array.
pub(crate) fn check_size(array: &'static str, found: usize, expected: usize) -> Result<(), VecStepError> {
    if found == expected { Ok(()) } else { Err(VecStepError::Size { array, found, expected }) }
}
