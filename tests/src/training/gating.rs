//! The best checkpoint of a run: chosen by a test, kept apart, and the same after a stop.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_models::{Engine, Pretrained, Weights};
use gipf_play::Stop;
use gipf_play::arena::SprtDecision;
use gipf_play::run::network_to_play;
use gipf_train::training::metrics::{GatingResult, IterationMetrics, OpponentScore};
use gipf_train::training::trainer::{Advance, CheckpointEval, Ended, GatingMatch, Occasion, Reporter, Stage, Trainer};
use gipf_train::training::{Baselines, Config, NewRun};

use crate::training::trainer::{smoke, start};

/// Accepts the checkpoints of some iterations.
struct Accepting(&'static [u32]);

impl CheckpointEval for Accepting {
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

    fn gating_games(&self) -> u64 {
        10
    }

    fn gate(&self, gating: &GatingMatch<'_>, _: &(dyn Fn(u64) + Sync), _: &Stop) -> Option<GatingResult> {
        let accepted = self.0.contains(&gating.iteration);
        let verdict = if accepted { SprtDecision::Accepted } else { SprtDecision::Open };
        Some(GatingResult { best: gating.best_iteration, games: 10, score: 0.5, llr: 0.0, verdict })
    }
}

/// Stops a run in the evaluation of an iteration, if asked to.
struct Watcher(Option<(u32, Stop)>);

impl Reporter for Watcher {
    fn begin(&mut self, iteration: u32, stage: Stage, _: u64) -> Advance {
        if let Some((at, stop)) = self.0.as_ref().filter(|_| stage == Stage::Evaluation)
            && *at == iteration
        {
            stop.request();
        }
        Box::new(|_| {})
    }

    fn complete(&mut self, _: &IterationMetrics) {}
}

fn config() -> Config {
    let mut config = smoke();
    config.run.iterations = 4;
    config.run.games = 4;
    config
}

fn created(path: &Path, config: &Config) -> Trainer<GipfPosition> {
    let first = start(config);
    Trainer::create(&NewRun::new(path, config), first).unwrap()
}

fn train(
    mut trainer: Trainer<GipfPosition>,
    eval: &dyn CheckpointEval,
    stop_in: Option<u32>,
) -> Vec<Option<GatingResult>> {
    let stop = Stop::default();
    let mut watcher = Watcher(stop_in.map(|iteration| (iteration, stop.clone())));
    let ended = trainer.train(eval, &mut watcher, &stop).unwrap();
    assert_eq!(ended == Ended::Stopped, stop_in.is_some());
    trainer.run().metrics().unwrap().into_iter().map(|line: IterationMetrics| line.gating).collect()
}

fn file(run: &Path, name: &str) -> Vec<u8> {
    fs::read(run.join(name)).unwrap()
}

#[test]
fn the_best_checkpoint_is_the_last_one_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (eval, path) = (Accepting(&[3]), folder.path().join("run"));
    let promotions = train(created(&path, &config()), &eval, None);
    let bests: Vec<_> = promotions.iter().map(|gating| gating.map(|gating| gating.best)).collect();
    assert_eq!(bests, [None, Some(1), Some(1), Some(3)], "the first has nobody to beat");
    assert!(file(&path, "best.safetensors") == file(&path, "checkpoints/000003.safetensors"));

    let off = folder.path().join("off");
    let eval = Baselines::new(&config()).unwrap();
    assert_eq!(train(created(&off, &config()), &eval, None), [None; 4], "off unless asked for");
    assert!(!off.join("best.safetensors").exists());
    let last = "checkpoints/000004.safetensors";
    assert!(file(&path, last) == file(&off, last), "what learns does not depend on what is best");
}

/// The best checkpoint from a time with gating must no longer be used to play.
#[test]
fn without_gating_the_best_checkpoint_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let [path, fork] = ["run", "fork"].map(|name| folder.path().join(name));
    train(created(&path, &config()), &Accepting(&[3]), None);
    assert_eq!(network_to_play(&path).unwrap(), Some(path.join("checkpoints/000003.safetensors")));
    let longer = config().with("run.iterations=5").unwrap();
    let trainer = Trainer::fork(&path, &NewRun::new(&fork, &longer), start(&longer)).unwrap();
    assert_eq!(network_to_play(&fork).unwrap(), Some(fork.join("checkpoints/000003.safetensors")));
    train(trainer, &Baselines::new(&longer).unwrap(), None);
    assert_eq!(network_to_play(&fork).unwrap(), Some(fork.join("checkpoints/000005.safetensors")));
    assert!(!fork.join("best.safetensors").exists());
    // A copy that the manifest does not name as the best is not played either.
    fs::write(path.join("best.safetensors"), file(&path, "checkpoints/000004.safetensors")).unwrap();
    assert_eq!(network_to_play(&path).unwrap(), Some(path.join("checkpoints/000003.safetensors")));
}

