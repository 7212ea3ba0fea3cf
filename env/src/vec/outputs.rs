//! Output arrays of games that are stepped together, with a shape and memory of their own.

use ndarray::{Array, Array1, Array2, Array4, Dimension};

use super::arrays::VecArrays;
use super::looks::OutputArrays;
use crate::episode::Info;
use crate::position::{Player, Position};

/// The outputs of the environments after a reset or a step, one entry or row for each.
///
/// See [`VecArrays`] for games that end.
#[derive(Clone, Debug, PartialEq)]
pub struct VecOutputs {
    /// `[n, planes, rows, columns]`, from the view of the player to move.
    pub observations: Array4<f32>,
    /// `[n, actions]`, true = legal.
    pub action_masks: Array2<bool>,
    /// `[n]`, the player who decides next.
    pub to_move: Array1<Player>,
    /// `[n]`, +1, 0 or -1 for the player *who acted*.
    pub rewards: Array1<f32>,
    /// `[n]`, whether the rules ended the game in this step.
    pub terminated: Array1<bool>,
    /// `[n]`, whether the limit cut the game off in this step.
    pub truncated: Array1<bool>,
    /// `[n, planes, rows, columns]`, the last observation of the last game that ended, from the view of the player that
    /// [`Info::to_move`] of `final_infos` names; zeros before the first.
    pub final_observations: Array4<f32>,
    /// `[n]`, the info at the end of the game, where one ended in this step.
    pub final_infos: Vec<Option<Info>>,
}

impl VecOutputs {
    /// Returns arrays for n games with this start.
    pub(crate) fn new<P: Position>(start: &P, n: usize) -> Self {
        let [planes, rows, columns] = start.observation_layout().shape();
        let observations = Array4::zeros([n, planes, rows, columns]);
        Self {
            final_observations: observations.clone(),
            observations,
            action_masks: Array2::default([n, start.num_actions()]),
            to_move: Array1::from_elem(n, start.to_move()),
            rewards: Array1::zeros(n),
            terminated: Array1::default(n),
            truncated: Array1::default(n),
            final_infos: vec![None; n],
        }
    }

    /// Returns the arrays for games to write to.
    ///
    /// # Panics
    /// If one of the arrays was replaced by one that is not in standard order.
    pub fn arrays(&mut self) -> VecArrays<'_> {
        VecArrays {
            observations: slice(&mut self.observations),
            action_masks: slice(&mut self.action_masks),
            to_move: slice(&mut self.to_move),
            rewards: slice(&mut self.rewards),
            terminated: slice(&mut self.terminated),
            truncated: slice(&mut self.truncated),
            final_infos: &mut self.final_infos,
            final_observations: slice(&mut self.final_observations),
        }
    }
}

/// Outputs of environments that own the memory of their arrays.
pub trait Outputs<P: Position> {
    /// The arrays.
    type Arrays<'a>: OutputArrays<P>
    where
        Self: 'a;

    /// Returns the arrays for games to write to.
    ///
    /// # Panics
    /// If one of the arrays was replaced by one that is not in standard order.
    fn arrays(&mut self) -> Self::Arrays<'_>;
}

impl<P: Position> Outputs<P> for VecOutputs {
    type Arrays<'a> = VecArrays<'a>;

    fn arrays(&mut self) -> VecArrays<'_> {
        self.arrays()
    }
}

pub(crate) fn slice<T, D: Dimension>(array: &mut Array<T, D>) -> &mut [T] {
    array.as_slice_mut().expect("the array is in standard order")
}
