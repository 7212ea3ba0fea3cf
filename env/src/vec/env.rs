//! Many environments stepped at once, for training loops that work on batches.

use super::error::VecStepError;
use super::games::VecGames;
use super::outputs::{Outputs, VecOutputs};
use super::packed::PackedOutputs;
use crate::env::{EnvError, EnvOptions, ResetOptions};
use crate::episode::StartIsOver;
use crate::observation::binary_planes::Packing;
use crate::position::{ActionIndex, Position};
use crate::rules::GipfPosition;

/// Environments that are stepped together, on the threads of rayon.
///
/// Environment i plays its game e from a generator seeded with (seed, i, e), so results do not depend on the number of
/// threads. After [`VecEnv::new`] nothing is allocated, unless a game without a limit goes on for more than 400 placements.
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
pub struct VecEnv<P: Position = GipfPosition, O = VecOutputs> {
    games: VecGames<P>,
    outputs: O,
}

impl VecEnv {
    /// Returns this many environments, each at the first decision of its first game, which [`VecEnv::outputs`] shows.
    ///
    /// Unlike [`Env::new`](crate::Env::new) it begins the first games, including random openings: a reset without a
    /// seed starts the second games. A reset with the seed of the options starts the first games again, as the first
    /// reset of an `Env` does.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn new(options: &EnvOptions, environments: usize) -> Result<Self, EnvError> {
        let games = VecGames::new(options, environments)?;
        Ok(Self::begun(games.outputs(), games))
    }
}

impl VecEnv<GipfPosition, PackedOutputs> {
    /// Returns this many environments whose outputs are bytes or bits, with a quarter or a 24th of the memory.
    ///
    /// [`binary_planes`](crate::binary_planes) describes their contents.
    ///
    /// ```
    /// use gipf_env::{EnvOptions, Variant, VecEnv, binary_planes::Packing};
    ///
    /// let envs = VecEnv::packed(&EnvOptions::new(Variant::STANDARD), 64, Packing::Bits)?;
    /// assert_eq!(envs.outputs().planes.shape(), [64, 9, 7]);
    /// assert_eq!(envs.outputs().scalars.shape(), [64, 5]);
    /// assert_eq!(envs.outputs().action_masks.shape(), [64, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn packed(options: &EnvOptions, environments: usize, packing: Packing) -> Result<Self, EnvError> {
        let games = VecGames::new(options, environments)?;
        Ok(Self::begun(games.packed_outputs(packing), games))
    }
}

impl<P: Position> VecEnv<P> {
    /// Returns this many environments of any game, without random openings unless a reset asks for them.
    ///
    /// # Errors
    /// If the game is over at the start.
    pub fn from_start(start: &P, environments: usize) -> Result<Self, StartIsOver> {
        let games = VecGames::from_start(start, environments)?;
        Ok(Self::begun(games.outputs(), games))
    }
}

impl<P: Position, O: Outputs<P>> VecEnv<P, O> {
    fn begun(outputs: O, games: VecGames<P>) -> Self {
        let mut envs = Self { games, outputs };
        envs.reset(ResetOptions::default());
        envs
    }

    /// Starts the next game in every environment; with a seed, the first game of that seed.
    pub fn reset(&mut self, options: ResetOptions) -> &O {
        let reset = self.games.reset_into(options, &mut self.outputs.arrays());
        reset.expect("the arrays were made for these games");
        &self.outputs
    }

    /// Plays one action in each environment.
    ///
    /// # Errors
    /// If there is not one action for each environment, or one of them cannot be played; then no environment is stepped.
    pub fn step(&mut self, actions: &[ActionIndex]) -> Result<&O, VecStepError> {
        self.games.step_into(actions, &mut self.outputs.arrays())?;
        Ok(&self.outputs)
    }

    /// Returns the outputs of the environments.
    pub fn outputs(&self) -> &O {
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
