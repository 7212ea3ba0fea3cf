//! The training loop: it learns, it can be repeated, and it can be killed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gipf_env::toy::{Cell, TicTacToe};
use gipf_env::{ActionIndex, GipfPosition, Player, Position, Variant};
use gipf_models::{Checkpoint, Engine, LineConfig, MlpConfig, NetConfig, NetKind, Weights};
use gipf_play::search::{Budget, Search, SearchConfig, search_all};
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::metrics::{IterationMetrics, OpponentScore};
use gipf_train::training::trainer::{Advance, CheckpointEval, Ended, NamedStart, Occasion, Reporter, Stage, Trainer};
use gipf_train::training::{Config, Learner, NewRun, OptimizerConfig, RunDirectory, Sample, batch};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::allocations::held;
use crate::search::exact::{Exact, after, reachable};

/// An evaluation of checkpoints that rates nothing.
pub struct NoEval;

impl CheckpointEval for NoEval {
    fn games(&self, _: Occasion<'_>) -> u64 {
        0
    }

    fn rate(
        &self,
        _: &Arc<Engine>,
        _: Occasion<'_>,
        _: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Option<Vec<OpponentScore>> {
        (!stop.requested()).then(Vec::new)
    }
}

/// Keeps the metrics, and stops the run in the middle of a stage.
#[derive(Default)]
pub struct Watcher {
    metrics: Vec<IterationMetrics>,
    stop_in: Option<(u32, Stage, Stop)>,
}

impl Watcher {
    /// Returns a watcher that stops the run in a stage of an iteration.
    pub fn stopping(iteration: u32, stage: Stage, stop: Stop) -> Self {
        Self { stop_in: Some((iteration, stage, stop)), ..Self::default() }
    }
}

impl Reporter for Watcher {
    fn begin(&mut self, iteration: u32, stage: Stage, _: u64) -> Advance {
        if let Some((at, part, stop)) = &self.stop_in
            && (*at, *part) == (iteration, stage)
        {
            stop.request();
        }
        Box::new(|_| {})
    }

    fn complete(&mut self, metrics: &IterationMetrics) {
        self.metrics.push(metrics.clone());
    }
}

pub fn smoke() -> Config {
    let mut config = Config::preset("smoke").unwrap();
    config.run.iterations = 3;
    config.run.games = 8;
    config.learning.batch_size = 16;
    config
}

pub fn start(config: &Config) -> NamedStart<GipfPosition> {
    NamedStart::new(config.game.variant.to_string(), config.game.start())
}

/// Trains a whole run.
pub fn train(path: &Path, config: &Config) -> Vec<IterationMetrics> {
    let first = start(config);
    let mut trainer = Trainer::create(&NewRun::new(path, config), first).unwrap();
    let mut watcher = Watcher::default();
    let ended = trainer.train(&NoEval, &mut watcher, &Stop::default()).unwrap();
    assert_eq!(ended, Ended::Complete);
    watcher.metrics
}

pub fn file(run: &Path, name: &str) -> Vec<u8> {
    std::fs::read(run.join(name)).unwrap()
}

#[test]
fn a_run_that_is_killed_anywhere_goes_on_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let metrics = train(&whole, &smoke());
    assert!(metrics.iter().all(|line| line.learning.is_some_and(|learning| learning.steps > 0)));

    for (number, stage) in [Stage::SelfPlay, Stage::Learning, Stage::Evaluation].into_iter().enumerate() {
        let path = folder.path().join(format!("killed-{number}"));
        let first = start(&smoke());
        let mut trainer = Trainer::create(&NewRun::new(&path, &smoke()), first).unwrap();
        let stop = Stop::default();
        let mut watcher = Watcher { stop_in: Some((2, stage, stop.clone())), ..Watcher::default() };
        assert_eq!(trainer.train(&NoEval, &mut watcher, &stop).unwrap(), Ended::Stopped);
        assert_eq!(trainer.iterations(), 1);
        drop(trainer);
        // Files left by a kill in the middle of writing are ignored.
        std::fs::write(path.join("state/samples-000002.bin"), b"half a fi").unwrap();
        std::fs::write(path.join("checkpoints/000002.safetensors"), b"half a fi").unwrap();

        let mut trainer = Trainer::resume(&path, start).unwrap();
        assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
        let last = "checkpoints/000003.safetensors";
        assert!(file(&whole, last) == file(&path, last), "stopped in {stage:?}");
        let samples = "state/samples-000003.bin";
        assert!(file(&whole, samples) == file(&path, samples), "stopped in {stage:?}");
        assert_eq!(trainer.run().metrics().unwrap().len(), 3);
    }
}

