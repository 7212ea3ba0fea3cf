//! Self-play in shards: anybody may play them, anywhere, in any order, and the run stays the same.

use std::path::Path;
use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_play::Stop;
use gipf_tests::readers::shards::{checkpoint, decisions_of, spec};
use gipf_train::training::metrics::IterationMetrics;
use gipf_train::training::shard::{
    Coordinator, Ingested, ReleasedNetwork, ShardError, ShardGames, ShardId, ShardSpec, Terms, play_shard,
};
use gipf_train::training::trainer::{Ended, Stage, Trainer};
use gipf_train::training::{Config, NewRun, RunDirectory};

use super::trainer::{NoEval, Watcher, smoke, start};
use crate::wishes;

type Spec = ShardSpec<GipfPosition>;

fn played(spec: &Spec, checkpoint: &[u8]) -> Vec<u8> {
    play_shard::<GipfPosition>(checkpoint, &spec.to_bytes(), &Stop::default()).unwrap()
}

#[test]
fn playing_is_a_function_of_bytes() {
    let (checkpoint, spec) = (checkpoint(), spec(&checkpoint()));
    assert_eq!(Spec::from_bytes(&spec.to_bytes()).unwrap(), spec);
    let all: Vec<_> = [1, 3]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| played(&spec, &checkpoint))
        })
        .into();
    assert!(all[0] == all[1]);
    if wishes::writes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/shards");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("three-games"), decisions_of(&all[0])).unwrap();
    }
    let games = ShardGames::from_bytes(&all[0], &spec).unwrap();
    assert!(games.games.iter().map(|game| game.id).eq(spec.first..spec.first + spec.games));
    assert_eq!(games.to_bytes(&spec), all[0]);
    // One game of the shard, played alone, is the same game.
    let one = Spec { first: spec.first + 1, games: 1, ..spec.clone() };
    assert_eq!(ShardGames::from_bytes(&played(&one, &checkpoint), &one).unwrap().games, games.games[1..2]);
}

#[test]
fn what_was_changed_on_the_way_is_refused() {
    let (checkpoint, spec) = (checkpoint(), spec(&checkpoint()));
    let (order, result) = (spec.to_bytes(), played(&spec, &checkpoint));
    for place in (0..result.len()).step_by(97) {
        let mut bytes = result.clone();
        bytes[place] ^= 1;
        assert!(matches!(ShardGames::from_bytes(&bytes, &spec), Err(ShardError::Damaged)), "{place}");
        assert!(ShardGames::from_bytes(&result[..place], &spec).is_err());
    }
    for place in 0..order.len() {
        let mut bytes = order.clone();
        bytes[place] ^= 1;
        assert!(Spec::from_bytes(&bytes).is_err() && Spec::from_bytes(&order[..place]).is_err(), "{place}");
    }
    let other = Spec { first: 0, ..spec.clone() };
    assert!(matches!(ShardGames::from_bytes(&result, &other), Err(ShardError::Other { .. })));
    let mut network = checkpoint.clone();
    network[1000] ^= 1;
    let error = play_shard::<GipfPosition>(&network, &order, &Stop::default()).unwrap_err();
    assert!(matches!(error, ShardError::Network { .. }), "{error}");
}

/// A change of games that another machine has played.
type Change = fn(&mut ShardGames<GipfPosition>);

