//! Which actions a game has.

use serde::{Deserialize, Serialize};

use crate::action::{self, Action, Pushed};

/// The actions of a game: how many there are, and which groups a rule set has.
///
/// Each action space has a size of its own, so the size identifies it and is all that is stored.
///
/// ```
/// use gipf_env::{Action, ActionSpace, Pushed, Variant};
///
/// let actions = Variant::TOURNAMENT.action_space();
/// assert_eq!(actions, ActionSpace::TOURNAMENT);
/// assert_eq!((actions.size(), actions.kinds()), (107, 2));
/// assert!(actions.has(Action::Keep) && !actions.has(Action::Leave));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionSpace(usize);

impl ActionSpace {
    /// The actions of `basic`: pushes of singles, and rows.
    pub const BASIC: Self = Self(action::KEEP);
    /// The actions of `standard`: also keep and take.
    pub const STANDARD: Self = Self(action::PUSH_GIPF);
    /// The actions of `tournament`: also pushes of GIPF-pieces.
    pub const TOURNAMENT: Self = Self(action::PUSH_LOADED);
    /// The actions with ZÈRTZ-potentials: also pushes of loaded pieces, and jumps.
    pub const ZERTZ: Self = Self(action::LEAVE);
    /// The actions of `push-off`: those of `standard`, leave and remove; the numbers in between are never legal.
    pub const PUSH_OFF: Self = Self(action::ACTIONS);
    /// The action spaces of all rule sets.
    pub const ALL: [Self; 5] = [Self::BASIC, Self::STANDARD, Self::TOURNAMENT, Self::ZERTZ, Self::PUSH_OFF];
    /// The largest action space.
    pub const LARGEST: Self = Self::PUSH_OFF;

    /// Returns the action space of this size.
    pub const fn of_size(size: usize) -> Self {
        Self(size)
    }

    /// Returns how many actions there are: the size of the policy head and of the action mask.
    pub const fn size(self) -> usize {
        self.0
    }

    /// Returns whether a rule set of GIPF has this action space.
    pub fn is_gipf(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// Returns whether an action may be legal in a game of this rule set.
    pub fn has(self, action: Action) -> bool {
        let is_foreign = matches!(action, Action::Push(Pushed::Gipf | Pushed::Loaded, _) | Action::Jump(..));
        action.index().get() < self.0 && !(self == Self::PUSH_OFF && is_foreign)
    }

    /// Returns the number of kinds of pieces that can be pushed.
    pub fn kinds(self) -> usize {
        match self {
            Self::TOURNAMENT => 2,
            Self::ZERTZ => 3,
            _ => 1,
        }
    }

    /// Returns the number of answers to a question about a piece: keep and take; in push-off also leave and remove, for
    /// the pieces at the ends of a row.
    pub fn answers(self) -> usize {
        [Action::Keep, Action::Take, Action::Leave, Action::Remove]
            .into_iter()
            .filter(|&answer| self.has(answer))
            .count()
    }

    /// Returns whether potentials jump.
    pub fn has_jumps(self) -> bool {
        self == Self::ZERTZ
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::ActionIndex;

    #[test]
    fn the_parts_of_each_game_are_those_of_its_actions() {
        for actions in ActionSpace::ALL {
            let all = (0..actions.size() as u16).filter_map(|index| Action::from_index(ActionIndex(index)));
            let had: Vec<_> = all.filter(|&action| actions.has(action)).collect();
            let pushed = [Pushed::Single, Pushed::Gipf, Pushed::Loaded];
            let kinds =
                pushed.map(|kind| had.iter().any(|action| matches!(action, Action::Push(of, _) if *of == kind)));
            assert_eq!(kinds, [0, 1, 2].map(|kind| kind < actions.kinds()));
            assert_eq!(had.iter().any(|action| matches!(action, Action::Jump(..))), actions.has_jumps());
            assert_eq!(had.contains(&Action::Take), actions.answers() > 0);
            assert!(actions.is_gipf() && !ActionSpace::of_size(actions.size() - 1).is_gipf());
        }
        assert_eq!(ActionSpace::ALL.map(ActionSpace::answers), [0, 2, 2, 2, 4]);
        assert_eq!(ActionSpace::ALL.map(ActionSpace::size), [63, 65, 107, 371, 373]);
    }
}