#[test]
fn a_run_begins_with_the_network_that_it_is_given_however_often_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let [base, run] = ["base", "run"].map(|name| folder.path().join(name));
    train(&base, &smoke());
    let network = Checkpoint::load(&base.join("checkpoints/000003.safetensors")).unwrap();
    let mut config = smoke();
    config.run.seed = 9;
    let first = start(&config);
    let file = Path::new("base.safetensors");
    let trainer = Trainer::create_with(&NewRun::new(&run, &config), first, file, &network).unwrap();
    assert_eq!(trainer.checkpoint().weights, network.weights);
    drop(trainer);
    assert_eq!(Trainer::resume(&run, start).unwrap().checkpoint().weights, network.weights);
    let fork = folder.path().join("fork");
    RunDirectory::fork(&run, &NewRun::new(&fork, &config)).unwrap();
    assert_eq!(Trainer::resume(&fork, start).unwrap().checkpoint().weights, network.weights);

    let mut other = smoke();
    other.network.0 = NetKind::Mlp(MlpConfig { hidden: vec![8] });
    let first = start(&other);
    let path = folder.path().join("other");
    let error = Trainer::create_with(&NewRun::new(&path, &other), first, file, &network).err().unwrap().to_string();
    assert!(error.starts_with("base.safetensors has kind=line: expected kind=mlp"), "{error}");
    assert!(!path.exists(), "a network that does not fit leaves nothing behind");
}

#[test]
fn settings_change_and_the_network_grows_in_the_course_of_a_run_that_resumes_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let phase = "phases=[{after_games=16,network={push_paths=true},self_play={full_share=1.0}}]";
    let config = smoke().with("self_play.full_share=0.25").unwrap().with(phase).unwrap();
    let metrics = train(&whole, &config);
    let samples_a_decision = |line: &IterationMetrics| line.self_play.samples as f64 / line.self_play.decisions as f64;
    assert!(samples_a_decision(&metrics[1]) < 0.5 && samples_a_decision(&metrics[2]) > 0.7);
    let [small, large] = ["000002", "000003"]
        .map(|name| Checkpoint::load(&whole.join(format!("checkpoints/{name}.safetensors"))).unwrap());
    assert!(small.config != large.config && small.config.grows_to(&large.config));

    // When the run is resumed, its last iteration is the second, after which the network grows.
    let stop = Stop::default();
    let mut trainer = Trainer::create(&NewRun::new(&killed, &config), start(&config)).unwrap();
    let mut watcher = Watcher { stop_in: Some((3, Stage::Learning, stop.clone())), ..Watcher::default() };
    assert_eq!(trainer.train(&NoEval, &mut watcher, &stop).unwrap(), Ended::Stopped);
    drop(trainer);
    let mut trainer = Trainer::resume(&killed, start).unwrap();
    assert_eq!(trainer.checkpoint().config, small.config);
    assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    let last = "checkpoints/000003.safetensors";
    assert!(file(&whole, last) == file(&killed, last));
}

/// Phases depend on the games that were played, not on the number of games that an iteration has now.
#[test]
fn other_games_an_iteration_leave_the_past_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let [base, fork] = ["base", "fork"].map(|name| folder.path().join(name));
    let games = smoke().run.games;
    let phase = format!("phases=[{{after_games={},network={{push_paths=true}}}}]", 4 * games);
    let config = smoke().with(&phase).unwrap();
    train(&base, &config);
    for (games, expected) in [(games / 2, [false, false]), (games * 2, [false, true])] {
        let _ = std::fs::remove_dir_all(&fork);
        let config = config.with("run.iterations=5").unwrap().with(&format!("run.games={games}")).unwrap();
        let mut trainer = Trainer::fork(&base, &NewRun::new(&fork, &config), start(&config)).unwrap();
        trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();
        let has_paths = |iteration: u32| {
            let NetKind::Line(line) = Checkpoint::load(&trainer.run().checkpoint(iteration)).unwrap().config.net else {
                panic!("a line network")
            };
            line.push_paths
        };
        assert_eq!([4, 5].map(has_paths), expected, "{games} games");
        drop(trainer);
        assert_eq!(Trainer::resume(&fork, start).unwrap().iterations(), 5);
    }
}