#[test]
fn games_that_the_rules_or_the_seed_do_not_allow_are_refused() {
    let (checkpoint, spec) = (checkpoint(), spec(&checkpoint()));
    let sound = ShardGames::from_bytes(&played(&spec, &checkpoint), &spec).unwrap();
    let choice = &sound.games[1].decisions[20].policy;
    assert!(choice.len() > 1);
    let likely = |games: &mut ShardGames<GipfPosition>| {
        let policy = &mut games.games[1].decisions[20].policy;
        policy.iter_mut().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().1 *= 0.5;
    };
    let changes: [(&str, Change); 8] = [
        ("not legal", |games| games.games[0].decisions[9].action.0 = 9999),
        ("goes on", |games| drop(games.games.pop())),
        ("more behind", |games| games.games.push(games.games[0].clone())),
        ("of all legal", |games| games.games[1].decisions[20].policy.truncate(1)),
        ("sum to 1", likely),
        ("a probability is none", |games| games.games[1].decisions[20].policy[0].1 = f32::NAN),
        ("value is out", |games| games.games[1].decisions[20].root_value = Some(f32::NAN)),
        ("surprise", |games| games.games[1].decisions[20].surprise = -1.0),
    ];
    for (expected, change) in changes {
        let mut games = sound.clone();
        change(&mut games);
        let error = ShardGames::from_bytes(&games.to_bytes(&spec), &spec).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // Excess from rounding is removed, so that the decision can be read again as a sample.
    let mut rounded = sound.clone();
    let decision = &mut rounded.games[1].decisions[20];
    decision.policy = decision.policy.iter().map(|&(index, _)| (index, 0.0)).collect();
    (decision.policy[0].1, decision.root_value) = (1.0005, Some(-1.0005));
    let read = ShardGames::from_bytes(&rounded.to_bytes(&spec), &spec).unwrap();
    let found = &read.games[1].decisions[20];
    assert_eq!((found.policy[0].1, found.root_value), (1.0, Some(-1.0)));
    let many = ShardGames { asked: u64::MAX, ..sound.clone() };
    assert!(matches!(ShardGames::from_bytes(&many.to_bytes(&spec), &spec), Err(ShardError::Foreign { .. })));
    // The opening is not the one that the seed draws, but its actions are legal.
    let other = Spec { terms: Arc::new(Terms { seed: 4, ..(*spec.terms).clone() }), ..spec.clone() };
    let games = ShardGames::from_bytes(&played(&other, &checkpoint), &other).unwrap();
    let error = ShardGames::from_bytes(&games.to_bytes(&spec), &spec).unwrap_err().to_string();
    assert!(error.contains("opening"), "{error}");
}

#[test]
fn results_count_once_in_any_order_and_a_shard_that_fails_thrice_is_given_up() {
    let checkpoint = checkpoint();
    let spec = spec(&checkpoint);
    let coordinator = Coordinator::new(2);
    let engine = gipf_models::Checkpoint::from_bytes(Path::new("x"), &checkpoint).unwrap();
    let engine = Arc::new(gipf_models::Engine::new(&engine.weights, &engine.config).unwrap());
    let player = ReleasedNetwork { engine: Some(engine), checkpoint: checkpoint.clone().into(), hash: spec.network };
    coordinator.release(1, (0, 5), Arc::clone(&spec.terms), player.clone());
    coordinator.release(2, (5, 1), Arc::clone(&spec.terms), player);
    let shards = coordinator.next_shards(3);
    assert!(shards.iter().map(|shard| (shard.iteration, shard.first, shard.games)).eq([
        (1, 0, 2),
        (1, 2, 2),
        (1, 4, 1)
    ]));
    let results: Vec<_> = shards.iter().map(|shard| played(shard, &checkpoint)).collect();
    let take = |number: usize| coordinator.ingest(shards[number].id(), &results[number]).unwrap();
    assert_eq!([2, 2, 0].map(take), [Ingested::Taken, Ingested::Repeated, Ingested::Taken]);
    // The second is lost and asked for again; the late result comes after all, and then the one from the other worker.
    coordinator.reask(shards[1].id());
    let again = coordinator.next_shards(9);
    assert!(again.iter().map(|shard| (shard.iteration, shard.first)).eq([(1, 2), (2, 5)]));
    assert!(coordinator.take(1).is_none());
    assert_eq!([1, 1].map(take), [Ingested::Taken, Ingested::Repeated]);
    let harvest = coordinator.take(1).unwrap();
    let whole = Spec { games: 5, ..shards[0].clone() };
    let whole = ShardGames::from_bytes(&played(&whole, &checkpoint), &whole).unwrap();
    assert_eq!((harvest.games, harvest.asked, harvest.missing), (whole.games, whole.asked, 0));
    assert_eq!(take(0), Ingested::Repeated, "its iteration is over");

    let id = ShardId { iteration: 2, first: 5 };
    for _ in 0..2 {
        assert!(coordinator.ingest(id, &results[0]).is_err(), "of another shard");
        assert_eq!(coordinator.next_shards(9).len(), 1);
    }
    assert!(coordinator.fail(id) && coordinator.next_shards(9).is_empty());
    assert_eq!(coordinator.quarantined()[0].id(), id);
    assert_eq!(coordinator.take(2).unwrap().missing, 1);
    assert!(coordinator.ingest(ShardId { iteration: 3, first: 5 }, &results[0]).is_err());
}

/// Returns the files that must be the same in two runs.
fn outcome(run: &Path, iterations: u32) -> Vec<Vec<u8>> {
    let names = (1..=iterations).map(|number| format!("checkpoints/{number:06}.safetensors"));
    let files = names.chain([format!("state/samples-{iterations:06}.bin")]).map(|name| run.join(name));
    files.map(|file| std::fs::read(file).unwrap()).collect()
}

/// Returns metrics without times.
fn timeless(run: &Path) -> Vec<IterationMetrics> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<IterationMetrics>(line).unwrap());
    lines
        .map(|mut line| {
            (line.seconds, line.core_seconds) = Default::default();
            line.self_play.evaluations_per_second = 0.0;
            if let Some(learning) = &mut line.learning {
                learning.samples_per_second = 0.0;
            }
            line
        })
        .collect()
}

