//! Fitting a network to games that have already been played.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Engine, LineConfig, MlpConfig, NetKind};
use gipf_play::Stop;
use gipf_train::cli::{self, Console, Exit};
use gipf_train::dataset::{Accepted, DatasetReader, Source, is_held_out, parts, played_game};
use gipf_train::training::fit::{FitConfig, FitError, FitLength, FitMetrics, FitReporter, Fitted, fit};
use gipf_train::training::{Config, LearningConfig, PackedSamples, PlayedGame, Sample, Split, samples};

use crate::cli::{gipf, refused};

/// Writes games of an agent, and returns the directory.
fn dataset(folder: &Path, agent: &str, games: &str, variant: &str) -> PathBuf {
    let out = folder.join(format!("{agent}-{variant}").replace(':', "-"));
    let args = ["self-play", "--agent", agent, "--games", games, "--variant", variant, "--random-plies", "10", "--out"];
    let answer = gipf(&[&args[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    out
}

fn split(folder: &Path, hold_out: f64) -> Split<PackedSamples<GipfPosition>> {
    let source = Source::open(&[folder.to_owned()], Accepted::Complete, None).unwrap();
    source.split(hold_out, 0.0, &|_| {}, &Stop::default()).unwrap().unwrap()
}

fn unpacked(samples: &PackedSamples<GipfPosition>) -> Vec<Sample<GipfPosition>> {
    (0..samples.len()).map(|index| samples.get(index)).collect()
}

fn config(steps: u64) -> FitConfig {
    let learning = LearningConfig { batch_size: 64, value_mix: 0.0, warmup_steps: 20, ..Config::default().learning };
    let line = LineConfig { features: 8, hidden: 32, mixing: vec![8], value_hidden: 16, ..LineConfig::default() };
    let (length, report_every) = (FitLength::Steps(steps), Duration::from_hours(1));
    FitConfig { net: NetKind::Line(line), from: None, learning, length, report_every, seed: 1 }
}

/// Requests a stop after this many steps.
struct Watcher {
    reports: usize,
    stop_after: u64,
    stop: Stop,
}

impl Watcher {
    fn new(stop_after: u64) -> Self {
        Self { reports: 0, stop_after, stop: Stop::default() }
    }

    fn fit(&mut self, split: &Split<PackedSamples<GipfPosition>>, config: &FitConfig) -> Result<Fitted, FitError> {
        let stop = self.stop.clone();
        fit(split, config, self, &stop)
    }
}

impl FitReporter for Watcher {
    fn stepped(&mut self, steps: u64, progress: f64) {
        assert!(progress > 0.0);
        if steps == self.stop_after {
            self.stop.request();
        }
    }

    fn measured(&mut self, metrics: &FitMetrics) {
        assert!(metrics.learning.is_some_and(|learning| learning.steps > 0));
        self.reports += 1;
    }
}

/// Returns the losses of the best constant answers: an even policy, and the shares of the results.
fn constant(samples: &[Sample<GipfPosition>]) -> [f64; 2] {
    use gipf_env::{Position, math::wide};
    let choices = |sample: &Sample<GipfPosition>| wide::ln(sample.position.legal_actions().count() as f64);
    let policy = samples.iter().map(choices).sum::<f64>() / samples.len() as f64;
    let weight = |sample: &Sample<GipfPosition>| f64::from(sample.value_target(0.0).1);
    let total: f64 = samples.iter().map(weight).sum();
    let share = |result| samples.iter().filter(|sample| sample.result == Some(result)).map(weight).sum::<f64>() / total;
    let entropy = |share: f64| if share > 0.0 { -share * wide::ln(share) } else { 0.0 };
    [policy, [1, 0, -1].map(share).map(entropy).iter().sum()]
}

#[test]
fn a_few_games_are_learned_better_than_by_a_constant() {
    let folder = tempfile::tempdir().unwrap();
    let split = split(&dataset(folder.path(), "alpha-beta:1", "1500", "standard"), 0.2);
    let held_out = unpacked(&split.held_out);
    let mut config = config(600);
    config.learning.learning_rate = 5e-3;
    let fitted = Watcher::new(0).fit(&split, &config).unwrap();
    let found = fitted.metrics.held_out.unwrap();
    let [policy, value] = constant(&held_out);
    assert_eq!(found.samples, held_out.len() as u64);
    assert!(found.policy_loss < policy - 1.0, "{found:?}, a constant: {policy}");
    assert!(found.value_loss.unwrap() < value - 0.005, "{found:?}, a constant: {value}");
    assert!(found.target_entropy.abs() < 1e-6, "a choice is certain");
    let untrained = Watcher::new(1).fit(&split, &config).unwrap().metrics.held_out.unwrap();
    assert!(found.policy_accuracy > 3.0 * untrained.policy_accuracy, "{found:?} {untrained:?}");
    assert!(found.value_error < untrained.value_error, "{found:?} {untrained:?}");
}

#[test]
fn the_value_is_learned_from_what_players_expected_too_where_they_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let fitted = |agent: &str, mix: &[&str]| {
        let (data, out) = (dataset(folder.path(), agent, "20", "basic"), folder.path().join("net.safetensors"));
        let files =
            ["fit", "--data", data.to_str().unwrap(), "--force", "--out", out.to_str().unwrap(), "--steps", "3"];
        let small = ["--set", "features=8", "--set", "hidden=16"];
        assert_eq!(gipf(&[&files[..], &small, mix].concat()).exit, Exit::Success);
        std::fs::remove_dir_all(data).unwrap();
        Checkpoint::load(&out).unwrap().weights
    };
    let [half, none] = ["learning.value_mix=0.4", "learning.value_mix=0"].map(|mix| ["--set", mix]);
    assert_eq!(fitted("alpha-beta:1", &[]), fitted("alpha-beta:1", &half));
    assert_ne!(fitted("alpha-beta:1", &[]), fitted("alpha-beta:1", &none));
    assert_eq!(fitted("greedy", &[]), fitted("greedy", &none), "greedy has no opinion");
}

#[test]
fn the_split_is_by_game_and_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), "random", "60", "tournament");
    let (all, half) = (split(&data, 0.0), split(&data, 0.5));
    assert!(all.held_out.is_empty() && !all.learned.is_empty());
    let mut expected = [Vec::new(), Vec::new()];
    for file in parts(&data).unwrap() {
        let reader = DatasetReader::open(&file).unwrap();
        for rows in reader.games() {
            let game = played_game(&rows.unwrap()).unwrap();
            expected[usize::from(is_held_out(&reader.key(), game.id, 0.5))].extend(samples(&game, 0.0));
        }
    }
    assert_eq!([&half.learned, &half.held_out].map(unpacked), expected);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| split(&data, 0.5));
    assert_eq!(unpacked(&again.held_out), expected[1]);
    assert!(half.learned.size() < 200 * half.learned.len(), "{} samples: {}", half.learned.len(), half.learned.size());
}