/// The number of games that an iteration has now does not tell where the last iteration began.
#[test]
fn a_run_that_has_grown_goes_on_with_other_games_an_iteration() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    let games = smoke().run.games;
    let config = smoke().with(&format!("phases=[{{after_games={},network={{push_paths=true}}}}]", 2 * games)).unwrap();
    train(&base, &config);
    for (games, lag) in [(games / 2, 0), (3 * games, 0), (3 * games, 2)] {
        let fork = folder.path().join(format!("fork-{games}-{lag}"));
        let config = config.with("run.iterations=5").unwrap();
        let config = config.with(&format!("run.games={games}")).unwrap().with(&format!("run.lag={lag}")).unwrap();
        let mut trainer = Trainer::fork(&base, &NewRun::new(&fork, &config), start(&config)).unwrap();
        assert_eq!(trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap(), Ended::Complete);
    }
}

#[test]
fn a_damaged_state_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut config = smoke();
    config.run.iterations = 1;
    train(&path, &config);
    let samples = path.join("state/samples-000001.bin");
    let mut bytes = std::fs::read(&samples).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&samples, bytes).unwrap();
    let error = Trainer::resume(&path, start).err().unwrap().to_string();
    assert!(error.contains("samples-000001.bin") && error.contains("damaged"), "{error}");
}

/// Anyone who passes on a run can write its checksums, too.
#[test]
fn samples_that_nobody_could_have_played_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    train(&path, &smoke());
    let damages: [fn(&mut Sample<GipfPosition>); 4] = [
        |sample| sample.result = Some(97),
        |sample| sample.policy[0].0 = ActionIndex(9999),
        |sample| sample.policy[0].1 = f32::NAN,
        |sample| sample.value_weight = f32::INFINITY,
    ];
    for damage in damages {
        let (run, _, mut manifest) = RunDirectory::open(&path).unwrap();
        let file = manifest.window.last().unwrap().clone();
        let sound: Vec<Sample<GipfPosition>> = run.read_samples(&file).unwrap();
        let mut wrong = sound.clone();
        damage(&mut wrong[3]);
        *manifest.window.last_mut().unwrap() = run.write_samples(file.iteration, &wrong).unwrap();
        run.commit(&manifest).unwrap();
        drop(run);
        let error = Trainer::resume(&path, start).map(drop).unwrap_err().to_string();
        assert!(error.contains("samples-") && error.contains("sample 4 cannot be learned"), "{error}");
        let (run, ..) = RunDirectory::open(&path).unwrap();
        *manifest.window.last_mut().unwrap() = run.write_samples(file.iteration, &sound).unwrap();
        run.commit(&manifest).unwrap();
    }
    Trainer::resume(&path, start).map(drop).unwrap();
}

#[test]
fn checkpoints_of_a_run_are_read_without_it_and_refused_for_another_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut config = smoke();
    config.run.iterations = 1;
    train(&path, &config);
    let file = path.join("checkpoints/000001.safetensors");
    let checkpoint = Checkpoint::load_for(&file, "standard").unwrap();
    Engine::new(&checkpoint.weights, &checkpoint.config).unwrap();
    let error = Checkpoint::load_for(&file, "tournament").unwrap_err().to_string();
    assert!(error.contains("standard") && error.contains("tournament"), "{error}");
}