fn train(path: &Path, config: &Config) {
    let mut trainer = Trainer::create(&NewRun::new(path, config), start(config)).unwrap();
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
}

/// Trains from the bytes of shards of three games: the last ones first, some of them damaged at first, all of them twice.
fn train_in_shards(path: &Path, config: &Config) {
    let mut trainer = Trainer::create(&NewRun::new(path, config), start(config)).unwrap();
    let (coordinator, mut watcher) = (trainer.coordinator(), Watcher::default());
    coordinator.set_shard_games(3);
    while trainer.begin().unwrap() {
        let iteration = trainer.iterations() + 1;
        assert!(trainer.learn(&mut watcher).is_err(), "its games are not there");
        let mut damaged = 0;
        while !coordinator.is_complete(iteration) {
            for spec in coordinator.next_shards(9).into_iter().rev() {
                let mut bytes = played(&spec, &coordinator.player(spec.iteration).unwrap().checkpoint);
                if spec.first % 2 == 0 && damaged < 2 {
                    damaged += 1;
                    bytes[200] ^= 1;
                    assert!(coordinator.ingest(spec.id(), &bytes).is_err());
                    continue;
                }
                let found = [(); 2].map(|()| coordinator.ingest(spec.id(), &bytes).unwrap());
                assert_eq!(found, [Ingested::Taken, Ingested::Repeated]);
            }
        }
        trainer.learn(&mut watcher).unwrap();
        assert!(trainer.save(&mut watcher).is_err(), "it was not measured");
        assert_eq!(trainer.measure(&NoEval, &mut watcher, &Stop::default()).unwrap(), Ended::Complete);
        trainer.save(&mut watcher).unwrap();
    }
}

#[test]
fn a_run_in_shards_is_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let changes = ["run.lag=0", "run.lag=1", "self_play.archive_share=0.5"];
    for (number, change) in changes.into_iter().enumerate() {
        let [whole, shards] = ["whole", "shards"].map(|name| folder.path().join(format!("{name}-{number}")));
        let config = smoke().with(change).unwrap();
        train(&whole, &config);
        train_in_shards(&shards, &config);
        assert!(outcome(&whole, 3) == outcome(&shards, 3), "{change}");
        assert_eq!(timeless(&whole), timeless(&shards), "{change}");
    }
}

