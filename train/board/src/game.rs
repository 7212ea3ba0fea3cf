//! A game as the page knows it: its start and its actions.

use gipf_env::{Action, ActionIndex, GipfPosition, Setup, Variant};
use serde::{Deserialize, Serialize};

use crate::error::BoardError;

/// The most actions of a game that is looked at. Games of people and of trained players have some 100.
pub(crate) const MOST: usize = 4000;

/// A game: where it starts, and the numbers of its actions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameText {
    /// Position text of the start (GPN); that of the rule set if none.
    #[serde(default)]
    pub start: Option<String>,
    /// The rule set, where no start is given.
    #[serde(default)]
    pub variant: Option<String>,
    /// The numbers of the actions, in order.
    #[serde(default)]
    pub actions: Vec<u16>,
}

impl GameText {
    /// Returns the game of these actions.
    pub fn new(setup: &Setup, actions: &[Action]) -> Self {
        let actions = actions.iter().map(|action| action.index().0).collect();
        Self { start: Some(setup.to_string()), variant: None, actions }
    }

    /// Returns where the game starts.
    ///
    /// # Errors
    /// If the start is not a position, or there is no such rule set.
    pub fn setup(&self) -> Result<Setup, BoardError> {
        let setup = match (&self.start, &self.variant) {
            (Some(text), _) => text.parse()?,
            (None, Some(name)) => {
                let variant: Variant = name.parse().map_err(|error| BoardError::Variant(format!("{error}")))?;
                Setup::start(variant)
            }
            (None, None) => Setup::start(Variant::STANDARD),
        };
        setup.validate()?;
        // A game of push-off need not end by its rules.
        let limit = setup.variant.compulsory_limit();
        Ok(setup.with_placement_limit(limit))
    }

    /// Returns the actions.
    ///
    /// # Errors
    /// If there are too many, or one does not exist. Whether they are legal is not checked.
    pub fn actions(&self) -> Result<Vec<Action>, BoardError> {
        if self.actions.len() > MOST {
            return Err(BoardError::Long { found: self.actions.len() });
        }
        let known = |(place, &action): (usize, &u16)| {
            Action::from_index(ActionIndex(action)).ok_or(BoardError::Unknown { number: place + 1, action })
        };
        self.actions.iter().enumerate().map(known).collect()
    }

    /// Returns the position before each action, and the last one.
    ///
    /// # Errors
    /// If it is not a game.
    pub fn positions(&self) -> Result<Vec<GipfPosition>, BoardError> {
        let mut position = GipfPosition::from_setup(&self.setup()?)?;
        let mut positions = vec![position.clone()];
        for (place, action) in self.actions()?.into_iter().enumerate() {
            position.play(action).map_err(|why| BoardError::Illegal { number: place + 1, why })?;
            positions.push(position.clone());
        }
        Ok(positions)
    }

    /// Returns the position now.
    ///
    /// # Errors
    /// If it is not a game.
    pub fn position(&self) -> Result<GipfPosition, BoardError> {
        Ok(self.positions()?.pop().expect("there is always the start"))
    }
}
