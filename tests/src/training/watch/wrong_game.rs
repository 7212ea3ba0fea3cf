//! GIPF with an implementation that is wrong in one point.

use gipf_env::{Action, ActionIndex, GipfPosition, Learnable, ObservationLayout, Outcome, Player, Position};
use serde::{Deserialize, Serialize};

/// The actions of an image are those of another image.
pub const SYMMETRY: u8 = 0;
/// The mask has one action too many.
pub const MASK: u8 = 1;
/// Each action of an image is the one after the right one; as a set, they are right.
pub const NEXT: u8 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wrong<const HOW: u8>(pub GipfPosition);

impl<const HOW: u8> Position for Wrong<HOW> {
    type Action = Action;

    fn num_actions(&self) -> usize {
        Position::num_actions(&self.0)
    }

    fn observation_layout(&self) -> ObservationLayout {
        Position::observation_layout(&self.0)
    }

    fn to_move(&self) -> Player {
        Position::to_move(&self.0)
    }

    fn turn(&self) -> usize {
        Position::turn(&self.0)
    }

    fn legal_actions(&self) -> impl Iterator<Item = Action> {
        Position::legal_actions(&self.0)
    }

    fn outcome(&self) -> Option<Outcome> {
        Position::outcome(&self.0)
    }

    fn play_unchecked(&mut self, action: Action) {
        Position::play_unchecked(&mut self.0, action);
    }

    fn action_index(&self, action: Action) -> ActionIndex {
        Position::action_index(&self.0, action)
    }

    fn action_at(&self, index: ActionIndex) -> Option<Action> {
        Position::action_at(&self.0, index)
    }

    fn observe(&self, planes: &mut [f32]) {
        Position::observe(&self.0, planes);
    }

    fn action_mask(&self, mask: &mut [bool]) {
        Position::action_mask(&self.0, mask);
        if HOW == MASK
            && let Some(illegal) = mask.iter_mut().find(|legal| !**legal)
        {
            *illegal = true;
        }
    }
}

impl<const HOW: u8> Learnable for Wrong<HOW> {
    fn symmetries(&self) -> usize {
        self.0.symmetries()
    }

    fn transformed(&self, symmetry: usize) -> Self {
        Self(self.0.transformed(symmetry))
    }

    fn transformed_action(&self, symmetry: usize, action: Action) -> Action {
        // A rotation in the wrong direction: it still maps the actions of the start to legal ones.
        let mapped = if HOW == SYMMETRY && (1..6).contains(&symmetry) { 6 - symmetry } else { symmetry };
        let image = self.0.transformed_action(mapped, action);
        if HOW == NEXT && symmetry != 0 { beside(image, &self.0.transformed(symmetry)) } else { image }
    }

    fn without_history(&self) -> Self {
        Self(self.0.without_history())
    }
}

/// Returns the legal action after this one; the first comes after the last.
fn beside(action: Action, position: &GipfPosition) -> Action {
    let legal: Vec<_> = Position::legal_actions(position).collect();
    let place = legal.iter().position(|&other| other == action);
    place.map_or(action, |place| legal[(place + 1) % legal.len()])
}
