//! Many games stepped at once, which write to arrays of the caller.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::{ResumeError, VecStepError};
use super::looks::{Games, Looks, OutputArrays, Shown};
use super::outputs::VecOutputs;
use super::packed::PackedOutputs;
use super::stream::Scratch;
use crate::env::{EnvError, EnvOptions, ResetOptions};
use crate::episode::{Episode, GameNumber, StartIsOver};
use crate::observation::binary_planes::Packing;
use crate::position::{ActionIndex, Position};
use crate::rules::{GipfPosition, PLACEMENT_LIMIT, Variant};

/// Games per task: enough to outweigh handing it to another thread.
const PER_TASK: usize = 64;
/// The same for checking whether an action is legal, which takes a fiftieth of the time.
const PER_CHECK: usize = 1024;

/// Games that are stepped together, on the threads of rayon: a [`VecEnv`](crate::VecEnv) without arrays of its own.
///
/// Environment i opens its game e from a generator seeded with (seed, i, e), so results do not depend on the number of
/// threads. After [`VecGames::new`] nothing is allocated, unless a game without a limit goes on for more than 400
/// placements.
///
/// ```
/// use gipf_env::{ActionIndex, EnvOptions, ResetOptions, Variant, VecGames};
///
/// let mut games = VecGames::new(&EnvOptions::new(Variant::STANDARD), 8)?;
/// let mut outputs = games.outputs();
/// games.reset_into(ResetOptions::default(), &mut outputs.arrays())?;
/// let first = outputs.action_masks.row(0).iter().position(|&legal| legal).expect("a game begins with a decision");
/// games.step_into(&[ActionIndex(first as u16); 8], &mut outputs.arrays())?;
/// assert!(outputs.to_move.iter().all(|player| *player == gipf_env::Player::Black));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", from = "Written<P>", into = "Written<P>")]
pub struct VecGames<P: Position = GipfPosition> {
    lanes: Vec<Lane<P>>,
    opening: Opening<P>,
    /// The number of values of an observation.
    observation: usize,
}

/// One environment.
#[derive(Clone, Debug)]
struct Lane<P> {
    episode: Episode<P>,
    index: usize,
    episodes: u64,
}

/// How the next games start.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Opening<P> {
    start: P,
    plies: usize,
    seed: u64,
}

/// The games in serialized form: each with the number of the game that follows it.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct Written<P: Position> {
    opening: Opening<P>,
    games: Vec<(Episode<P>, u64)>,
}

impl<P: Position> From<VecGames<P>> for Written<P> {
    fn from(VecGames { lanes, opening, .. }: VecGames<P>) -> Self {
        Self { opening, games: lanes.into_iter().map(|lane| (lane.episode, lane.episodes)).collect() }
    }
}

impl<P: Position> From<Written<P>> for VecGames<P> {
    fn from(Written { opening, games }: Written<P>) -> Self {
        let lane = |(index, (episode, episodes))| Lane { episode, index, episodes };
        let observation = opening.start.observation_layout().size();
        Self { lanes: games.into_iter().enumerate().map(lane).collect(), opening, observation }
    }
}

impl VecGames {
    /// Returns this many games at their starts, before any random opening.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn new(options: &EnvOptions, environments: usize) -> Result<Self, EnvError> {
        let start = GipfPosition::from_setup(&options.setup)?;
        let mut games = Self::from_start(&start, environments)?;
        games.make_room();
        (games.opening.plies, games.opening.seed) = (options.opening_plies, options.seed);
        Ok(games)
    }

    /// Returns empty output arrays for these games, in bytes or bits.
    pub fn packed_outputs(&self, packing: Packing) -> PackedOutputs {
        PackedOutputs::new(&self.opening.start, self.lanes.len(), packing)
    }

    /// Returns games that were deserialized, if they can go on.
    ///
    /// # Errors
    /// If no game can be started from their start, or one of them is over or not at a position of the start's rule set.
    pub fn checked(mut self) -> Result<Self, ResumeError> {
        let start = &self.opening.start;
        start.validate().map_err(EnvError::from)?;
        Episode::new(start.clone()).map_err(EnvError::from)?;
        for (index, lane) in self.lanes.iter().enumerate() {
            lane.check(index, start.variant())?;
        }
        self.make_room();
        Ok(self)
    }

    fn make_room(&mut self) {
        let room = usize::from(self.opening.start.placement_limit().unwrap_or(PLACEMENT_LIMIT));
        for lane in &mut self.lanes {
            lane.episode.position_mut().reserve_history(room);
        }
    }
}

impl<P: Position> VecGames<P> {
    /// Returns this many games of any kind, without random openings unless a reset asks for them.
    ///
    /// # Errors
    /// If the game is over at the start.
    pub fn from_start(start: &P, environments: usize) -> Result<Self, StartIsOver> {
        let episode = Episode::new(start.clone())?;
        let lane = |index| Lane { episode: episode.clone(), index, episodes: 0 };
        Ok(Self {
            lanes: (0..environments).map(lane).collect(),
            opening: Opening { start: start.clone(), plies: 0, seed: 0 },
            observation: start.observation_layout().size(),
        })
    }

