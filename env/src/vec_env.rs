//! Many environments stepped at once, for training loops that work on batches.

use crate::env::{EnvError, EnvOptions, ResetOptions};
use crate::episode::StartIsOver;
use crate::position::{ActionIndex, Position};
use crate::rules::GipfPosition;
use crate::vec_games::{VecGames, VecStepError};
use crate::vec_outputs::VecOutputs;

/// Environments that are stepped together, over the threads of rayon.
///
/// Environment i plays its game e from a generator seeded with (seed, i, e), so results do not depend on the number of
/// threads. After [`VecEnv::new`] nothing is allocated.
///
/// ```
/// use gipf_env::{ActionIndex, EnvOptions, Variant, VecEnv};
///
/// let mut envs = VecEnv::new(&EnvOptions::new(Variant::STANDARD), 64)?;
/// assert_eq!(envs.outputs().observations.shape(), [64, 11, 7, 7]);
/// let first_legal: Vec<_> = envs.outputs().action_masks.outer_iter()
///     .map(|mask| ActionIndex(mask.iter().position(|&legal| legal).expect("games that end are started over") as u16))
///     .collect();
/// let outputs = envs.step(&first_legal)?;
/// assert!(outputs.rewards.iter().all(|&reward| reward == 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VecEnv<P: Position = GipfPosition> {
    games: VecGames<P>,
    outputs: VecOutputs,
}

impl VecEnv {
    /// Returns this many environments, each at the first decision of its first game.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn new(options: &EnvOptions, environments: usize) -> Result<Self, EnvError> {
        Ok(Self::begun(VecGames::new(options, environments)?))
    }
}

impl<P: Position> VecEnv<P> {
    /// Returns this many environments of any game, without random openings unless a reset asks for them.
    ///
    /// # Errors
    /// If the game is over at the start.
    pub fn from_start(start: &P, environments: usize) -> Result<Self, StartIsOver> {
        Ok(Self::begun(VecGames::from_start(start, environments)?))
    }

    fn begun(games: VecGames<P>) -> Self {
        let mut envs = Self { outputs: games.outputs(), games };
        envs.reset(ResetOptions::default());
        envs
    }

    /// Starts the next game in every environment.
    pub fn reset(&mut self, options: ResetOptions) -> &VecOutputs {
        let reset = self.games.reset_into(options, &mut self.outputs.arrays());
        reset.expect("the arrays were made for these games");
        &self.outputs
    }

    /// Plays one action in each environment.
    ///
    /// # Errors
    /// If there is not one for each, or one of them cannot be played; then no environment is stepped.
    pub fn step(&mut self, actions: &[ActionIndex]) -> Result<&VecOutputs, VecStepError> {
        self.games.step_into(actions, &mut self.outputs.arrays())?;
        Ok(&self.outputs)
    }

    /// Returns the outputs of the environments.
    pub fn outputs(&self) -> &VecOutputs {
        &self.outputs
    }

    /// Returns the number of environments.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns whether there is no environment.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Returns the position of an environment.
    ///
    /// # Panics
    /// If there is no such environment.
    pub fn position(&self, index: usize) -> &P {
        self.games.position(index)
    }
}
