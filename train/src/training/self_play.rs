//! Games of the search against itself, many at once, their leaves evaluated in one batch.
//!
//! A game depends on the seed, its number and the network alone: neither the other games nor the number of threads
//! change it.

use gipf_env::{Learnable, Outcome, Position};
use gipf_play::search::{Budget, Evaluation, Evaluator, Search, SearchConfig};
use gipf_play::{CacheConfig, Numbers, Stop, in_order};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::sample::{Decision, PlayedGame, SearchKind};

/// The settings of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games played in parallel on each thread; one leaf of each makes a batch. KataGo: as many as the GPU takes.
    pub parallel_games: usize,
    /// Simulations of a full search, whose policy becomes a training target. AlphaZero: 800; Gumbel AlphaZero: 16 to 200.
    pub full_simulations: u32,
    /// Simulations of a cheap search, which only chooses the next action. KataGo: 100 beside 600.
    pub cheap_simulations: u32,
    /// The share of turns that get a full search, 0 to 1. KataGo: 0.25.
    pub full_share: f64,
    /// The most random decisions at the beginning of a game; each game has a random number of them, from 0 to this, so that
    /// games differ and the network sees openings that it would not choose. OLIVAW, KataGo: a share of the games.
    pub random_plies: usize,
    /// The number of turns at the beginning of a game in which cheap searches have noise too. AlphaZero: 30 moves.
    pub noisy_turns: usize,
    /// The share of games that begin at a position from the replay buffer instead of the start, 0 to 1, so that the network
    /// sees again what it may have forgotten. Go-Exploit (Trudeau and Bowling 2023): most games.
    pub archive_share: f64,
    /// The cache of evaluations for positions that occur again. Each thread has its own, and it is new in each iteration.
    pub cache: CacheConfig,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            parallel_games: 32,
            full_simulations: 64,
            cheap_simulations: 16,
            full_share: 0.25,
            random_plies: 6,
            noisy_turns: 12,
            archive_share: 0.0,
            cache: CacheConfig::default(),
        }
    }
}

/// Which games to play, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a, P> {
    /// The position in which every game begins, but for those from the archive.
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

/// Plays the games on all threads of the current rayon pool; `evaluator` makes one evaluator for each, and `ended` is
/// called of each game when it ends.
///
/// Returns the games in order of their numbers; if a stop was requested, only those that had ended.
pub fn play_games<P: Learnable, E: Evaluator<P>>(
    assignment: &Assignment<'_, P>,
    evaluator: impl Fn() -> E + Sync,
    ended: &(impl Fn(&PlayedGame<P>) + Sync),
    stop: &Stop,
) -> Vec<PlayedGame<P>> {
    in_order(assignment.games, |numbers| {
        let mut worker = Worker::new(assignment, numbers, evaluator());
        let mut games = Vec::new();
        while !stop.requested() && worker.step() {
            worker.ended.iter().for_each(ended);
            games.extend(worker.ended.drain(..).map(|game| (game.id, game)));
        }
        games
    })
}

/// Returns the random generator of one game: the same on any thread.
pub(crate) fn game_rng(seed: u64, id: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(id);
    rng
}

/// Returns the random decisions that a game begins with, at most `plies`. An opening that ends the game, as can happen
/// in small games, is taken back whole.
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

/// Returns one of the legal actions, each with the same chance.
pub(crate) fn any_action<P: Position>(position: &P, rng: &mut ChaCha8Rng) -> P::Action {
    let legal: Vec<_> = position.legal_actions().collect();
    legal[rng.random_range(0..legal.len())]
}

/// One thread's games, all waiting for the same batch.
struct Worker<'a, P: Position, E> {
    assignment: &'a Assignment<'a, P>,
    numbers: Numbers<'a>,
    evaluator: E,
    games: Vec<Game<'a, P>>,
    ended: Vec<PlayedGame<P>>,
    leaves: Vec<P>,
    evaluations: Vec<Evaluation>,
}

impl<'a, P: Learnable, E: Evaluator<P>> Worker<'a, P, E> {
    fn new(assignment: &'a Assignment<'a, P>, numbers: Numbers<'a>, evaluator: E) -> Self {
        let mut worker = Self {
            assignment,
            numbers,
            evaluator,
            games: Vec::new(),
            ended: Vec::new(),
            leaves: Vec::new(),
            evaluations: Vec::new(),
        };
        while worker.games.len() < assignment.config.parallel_games
            && let Some(id) = worker.next_id()
        {
            worker.games.push(Game::new(assignment, id));
        }
        worker
    }

    fn next_id(&mut self) -> Option<u64> {
        self.numbers.next().map(|number| self.assignment.first_id + number)
    }

