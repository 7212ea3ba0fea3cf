//! Many environments stepped at once, for training loops that work on batches.

use ndarray::{Array1, Array2, Array4};
use rayon::prelude::*;

use crate::env::{EnvError, EnvOptions, ResetOptions, TRAINING_LIMIT};
use crate::episode::{Episode, GameNumber, Info, StartIsOver, StepError};
use crate::position::{ActionIndex, Player, Position};
use crate::rules::GipfPosition;

/// Environments per piece of work: enough to outweigh handing it to another thread.
const PER_TASK: usize = 32;

/// What the environments show after a reset or a step, one entry or row for each.
///
/// A game that ends is started over in the same step: the arrays without `final_` then show the first decision of the
/// next game, while `rewards`, `terminated` and `truncated` belong to the step that ended the old one.
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
    /// `[n, planes, rows, columns]`, the last observation of the last game that ended, zeros before the first.
    pub final_observations: Array4<f32>,
    /// The end of the game that ended in this step, where one did.
    pub final_infos: Vec<Option<Info>>,
}

/// An action was refused; no environment has been stepped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VecStepError {
    /// Not one action for each environment.
    #[error("{found} actions: expected one for each of {expected} environments")]
    Count {
        /// The number of actions.
        found: usize,
        /// The number of environments.
        expected: usize,
    },
    /// One of the actions cannot be played.
    #[error("environment {index}: {source}")]
    Refused {
        /// The number of the environment.
        index: usize,
        /// Why.
        source: StepError,
    },
}

/// Environments that are stepped together, over the threads of rayon.
///
/// Environment i plays its game e from a generator seeded with (seed, i, e), so results do not depend on the number of
/// threads. After construction nothing is allocated.
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
    lanes: Vec<Lane<P>>,
    outputs: VecOutputs,
    games: Games<P>,
}

/// How games are started over.
#[derive(Clone, Debug)]
struct Games<P> {
    start: P,
    opening_plies: usize,
    seed: u64,
}

/// One environment.
#[derive(Clone, Debug)]
struct Lane<P> {
    episode: Episode<P>,
    index: u64,
    episodes: u64,
}

impl VecEnv {
    /// Returns so many environments, each at the first decision of its first game.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn new(options: &EnvOptions, environments: usize) -> Result<Self, EnvError> {
        let start = GipfPosition::from_setup(&options.setup)?;
        let mut envs = Self::from_start(&start, environments)?;
        let room = usize::from(options.setup.limit.unwrap_or(TRAINING_LIMIT));
        for lane in &mut envs.lanes {
            lane.episode.position_mut().reserve_history(room);
        }
        envs.reset(ResetOptions { seed: Some(options.seed), opening_plies: Some(options.opening_plies) });
        Ok(envs)
    }
}

impl<P: Position> VecEnv<P> {
    /// Returns so many environments of any game, without random openings unless a reset asks for them.
    ///
    /// # Errors
    /// If the game is over at the start.
    pub fn from_start(start: &P, environments: usize) -> Result<Self, StartIsOver> {
        let episode = Episode::new(start.clone())?;
        let lane = |index| Lane { episode: episode.clone(), index, episodes: 0 };
        let mut envs = Self {
            lanes: (0..environments as u64).map(lane).collect(),
            outputs: VecOutputs::new(start, environments),
            games: Games { start: start.clone(), opening_plies: 0, seed: 0 },
        };
        envs.reset(ResetOptions { seed: Some(0), opening_plies: None });
        Ok(envs)
    }

    /// Starts the next game in every environment.
    pub fn reset(&mut self, options: ResetOptions) -> &VecOutputs {
        if let Some(seed) = options.seed {
            self.games.seed = seed;
            self.lanes.iter_mut().for_each(|lane| lane.episodes = 0);
        }
        self.games.opening_plies = options.opening_plies.unwrap_or(self.games.opening_plies);
        let games = &self.games;
        (self.lanes.par_iter_mut(), self.outputs.rows()).into_par_iter().with_min_len(PER_TASK).for_each(
            |(lane, mut row)| {
                lane.restart(games);
                row.clear();
                row.look(&lane.episode);
            },
        );
        &self.outputs
    }

    /// Plays one action in each environment.
    ///
    /// # Errors
    /// If there is not one for each, or one of them cannot be played; then no environment has been stepped.
    pub fn step(&mut self, actions: &[ActionIndex]) -> Result<&VecOutputs, VecStepError> {
        self.check(actions)?;
        let games = &self.games;
        let work = (self.lanes.par_iter_mut(), self.outputs.rows(), actions.par_iter());
        work.into_par_iter().with_min_len(PER_TASK).for_each(|(lane, mut row, &index)| {
            let ended = lane.step(index, &mut row);
            if ended {
                lane.restart(games);
                row.look(&lane.episode);
            }
        });
        Ok(&self.outputs)
    }

