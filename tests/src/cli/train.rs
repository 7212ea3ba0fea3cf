//! What a run begins with, as set on the command line.

use std::path::Path;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, LineConfig, Metadata, NetConfig, NetKind, Pretrained, Weights};
use gipf_play::search::SearchConfig;
use gipf_train::cli::Exit;
use gipf_train::training::Config;

use crate::cli::{gipf, interrupted, refused};

/// Writes a small network for a rule set, with weights drawn from a seed.
fn network(path: &Path, game: &str) -> Checkpoint {
    let start = GipfPosition::start(game.parse::<Variant>().unwrap());
    let net = NetKind::Line(LineConfig { features: 8, hidden: 16, mixing: vec![8], ..LineConfig::default() });
    let config = NetConfig::of(net, &start).unwrap();
    let metadata = Metadata { game: game.to_owned(), step: 0, seed: 7, commit: None };
    let checkpoint = Checkpoint { weights: Weights::initial(&config, 7), config, metadata };
    checkpoint.save(path).unwrap();
    checkpoint
}

#[test]
fn networks_of_one_kind_are_averaged_and_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c, out] = ["a", "b", "c", "out"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let first = network(Path::new(&a), "basic");
    let second = Checkpoint { weights: Weights::initial(&first.config, 8), ..first.clone() };
    second.save(Path::new(&b)).unwrap();
    network(Path::new(&c), "standard");
    refused(&["average", &a, &b, &c, "--out", &out], Exit::WrongUse, &["c: expected a network of the same game"]);
    refused(&["average", &a, "--out", &out], Exit::WrongUse, &["2 values"]);
    assert!(!Path::new(&out).exists());
    assert_eq!(gipf(&["average", &a, &b, "--out", &out]).exit, Exit::Success);
    let mean = Weights::mean([&first.weights, &second.weights]);
    assert_eq!(Checkpoint::load_for(Path::new(&out), "basic").unwrap().weights, mean);
}

#[test]
fn a_network_too_large_to_compute_with_is_refused_by_name_before_anything_is_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let [large, out] = ["large.safetensors", "out"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let mut checkpoint = network(Path::new(&large), "basic");
    checkpoint.weights.0.values_mut().for_each(|array| array.values.fill(1e30));
    checkpoint.save(Path::new(&large)).unwrap();
    let texts = ["large.safetensors: its weights are too large to compute with"];
    refused(&["average", &large, &large, "--out", &out], Exit::Failure, &texts);
    refused(&["train", "--preset", "smoke", "--from", &large, "--run", &out], Exit::Failure, &texts);
    assert!(!Path::new(&out).exists());
}

fn settings(args: &[&str]) -> Config {
    let answer = gipf(&[&["train", "--print-config"][..], args].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    Config::parse(&answer.out).unwrap()
}

#[test]
fn a_run_from_a_checkpoint_has_its_rule_set_and_sizes_and_trusts_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("net.safetensors"), folder.path().join("config.toml"));
    let net = network(&file, "tournament").config.net;
    let (file, other_name) = (file.to_str().unwrap(), other.to_str().unwrap());
    let found = settings(&["--from", file]);
    assert_eq!((found.game.variant, &found.network.0), (Variant::TOURNAMENT, &net));
    let trusting = (found.at(0).search, found.learning.value_mix_at(0.0));
    assert_eq!(trusting, (SearchConfig::self_play(), found.learning.value_mix));
    let grown = settings(&["--from", file, "--set", "network.push_paths=true", "--set", "phases=[{after_games=9}]"]);
    let NetKind::Line(sizes) = &grown.network.0 else { panic!("{grown:?}") };
    assert_eq!((sizes.features, sizes.push_paths, grown.phases[0].after_games), (8, true, 9));

    let long = settings(&["--from", file, "--preset", "hour"]);
    assert!((0..3).all(|phase| long.at(200_000 * phase).network.0 == net), "whatever the phases of a preset say");

    let config = Config { game: found.game.clone(), ..Config::preset("smoke").unwrap() };
    std::fs::write(&other, config.to_text()).unwrap();
    assert_eq!(settings(&["--from", file, "--config", other_name]), config, "a file of settings says all of them");
}

