//! A network trained on small GIPF, measured against the table of all its positions.
//!
//! The test takes seconds. `scripts/small-gipf` runs it for minutes on a larger game, and prints its results.

use std::sync::Arc;
use std::time::Instant;

use gipf_env::toy::SmallGipf;
use gipf_env::{Player, Position};
use gipf_models::{Checkpoint, Engine, MlpConfig, NetKind, Weights};
use gipf_play::exact::{Table, Value};
use gipf_play::search::{Budget, Search, SearchConfig, search_all};
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::trainer::{Ended, NamedStart, Trainer};
use gipf_train::training::{Config, NewRun};
use rand::RngExt;

use crate::search::solved::{is_critical, random_positions, share_kept, small};
use crate::search::tree::rng;
use crate::training::trainer::{NoEval, Watcher};
use crate::wishes;

/// The size of the experiment.
struct Scale {
    pieces: u8,
    iterations: u32,
    games: u64,
    hidden: usize,
    /// The settings that differ from the preset `smoke`.
    settings: &'static [&'static str],
    positions: usize,
    /// The number of games against the perfect player with each colour.
    duels: usize,
}

/// The games are cut off after this many turns, since a drawn game never ends.
const LIMIT: u16 = 60;

/// Full searches in half of the turns, and few random decisions.
const USUAL: [&str; 2] = ["self_play.full_share=0.5", "self_play.random_plies=8"];

/// Half of the searched decisions are played at random, so that rare positions come up; values come from searches alone.
const EXPLORING: [&str; 10] = [
    "self_play.full_share=1",
    "self_play.random_plies=20",
    "self_play.random_share=0.5",
    "learning.value_mix=1",
    "learning.value_lambda=0",
    "learning.learning_rate=0.004",
    "learning.final_learning_rate=0.0001",
    "learning.optimizer.weight_decay=0.0001",
    "replay.window=400000",
    "replay.reuse=8",
];

fn scale() -> Scale {
    match wishes::number("GIPF_SMALL_ITERATIONS") {
        Some(iterations) => {
            Scale { pieces: 5, iterations, games: 500, hidden: 512, settings: &EXPLORING, positions: 2000, duels: 100 }
        }
        None => {
            Scale { pieces: 4, iterations: 12, games: 150, hidden: 96, settings: &USUAL, positions: 400, duels: 20 }
        }
    }
}

/// Returns the network before and after training.
fn trained(scale: &Scale) -> [Arc<Engine>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::preset("smoke").unwrap().with("search.method.gumbel.c_scale=0.25").unwrap();
    for setting in scale.settings {
        config = config.with(setting).unwrap();
    }
    config.network.0 = NetKind::Mlp(MlpConfig { hidden: vec![scale.hidden; 2] });
    config.run.iterations = scale.iterations;
    config.run.games = scale.games;
    let games = u64::from(scale.iterations) * scale.games;
    (config.phases[0].after_games, config.learning.value_mix_games) = (games / 4, games / 3);
    config.self_play.full_simulations = 48;
    config.self_play.cheap_simulations = 12;
    config.learning.batch_size = 128;
    let start = SmallGipf::starting_with(scale.pieces).with_placement_limit(LIMIT);
    let mut trainer =
        Trainer::create(&NewRun::new(&folder.path().join("run"), &config), NamedStart::new("small-gipf", start))
            .unwrap();
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    let file = trainer.run().checkpoint(scale.iterations);
    let checkpoint = Checkpoint::load_for(&file, "small-gipf").unwrap();
    let fresh = Weights::initial(&checkpoint.config, 1);
    [&fresh, &checkpoint.weights].map(|weights| Arc::new(Engine::new(weights, &checkpoint.config).unwrap()))
}

/// Returns the actions that the network's player chooses in these positions.
fn choices(engine: &Arc<Engine>, positions: &[SmallGipf], simulations: u32) -> Vec<<SmallGipf as Position>::Action> {
    let mut random = rng(51);
    let mut begun = |position| {
        let mut search = Search::new(SearchConfig::play());
        search.start(position, Budget::quiet(simulations), &mut random);
        search
    };
    let mut searches: Vec<_> = positions.iter().map(&mut begun).collect();
    search_all(&mut searches, &mut NetEvaluator::new(Arc::clone(engine)));
    searches.iter().map(|search| search.result().action).collect()
}

