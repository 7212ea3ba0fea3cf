//! Runs the work of several threads of the program under many orders of their steps: `races WHAT ORDERS SEED`.
//!
//! Half of the orders are random; the other half switches threads in a few places only, which finds what random
//! orders miss. A failure prints an order that shows it.

use std::io::{Cursor, sink};
use std::sync::OnceLock;

use gipf_env::toy::TicTacToe;
use gipf_env::{GipfPosition, Variant};
use gipf_play::Stop;
use gipf_play::arena::{MatchConfig, MatchReport, Monitor, play_match};
use gipf_play::players::AgentSpec;
use gipf_play::search::{Budget, Search, SearchConfig, UniformEvaluator, search_shared};
use gipf_train::cli::{self, Console, Exit};
use gipf_train::training::{
    AgentAssignment, AgentPlayConfig, Assignment, PlayedGame, SelfPlayConfig, play_agent_games, play_games,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::Mutex;
use shuttle::{Config, Runner, thread};

fn main() {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let [what, orders, seed] = &words[..] else { panic!("expected WHAT ORDERS SEED") };
    let work: fn() = match what.as_str() {
        "stop" => stop,
        "self-play" => self_play,
        "agent-games" => agent_games,
        "match" => matches,
        "tree" => tree,
        "engine" => engine,
        _ => panic!("nothing is called {what}"),
    };
    let (half, seed) = (orders.parse::<usize>().unwrap().div_ceil(2), seed.parse().unwrap());
    let mut config = Config::new();
    config.stack_size = 1 << 21;
    Runner::new(RandomScheduler::new_from_seed(seed, half), config.clone()).run(work);
    Runner::new(PctScheduler::new_from_seed(seed, 3, half), config).run(work);
}

/// Of several requests, one is left to the work, if it is watched; all see it.
fn stop() {
    let stop = Stop::default();
    let watch = stop.watch();
    let asked: Vec<_> = (0..3)
        .map(|_| {
            let stop = stop.clone();
            thread::spawn(move || stop.request())
        })
        .collect();
    let left = asked.into_iter().map(|asking| asking.join().unwrap()).filter(|&left| left).count();
    assert_eq!((left, stop.requested()), (1, true));
    drop(watch);
}

/// Plays while another thread may ask to stop, and compares the finished games with those that one thread plays.
fn interrupted<T: PartialEq>(expected: &[T], id: impl Fn(&T) -> u64, play: impl Fn(&Stop, &Mutex<Vec<u64>>) -> Vec<T>) {
    for stops in [false, true] {
        let (stop, ended) = (Stop::default(), Mutex::new(Vec::new()));
        let wisher = stops.then(|| {
            let stop = stop.clone();
            thread::spawn(move || stop.request())
        });
        let played = play(&stop, &ended);
        wisher.map(|wisher| wisher.join().unwrap());
        let mut ended = ended.into_inner().unwrap();
        ended.sort_unstable();
        assert!(played.iter().map(&id).eq(ended), "each game that has ended is told once, and kept");
        assert!(played.iter().all(|game| *game == expected[id(game) as usize]), "games are those of one thread");
        assert!(stops || played.len() == expected.len(), "no game is missing");
    }
}

const GAMES: u64 = 4;

/// Self-play of searches.
fn self_play() {
    static EXPECTED: OnceLock<Vec<PlayedGame<TicTacToe>>> = OnceLock::new();
    let play = |stop: &Stop, ended: &Mutex<Vec<u64>>, first_id: u64, games: u64| {
        let config = SelfPlayConfig {
            parallel_games: 2,
            full_simulations: 4,
            cheap_simulations: 2,
            ..SelfPlayConfig::default()
        };
        let (start, search) = (TicTacToe::default(), SearchConfig::default());
        let assignment =
            Assignment { start: &start, archive: &[], first_id, games, seed: 3, config: &config, search: &search };
        let tell = |game: &PlayedGame<_>| ended.lock().unwrap().push(game.id);
        play_games(&assignment, || UniformEvaluator, &tell, stop)
    };
    // One game at a time leaves nothing to the order of threads.
    let alone = |id| play(&Stop::default(), &Mutex::default(), id, 1).remove(0);
    let expected = EXPECTED.get_or_init(|| (0..GAMES).map(alone).collect());
    interrupted(expected, |game| game.id, |stop, ended| play(stop, ended, 0, GAMES));
}

/// Games of an agent.
fn agent_games() {
    static EXPECTED: OnceLock<Vec<PlayedGame<GipfPosition>>> = OnceLock::new();
    let start = GipfPosition::start(Variant::BASIC);
    let play = |stop: &Stop, ended: &Mutex<Vec<u64>>, first_id: u64, games: u64| {
        let agent = AgentSpec::Random.contender(Variant::BASIC).unwrap();
        let config = AgentPlayConfig { random_plies: 2, noise: 0.5 };
        let assignment = AgentAssignment { start: &start, first_id, games, seed: 5, config };
        let tell = |game: &PlayedGame<_>| ended.lock().unwrap().push(game.id);
        play_agent_games(&assignment, &agent.build, &tell, stop)
    };
    let alone = |id| play(&Stop::default(), &Mutex::default(), id, 1).remove(0);
    let expected = EXPECTED.get_or_init(|| (0..GAMES).map(alone).collect());
    interrupted(expected, |game| game.id, |stop, ended| play(stop, ended, 0, GAMES));
}

/// A match, whose report does not depend on the order, and which reports every pair once.
fn matches() {
    static EXPECTED: OnceLock<MatchReport> = OnceLock::new();
    let config = MatchConfig { placement_limit: 12, ..MatchConfig::new(Variant::BASIC, 4) };
    let [a, b] = &[AgentSpec::Random, AgentSpec::Greedy].map(|spec| spec.contender(Variant::BASIC).unwrap());
    for stops in [false, true] {
        let (stop, told) = (Stop::default(), Mutex::new(Vec::new()));
        let wisher = stops.then(|| {
            let stop = stop.clone();
            thread::spawn(move || stop.request())
        });
        let progress = |progress: gipf_play::arena::Progress| told.lock().unwrap().push(progress.pairs_done);
        let monitor = Monitor { progress: &progress, stop: &stop, keeper: None };
        let mut report = play_match(&config, [a, b], monitor).unwrap().report;
        wisher.map(|wisher| wisher.join().unwrap());
        let mut told = told.lock().unwrap().clone();
        told.sort_unstable();
        assert!(told.into_iter().eq(1..=report.pairs.pairs()), "every pair is told once");
        report.agents.iter_mut().for_each(|agent| agent.ms_per_turn = 0.0);
        assert!(stops || *EXPECTED.get_or_init(|| report.clone()) == report, "the same report in any order");
    }
}

/// One tree searched by several threads, to its end or until it is stopped.
fn tree() {
    let start = TicTacToe::default();
    for asked in [3, u32::MAX] {
        let mut search = Search::new(SearchConfig::play());
        search.start(&start, Budget::quiet(12), &mut ChaCha8Rng::seed_from_u64(1));
        let mut left = asked;
        search_shared(&mut search, &mut [UniformEvaluator, UniformEvaluator, UniformEvaluator], 2, &mut || {
            left -= 1;
            left == 0
        });
        let result = search.result();
        let visits: u32 = result.children.iter().map(|child| child.visits).sum();
        assert!(visits == result.simulations && visits <= 12, "{visits} visits, {} simulations", result.simulations);
        assert!(asked < 12 || visits == 12, "{visits} visits of 12");
    }
}

const DIALOGUES: [&str; 4] = [
    "go infinite\nisready\nstop\nisready\nquit\n",
    "go nodes 40\nposition startpos moves i5-g5\nstop\ngo infinite\nstop\ngo\nisready\n",
    "go infinite\ngo infinite\nquery p1turn\nstop\nsetoption name Seed value 3\ngo infinite\nstop\n",
    "go infinite\n",
];

/// The engine, which listens while it thinks.
fn engine() {
    for said in DIALOGUES {
        let mut shown = Vec::new();
        let (mut input, mut err) = (Cursor::new(said), sink());
        let stop = Stop::default();
        let mut console =
            Console { input: &mut input, out: &mut shown, err: &mut err, terminal: false, colours: false, stop };
        let exit = cli::run(["gipf", "engine", "--agent", "greedy"], &mut console);
        let shown = String::from_utf8(shown).unwrap();
        let heard = |word: &str| shown.lines().filter(|line| line.starts_with(word)).count();
        let asked = |word: &str| said.lines().filter(|line| line.split(' ').next() == Some(word)).count();
        assert_eq!(exit, Exit::Success);
        assert_eq!(heard("readyok"), asked("isready"), "{shown}");
        let refused = heard("info string a search is running");
        assert!(heard("bestmove") + refused >= asked("go") && heard("bestmove") <= asked("go"), "{said}{shown}");
        assert!(!shown.contains("mistake"), "{shown}");
    }
}
