//! The output arrays of games that are stepped together, and the part of each game.

use crate::episode::{Episode, Info};
use crate::position::{Player, Position};

/// The output arrays of n games, owned by the caller, row after row. A reset or step overwrites each whole, except the
/// last.
///
/// A game that ends is followed by the next one in the same step: the arrays without `final_` then show the first
/// decision of the next game, while `rewards`, `terminated` and `truncated` belong to the step that ended the old one.
#[derive(Debug)]
pub struct VecArrays<'a> {
    /// `[n, planes, rows, columns]`, from the view of the player to move.
    pub observations: &'a mut [f32],
    /// `[n, actions]`, true = legal.
    pub action_masks: &'a mut [bool],
    /// `[n]`, the player who decides next.
    pub to_move: &'a mut [Player],
    /// `[n]`, +1, 0 or -1 for the player *who acted*.
    pub rewards: &'a mut [f32],
    /// `[n]`, whether the rules ended the game in this step.
    pub terminated: &'a mut [bool],
    /// `[n]`, whether the limit cut the game off in this step.
    pub truncated: &'a mut [bool],
    /// `[n]`, the end of the game that ended in this step, where one did.
    pub final_infos: &'a mut [Option<Info>],
    /// `[n, planes, rows, columns]`, the last observation of the last game that ended; other rows are left as they are.
    pub final_observations: &'a mut [f32],
}

/// The number of entries that belong to one game, in arrays where it is more than one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSize {
    pub observation: usize,
    pub mask: usize,
}

impl RowSize {
    /// Returns the sizes of a game.
    pub(crate) fn of<P: Position>(start: &P) -> Self {
        Self { observation: start.observation_layout().size(), mask: start.num_actions() }
    }
}

impl VecArrays<'_> {
    /// Returns the name and length of an array that has the wrong size for n games, and the right size.
    pub(crate) fn wrong_size(&self, n: usize, row: RowSize) -> Option<(&'static str, usize, usize)> {
        let sizes = [
            ("observations", self.observations.len(), n * row.observation),
            ("action_masks", self.action_masks.len(), n * row.mask),
            ("to_move", self.to_move.len(), n),
            ("rewards", self.rewards.len(), n),
            ("terminated", self.terminated.len(), n),
            ("truncated", self.truncated.len(), n),
            ("final_infos", self.final_infos.len(), n),
            ("final_observations", self.final_observations.len(), n * row.observation),
        ];
        sizes.into_iter().find(|(_, found, expected)| found != expected)
    }

    pub(crate) fn rows(&mut self, size: RowSize) -> Rows<'_> {
        let arrays = VecArrays {
            observations: self.observations,
            action_masks: self.action_masks,
            to_move: self.to_move,
            rewards: self.rewards,
            terminated: self.terminated,
            truncated: self.truncated,
            final_infos: self.final_infos,
            final_observations: self.final_observations,
        };
        Rows { arrays, size }
    }
}

/// The parts of the arrays that belong to some games, one after the other.
pub(crate) struct Rows<'a> {
    arrays: VecArrays<'a>,
    size: RowSize,
}

impl Rows<'_> {
    /// Returns the rows of the first games and those of the others.
    pub fn split_at(self, games: usize) -> (Self, Self) {
        let Self { arrays, size } = self;
        let observations = arrays.observations.split_at_mut(games * size.observation);
        let action_masks = arrays.action_masks.split_at_mut(games * size.mask);
        let to_move = arrays.to_move.split_at_mut(games);
        let rewards = arrays.rewards.split_at_mut(games);
        let terminated = arrays.terminated.split_at_mut(games);
        let truncated = arrays.truncated.split_at_mut(games);
        let final_infos = arrays.final_infos.split_at_mut(games);
        let final_observations = arrays.final_observations.split_at_mut(games * size.observation);
        let front = VecArrays {
            observations: observations.0,
            action_masks: action_masks.0,
            to_move: to_move.0,
            rewards: rewards.0,
            terminated: terminated.0,
            truncated: truncated.0,
            final_infos: final_infos.0,
            final_observations: final_observations.0,
        };
        let back = VecArrays {
            observations: observations.1,
            action_masks: action_masks.1,
            to_move: to_move.1,
            rewards: rewards.1,
            terminated: terminated.1,
            truncated: truncated.1,
            final_infos: final_infos.1,
            final_observations: final_observations.1,
        };
        (Self { arrays: front, size }, Self { arrays: back, size })
    }

    #[inline]
    pub fn row(&mut self, game: usize) -> Row<'_> {
        let RowSize { observation, mask } = self.size;
        let observation = game * observation..(game + 1) * observation;
        Row {
            observation: &mut self.arrays.observations[observation.clone()],
            mask: &mut self.arrays.action_masks[game * mask..(game + 1) * mask],
            to_move: &mut self.arrays.to_move[game],
            reward: &mut self.arrays.rewards[game],
            terminated: &mut self.arrays.terminated[game],
            truncated: &mut self.arrays.truncated[game],
            final_observation: &mut self.arrays.final_observations[observation],
            final_info: &mut self.arrays.final_infos[game],
        }
    }
}

/// The part of the arrays that belongs to one game.
pub(crate) struct Row<'a> {
    pub observation: &'a mut [f32],
    pub mask: &'a mut [bool],
    pub to_move: &'a mut Player,
    pub reward: &'a mut f32,
    pub terminated: &'a mut bool,
    pub truncated: &'a mut bool,
    pub final_observation: &'a mut [f32],
    pub final_info: &'a mut Option<Info>,
}

impl Row<'_> {
    /// Clears the end of the last game.
    pub fn clear(&mut self) {
        *self.reward = 0.0;
        *self.terminated = false;
        *self.truncated = false;
        *self.final_info = None;
    }

    /// Writes the observation, the mask and the player to move.
    pub fn look<P: Position>(&mut self, episode: &Episode<P>) {
        let position = episode.position();
        position.observe(self.observation);
        position.action_mask(self.mask);
        *self.to_move = position.to_move();
    }
}