fn kept(table: &Table<SmallGipf>, engine: &Arc<Engine>, positions: &[SmallGipf], simulations: u32) -> f64 {
    let chosen = choices(engine, positions, simulations);
    let place = |position: &SmallGipf| positions.iter().position(|other| std::ptr::eq(other, position)).unwrap();
    share_kept(table, positions, |position| chosen[place(position)])
}

/// Plays the network against a player who knows the table and takes any of the best actions; returns the decisions of
/// the network and its wins, draws and losses.
fn duel(
    table: &Table<SmallGipf>,
    engine: &Arc<Engine>,
    scale: &Scale,
    player: Player,
    simulations: u32,
) -> (Vec<SmallGipf>, [usize; 3]) {
    let mut random = rng(52);
    let mut games = vec![SmallGipf::starting_with(scale.pieces).with_placement_limit(LIMIT); scale.duels];
    let mut decided = Vec::new();
    while games.iter().any(|game| game.outcome().is_none()) {
        let is_his = |game: &&SmallGipf| game.outcome().is_none() && game.to_move() == player;
        let asked: Vec<_> = games.iter().filter(is_his).cloned().collect();
        let mut answers = choices(engine, &asked, simulations).into_iter();
        decided.extend(asked);
        for game in games.iter_mut().filter(|game| game.outcome().is_none()) {
            let action = if game.to_move() == player {
                answers.next().unwrap()
            } else {
                // The table does not know the limit.
                let best = table.best_actions(&game.clone().with_placement_limit(u16::MAX));
                best[random.random_range(0..best.len())]
            };
            game.play(action).unwrap();
        }
    }
    let mut results = [0; 3];
    for game in &games {
        results[(1.0 - game.outcome().unwrap().reward(player)) as usize] += 1;
    }
    (decided, results)
}

/// Returns the positions that are not won at once, and in which an action can give something away.
fn hard(table: &Table<SmallGipf>, positions: impl IntoIterator<Item = SmallGipf>) -> Vec<SmallGipf> {
    let is_hard = |position: &SmallGipf| table.value(position) != Some(Value::Win(1)) && is_critical(table, position);
    positions.into_iter().map(|position| position.with_placement_limit(u16::MAX)).filter(is_hard).collect()
}

/// Plays both colours with the policy alone and with searches; returns the positions that came up.
fn duels(table: &Table<SmallGipf>, engine: &Arc<Engine>, scale: &Scale) -> Vec<SmallGipf> {
    let mut own = Vec::new();
    for (simulations, player) in BUDGETS.into_iter().flat_map(|budget| Player::BOTH.map(|player| (budget, player))) {
        let (decided, [wins, draws, losses]) = duel(table, engine, scale, player, simulations);
        println!(
            "{simulations} simulations, {player}, against the perfect player: {wins} won {draws} drawn {losses} lost"
        );
        assert_eq!(wins, 0, "nobody beats the perfect player where the start is a draw");
        own.extend(decided);
    }
    own.into_iter().step_by(7).take(scale.positions).collect()
}

/// The simulations of a decision: 0 for the policy alone, then searches.
const BUDGETS: [u32; 3] = [0, 64, 256];

#[test]
fn trained_on_small_gipf_it_keeps_more_values_than_before() {
    let (scale, began) = (scale(), Instant::now());
    let [fresh, engine] = trained(&scale);
    println!("{} iterations of {} games in {:.0?}", scale.iterations, scale.games, began.elapsed());
    let (start, table) = small(scale.pieces);
    let own = duels(&table, &engine, &scale);
    let random = random_positions(&start, scale.positions, 53);
    for (name, positions) in [("random play", random), ("its own games", own)] {
        let hard = hard(&table, positions.iter().cloned());
        let positions: Vec<_> = positions.into_iter().map(|position| position.with_placement_limit(u16::MAX)).collect();
        for (which, list) in [("all", &positions), ("hard", &hard)] {
            let shares = |engine| BUDGETS.map(|budget| kept(&table, engine, list, budget));
            let (before, after) = (shares(&fresh), shares(&engine));
            println!("{name}, {which} {}: {BUDGETS:?} simulations keep {before:.4?}, trained {after:.4?}", list.len());
            // If an untrained policy leaves less than three points to gain, half of its mistakes have to go.
            let room = 1.0 - before[0];
            let gain = if room > 0.03 { 0.03 } else { room / 2.0 };
            assert!(after[0] > before[0] + gain && after[2] > 0.6, "{name}: {after:?}, untrained {before:?}");
        }
    }
}
