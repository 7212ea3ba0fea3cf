//! The output arrays of games that are stepped together, in bytes or bits.

use ndarray::{Array1, Array2, Array3};

use super::error::VecStepError;
use super::looks::{Ends, Games, Looks, OutputArrays, Sealed, Shown, check_size};
use super::outputs::{Outputs, slice};
use super::stream::Scratch;
use crate::episode::Info;
use crate::observation::binary_planes::{self, Packing};
use crate::position::Player;
use crate::rules::{GipfPosition, Variant};

/// The output arrays of n games like [`VecArrays`](crate::VecArrays), with [`binary_planes`] in place of the floats.
#[derive(Debug)]
pub struct PackedArrays<'a> {
    /// How planes and masks are stored.
    pub packing: Packing,
    /// `[n, binary planes, 49]` in bytes, a cell each; `[n, binary planes, 7]` in bits, a row each; from the view of the
    /// player to move.
    pub planes: &'a mut [u8],
    /// `[n, scalars]`, the values of the planes that have one value each.
    pub scalars: &'a mut [f32],
    /// `[n, actions]`, 1 = legal; packed as bits, `[n, ⌈actions / 8⌉]`.
    pub action_masks: &'a mut [u8],
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
    /// Like `planes`: those of the last position of the last game that ended, from the view of the player that
    /// [`Info::to_move`] of `final_infos` names; other rows are left as they are.
    pub final_planes: &'a mut [u8],
    /// As `scalars`, of the same position.
    pub final_scalars: &'a mut [f32],
}

impl Sealed for PackedArrays<'_> {}

impl OutputArrays<GipfPosition> for PackedArrays<'_> {
    type Looks<'b>
        = Packed<'b>
    where
        Self: 'b;

    fn shown(&mut self, games: &Games<'_, GipfPosition>) -> Result<Shown<'_, Packed<'_>>, VecStepError> {
        let &Games { start, n, .. } = games;
        let row = Row::of(start.variant(), self.packing);
        check_size("planes", self.planes.len(), n * row.planes)?;
        check_size("scalars", self.scalars.len(), n * row.scalars)?;
        check_size("action_masks", self.action_masks.len(), n * row.mask)?;
        check_size("final_planes", self.final_planes.len(), n * row.planes)?;
        check_size("final_scalars", self.final_scalars.len(), n * row.scalars)?;
        let looks = Packed {
            packing: self.packing,
            row,
            planes: self.planes,
            scalars: self.scalars,
            action_masks: self.action_masks,
            final_planes: self.final_planes,
            final_scalars: self.final_scalars,
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

/// The sizes of the outputs of one game.
#[derive(Clone, Copy)]
struct Row {
    planes: usize,
    scalars: usize,
    mask: usize,
}

impl Row {
    fn of(variant: Variant, packing: Packing) -> Self {
        Self {
            planes: binary_planes::count(variant) * packing.plane(),
            scalars: binary_planes::scalars(variant),
            mask: packing.mask(variant.num_actions()),
        }
    }
}

/// Binary planes, scalars and masks.
#[doc(hidden)]
pub struct Packed<'a> {
    packing: Packing,
    row: Row,
    planes: &'a mut [u8],
    scalars: &'a mut [f32],
    action_masks: &'a mut [u8],
    final_planes: &'a mut [u8],
    final_scalars: &'a mut [f32],
}

impl Looks<GipfPosition> for Packed<'_> {
    fn split_at(self, games: usize) -> (Self, Self) {
        let Row { planes: plane, scalars: scalar, mask } = self.row;
        let planes = self.planes.split_at_mut(games * plane);
        let scalars = self.scalars.split_at_mut(games * scalar);
        let action_masks = self.action_masks.split_at_mut(games * mask);
        let final_planes = self.final_planes.split_at_mut(games * plane);
        let final_scalars = self.final_scalars.split_at_mut(games * scalar);
        let front = Self {
            planes: planes.0,
            scalars: scalars.0,
            action_masks: action_masks.0,
            final_planes: final_planes.0,
            final_scalars: final_scalars.0,
            ..self
        };
        let back = Self {
            planes: planes.1,
            scalars: scalars.1,
            action_masks: action_masks.1,
            final_planes: final_planes.1,
            final_scalars: final_scalars.1,
            ..self
        };
        (front, back)
    }

    #[inline]
    fn show(&mut self, game: usize, position: &GipfPosition, _scratch: &mut Scratch) {
        let Row { planes, scalars, mask } = self.row;
        let (planes, scalars) =
            (&mut self.planes[game * planes..][..planes], &mut self.scalars[game * scalars..][..scalars]);
        binary_planes::observe(position, self.packing, planes, scalars);
        binary_planes::write_mask(position, self.packing, &mut self.action_masks[game * mask..][..mask]);
    }

    fn show_last(&mut self, game: usize, position: &GipfPosition) {
        let Row { planes, scalars, .. } = self.row;
        let planes = &mut self.final_planes[game * planes..][..planes];
        binary_planes::observe(position, self.packing, planes, &mut self.final_scalars[game * scalars..][..scalars]);
    }
}

