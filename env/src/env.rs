//! The environment: one game, with Gymnasium's interface.

use ndarray::{Array3, ArrayView3};

use crate::episode::{Episode, GameNumber, Info, StartIsOver, StepError};
use crate::position::{ActionIndex, Position};
use crate::render::Style;
use crate::rules::{GipfPosition, InvalidPosition, PLACEMENT_LIMIT, Setup, Variant};

/// How an environment starts its games.
///
/// ```
/// use gipf_env::{EnvOptions, PLACEMENT_LIMIT, Setup, Variant};
///
/// // A handicap for players of different strength, and a start given as text:
/// let handicap = EnvOptions::from(Setup::start(Variant::BASIC).with_reserves([12, 15])?);
/// let text = EnvOptions::from("standard g2G/5/6/G5g/6/5/g2G b 12 12 - 0 0".parse::<Setup>()?);
/// let opened = EnvOptions { opening_plies: 4, seed: 7, ..EnvOptions::new(Variant::TOURNAMENT) };
/// let limits = [handicap, text, opened].map(|options| options.setup.placement_limit);
/// assert_eq!(limits, [Some(PLACEMENT_LIMIT); 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvOptions {
    /// Where games start: rule set, pieces, reserves, potentials, limit in placements.
    pub setup: Setup,
    /// The number of decisions made at random before the first step of a game; 0 by default.
    pub opening_plies: usize,
    /// The seed of the random openings; 0 by default.
    pub seed: u64,
}

impl EnvOptions {
    /// Returns the options for a rule set's own start, with a limit of 400 placements and no random opening.
    pub fn new(variant: Variant) -> Self {
        Self::from(Setup::start(variant))
    }
}

/// A setup without a limit gets the limit used in training, 400 placements; clear the field to play without a limit
/// (except in push-off, which always has one).
impl From<Setup> for EnvOptions {
    fn from(setup: Setup) -> Self {
        let limit = setup.placement_limit.or(Some(PLACEMENT_LIMIT));
        Self { setup: setup.with_placement_limit(limit), opening_plies: 0, seed: 0 }
    }
}

/// Why no game can be started with these options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvError {
    /// The setup is not a position of its rule set.
    #[error("start: {0}")]
    Invalid(#[from] InvalidPosition),
    /// The game is over before it starts.
    #[error(transparent)]
    Over(#[from] StartIsOver),
}

/// What may be changed at a reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResetOptions {
    /// A new seed for the random openings, starting at its first game; without it the next game follows.
    pub seed: Option<u64>,
    /// A new number of decisions made at random, from this game on.
    pub opening_plies: Option<usize>,
}

/// What a reset returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Reset<'a> {
    /// `[planes, 7, 7]` f32, from the view of the player to move; see [`crate::observation`].
    pub observation: ArrayView3<'a, f32>,
    /// The player to move, and what else is known.
    pub info: Info,
}

/// What a step returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<'a> {
    /// `[planes, 7, 7]` f32, from the view of the player to move; see [`crate::observation`]. At the end of a game,
    /// too, the view is that of [`Info::to_move`].
    pub observation: ArrayView3<'a, f32>,
    /// +1, 0 or -1 for the player *who acted*: 0 unless the game has ended with a winner.
    pub reward: f32,
    /// Whether the rules have ended the game.
    pub terminated: bool,
    /// Whether the limit has cut the game off.
    pub truncated: bool,
    /// The player to move, how the game ended, and what else is known.
    pub info: Info,
}

/// A game to be played step by step.
/// The observation of a [`Reset`] or [`Step`] is a view into memory of the environment that the next step overwrites; a
/// step allocates nothing in games of up to 400 placements of an environment made by [`Env::new`]. A finished game stays as
/// it is until the next reset.
///
/// ```
/// use gipf_env::{ActionIndex, Env, EnvOptions, ResetOptions, Variant};
///
/// let mut env = Env::new(&EnvOptions::new(Variant::STANDARD))?;
/// let reset = env.reset(ResetOptions::default());
/// assert_eq!(reset.observation.shape(), [11, 7, 7]);
/// assert_eq!(reset.info.legal_actions, 30);
/// loop {
///     let index = env.action_mask().iter().position(|&legal| legal).expect("a game that goes on has a legal action");
///     let step = env.step(ActionIndex(index as u16))?;
///     if step.terminated || step.truncated {
///         break;
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Env<P: Position = GipfPosition> {
    start: P,
    episode: Episode<P>,
    observation: Array3<f32>,
    mask: Vec<bool>,
    last: Option<P::Action>,
    opening_plies: usize,
    seed: u64,
    episodes: u64,
}