/// The toy check of the whole loop: after some seconds of training on tic-tac-toe, the player never loses.
#[test]
fn trained_on_tic_tac_toe_it_never_loses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut config = smoke().with("search.method.gumbel.c_scale=0.25").unwrap();
    config.network.0 = NetKind::Mlp(MlpConfig { hidden: vec![128, 128] });
    config.run.iterations = 30;
    config.run.games = 200;
    config.phases[0].after_games = 1500;
    config.learning.value_mix_games = 2000;
    config.self_play.random_plies = 4;
    config.self_play.full_share = 1.0;
    config.learning.batch_size = 64;
    let mut trainer =
        Trainer::create(&NewRun::new(&path, &config), NamedStart::new("tic-tac-toe", TicTacToe::default())).unwrap();
    trainer.train(&NoEval, &mut Watcher::default(), &Stop::default()).unwrap();

    let checkpoint = Checkpoint::load_for(&trainer.run().checkpoint(30), "tic-tac-toe").unwrap();
    let engine = Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config).unwrap());
    let chosen = choices(&engine, 64);
    for colour in Player::BOTH {
        assert_eq!(losses(&TicTacToe::default(), colour, &chosen), 0, "{colour}, against every reply");
    }
    let errs = |chosen: &Choices| blunders(chosen) as f64 / chosen.len() as f64;
    assert!(errs(&chosen) < 0.03, "with a search it errs in {}", errs(&chosen));
    let untrained = Arc::new(Engine::new(&Weights::initial(&checkpoint.config, 1), &checkpoint.config).unwrap());
    let (policy, before) = (errs(&choices(&engine, 0)), errs(&choices(&untrained, 0)));
    assert!(policy < 0.1 && policy < before / 3.0, "the policy alone errs in {policy}, before training in {before}");
}

/// A run takes hundreds of thousands of steps, so a leak in each would add up.
#[test]
fn a_learner_keeps_nothing_of_the_steps_it_has_taken() {
    let position = GipfPosition::start(Variant::STANDARD);
    let policy: Vec<_> = position.legal_actions().take(1).map(|action| (position.action_index(action), 1.0)).collect();
    let line = LineConfig { features: 8, hidden: 16, ..LineConfig::default() };
    for net in [NetKind::Line(line), NetKind::Mlp(MlpConfig { hidden: vec![16] })] {
        let config = NetConfig::of(net, &position).unwrap();
        let sample = Sample {
            position: position.clone(),
            policy: policy.clone(),
            result: Some(1),
            root_value: None,
            value_weight: 1.0,
        };
        let batch = batch(&[&sample; 4], 0.0, &mut ChaCha8Rng::seed_from_u64(1));
        // The steps run on one thread, whose memory is counted.
        let grown = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
            let mut learner = Learner::new(&config, &OptimizerConfig::default(), 1).unwrap();
            let mut step = |_| learner.train_step(&batch, 1e-3).map(|_| held()).unwrap();
            let held: Vec<_> = (0..300).map(&mut step).collect();
            held[299] - held[99]
        });
        assert!(grown < 200_000, "{:?} keeps {grown} bytes", config.net);
    }
}

type Choices = HashMap<TicTacToe, Cell>;

/// Returns the player's action in every position that can be reached.
fn choices(engine: &Arc<Engine>, simulations: u32) -> Choices {
    let positions: Vec<_> =
        reachable(TicTacToe::default()).into_iter().filter(|position| position.outcome().is_none()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let started = |position| {
        let mut search = Search::new(SearchConfig::default());
        search.start(position, Budget::quiet(simulations), &mut rng);
        search
    };
    let mut searches: Vec<Search<TicTacToe>> = positions.iter().map(started).collect();
    search_all(&mut searches, &mut NetEvaluator::new(Arc::clone(engine)));
    positions.into_iter().zip(searches.iter().map(|search| search.result().action)).collect()
}

/// Returns in how many positions the choice gives away a win or a draw.
fn blunders(choices: &Choices) -> usize {
    let mut exact = Exact::new();
    let mut errs = |position: &TicTacToe, cell: Cell| exact.action_value(position, cell) < exact.value(position);
    choices.iter().filter(|(position, cell)| errs(position, **cell)).count()
}

/// Returns the number of ways in which the player of a colour can be beaten.
fn losses(position: &TicTacToe, colour: Player, choices: &Choices) -> usize {
    if let Some(outcome) = position.outcome() {
        return usize::from(outcome.winner == Some(colour.other()));
    }
    if position.to_move() == colour {
        return losses(&after(position, choices[position]), colour, choices);
    }
    position.legal_actions().map(|reply| losses(&after(position, reply), colour, choices)).sum()
}