#[test]
fn the_same_seed_and_steps_give_the_same_network_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let split = split(&dataset(folder.path(), "greedy", "20", "standard"), 0.1);
    let weights = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let config = FitConfig { seed, ..config(10) };
        pool.install(|| Watcher::new(0).fit(&split, &config).unwrap().checkpoint("standard").weights)
    };
    assert_eq!(weights(1, 1), weights(2, 1));
    assert_ne!(weights(2, 1), weights(2, 2));
}

#[test]
fn a_fit_is_stopped_by_its_time_or_by_a_stop_and_keeps_what_was_learned() {
    let folder = tempfile::tempdir().unwrap();
    let split = split(&dataset(folder.path(), "greedy", "20", "standard"), 0.1);
    let mut watcher = Watcher::new(7);
    let fitted = watcher.fit(&split, &config(1_000_000)).unwrap();
    assert!(fitted.stopped && fitted.metrics.held_out.is_some());
    assert_eq!((fitted.metrics.steps, fitted.checkpoint("standard").metadata.step), (7, 7));

    let (length, report_every) = (FitLength::Time(Duration::from_millis(500)), Duration::from_millis(100));
    let mlp = NetKind::Mlp(MlpConfig { hidden: vec![8] });
    let mut watcher = Watcher::new(0);
    let timed = FitConfig { net: mlp, length, report_every, ..config(0) };
    let fitted = watcher.fit(&split, &timed).unwrap();
    assert!(!fitted.stopped && fitted.metrics.seconds >= 0.5);
    assert!((1..=5).contains(&watcher.reports), "{} reports", watcher.reports);

    let length = FitLength::CoreTime(Duration::from_millis(200));
    let fitted = Watcher::new(0).fit(&split, &FitConfig { length, ..timed }).unwrap();
    assert!(!fitted.stopped && fitted.metrics.cpu_seconds >= 0.2);
}