/// The outputs of environments like [`VecOutputs`](crate::VecOutputs), in bytes or bits.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedOutputs {
    /// How planes and masks are stored.
    pub packing: Packing,
    /// `[n, binary planes, 49]` in bytes, a cell each; `[n, binary planes, 7]` in bits, a row each.
    pub planes: Array3<u8>,
    /// `[n, scalars]`.
    pub scalars: Array2<f32>,
    /// `[n, actions]` in bytes, `[n, ⌈actions / 8⌉]` in bits.
    pub action_masks: Array2<u8>,
    /// `[n]`, the player who decides next.
    pub to_move: Array1<Player>,
    /// `[n]`, +1, 0 or -1 for the player *who acted*.
    pub rewards: Array1<f32>,
    /// `[n]`, whether the rules ended the game in this step.
    pub terminated: Array1<bool>,
    /// `[n]`, whether the limit cut the game off in this step.
    pub truncated: Array1<bool>,
    /// Like `planes`: those of the last position of the last game that ended, from the view of the player that
    /// [`Info::to_move`] of `final_infos` names; zeros before the first.
    pub final_planes: Array3<u8>,
    /// As `scalars`, of the same position.
    pub final_scalars: Array2<f32>,
    /// `[n]`, the end of the game that ended in this step, where one did.
    pub final_infos: Vec<Option<Info>>,
}

impl PackedOutputs {
    /// Returns arrays for n games with this start.
    pub(crate) fn new(start: &GipfPosition, n: usize, packing: Packing) -> Self {
        let row = Row::of(start.variant(), packing);
        let planes = Array3::zeros([n, row.planes / packing.plane(), packing.plane()]);
        let scalars = Array2::zeros([n, row.scalars]);
        Self {
            packing,
            final_planes: planes.clone(),
            planes,
            final_scalars: scalars.clone(),
            scalars,
            action_masks: Array2::zeros([n, row.mask]),
            to_move: Array1::from_elem(n, start.to_move()),
            rewards: Array1::zeros(n),
            terminated: Array1::default(n),
            truncated: Array1::default(n),
            final_infos: vec![None; n],
        }
    }
}

impl Outputs<GipfPosition> for PackedOutputs {
    type Arrays<'a> = PackedArrays<'a>;

    fn arrays(&mut self) -> PackedArrays<'_> {
        PackedArrays {
            packing: self.packing,
            planes: slice(&mut self.planes),
            scalars: slice(&mut self.scalars),
            action_masks: slice(&mut self.action_masks),
            to_move: slice(&mut self.to_move),
            rewards: slice(&mut self.rewards),
            terminated: slice(&mut self.terminated),
            truncated: slice(&mut self.truncated),
            final_infos: &mut self.final_infos,
            final_planes: slice(&mut self.final_planes),
            final_scalars: slice(&mut self.final_scalars),
        }
    }
}
