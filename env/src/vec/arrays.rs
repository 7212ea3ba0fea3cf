//! The output arrays of games that are stepped together, in floats.

use super::error::VecStepError;
use super::looks::{Ends, Games, Looks, OutputArrays, Sealed, Shown, check_size};
use super::stream::{Scratch, Stream};
use crate::episode::Info;
use crate::position::{Player, Position};

/// The output arrays of n games, owned by the caller, row after row. A reset or step overwrites each of them
/// completely, except the last.
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
    /// `[n]`, the info at the end of the game, where one ended in this step.
    pub final_infos: &'a mut [Option<Info>],
    /// `[n, planes, rows, columns]`, the last observation of the last game that ended, from the view of the player that
    /// [`Info::to_move`] of `final_infos` names; other rows are left as they are.
    pub final_observations: &'a mut [f32],
}

impl Sealed for VecArrays<'_> {}

impl<P: Position> OutputArrays<P> for VecArrays<'_> {
    type Looks<'b>
        = Floats<'b>
    where
        Self: 'b;

    fn shown(&mut self, games: &Games<'_, P>) -> Result<Shown<'_, Floats<'_>>, VecStepError> {
        let &Games { start, observation, n } = games;
        let mask = start.num_actions();
        check_size("observations", self.observations.len(), n * observation)?;
        check_size("action_masks", self.action_masks.len(), n * mask)?;
        check_size("final_observations", self.final_observations.len(), n * observation)?;
        let looks = Floats {
            is_streamed: Stream::is_worthwhile(observation, size_of_val(self.observations)),
            observations: self.observations,
            stream: None,
            action_masks: self.action_masks,
            final_observations: self.final_observations,
            observation,
            mask,
        };
        let ends = Ends {
            to_move: self.to_move,
            rewards: self.rewards,
            terminated: self.terminated,
            truncated: self.truncated,
            final_infos: self.final_infos,
        };
        ends.check(n)?;
        Ok(Shown { looks, ends })
    }
}

/// Observations in floats, and masks of bools.
#[doc(hidden)]
pub struct Floats<'a> {
    observations: &'a mut [f32],
    /// Takes the place of `observations` between `begin` and `finish`, if they are written around the caches.
    stream: Option<Stream<'a>>,
    is_streamed: bool,
    action_masks: &'a mut [bool],
    final_observations: &'a mut [f32],
    /// The sizes of a row.
    observation: usize,
    mask: usize,
}

impl<P: Position> Looks<P> for Floats<'_> {
    fn split_at(self, games: usize) -> (Self, Self) {
        let observations = self.observations.split_at_mut(games * self.observation);
        let action_masks = self.action_masks.split_at_mut(games * self.mask);
        let final_observations = self.final_observations.split_at_mut(games * self.observation);
        let front = Self {
            observations: observations.0,
            action_masks: action_masks.0,
            final_observations: final_observations.0,
            stream: None,
            ..self
        };
        let back = Self {
            observations: observations.1,
            action_masks: action_masks.1,
            final_observations: final_observations.1,
            stream: None,
            ..self
        };
        (front, back)
    }

    fn begin(&mut self) {
        if self.is_streamed {
            self.stream = Some(Stream::new(std::mem::take(&mut self.observations)));
        }
    }

    #[inline]
    fn show(&mut self, game: usize, position: &P, scratch: &mut Scratch) {
        let size = self.observation;
        match &mut self.stream {
            Some(stream) => stream.row(size, scratch, |row| position.observe(row)),
            None => position.observe(&mut self.observations[game * size..][..size]),
        }
        position.action_mask(&mut self.action_masks[game * self.mask..][..self.mask]);
    }

    fn show_last(&mut self, game: usize, position: &P) {
        position.observe(&mut self.final_observations[game * self.observation..][..self.observation]);
    }

    fn finish(self, scratch: &Scratch) {
        if let Some(stream) = self.stream {
            stream.finish(scratch);
        }
    }
}
