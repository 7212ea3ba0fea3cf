//! Games of the search against itself, many at once, their leaves evaluated in one batch.
//!
//! A game depends only on the seed, its number and the network: neither the other games nor the number of threads
//! change it.

mod agent_games;
mod config;
mod game;
mod many;
mod opponent;
mod worker;

use gipf_env::{Learnable, Position};
use gipf_play::players::Build;
use gipf_play::search::{Evaluator, SearchConfig};
use gipf_play::{Stop, in_order};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use self::agent_games::{AgentAssignment, AgentPlayConfig, play_agent_games};
pub use self::config::SelfPlayConfig;
pub use self::many::ManyGames;
pub use self::opponent::{ITSELF, Opponents};
use self::worker::Worker;
use super::samples::PlayedGame;

/// Which games to play, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a, P> {
    /// The position in which every game begins, except those from the archive.
    pub start: &'a P,
    /// Positions of earlier games, without an outcome, for [`SelfPlayConfig::archive_share`]; may be empty.
    pub archive: &'a [P],
    /// The number of the first game.
    pub first_id: u64,
    /// The number of games.
    pub games: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The settings of play.
    pub config: &'a SelfPlayConfig,
    /// The settings of the search.
    pub search: &'a SearchConfig,
}

/// Plays the games on all threads of the current rayon pool; `evaluator` makes one evaluator for each thread, and
/// `ended` is called with each game when it ends.
///
/// Returns the games in order of their numbers; if a stop was requested, only those that had ended.
pub fn play_games<P: Learnable, E: Evaluator<P>>(
    assignment: &Assignment<'_, P>,
    evaluator: impl Fn() -> E + Sync,
    ended: &(impl Fn(&PlayedGame<P>) + Sync),
    stop: &Stop,
) -> Vec<PlayedGame<P>> {
    play_games_against(assignment, None, evaluator, ended, stop)
}

/// Plays the games as [`play_games`] does, but lets an opponent, if there is one, play Black in games of even numbers
/// and White in the others. It begins anew with each decision, and keeps nothing of the game.
///
/// # Panics
/// If the opponent cannot go on, which agents of this program always can.
pub fn play_games_against<P: Learnable, E: Evaluator<P>>(
    assignment: &Assignment<'_, P>,
    opponent: Option<&Build<P>>,
    evaluator: impl Fn() -> E + Sync,
    ended: &(impl Fn(&PlayedGame<P>) + Sync),
    stop: &Stop,
) -> Vec<PlayedGame<P>> {
    in_order(assignment.games, |numbers| {
        let mut worker = Worker::new(assignment, numbers, evaluator(), opponent.map(|build| build()));
        let mut games = Vec::new();
        while !stop.requested() && worker.step() {
            worker.ended.iter().for_each(ended);
            games.extend(worker.ended.drain(..).map(|game| (game.id, game)));
        }
        games
    })
}

/// How a game begins.
pub(crate) struct Beginning<P: Position> {
    /// Its start: that of all games, or a position of the archive.
    pub start: P,
    /// The random decisions that it begins with.
    pub opening: Vec<P::Action>,
}

impl<P: Learnable> Beginning<P> {
    /// Draws the beginning of a game from the game's random generator.
    pub fn draw(assignment: &Assignment<'_, P>, rng: &mut ChaCha8Rng) -> Self {
        let Assignment { start, archive, config, .. } = *assignment;
        let from_archive = !archive.is_empty() && config.archive_share > 0.0 && rng.random_bool(config.archive_share);
        let start = if from_archive {
            // The game from which it comes may have had another limit.
            archive[rng.random_range(0..archive.len())].in_game_from(start)
        } else {
            start.clone()
        };
        let opening = random_opening(&start, config.random_plies, rng);
        Self { start, opening }
    }
}

/// Returns the random generator of one game: the same on any thread.
pub(crate) fn game_rng(seed: u64, id: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(id);
    rng
}

/// Returns the random decisions that a game begins with, at most `plies`. An opening that ends the game, as can
/// happen in small games, is dropped as a whole.
pub(crate) fn random_opening<P: Position>(start: &P, plies: usize, rng: &mut ChaCha8Rng) -> Vec<P::Action> {
    let (mut position, mut actions) = (start.clone(), Vec::new());
    for _ in 0..rng.random_range(0..=plies) {
        let action = any_action(&position, rng);
        position.play_unchecked(action);
        actions.push(action);
        if position.outcome().is_some() {
            return Vec::new();
        }
    }
    actions
}

/// Returns one of the legal actions, all equally likely.
pub(crate) fn any_action<P: Position>(position: &P, rng: &mut ChaCha8Rng) -> P::Action {
    let legal: Vec<_> = position.legal_actions().collect();
    legal[rng.random_range(0..legal.len())]
}