#[test]
fn with_lag_a_run_is_determined_and_goes_on_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    for lag in [1, 2] {
        // The network grows while an older one plays.
        let config = smoke().with(&format!("run.lag={lag}")).unwrap().with("run.iterations=4").unwrap();
        let config = config.with("phases=[{after_games=16,network={push_paths=true}}]").unwrap();
        let whole = folder.path().join(format!("whole-{lag}"));
        train(&whole, &config);
        for (at, stage) in [(2, Stage::SelfPlay), (2, Stage::Learning), (4, Stage::Evaluation)] {
            let path = folder.path().join(format!("killed-{lag}-{stage:?}"));
            let mut trainer = Trainer::create(&NewRun::new(&path, &config), start(&config)).unwrap();
            let stop = Stop::default();
            let mut watcher = Watcher::stopping(at, stage, stop.clone());
            assert_eq!(trainer.train(&NoEval, &mut watcher, &stop).unwrap(), Ended::Stopped);
            drop(trainer);
            let mut trainer = Trainer::resume(&path, start).unwrap();
            trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
            assert!(outcome(&whole, 4) == outcome(&path, 4), "lag {lag}, stopped in {stage:?} of {at}");
            assert_eq!(timeless(&whole), timeless(&path));
            // Games are played all the time: the wait for the last of them says nothing about the speed.
            for line in trainer.run().metrics().unwrap() {
                let evaluations = line.self_play.evaluations_per_second * line.seconds.total();
                assert!((evaluations / line.self_play.evaluations as f64 - 1.0).abs() < 1e-6, "{line:?}");
            }
        }
    }
    let [one, two] = ["whole-1", "whole-2"].map(|name| outcome(&folder.path().join(name), 4));
    assert!(one[0] == two[0] && one[3] != two[3], "the first network is the same, later ones are not");
}

#[test]
fn with_lag_iterations_are_played_ahead_of_learning() {
    let folder = tempfile::tempdir().unwrap();
    for (lag, expected) in [(0, vec![1]), (1, vec![1, 2]), (2, vec![1, 2, 3])] {
        let config = smoke().with(&format!("run.lag={lag}")).unwrap();
        let path = folder.path().join(lag.to_string());
        let mut trainer = Trainer::create(&NewRun::new(&path, &config), start(&config)).unwrap();
        assert!(trainer.begin().unwrap());
        let (shards, first) = (trainer.coordinator().next_shards(9), trainer.checkpoint());
        assert!(shards.iter().map(|shard| shard.iteration).eq(expected), "{lag}");
        assert!(shards.iter().all(|shard| shard.network == shards[0].network), "all by the first network");
        let bytes = first.to_bytes(Path::new("x")).unwrap();
        assert!(trainer.coordinator().player(1).unwrap().checkpoint[..] == bytes[..]);
    }
}

#[test]
fn a_fork_with_lag_goes_on_by_the_network_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork, again] = ["base", "fork", "again"].map(|name| folder.path().join(name));
    let config = smoke().with("run.iterations=2").unwrap();
    train(&base, &config);
    let lagging = config.with("run.lag=2").unwrap().with("run.iterations=5").unwrap();
    for (path, stopped) in [(&fork, None), (&again, Some(4))] {
        RunDirectory::fork(&base, &NewRun::new(path, &lagging)).unwrap();
        if let Some(at) = stopped {
            let stop = Stop::default();
            let mut watcher = Watcher::stopping(at, Stage::Learning, stop.clone());
            Trainer::resume(path, start).unwrap().train(&NoEval, &mut watcher, &stop).unwrap();
        }
        let mut trainer = Trainer::resume(path, start).unwrap();
        assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    }
    let last = "checkpoints/000005.safetensors";
    assert!(std::fs::read(fork.join(last)).unwrap() == std::fs::read(again.join(last)).unwrap());
}

#[test]
fn lag_and_an_archive_exclude_each_other() {
    let error = smoke().with("run.lag=1").unwrap().with("self_play.archive_share=0.5").unwrap_err().to_string();
    assert!(error.contains("archive_share is 0.5: expected 0 with run.lag"), "{error}");
    assert!(smoke().with("run.lag=3").is_err());
}
