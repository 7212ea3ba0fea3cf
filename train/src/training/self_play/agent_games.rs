//! Games of an agent against itself, such as the baseline AI: games to fit a network to.
//!
//! A game depends only on the seed and its number, not on the number of threads, unless the agent goes by the clock.

use gipf_env::Learnable;
use gipf_play::players::{Agent, Build, TurnLimits};
use gipf_play::{Stop, in_order};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{any_action, game_rng, random_opening};
use crate::training::samples::{Decision, PlayedGame, SearchKind};

/// How games of an agent are made to differ: a deterministic agent would always play the same game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentPlayConfig {
    /// Each game begins with a random number of random decisions, from none to this many.
    pub random_plies: usize,
    /// The share of later decisions that are drawn at random, 0 to 1. They are played, but nobody chose them: their
    /// effort is [`SearchKind::None`], so that they are not learned as a policy.
    pub noise: f64,
}

/// Which games an agent plays, and from where.
#[derive(Clone, Copy, Debug)]
pub struct AgentAssignment<'a, P> {
    /// The position in which every game begins.
    pub start: &'a P,
    /// The number of the first game.
    pub first_id: u64,
    /// The number of games.
    pub games: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The settings of play.
    pub config: AgentPlayConfig,
}

/// Plays the games on all threads of the current rayon pool; `build` makes the two players of each thread, and
/// `ended` is called when a game ends.
///
/// Returns the games in order of their numbers; if a stop was requested, only those that had ended.
///
/// # Panics
/// If an agent cannot go on, which agents of this program always can.
pub fn play_agent_games<P: Learnable>(
    assignment: &AgentAssignment<'_, P>,
    build: &Build<P>,
    ended: &(impl Fn(&PlayedGame<P>) + Sync),
    stop: &Stop,
) -> Vec<PlayedGame<P>> {
    in_order(assignment.games, |numbers| {
        let mut agents = [build(), build()];
        let games = numbers.map(|number| Game::new(assignment, assignment.first_id + number).play(&mut agents, stop));
        let games = games.take_while(Option::is_some).flatten();
        games.inspect(ended).map(|game| (game.id, game)).collect()
    })
}

/// One game in progress.
struct Game<P: Learnable> {
    id: u64,
    start: P,
    noise: f64,
    rng: ChaCha8Rng,
    position: P,
    decisions: Vec<Decision<P>>,
}

impl<P: Learnable> Game<P> {
    /// Begins a game with its random opening.
    fn new(assignment: &AgentAssignment<'_, P>, id: u64) -> Self {
        let AgentPlayConfig { random_plies, noise } = assignment.config;
        let start = assignment.start.clone();
        let mut rng = game_rng(assignment.seed, id);
        let opening = random_opening(&start, random_plies, &mut rng);
        let mut game = Self { id, position: start.clone(), start, noise, rng, decisions: Vec::new() };
        for action in opening {
            game.record(action, None, SearchKind::None);
        }
        game
    }

    /// Plays to the end; none if a stop is requested.
    fn play(mut self, agents: &mut [Box<dyn Agent<P>>; 2], stop: &Stop) -> Option<PlayedGame<P>> {
        for agent in agents.iter_mut() {
            agent.begin(&self.start, &[], self.rng.random());
        }
        loop {
            // Checked first, since a stop cuts the thinking about the last decision short: that game is not the one
            // it would have been.
            if stop.requested() {
                return None;
            }
            if let Some(outcome) = self.position.outcome() {
                return Some(PlayedGame { id: self.id, start: self.start, decisions: self.decisions, outcome });
            }
            self.decide(agents, stop);
        }
    }

    fn decide(&mut self, agents: &mut [Box<dyn Agent<P>>; 2], stop: &Stop) {
        let mut legal = self.position.legal_actions();
        let only = legal.next().filter(|_| legal.next().is_none());
        drop(legal);
        if let Some(action) = only {
            self.record(action, None, SearchKind::None);
        } else if self.rng.random_bool(self.noise) {
            let action = any_action(&self.position, &mut self.rng);
            self.record(action, None, SearchKind::None);
        } else {
            let agent = &mut agents[self.position.to_move().index()];
            let choice = agent.choose(&self.position, &TurnLimits::until(stop)).expect("an agent that always can");
            self.record(choice.action, choice.value, SearchKind::Full);
        }
    }

    fn record(&mut self, action: P::Action, root_value: Option<f32>, effort: SearchKind) {
        let index = self.position.action_index(action);
        let policy = if effort == SearchKind::Full { vec![(index, 1.0)] } else { Vec::new() };
        self.decisions.push(Decision { policy, root_value, effort, ..Decision::unsearched(&self.position, index) });
        self.position.play_unchecked(action);
    }
}