#[test]
fn a_run_that_is_stopped_finds_its_best_checkpoint_again() {
    let folder = tempfile::tempdir().unwrap();
    for stop_in in [2, 3, 4] {
        let (eval, path) = (Accepting(&[2]), folder.path().join(format!("run-{stop_in}")));
        train(created(&path, &config()), &eval, Some(stop_in));
        // A kill between the copy and the manifest leaves a copy that does not count.
        fs::write(path.join("best.safetensors"), b"half a fi").unwrap();
        let trainer = Trainer::resume(&path, start).unwrap();
        if stop_in > 2 {
            assert!(file(&path, "best.safetensors") == file(&path, "checkpoints/000002.safetensors"));
        }
        let bests: Vec<_> =
            train(trainer, &eval, None).into_iter().map(|gating| gating.map(|gating| gating.best)).collect();
        assert_eq!(bests, [None, Some(1), Some(2), Some(2)], "stopped in {stop_in}");
        assert!(file(&path, "best.safetensors") == file(&path, "checkpoints/000002.safetensors"));
    }
}

/// People may remove checkpoints that they do not need.
#[test]
fn a_run_goes_on_without_its_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let [path, fork] = ["run", "fork"].map(|name| folder.path().join(name));
    train(created(&path, &config()), &Accepting(&[2]), None);
    let best = file(&path, "checkpoints/000002.safetensors");
    for number in 1..=4 {
        fs::remove_file(path.join(format!("checkpoints/00000{number}.safetensors"))).unwrap();
    }
    let longer = config().with("run.iterations=5").unwrap();
    let trainer = Trainer::fork(&path, &NewRun::new(&fork, &longer), start(&longer)).unwrap();
    assert_eq!(train(trainer, &Accepting(&[]), None)[4].unwrap().best, 2);
    drop(Trainer::resume(&path, start).unwrap());
    for run in [path, fork] {
        assert!(file(&run, "best.safetensors") == best);
    }
}

/// The games between checkpoints can be repeated exactly, too.
#[test]
fn the_test_between_checkpoints_is_the_same_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config();
    config.run.iterations = 3;
    config.game.placement_limit = 40;
    config.evaluation.games = 0;
    config.evaluation.final_games = 0;
    config.evaluation.simulations = 2;
    config.evaluation.gating.games = 64;
    config.evaluation.gating.elo1 = 200.0;
    let eval = Baselines::new(&config).unwrap();
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    let promotions = train(created(&whole, &config), &eval, None);
    let played = promotions[1].unwrap();
    assert!((32..=64).contains(&played.games) && played.games.is_multiple_of(32), "{played:?}");
    assert!((0.0..=1.0).contains(&played.score) && played.llr.is_finite());
    train(created(&stopped, &config), &eval, Some(3));
    assert_eq!(train(Trainer::resume(&stopped, start).unwrap(), &eval, None), promotions);
    for name in ["best.safetensors", "checkpoints/000003.safetensors"] {
        assert!(file(&whole, name) == file(&stopped, name), "{name}");
    }
}

/// A score is that of the checkpoint, not of its opponent, and the newer network is accepted if it is the stronger one.
#[cfg_attr(debug_assertions, ignore = "networks play many games, the same as without assertions")]
#[test]
fn scores_and_tests_are_from_the_view_of_the_checkpoint() {
    let trained = Pretrained::of("standard").unwrap().checkpoint();
    let [trained, fresh] = [&trained.weights, &Weights::initial(&trained.config, 1)]
        .map(|weights| Arc::new(Engine::new(weights, &trained.config).unwrap()));
    let mut config = Config::default();
    config.evaluation.opponents = ["random", "alpha-beta:2"].map(str::to_owned).to_vec();
    (config.evaluation.games, config.evaluation.simulations, config.evaluation.gating.games) = (20, 8, 128);
    config.evaluation.gating.elo1 = 200.0;
    let (eval, stop) = (Baselines::new(&config).unwrap(), Stop::default());
    let rated = |engine| eval.rate(engine, Occasion::Iteration { beaten: &[] }, &|_| (), &stop).unwrap();
    let [good, bad] = [rated(&trained), rated(&fresh)];
    assert!(good[0].score > 0.9 && good[0].opponent == "random" && good[0].elo.is_none_or(|[elo, ..]| elo > 0.0));
    assert!(bad[1].score < 0.1 && bad[1].opponent == "alpha-beta:2" && bad[1].interval[1] < 0.5, "{bad:?}");
    let verdict = |newest, best| {
        eval.gate(&GatingMatch { newest, iteration: 2, best, best_iteration: 1 }, &|_| (), &stop).unwrap()
    };
    let (better, worse) = (verdict(&trained, &fresh), verdict(&fresh, &trained));
    assert!(better.verdict == SprtDecision::Accepted && better.score > 0.9, "{better:?}");
    assert!(worse.verdict == SprtDecision::Rejected && worse.score < 0.1, "{worse:?}");
}

#[test]
fn settings_of_the_test_are_checked() {
    let config = Config::default();
    assert_eq!(config.with("evaluation.gating.games=400").unwrap().evaluation.gating.games, 400);
    for wrong in ["evaluation.gating.elo0=35", "evaluation.gating.elo1=-5", "evaluation.gating.games=99999"] {
        let error = config.with(wrong).unwrap_err().to_string();
        assert!(error.starts_with("setting evaluation.gating."), "{error}");
    }
}