    /// Brings every game to its next leaf and evaluates the leaves; false when no games are left.
    fn step(&mut self) -> bool {
        self.leaves.clear();
        let mut game = 0;
        while game < self.games.len() {
            if self.games[game].advance() {
                let leaf = self.games[game].search.gather().expect("the game waits for a leaf");
                self.leaves.push(leaf.clone());
                game += 1;
            } else {
                self.replace(game);
            }
        }
        self.evaluations.resize_with(self.leaves.len(), Evaluation::default);
        self.evaluator.evaluate(&self.leaves, &mut self.evaluations);
        for (game, evaluation) in self.games.iter_mut().zip(&self.evaluations) {
            game.search.apply(evaluation);
        }
        !self.games.is_empty() || !self.ended.is_empty()
    }

    /// Puts the next game in the place of one that has ended, or closes the gap.
    fn replace(&mut self, game: usize) {
        let next = self.next_id();
        let place = &mut self.games[game];
        self.ended.push(place.take_record());
        match next {
            Some(id) => place.restart(id),
            None => drop(self.games.swap_remove(game)),
        }
    }
}

/// One game in progress.
struct Game<'a, P: Position> {
    assignment: &'a Assignment<'a, P>,
    id: u64,
    rng: ChaCha8Rng,
    position: P,
    search: Search<P>,
    searching: bool,
    /// The turn for which `effort` was drawn.
    turn: Option<usize>,
    effort: SearchKind,
    /// Where the game began.
    start: P,
    decisions: Vec<Decision<P>>,
}

impl<'a, P: Learnable> Game<'a, P> {
    fn new(assignment: &'a Assignment<'a, P>, id: u64) -> Self {
        let mut game = Self {
            assignment,
            id,
            rng: game_rng(assignment.seed, id),
            position: assignment.start.clone(),
            search: Search::new(*assignment.search),
            searching: false,
            turn: None,
            effort: SearchKind::None,
            start: assignment.start.clone(),
            decisions: Vec::new(),
        };
        game.begin();
        game
    }

    /// Begins another game with the memory of this one, which has ended and been taken.
    fn restart(&mut self, id: u64) {
        self.id = id;
        self.rng = game_rng(self.assignment.seed, id);
        self.search.forget();
        self.turn = None;
        self.begin();
    }

    /// Begins at the start, or at a position of the archive, with a random opening.
    fn begin(&mut self) {
        let Assignment { start, archive, config, .. } = *self.assignment;
        let from_archive =
            !archive.is_empty() && config.archive_share > 0.0 && self.rng.random_bool(config.archive_share);
        self.start =
            if from_archive { archive[self.rng.random_range(0..archive.len())].clone() } else { start.clone() };
        self.position = self.start.clone();
        self.play_random_opening();
    }

    fn play_random_opening(&mut self) {
        for action in random_opening(&self.position, self.assignment.config.random_plies, &mut self.rng) {
            self.record(action, self.unsearched(action));
        }
    }

    /// Plays until a leaf needs an evaluation; false when the game has ended.
    fn advance(&mut self) -> bool {
        loop {
            if self.searching {
                if self.search.gather().is_some() {
                    return true;
                }
                self.searching = false;
                self.play_result();
            }
            if self.position.outcome().is_some() {
                return false;
            }
            self.start_search();
        }
    }

    fn start_search(&mut self) {
        let config = self.assignment.config;
        let turn = self.position.turn();
        if self.turn != Some(turn) {
            self.turn = Some(turn);
            let full = self.rng.random_bool(config.full_share);
            self.effort = if full { SearchKind::Full } else { SearchKind::Cheap };
        }
        let full = self.effort == SearchKind::Full;
        let budget = Budget {
            simulations: if full { config.full_simulations } else { config.cheap_simulations },
            noise: full || turn < self.start.turn() + config.noisy_turns,
        };
        self.search.start(&self.position, budget, &mut self.rng);
        self.searching = true;
    }

    fn play_result(&mut self) {
        let result = self.search.result();
        let forced = result.policy.len() == 1;
        let decision = Decision {
            policy: result.policy,
            root_value: Some(result.value),
            network_value: Some(result.network_value),
            effort: if forced { SearchKind::None } else { self.effort },
            surprise: result.surprise,
            ..self.unsearched(result.action)
        };
        self.record(result.action, decision);
    }

    fn unsearched(&self, action: P::Action) -> Decision<P> {
        Decision {
            position: self.position.without_history(),
            action: self.position.action_index(action),
            policy: Vec::new(),
            root_value: None,
            network_value: None,
            effort: SearchKind::None,
            surprise: 0.0,
        }
    }

    fn record(&mut self, action: P::Action, decision: Decision<P>) {
        self.decisions.push(decision);
        self.position.play_unchecked(action);
    }

    fn take_record(&mut self) -> PlayedGame<P> {
        PlayedGame {
            id: self.id,
            start: self.start.clone(),
            decisions: std::mem::take(&mut self.decisions),
            outcome: self.outcome(),
        }
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome().expect("the game has ended")
    }
}