#[test]
fn a_fit_begins_with_a_network_which_may_grow() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), "greedy", "20", "standard");
    let [first, next] = ["first", "next"].map(|name| folder.path().join(name));
    let loss = |args: &[&str]| {
        let answer = gipf(&[args, &["--json"]].concat());
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        let report: serde_json::Value = serde_json::from_str(answer.out.lines().last().unwrap()).unwrap();
        report["held_out"]["policy_loss"].as_f64().unwrap()
    };
    let learned = loss(&[&arguments(&data, &first)[..], &["--steps", "300", "--learning-rate", "0.01"]].concat());
    // Such a small step changes far less than 300 large ones.
    let still = ["--steps", "1", "--learning-rate", "1e-9"];
    let untrained = loss(&[&arguments(&data, &next)[..], &still].concat());
    assert!((learned - untrained).abs() > 0.02, "{learned} {untrained}");
    let named = ["--data", data.to_str().unwrap(), "--from", first.to_str().unwrap(), "--out", next.to_str().unwrap()];
    for more in [&[][..], &["--set", "features=16"], &["--set", "push_paths=true"]] {
        let found = loss(&[&["fit", "--force"], &named[..], &still, more].concat());
        assert!((found - learned).abs() < 1e-3, "{more:?}: {found} instead of {learned}");
        let [before, now] = [&first, &next].map(|file| Checkpoint::load(file).unwrap());
        assert_eq!(now.config == before.config, more.is_empty());
    }
    let smaller = [&["fit", "--force"], &named[..], &still, &["--set", "features=4"]].concat();
    refused(&smaller, Exit::Failure, &["first", "has features=8: expected features=4, or a network that grows to it"]);
    let another_kind = [&["fit", "--force"], &named[..], &still, &["--net", "mlp"]].concat();
    refused(&another_kind, Exit::WrongUse, &["--net"]);
}

#[test]
fn games_without_a_choice_teach_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("games");
    let args = ["self-play", "--agent", "random", "--games", "2", "--noise", "1", "--out", out.to_str().unwrap()];
    assert_eq!(gipf(&args).exit, Exit::Success);
    let error = Watcher::new(0).fit(&split(&out, 0.0), &config(1)).err().unwrap();
    assert!(matches!(error, FitError::NoSamples), "{error}");
}

/// Returns the arguments of a short fit.
fn arguments<'a>(data: &'a Path, out: &'a Path) -> Vec<&'a str> {
    let small = ["--batch", "32", "--set", "features=8", "--set", "hidden=16", "--set", "mixing=[8]", "--warmup", "2"];
    [&["fit", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap()][..], &small].concat()
}