#[test]
fn the_command_that_began_a_run_makes_it_as_long_as_it_says_and_never_shorter() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let began = ["train", "--preset", "smoke", "--iterations", "3", "--set", "run.games=2", "--run", run];
    interrupted(&began);
    let goes_on = |iterations: &str| {
        let answer = gipf(&["train", "--run", run, "--iterations", iterations]);
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    };
    goes_on("1");
    let endless = ["train", "--run", run, "--iterations", "4294967295"];
    refused(&endless, Exit::WrongUse, &["--iterations", "expected a whole number from 1 to 100000"]);
    let again = gipf(&began);
    assert!(again.out.contains("iteration 1 of 3\n") && again.err.is_empty(), "{}{}", again.out, again.err);
    goes_on("4");
    let again = gipf(&began);
    assert!(again.err.ends_with("goes on to 4 iterations, as was asked for before\n"), "{}", again.err);
    assert!(again.out.contains("iteration 4 of 4\n"), "{}", again.out);
}

#[test]
fn settings_that_cannot_hold_are_refused() {
    for (setting, told) in [
        ("evaluation.games=3", "an even number"),
        ("evaluation.final_games=5", "an even number"),
        ("evaluation.gating.games=3", "an even number"),
        ("search.method.gumbel.c_scale=1e37", "expected 0 to 1000000"),
        ("run.seed=9223372036854775808", "run.seed"),
        ("self_play.opponent=\"x\\n\\n[boo]\\ny = 1\"", "self_play.opponent is x\\n\\n[boo]"),
        ("evaluation.opponents=[\"x\\ny\"]", "expected a name without control characters"),
    ] {
        refused(&["train", "--print-config", "--set", "phases=[]", "--set", setting], Exit::WrongUse, &[told]);
    }
    let seeds = ["--seeds", "2", "--set", "run.seed=9223372036854775807"];
    let bench = [&["bench", "training", "--preset", "smoke", "--out", "nowhere"][..], &seeds].concat();
    refused(&bench, Exit::WrongUse, &["run.seed 9223372036854775807 and 2 seeds: expected seeds up to"]);
    assert!(!Path::new("nowhere").exists());
}

