//! The implementations of [`Position`] and [`Learnable`] for GIPF.

use crate::action::Action;
use crate::learnable::Learnable;
use crate::observation;
use crate::position::{ActionIndex, IllegalAction, ObservationLayout, Outcome, Player, Position};
use crate::rules::{GipfPosition, Phase};
use crate::symmetry::{SYMMETRIES, Symmetry};

impl Position for GipfPosition {
    type Action = Action;

    #[inline]
    fn num_actions(&self) -> usize {
        self.variant().num_actions()
    }

    fn observation_layout(&self) -> ObservationLayout {
        observation::layout(self.variant())
    }

    #[inline]
    fn to_move(&self) -> Player {
        Self::to_move(self)
    }

    /// Counts placements: the removals before a placement and those after it belong to the same turn.
    fn turn(&self) -> usize {
        let made_before = self.placements().saturating_sub(u16::from(self.phase() == Phase::Post));
        made_before.into()
    }

    #[inline]
    fn legal_actions(&self) -> impl Iterator<Item = Action> {
        self.action_set().indices().map(|index| Action::from_index(index).expect("legal actions have indices in range"))
    }

    #[inline]
    fn is_legal(&self, action: Action) -> bool {
        Self::is_legal(self, action)
    }

    #[inline]
    fn num_legal_actions(&self) -> usize {
        self.action_set().len()
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        Self::outcome(self)
    }

    fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        Self::play(self, action)
    }

    #[inline]
    fn play_unchecked(&mut self, action: Action) {
        Self::play_unchecked(self, action);
    }

    #[inline]
    fn action_index(&self, action: Action) -> ActionIndex {
        action.index()
    }

    #[inline]
    fn action_at(&self, index: ActionIndex) -> Option<Action> {
        if index.get() < self.num_actions() { Action::from_index(index) } else { None }
    }

    fn observe(&self, planes: &mut [f32]) {
        observation::observe(self, planes);
    }

    fn action_mask(&self, mask: &mut [bool]) {
        assert!(mask.len() >= self.num_actions(), "a mask has an entry for each action");
        self.action_set().write_mask(mask);
    }
}

impl Learnable for GipfPosition {
    fn symmetries(&self) -> usize {
        SYMMETRIES
    }

    fn transformed(&self, symmetry: usize) -> Self {
        Symmetry::from_index(symmetry).position(self)
    }

    fn transformed_action(&self, symmetry: usize, action: Action) -> Action {
        Symmetry::from_index(symmetry).action(self, action)
    }

    fn is_valid(&self) -> bool {
        self.validate().is_ok()
    }

    fn view_key(&self) -> Option<u128> {
        Some(Self::view_key(self))
    }

    fn without_history(&self) -> Self {
        Self::without_history(self)
    }

    fn in_game_from(&self, start: &Self) -> Self {
        self.with_placement_limit(start.placement_limit())
    }
}