#[test]
fn the_program_writes_a_checkpoint_that_plays() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (dataset(folder.path(), "greedy", "20", "standard"), folder.path().join("net.safetensors"));
    let answer = gipf(&[&arguments(&data, &out)[..], &["--steps", "5", "--json"]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let report: serde_json::Value = serde_json::from_str(answer.out.lines().last().unwrap()).unwrap();
    assert_eq!((&report["steps"], &report["checkpoint"]), (&5.into(), &out.to_str().unwrap().into()));
    for loss in ["policy_loss", "policy_accuracy", "value_loss", "value_error"] {
        assert!(report["held_out"][loss].as_f64().is_some_and(f64::is_finite), "{report}");
    }
    let checkpoint = Checkpoint::load_for(&out, "standard").unwrap();
    Engine::new(&checkpoint.weights, &checkpoint.config).unwrap();
    let line = LineConfig { features: 8, hidden: 16, mixing: vec![8], ..LineConfig::default() };
    assert_eq!((checkpoint.config.net, checkpoint.metadata.step), (NetKind::Line(line), 5));
    let agent = format!("mcts:{},sims=4", out.display());
    assert_eq!(gipf(&["eval", &agent, "--against", "random", "--games", "2"]).exit, Exit::Success);
    let text = gipf(&[&arguments(&data, &out)[..], &["--steps", "2", "--net", "mlp", "--set", "hidden=[8]"]].concat());
    assert!(text.err.contains("features") && text.exit == Exit::WrongUse, "a perceptron has none: {}", text.err);
    let both = [&arguments(&data, &out)[..], &["--steps", "2", "--net", "hex", "--set", "kind=mlp"]].concat();
    refused(&both, Exit::WrongUse, &["--set kind=mlp and --net: expected one of the two"]);
}

/// Requests a stop at the first report.
struct Stopper(Stop, Vec<u8>);

impl std::io::Write for Stopper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.request();
        self.1.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs the program with a stop at its first output; returns what it printed.
fn stopped(args: &[&str]) -> String {
    let stop = Stop::default();
    let (mut out, mut err) = (Stopper(stop.clone(), Vec::new()), Vec::new());
    let input = &mut &b""[..];
    let mut console = Console::new(input, &mut out, &mut err).stopped_by(stop);
    assert_eq!(cli::run([&["gipf"][..], args].concat(), &mut console), Exit::Interrupted);
    String::from_utf8(out.1).unwrap()
}

#[test]
fn the_program_that_is_stopped_in_the_midst_saves() {
    let folder = tempfile::tempdir().unwrap();
    let (data, net) = (dataset(folder.path(), "greedy", "20", "standard"), folder.path().join("net.safetensors"));
    let more = ["--seconds", "3600", "--every", "1", "--json"];
    let told = stopped(&[&arguments(&data, &net)[..], &more].concat());
    let lines: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(Checkpoint::load(&net).unwrap().metadata.step, lines[1]["steps"].as_u64().unwrap());
    for line in lines {
        let loss = line["learning"]["policy_loss"].as_f64();
        assert!(loss.is_none_or(|loss| loss > 0.0), "without a step nothing is known of a loss: {line}");
    }
}

#[test]
fn a_network_does_not_replace_the_games_that_it_learns_from() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), "greedy", "4", "standard");
    for name in ["games-00000.parquet", "_manifest.json"] {
        let file = data.join(name);
        let before = std::fs::read(&file).unwrap();
        let args = [&arguments(&data, &file)[..], &["--steps", "2", "--force"]].concat();
        refused(&args, Exit::WrongUse, &["is read: expected another file"]);
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}

#[test]
fn games_without_results_tell_nothing_of_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let play = ["self-play", "--agent", "greedy", "--games", "20", "--limit", "12", "--out", data.to_str().unwrap()];
    assert_eq!(gipf(&play).exit, Exit::Success);
    let out = folder.path().join("net.safetensors");
    let answer = gipf(&[&arguments(&data, &out)[..], &["--steps", "2"]].concat());
    assert!(answer.out.contains(" %, no results\n"), "{}", answer.out);
}

#[test]
fn a_run_from_data_that_is_stopped_while_it_is_fitted_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let (data, run) = (dataset(folder.path(), "greedy", "20", "standard"), folder.path().join("run"));
    let path = run.to_str().unwrap();
    let order = ["train", "--preset", "smoke", "--from-data", data.to_str().unwrap(), "--run", path];
    let told = stopped(&order);
    assert!(told.contains("samples to learn from") && !told.contains("iteration"), "{told}");
    assert!(!run.exists(), "half a fit begins nothing");
    let answer = gipf(&[&order[..], &["--json"]].concat());
    assert_eq!((answer.exit, answer.out.lines().count()), (Exit::Success, 3), "{}", answer.err);
}