impl Env {
    /// Returns an environment at the start of its first game, before any random opening.
    ///
    /// # Errors
    /// If the setup is not a position of its rule set, or the game is over there.
    pub fn new(options: &EnvOptions) -> Result<Self, EnvError> {
        let start = GipfPosition::from_setup(&options.setup)?;
        let mut env = Self::from_start(start)?;
        env.opening_plies = options.opening_plies;
        env.seed = options.seed;
        let room = usize::from(options.setup.placement_limit.unwrap_or(PLACEMENT_LIMIT));
        env.episode.position_mut().reserve_history(room);
        Ok(env)
    }

    /// Returns a drawing of the position, with the last action marked.
    pub fn render(&self, style: Style) -> String {
        self.position().drawing().with_style(style).with_last(self.last).to_string()
    }
}

impl<P: Position> Env<P> {
    /// Returns an environment for any game, without random openings unless a reset asks for them.
    ///
    /// # Errors
    /// If the game is over at the start.
    pub fn from_start(start: P) -> Result<Self, StartIsOver> {
        let mut env = Self {
            observation: Array3::zeros(start.observation_layout().shape()),
            mask: vec![false; start.num_actions()],
            episode: Episode::new(start.clone())?,
            start,
            last: None,
            opening_plies: 0,
            seed: 0,
            episodes: 0,
        };
        env.look();
        Ok(env)
    }

    /// Starts the next game; with a seed, the first game of that seed.
    pub fn reset(&mut self, options: ResetOptions) -> Reset<'_> {
        if let Some(seed) = options.seed {
            (self.seed, self.episodes) = (seed, 0);
        }
        self.opening_plies = options.opening_plies.unwrap_or(self.opening_plies);
        let game = GameNumber { seed: self.seed, environment: 0, episode: self.episodes };
        self.episodes += 1;
        self.episode.restart(&self.start, self.opening_plies, game);
        self.last = None;
        self.look();
        Reset { observation: self.observation.view(), info: self.info() }
    }

    /// Plays the action with this number.
    ///
    /// # Errors
    /// If there is no such action, it is not legal, or the game is over; nothing has changed.
    pub fn step(&mut self, index: ActionIndex) -> Result<Step<'_>, StepError> {
        if self.mask.get(index.get()) != Some(&true) {
            return Err(self.episode.refusal(index));
        }
        let action = self.position().action_at(index).expect("the action mask holds actions of the game only");
        let actor = self.episode.play_unchecked(action);
        self.last = Some(action);
        self.look();
        let info = self.info();
        Ok(Step {
            observation: self.observation.view(),
            reward: info.outcome.map_or(0.0, |outcome| outcome.reward(actor)),
            terminated: info.terminated(),
            truncated: info.truncated(),
            info,
        })
    }

    /// Plays an action.
    ///
    /// # Errors
    /// If it is not legal, or the game is over; nothing has changed.
    pub fn step_action(&mut self, action: P::Action) -> Result<Step<'_>, StepError> {
        if self.position().outcome().is_none() && !self.position().is_legal(action) {
            // A value that is not an action of this game may still have the number of one.
            self.position().clone().play(action)?;
        }
        self.step(self.position().action_index(action))
    }

    /// Returns the action mask: as long as the action space, true = legal.
    pub fn action_mask(&self) -> &[bool] {
        &self.mask
    }

    /// Returns the observation, `[planes, rows, columns]` f32.
    pub fn observation(&self) -> ArrayView3<'_, f32> {
        self.observation.view()
    }

    /// Returns who is to move, and what else is known.
    pub fn info(&self) -> Info {
        self.episode.info(self.mask.iter().map(|&legal| u16::from(legal)).sum::<u16>().into())
    }

    /// Returns the position, with the phase of the turn, the reserves and everything else the rules depend on.
    pub fn position(&self) -> &P {
        self.episode.position()
    }

    /// Returns the action played last in this game, if any since the opening.
    pub fn last_action(&self) -> Option<P::Action> {
        self.last
    }

    /// Updates the observation and the action mask.
    fn look(&mut self) {
        let position = self.episode.position();
        position.observe(self.observation.as_slice_mut().expect("the array is in standard order"));
        position.action_mask(&mut self.mask);
    }
}