    /// Starts the next game in every environment; with a seed, the first game of that seed.
    ///
    /// # Errors
    /// If an array has the wrong size; then nothing is reset.
    pub fn reset_into(&mut self, options: ResetOptions, arrays: &mut impl OutputArrays<P>) -> Result<(), VecStepError> {
        let shown = arrays.shown(&self.kind())?;
        if let Some(seed) = options.seed {
            self.opening.seed = seed;
            self.lanes.iter_mut().for_each(|lane| lane.episodes = 0);
        }
        self.opening.plies = options.opening_plies.unwrap_or(self.opening.plies);
        let opening = &self.opening;
        for_each(&mut self.lanes, shown, &|shown| shown.ends.clear(), &|lane, _, _| lane.restart(opening));
        Ok(())
    }

    /// Plays one action in each environment.
    ///
    /// # Errors
    /// If there is not one action for each environment, one of them cannot be played, or an array has the wrong size;
    /// then no environment is stepped.
    pub fn step_into(
        &mut self,
        actions: &[ActionIndex],
        arrays: &mut impl OutputArrays<P>,
    ) -> Result<(), VecStepError> {
        let shown = arrays.shown(&self.kind())?;
        self.check_actions(actions)?;
        let opening = &self.opening;
        for_each(&mut self.lanes, shown, &|shown| shown.ends.clear(), &|lane, game, shown| {
            if lane.step(actions[lane.index], game, shown) {
                lane.restart(opening);
            }
        });
        Ok(())
    }

    /// Writes the current observations, masks and players to move.
    ///
    /// # Errors
    /// If an array has the wrong size.
    pub fn show_into(&mut self, arrays: &mut impl OutputArrays<P>) -> Result<(), VecStepError> {
        let shown = arrays.shown(&self.kind())?;
        for_each(&mut self.lanes, shown, &|_| (), &|_, _, _| ());
        Ok(())
    }

    /// Returns empty output arrays for these games.
    pub fn outputs(&self) -> VecOutputs {
        VecOutputs::new(&self.opening.start, self.lanes.len())
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

    fn kind(&self) -> Games<'_, P> {
        Games { start: &self.opening.start, observation: self.observation, n: self.lanes.len() }
    }

    /// Checks against the positions, since the caller could change the masks.
    fn check_actions(&self, actions: &[ActionIndex]) -> Result<(), VecStepError> {
        let (found, expected) = (actions.len(), self.lanes.len());
        if found != expected {
            return Err(VecStepError::Count { found, expected });
        }
        let is_refused = |(lane, &action): (&Lane<P>, &ActionIndex)| !lane.episode.is_legal(action);
        let parts = self.lanes.par_chunks(PER_CHECK).zip(actions.par_chunks(PER_CHECK));
        if !parts.map(|(lanes, actions)| lanes.iter().zip(actions).any(is_refused)).any(|any| any) {
            return Ok(());
        }
        let index = self.lanes.iter().zip(actions).position(is_refused).expect("one of the actions is refused");
        Err(VecStepError::Refused { index, source: self.lanes[index].episode.refusal(actions[index]) })
    }
}

impl Lane<GipfPosition> {
    /// Checks that the game can go on, among games of this rule set.
    fn check(&self, index: usize, expected: Variant) -> Result<(), ResumeError> {
        let position = self.episode.position();
        position.validate().map_err(|source| ResumeError::Invalid { index, source })?;
        if position.variant() != expected {
            return Err(ResumeError::Variant { index, found: position.variant(), expected });
        }
        position.outcome().map_or(Ok(()), |outcome| Err(ResumeError::Over { index, outcome }))
    }
}

impl<P: Position> Lane<P> {
    /// Plays an action known to be legal, and returns whether it has ended the game; the arrays then show how.
    #[inline]
    fn step<L: Looks<P>>(&mut self, index: ActionIndex, game: usize, shown: &mut Shown<'_, L>) -> bool {
        let action = self.episode.position().action_at(index).expect("the action is known to be legal");
        let actor = self.episode.play_unchecked(action);
        let Some(outcome) = self.episode.position().outcome() else {
            return false;
        };
        shown.ends.end(game, outcome, actor, &self.episode);
        shown.looks.show_last(game, self.episode.position());
        true
    }

    fn restart(&mut self, opening: &Opening<P>) {
        let game = GameNumber { seed: opening.seed, environment: self.index as u64, episode: self.episodes };
        self.episodes += 1;
        self.episode.restart(&opening.start, opening.plies, game);
    }
}

/// Runs `work` on every lane, on the threads of rayon, and then shows the lane; `begin` runs before each part of the lanes.
fn for_each<P: Position, L: Looks<P>>(
    lanes: &mut [Lane<P>],
    mut shown: Shown<'_, L>,
    begin: &(impl Fn(&mut Shown<'_, L>) + Sync),
    work: &(impl Fn(&mut Lane<P>, usize, &mut Shown<'_, L>) + Sync),
) {
    if lanes.len() > PER_TASK {
        let middle = lanes.len() / 2;
        let ((front, back), (front_shown, back_shown)) = (lanes.split_at_mut(middle), shown.split_at(middle));
        rayon::join(|| for_each(front, front_shown, begin, work), || for_each(back, back_shown, begin, work));
        return;
    }
    let mut scratch = Scratch::default();
    begin(&mut shown);
    shown.looks.begin();
    for (game, lane) in lanes.iter_mut().enumerate() {
        work(lane, game, &mut shown);
        let position = lane.episode.position();
        shown.ends.to_move[game] = position.to_move();
        shown.looks.show(game, position, &mut scratch);
    }
    shown.looks.finish(&scratch);
}