#[test]
fn a_run_from_data_begins_with_the_network_that_a_fit_gives() {
    let folder = tempfile::tempdir().unwrap();
    let (data, run) = (dataset(folder.path(), "greedy", "20", "tournament"), folder.path().join("run"));
    let settings = ["features=8", "hidden=16", "mixing=[8]"];
    let in_run = settings.map(|setting| format!("network.{setting}"));
    let [small, in_run] =
        [settings, in_run.each_ref().map(String::as_str)].map(|settings| settings.map(|text| ["--set", text]).concat());
    let from_data = ["train", "--preset", "smoke", "--json", "--iterations", "1", "--run", run.to_str().unwrap()];
    let from_data = [&from_data[..], &["--set", "replay.reuse=2", "--from-data", data.to_str().unwrap()]].concat();
    let answer = gipf(&[&from_data[..], &in_run].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let lines: Vec<serde_json::Value> = answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [report, iteration] = &lines[..] else { panic!("{}", answer.out) };
    assert!(report["held_out"]["policy_accuracy"].as_f64().unwrap() > 0.0, "{report}");
    assert!(report["held_out"]["value_error"].as_f64().unwrap() > 0.0, "{report}");
    assert_eq!(iteration["iteration"], 1);
    let learned = split(&data, 0.1).learned.len();
    assert_eq!(report["steps"], (2.0 * learned as f64 / 64.0).round() as u64);

    let out = folder.path().join("net.safetensors");
    let config = Config::preset("smoke").unwrap().learning;
    let steps = report["steps"].to_string();
    let rates = [config.learning_rate, config.final_learning_rate].map(|rate| rate.to_string());
    let warmup = config.warmup_steps.to_string();
    let fit =
        ["fit", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap(), "--steps", &steps, "--batch", "64"];
    let rates = ["--learning-rate", &rates[0], "--final-learning-rate", &rates[1], "--warmup", &warmup];
    let optimizer = &config.optimizer;
    let learning = [
        format!("learning.value_mix={}", config.value_mix),
        format!("learning.optimizer.weight_decay={}", optimizer.weight_decay),
        format!("learning.optimizer.beta_2={}", optimizer.beta_2),
        format!("learning.optimizer.clip_norm={:?}", optimizer.clip_norm),
    ];
    let learning = learning.each_ref().map(|setting| ["--set", setting.as_str()]).concat();
    assert_eq!(gipf(&[&fit[..], &rates, &small, &learning].concat()).exit, Exit::Success);
    let first = Checkpoint::load_for(&run.join("state/first.safetensors"), "tournament").unwrap();
    assert!(first.weights == Checkpoint::load(&out).unwrap().weights, "the same weights");
}

#[test]
fn a_run_from_data_is_refused_before_anything_is_learned() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), "random", "2", "basic");
    let (full, new) = (folder.path(), folder.path().join("new"));
    let refuse = |run: &Path, more: &[&str], exit, texts: &[&str]| {
        let args =
            ["train", "--preset", "smoke", "--from-data", data.to_str().unwrap(), "--run", run.to_str().unwrap()];
        refused(&[&args[..], more].concat(), exit, texts);
    };
    refuse(full, &[], Exit::Failure, &["not empty"]);
    refuse(&new, &["--variant", "standard"], Exit::Failure, &["games of basic: expected standard"]);
    let other = "game.variant is set to standard: expected basic";
    refuse(&new, &["--set", "game.variant=standard"], Exit::WrongUse, &[other]);
    refuse(&new, &["--from", "runs/other"], Exit::WrongUse, &["--from", "--from-data"]);
    refuse(&new, &["--set", "network.depth=3"], Exit::WrongUse, &["--set network.depth=3: ", "depth"]);
    assert!(!new.exists());
    std::fs::create_dir(&new).unwrap();
    std::fs::write(new.join("config.toml"), "").unwrap();
    refuse(&new, &[], Exit::WrongUse, &["settings of its own"]);
}