#[test]
fn a_run_goes_on_from_the_network_that_comes_with_the_program() {
    let set = ["train", "--from", "pretrained", "--set", "game.variant=tournament", "--print-config"];
    assert!(gipf(&set).out.contains("variant = \"tournament\""), "{}", gipf(&set).err);
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let args = ["train", "--preset", "smoke", "--iterations", "1", "--set", "run.games=2", "--run"];
    let from = [run.to_str().unwrap(), "--from", "pretrained", "--variant", "basic"];
    let answer = gipf(&[&args[..], &from].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let first = Checkpoint::load_for(&run.join("state/first.safetensors"), "basic").unwrap();
    assert_eq!(first.weights, Pretrained::of("basic").unwrap().checkpoint().weights);
    the_run_plays_by_the_name_of_its_directory(&run);
}

/// This holds wherever an agent is named, and in self-play.
fn the_run_plays_by_the_name_of_its_directory(run: &Path) {
    let (store, out) = (run.with_file_name("store.jsonl"), run.with_file_name("games"));
    let [run, store, out] = [run, &store, &out].map(|path| path.to_str().unwrap());
    let newest = format!("{run}/checkpoints/000001.safetensors");
    let report = gipf(&["eval", run, "--against", &format!("mcts:{run},sims=1"), "--games", "2"]);
    let name = format!("mcts:{newest},sims=64 against mcts:{newest},sims=1, basic, 2 games");
    assert!(report.out.starts_with(&name), "{}{}", report.out, report.err);
    let ladder = ["ladder", "random", &format!("mcts:{run},sims=1"), "--anchor", "random=0", "--games", "4"];
    let table = gipf(&[&ladder[..], &["--store", store]].concat());
    assert!(table.exit == Exit::Success && table.out.contains("basic"), "{}", table.err);
    assert!(std::fs::read_to_string(store).unwrap().contains(&newest), "a run has other networks later");
    let cheap = ["--full-share", "0.5", "--cheap-simulations", "2"];
    let play = [&["self-play", "--games", "2", "--simulations", "4"][..], &cheap, &["--checkpoint"]].concat();
    let answer = gipf(&[&play[..], &[run, "--out", out]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let answer =
        gipf(&[&play[..], &["pretrained", "--variant", "tournament", "--out", &format!("{out}-own")]].concat());
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    refused(
        &[&play[..], &[run, "--variant", "standard", "--out", "o"]].concat(),
        Exit::Failure,
        &["expected standard"],
    );
    let folder = Path::new(run).parent().unwrap().to_str().unwrap();
    refused(&[&play[..], &[folder, "--out", "o"]].concat(), Exit::Failure, &["there is no run here"]);
}

#[test]
fn a_network_that_a_run_cannot_begin_with_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (folder.path().join("net.safetensors"), folder.path().join("run"));
    network(&file, "tournament");
    let refuse = |from: &str, more: &[&str], texts: &[&str]| {
        let args = ["train", "--run", run.to_str().unwrap(), "--from", from];
        refused(&[&args[..], more].concat(), Exit::Failure, texts);
    };
    let file = file.to_str().unwrap();
    refuse(file, &["--variant", "basic"], &["net.safetensors", "tournament", "basic"]);
    refuse(file, &["--set", "network.features=6"], &["net.safetensors has features=8: expected features=6", "grows"]);
    refuse("missing.safetensors", &[], &["missing.safetensors"]);
    let push_off = ["train", "--run", run.to_str().unwrap(), "--from", "pretrained", "--variant", "push-off"];
    refused(&push_off, Exit::WrongUse, &["push-off", "basic, standard, tournament"]);
    let twice = ["train", "--run", run.to_str().unwrap(), "--variant", "basic", "--set", "game.variant=standard"];
    refused(&twice, Exit::WrongUse, &["`game.variant=standard` and variant basic: expected one of the two"]);
    let whole = ["train", "--run", run.to_str().unwrap(), "--preset", "smoke"];
    for (asked, set, told) in [
        (["--variant", "basic"], "game={variant=\"standard\"}", "game.variant is set to standard: expected basic"),
        (["--iterations", "1"], "run={iterations=2}", "run.iterations is set to 2: expected 1"),
    ] {
        refused(&[&whole[..], &asked, &["--set", set]].concat(), Exit::WrongUse, &[told]);
    }
    assert!(!run.exists());
}

/// Its games end undecided, so a run would learn nothing; a run that was begun anyway can be resumed.
#[test]
fn push_off_is_learned_only_if_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let args = ["train", "--preset", "smoke", "--iterations", "1", "--set", "run.games=2", "--run", run];
    for named in [["--variant", "push-off"], ["--set", "game.variant=push-off"]] {
        refused(&[&args[..], &named].concat(), Exit::WrongUse, &["push-off cannot be learned", "--allow-push-off"]);
    }
    assert!(!Path::new(run).exists());
    let begun = gipf(&[&args[..], &["--variant", "push-off", "--allow-push-off"]].concat());
    assert_eq!(begun.exit, Exit::Success, "{}", begun.err);
    let gone_on = gipf(&["train", "--run", run, "--iterations", "2"]);
    assert_eq!(gone_on.exit, Exit::Success, "{}", gone_on.err);
}

#[test]
fn old_names_of_settings_still_work_and_their_new_ones_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "[game]\nlimit = 300\n\n[evaluation.promotion]\ngames = 40\n").unwrap();
    let file = file.to_str().unwrap();
    let answer = gipf(&["train", "--config", file, "--set", "settled.from=0.5", "--print-config"]);
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let config = Config::parse(&answer.out).unwrap();
    let found = (config.game.placement_limit, config.evaluation.gating.games, config.phases[0].after_games);
    assert_eq!(found, (300, 40, 19_000));
    let said = |place: &str, old: &str, new: &str| {
        format!("warning: {place}: `{old}` is called `{new}` now; the old name goes with the next version\n")
    };
    let expected = said("--set", "settled.from", "phases")
        + &said(file, "game.limit", "game.placement_limit")
        + &said(file, "evaluation.promotion", "evaluation.gating");
    assert_eq!(answer.err, expected);
    let new = gipf(&["train", "--set", "learning.value_lambda=0.5", "--print-config"]);
    assert_eq!((new.exit, new.err.as_str()), (Exit::Success, ""));
}