    /// Returns what the environments show.
    pub fn outputs(&self) -> &VecOutputs {
        &self.outputs
    }

    /// Returns the number of environments.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Returns whether there is no environment.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Returns the position of an environment.
    ///
    /// # Panics
    /// If there is no such environment.
    pub fn position(&self, index: usize) -> &P {
        self.lanes[index].episode.position()
    }

    /// Returns the first action that cannot be played as an error.
    fn check(&self, actions: &[ActionIndex]) -> Result<(), VecStepError> {
        let (found, expected) = (actions.len(), self.lanes.len());
        if found != expected {
            return Err(VecStepError::Count { found, expected });
        }
        let masks = self.outputs.action_masks.as_slice().expect("the array is in standard order");
        let mut masks = masks.chunks_exact(self.outputs.action_masks.ncols()).zip(actions);
        let refused = masks.position(|(mask, action)| mask.get(action.get()) != Some(&true));
        match refused {
            Some(index) => {
                let source = self.lanes[index].episode.refusal(actions[index]);
                Err(VecStepError::Refused { index, source })
            }
            None => Ok(()),
        }
    }
}

impl<P: Position> Lane<P> {
    /// Plays an action known to be legal, and returns whether it has ended the game.
    fn step(&mut self, index: ActionIndex, row: &mut Row<'_>) -> bool {
        let action = self.episode.position().action_at(index).expect("the action mask holds actions of the game only");
        let actor = self.episode.play_unchecked(action);
        row.clear();
        row.look(&self.episode);
        let Some(outcome) = self.episode.position().outcome() else {
            return false;
        };
        *row.reward = outcome.reward(actor);
        *row.truncated = outcome.truncated();
        *row.terminated = !outcome.truncated();
        *row.final_info = Some(self.episode.info(row.mask));
        row.final_observation.copy_from_slice(row.observation);
        true
    }

    fn restart(&mut self, games: &Games<P>) {
        let game = GameNumber { seed: games.seed, environment: self.index, episode: self.episodes };
        self.episodes += 1;
        self.episode.restart(&games.start, games.opening_plies, game);
    }
}

/// The part of the outputs that belongs to one environment.
struct Row<'a> {
    observation: &'a mut [f32],
    mask: &'a mut [bool],
    to_move: &'a mut Player,
    reward: &'a mut f32,
    terminated: &'a mut bool,
    truncated: &'a mut bool,
    final_observation: &'a mut [f32],
    final_info: &'a mut Option<Info>,
}

impl Row<'_> {
    /// Forgets the end of the last game.
    fn clear(&mut self) {
        *self.reward = 0.0;
        *self.terminated = false;
        *self.truncated = false;
        *self.final_info = None;
    }

    /// Shows the position.
    fn look<P: Position>(&mut self, episode: &Episode<P>) {
        let position = episode.position();
        position.observe(self.observation);
        position.action_mask(self.mask);
        *self.to_move = position.to_move();
    }
}

impl VecOutputs {
    fn new<P: Position>(start: &P, n: usize) -> Self {
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

    /// Iterates over the environments' parts.
    fn rows(&mut self) -> impl IndexedParallelIterator<Item = Row<'_>> {
        let (_, planes, rows, columns) = self.observations.dim();
        let (size, actions) = (planes * rows * columns, self.action_masks.ncols());
        let seen = (
            slice(&mut self.observations).par_chunks_exact_mut(size),
            slice(&mut self.action_masks).par_chunks_exact_mut(actions),
            slice(&mut self.to_move).par_iter_mut(),
        );
        let ended = (
            slice(&mut self.rewards).par_iter_mut(),
            slice(&mut self.terminated).par_iter_mut(),
            slice(&mut self.truncated).par_iter_mut(),
            slice(&mut self.final_observations).par_chunks_exact_mut(size),
            self.final_infos.par_iter_mut(),
        );
        let pairs = seen.into_par_iter().zip(ended.into_par_iter());
        pairs.map(|((observation, mask, to_move), (reward, terminated, truncated, final_observation, final_info))| {
            Row { observation, mask, to_move, reward, terminated, truncated, final_observation, final_info }
        })
    }
}

fn slice<T, D: ndarray::Dimension>(array: &mut ndarray::Array<T, D>) -> &mut [T] {
    array.as_slice_mut().expect("the array is in standard order")
}