#[test]
fn what_cannot_be_learned_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let standard = dataset(folder.path(), "random", "2", "standard");
    let basic = dataset(folder.path(), "random", "2", "basic");
    let (out, empty) = (folder.path().join("net.safetensors"), folder.path().join("empty"));
    std::fs::create_dir(&empty).unwrap();
    let refuse = |data: &[&Path], more: &[&str], exit, texts: &[&str]| {
        let data = data.iter().flat_map(|folder| ["--data", folder.to_str().unwrap()]);
        let args: Vec<_> = ["fit", "--out", out.to_str().unwrap()].into_iter().chain(data).collect();
        refused(&[&args[..], more].concat(), exit, texts);
    };
    let steps = ["--steps", "1"];
    refuse(&[&standard, &basic], &steps, Exit::Failure, &["games-00000.parquet", "games of basic: expected standard"]);
    let variant = [&steps[..], &["--variant", "tournament"]].concat();
    refuse(&[&standard], &variant, Exit::Failure, &["games of standard: expected tournament"]);
    refuse(&[&empty], &steps, Exit::Failure, &["empty", "games-*.parquet"]);
    refuse(&[], &steps, Exit::WrongUse, &["--data"]);
    let again = standard.join(".");
    refuse(&[&standard, &again], &steps, Exit::WrongUse, &["games-00000.parquet is given twice"]);
    refuse(&[&standard], &[], Exit::WrongUse, &["--seconds"]);
    refuse(&[&standard], &["--steps", "1", "--seconds", "1"], Exit::WrongUse, &["--steps", "--seconds"]);
    for (setting, text) in [
        ("depth=3", "depth"),
        ("features=0", "features"),
        ("run.games=3", "run.games"),
        ("x", "--set x: expected a setting of the network"),
        ("learning.value_mix_games=5", "has no effect here"),
    ] {
        refuse(&[&standard], &["--steps", "1", "--set", setting], Exit::WrongUse, &[text]);
    }
    refuse(&[&standard], &["--steps", "1", "--batch", "0"], Exit::WrongUse, &["--batch"]);
    refuse(&[&standard], &["--steps", "1", "--hold-out", "1"], Exit::WrongUse, &["--hold-out", "0 to 0.9"]);
    let nowhere = ["--steps", "1", "--out", "no/such/folder/net"];
    refused(
        &[&["fit", "--data", standard.to_str().unwrap()][..], &nowhere].concat(),
        Exit::Failure,
        &["no/such/folder"],
    );
    assert!(!out.exists());
}

/// The rate falls to a tenth of its first value, whichever option set that.
#[test]
fn the_last_rate_follows_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path(), "random", "2", "basic");
    let out = folder.path().join("net.safetensors");
    let fit = ["fit", "--data", data.to_str().unwrap(), "--out", out.to_str().unwrap(), "--force", "--json"];
    let fit = [&fit[..], &["--batch", "8", "--steps", "20", "--set", "features=4", "--warmup"]].concat();
    let rate = |more: &[&str]| {
        let answer = gipf(&[&fit[..], &["0"], more].concat());
        assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""), "{more:?}");
        let last: serde_json::Value = serde_json::from_str(answer.out.lines().last().unwrap()).unwrap();
        last["learning"]["learning_rate"].as_f64().unwrap()
    };
    let expected = rate(&["--learning-rate", "0.0001"]);
    assert!(expected < 0.00002, "{expected}");
    assert_eq!(rate(&["--set", "learning.learning_rate=0.0001"]).to_bits(), expected.to_bits());
    let kept = rate(&["--set", "learning.learning_rate=0.0001", "--set", "learning.final_learning_rate=0.0001"]);
    assert!((kept - 0.0001).abs() < 1e-9, "{kept}");
    let answer = gipf(&[&fit[..], &["20"]].concat());
    assert!(answer.exit == Exit::Success && answer.err.contains("within the warm-up of 20"), "{}", answer.err);
}

#[test]
fn a_game_is_restored_from_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    for variant in ["standard", "tournament+zertz", "push-off"] {
        let data = dataset(folder.path(), "alpha-beta:1", "6", variant);
        let reader = DatasetReader::open(&parts(&data).unwrap()[0]).unwrap();
        let games: Vec<_> = reader.games().map(|rows| played_game(&rows.unwrap()).unwrap()).collect();
        let start = games[0].start.clone();
        let variant: Variant = variant.parse().unwrap();
        let agent = "alpha-beta:1".parse::<gipf_play::players::AgentSpec>().unwrap().contender(variant).unwrap();
        let config = gipf_train::training::AgentPlayConfig { random_plies: 10, noise: 0.0 };
        let assignment =
            gipf_train::training::AgentAssignment { start: &start, first_id: 0, games: 6, seed: 1, config };
        let played = gipf_train::training::play_agent_games(&assignment, &agent.build, &|_: &_| {}, &Stop::default());
        assert_eq!(games, played.into_iter().map(rounded).collect::<Vec<_>>());
    }
}

/// Returns a game with its values rounded to units of 1/127, as in its rows.
fn rounded(mut game: PlayedGame<GipfPosition>) -> PlayedGame<GipfPosition> {
    for decision in &mut game.decisions {
        decision.root_value = decision.root_value.map(|value| (value * 127.0).round() / 127.0);
    }
    game
}
