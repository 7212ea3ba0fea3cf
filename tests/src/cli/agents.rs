//! `gipf eval`, and how all commands handle agents and checkpoints.

use std::path::Path;

use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, Metadata, MlpConfig, NetConfig, NetKind, Weights};
use gipf_play::Stop;
use gipf_train::cli::{self, Console, Exit};

use crate::cli::{gipf, gipf_with_input, interrupted, refused, write};

#[test]
fn eval_reports_a_match_as_a_table_and_as_json() {
    let args = ["eval", "greedy", "--against", "random", "--games", "4", "--seed", "1"];
    let table = gipf(&args);
    assert_eq!(table.exit, Exit::Success, "{}", table.err);
    assert!(table.out.starts_with("greedy against random, standard, 4 games (seed 1)\n"), "{}", table.out);
    let json = gipf(&[&args[..], &["--json", "--variant", "tournament", "--against", "greedy"]].concat());
    let reports: Vec<serde_json::Value> = json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2);
    assert_eq!((&reports[1]["games"], &reports[1]["variant"]), (&4.into(), &"tournament".into()));
    assert!(gipf(&args).out.lines().nth(1) == table.out.lines().nth(1), "the same seed, the same score");
}

#[test]
fn eval_that_is_stopped_reports_what_was_played() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let stop = Stop::default();
    stop.request();
    let input = &mut &b""[..];
    let mut console = Console::new(input, &mut out, &mut err).stopped_by(stop);
    let args = ["gipf", "eval", "greedy", "--against", "random", "--games", "100000", "--json"];
    assert_eq!(cli::run(args, &mut console), Exit::Interrupted);
    let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(report["games"], 0);
    assert_eq!(interrupted(&args[1..args.len() - 1]), "stopped after 0 of 100000 games\n");
    assert_eq!(String::from_utf8(err).unwrap(), "stopped after 0 of 100000 games\n");
}

#[test]
fn who_would_think_without_end_is_refused_unless_a_clock_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let (name, told) = ("alpha-beta:threads=2", ["would think without end", "expected a limit such as depth=4"]);
    for args in [
        &["eval", name, "--games", "2"][..],
        &["eval", "random", "--against", "alpha-beta:eval=distilled", "--games", "2"],
        &["ladder", "random", name, "--store", &out],
        &["play", name],
        &["rate", name],
        #[cfg(feature = "dataset")]
        &["self-play", "--agent", name, "--games", "1", "--out", &out],
        &["tune", "--agent", "alpha-beta:hash=1", "--out", &out],
    ] {
        let typed = args.iter().find(|arg| arg.starts_with("alpha-beta:")).unwrap();
        refused(args, Exit::WrongUse, &[&format!("agent `{typed}`"), told[0], told[1]]);
    }
    let clock = ["eval", "alpha-beta:hash=1", "--against", "random", "--games", "2", "--clock", "20ms"];
    assert_eq!(gipf(&clock).exit, Exit::Success);
}

#[test]
fn eval_refuses_what_makes_no_sense() {
    refused(&["eval", "gamma"], Exit::WrongUse, &["gamma", "expected", "alpha-beta"]);
    refused(&["eval", "alpha-beta:9"], Exit::WrongUse, &["alpha-beta:9", "expected"]);
    refused(&["eval", "random", "--games", "0"], Exit::WrongUse, &["'0'", "--games"]);
    refused(&["eval", "random", "--games", "3"], Exit::WrongUse, &["--games 3", "expected an even number"]);
    refused(&["eval", "random", "--variant", "chess"], Exit::WrongUse, &["`chess`", "expected basic"]);
    refused(&["eval", "random", "--sprt", "10", "0"], Exit::WrongUse, &["--sprt", "expected two numbers"]);
    for bound in ["7000", "-7000", "inf", "NaN"] {
        let told = ["--sprt", "expected a number from -2000 to 2000"];
        refused(&["eval", "random", "--sprt", "0", bound], Exit::WrongUse, &told);
    }
    let mut missing = vec!["eval", "random", "--games", "2", "--variant", "basic"];
    missing.extend(["--against", "greedy", "--against", "mcts:no/such.safetensors"]);
    refused(&missing, Exit::Failure, &["no/such"]);
    assert_eq!(gipf(&missing).out, "", "the match before it is not played");
    refused(&["eval", "random", "--games", "100000", "--opening", "0"], Exit::WrongUse, &["opening"]);
    refused(&["eval", "pretrained", "--variant", "push-off"], Exit::WrongUse, &["no network for push-off"]);
    refused(&["eval", "alpha-beta:time=0s"], Exit::WrongUse, &["time `0s`", "a time above 0"]);
    refused(&["eval", "pretrained:sims=9,sims=8"], Exit::WrongUse, &["sims is named twice"]);
    refused(&["eval", "random", "--seed", "-1"], Exit::WrongUse, &["'-1'", "--seed", "a whole number from 0 on"]);
    refused(&["eval", "random", "--records", "-x"], Exit::WrongUse, &["'-x'", "expected --records=-x"]);
    refused(&["eval", "random", "--json", "-x"], Exit::WrongUse, &["'-x' found; see --help"]);
}

#[test]
fn a_book_without_an_equals_sign_is_told_from_an_agent() {
    let folder = tempfile::tempdir().unwrap();
    let book = write(folder.path(), "book.txt", "standard/1: a text, and no network\n");
    let told = format!("expected --book={book}");
    refused(&["eval", "--book", &book], Exit::WrongUse, &[&told, "no network"]);
    refused(&["eval", "random", "--book", &book], Exit::WrongUse, &[&told]);
    let error = gipf(&["eval", &book, "--variant", "standard"]).err;
    assert_eq!(error, format!("error: {book} is not a network of this program\n"));
}

#[test]
fn options_without_effect_are_refused() {
    refused(&["eval", "random", "--move-time", "9s"], Exit::WrongUse, &["--against-command"]);
    refused(&["rate", "random", "--move-time", "9s"], Exit::WrongUse, &["--move-time"]);
    refused(&["eval", "random", "--force"], Exit::WrongUse, &["--force", "expected --records"]);
    let stream = ["eval", "random", "--games", "2", "--records", "-"];
    refused(&stream, Exit::Failure, &["- names no file here", "/dev/stdout"]);
    refused(&["book", "--force"], Exit::WrongUse, &["--force", "expected --out"]);
    refused(&["record", "convert", "-", "--to", "gpn", "--force"], Exit::WrongUse, &["--force", "expected --out"]);
    refused(&["bench", "infer", "--force"], Exit::WrongUse, &["--force", "expected --answers"]);
    for (option, value) in [("--network", "mlp"), ("--variant", "basic")] {
        let twice = ["bench", "infer", option, value, option, value, "--answers", "nowhere"];
        refused(&twice, Exit::WrongUse, &[&format!("{option} {value} is given twice: expected each once")]);
    }
    assert!(!Path::new("nowhere").exists());
    let nothing = ["bench", "search", "--checkpoint", "pretrained", "--simulations", "0", "--milliseconds", "0"];
    refused(&nothing, Exit::WrongUse, &["--simulations 0 --milliseconds 0", "expected"]);
    assert_eq!(gipf(&nothing).out, "", "no table is begun");
}

#[test]
fn games_replace_nothing_that_they_are_played_with() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let other = folder.path().join("./standard.safetensors");
    let book = write(folder.path(), "book.txt", &gipf(&["book", "--positions", "1", "--nodes", "100"]).out);
    let (records, other_book) = (other.to_str().unwrap(), format!("--book={book}"));
    let eval = ["eval", "random", "--games", "2", "--force", "--records"];
    refused(&[&eval[..], &[records, "--against", &network]].concat(), Exit::WrongUse, &["is read", "another file"]);
    refused(&[&eval[..], &[&book, &other_book]].concat(), Exit::WrongUse, &["book.txt is read", "another file"]);
    assert_eq!(gipf(&["eval", &network, "--games", "2", "--against", "random"]).exit, Exit::Success);
}

#[cfg(unix)]
#[test]
fn a_file_that_never_ends_is_refused() {
    refused(&["eval", "random", "--book=/dev/zero"], Exit::Failure, &["/dev/zero", "longer than"]);
    refused(&["ladder", "--show", "--store", "/dev/zero"], Exit::Failure, &["/dev/zero"]);
    #[cfg(feature = "learn")]
    for words in [&["train", "--config=/dev/zero"][..], &["bench", "training", "--result=/dev/zero"]] {
        refused(words, Exit::Failure, &["/dev/zero", "longer than"]);
    }
}

/// Writes an untrained network for a rule set, and returns its path.
pub fn checkpoint(folder: &Path, variant: Variant) -> String {
    let net = NetKind::Mlp(MlpConfig { hidden: vec![8] });
    let config = NetConfig::of(net, &GipfPosition::start(variant)).unwrap();
    let weights = Weights::initial(&config, 1);
    let metadata = Metadata { game: variant.to_string(), step: 0, seed: 1, commit: None };
    let path = folder.join(format!("{variant}.safetensors"));
    Checkpoint { config, metadata, weights }.save(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_checkpoint_plays_its_own_rule_set() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::TOURNAMENT);
    let report = gipf(&["eval", &format!("mcts:{network},sims=4"), "--against", "random", "--games", "2"]);
    let name = format!("mcts:{network},sims=4 against random, tournament, 2 games");
    assert!(report.out.starts_with(&name), "{}{}", report.out, report.err);
    let game = gipf_with_input(&["play", &network], "hint\nGe2\n");
    assert!(game.out.contains("tournament, placements 2") && game.out.contains("visits, value "), "{}", game.out);
    assert!(game.out.contains("the game may go on: White G"), "{}", game.out);
}

#[test]
fn a_checkpoint_that_is_missing_or_foreign_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::BASIC);
    let text = write(folder.path(), "text.safetensors", "a letter to a friend, which is no network at all");
    let bytes = std::fs::read(&network).unwrap();
    let half = folder.path().join("half.safetensors");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let altered = folder.path().join("altered.safetensors");
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    std::fs::write(&altered, changed).unwrap();
    for command in [&["play"][..], &["eval"]] {
        let with = |agent: &str| [command, &[agent][..]].concat().iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let refused = |agent: &str, more: &[&str], texts: &[&str]| {
            let args = with(agent);
            let args: Vec<_> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
            refused(&args, Exit::Failure, texts);
        };
        refused("none.safetensors", &[], &["none.safetensors", "cannot read"]);
        refused(&network, &["--variant", "standard"], &["basic.safetensors", "expected standard"]);
        refused(&text, &[], &["text.safetensors"]);
        refused(half.to_str().unwrap(), &[], &["half.safetensors"]);
        refused(altered.to_str().unwrap(), &[], &["altered.safetensors"]);
    }
}

#[test]
fn no_error_tells_a_terminal_what_to_do_or_fills_it() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::BASIC);
    let path = Path::new(&network);
    let mut odd = Checkpoint::load(path).unwrap();
    odd.metadata.game = format!("\u{1b}[2J{}", "chess".repeat(100_000));
    odd.save(path).unwrap();
    let long = format!("./\u{1b}]0;{}\u{7}", "x".repeat(100_000));
    let texts = [
        gipf(&["eval", &network]).err,
        gipf(&["eval", &network, "--variant", "basic"]).err,
        gipf(&["eval", &long]).err,
        gipf(&["eval", &format!("gamma{long}").replace('/', "")]).err,
        gipf(&["perft", "--depth", &long]).err,
        gipf(&[&long]).err,
        gipf_with_input(&["engine", "--agent", &long], "isready\ngo\n").err,
        gipf_with_input(&["engine"], &format!("setoption name Agent value {}\nugi\nisready\n", &long[..60_000])).out,
    ];
    for text in texts {
        assert!(!text.is_empty() && text.len() < 10_000, "{} bytes", text.len());
        assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
    }
}

#[test]
fn a_network_with_weights_too_large_to_compute_with_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("standard.safetensors");
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let mut huge = Checkpoint::load(&path).unwrap();
    huge.weights.0.values_mut().flat_map(|array| &mut array.values).for_each(|value| *value *= 1e35);
    huge.save(&path).unwrap();
    let texts = ["standard.safetensors", "weights are too large", "expected finite answers"];
    refused(&["eval", &network], Exit::Failure, &texts);
    refused(&["eval", &format!("mcts:{network},precision=f32")], Exit::Failure, &texts);
    refused(&["play", &network], Exit::Failure, &texts);
    let store = folder.path().join("store.jsonl");
    refused(&["ladder", &network, "--store", store.to_str().unwrap()], Exit::Failure, &texts);
    #[cfg(feature = "learn")]
    {
        let out = folder.path().join("out");
        let out = out.to_str().unwrap();
        refused(&["self-play", "--checkpoint", &network, "--games", "1", "--out", out], Exit::Failure, &texts);
        refused(&["train", "--from", &network, "--run", out], Exit::Failure, &texts[1..]);
        assert!(!Path::new(out).exists(), "nothing is begun");
    }
}

#[test]
fn a_network_that_lies_about_its_game_is_refused_wherever_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let path = Path::new(&network);
    let mut lying = Checkpoint::load(path).unwrap();
    lying.metadata.game = "tournament".to_owned();
    lying.save(path).unwrap();
    let texts = ["standard.safetensors", "another shape: expected one for tournament"];
    refused(&["eval", &network], Exit::Failure, &texts);
    refused(&["bench", "self-play", "--checkpoint", &network, "--games", "1"], Exit::Failure, &texts);
    #[cfg(feature = "learn")]
    {
        let out = folder.path().join("out");
        let out = out.to_str().unwrap();
        refused(&["self-play", "--checkpoint", &network, "--games", "1", "--out", out], Exit::Failure, &texts);
        refused(&["train", "--from", &network, "--run", out], Exit::Failure, &texts);
        let variant = ["--variant", "tournament"];
        refused(&[&["train", "--from", &network, "--run", out][..], &variant].concat(), Exit::Failure, &texts);
        assert!(!Path::new(out).exists(), "nothing is begun");
    }
}

#[test]
fn tuned_weights_play_by_the_name_of_their_file_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned.bin");
    let out = file.to_str().unwrap();
    let tune = |variant, out| {
        let few = ["--agent", "alpha-beta:nodes=60,eval=terms", "--games", "4", "--rounds", "1", "--generations", "1"];
        gipf(&[&["tune", "--variant", variant, "--out", out][..], &few].concat())
    };
    refused(&["tune", "--agent", "alpha-beta:nodes=9,hash=1", "--out", out], Exit::WrongUse, &["expected no hash"]);
    let tuned = tune("standard", out);
    assert_eq!(tuned.exit, Exit::Success, "{}", tuned.err);
    assert!(tuned.out.contains(&format!("\ndone: {out}\n")), "{}", tuned.out);
    let other = ["eval", &format!("alpha-beta:2,eval={out}"), "--variant", "tournament"];
    refused(&other, Exit::Failure, &["tuned.bin", "are for standard: expected tournament"]);
    for agent in [format!("alpha-beta:2,eval={out}"), format!("alpha-beta:depth=2,eval={out}")] {
        let report = gipf(&["eval", &agent, "--against", "random", "--games", "4"]);
        let name = format!("alpha-beta:depth=2,eval={out} against random, standard, 4 games");
        assert!(report.out.starts_with(&name), "{}{}", report.out, report.err);
    }
    let agent = format!("alpha-beta:2,eval={out}");
    refused(&["eval", &agent, "--variant", "standard+zertz"], Exit::Failure, &["tuned.bin", "not standard+zertz"]);
    refused(
        &["eval", &agent, "--variant", "basic+zertz"],
        Exit::Failure,
        &["tuned.bin", "are for standard: expected basic+zertz"],
    );
    let loaded = folder.path().join("loaded.bin");
    let loaded = loaded.to_str().unwrap();
    assert_eq!(tune("basic+zertz", loaded).exit, Exit::Success);
    let loaded = format!("alpha-beta:2,eval={loaded}");
    let report = gipf(&["eval", &loaded, "--against", "random", "--games", "4", "--variant", "basic+zertz"]);
    assert_eq!(report.exit, Exit::Success, "{}", report.err);
    refused(&["eval", &loaded], Exit::Failure, &["loaded.bin", "are for basic+zertz: expected standard"]);
    let told = tune("tournament+zertz", out);
    assert!(told.exit == Exit::WrongUse && told.err.contains("basic+zertz"), "{}", told.err);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    refused(&["eval", &agent], Exit::Failure, &["tuned.bin", "damaged"]);
    refused(&["eval", "alpha-beta:2,eval=no/such"], Exit::Failure, &["cannot read no/such"]);
}

#[cfg(feature = "learn")]
#[test]
fn self_play_writes_a_dataset_of_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    // Joined by a sign that terminals do not show, and that JSON has as it is.
    let out = folder.path().join("ga\u{200d}mes");
    let settings = ["--games", "3", "--simulations", "40", "--placement-limit", "40", "--cache", "2", "--json"];
    let args = [&["self-play", "--checkpoint", &network, "--out", out.to_str().unwrap()][..], &settings].concat();
    let answer = gipf(&args);
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    let report: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    let files = gipf_train::dataset::parts(&out).unwrap();
    assert_eq!(report["files"][0].as_str().map(Path::new), Some(files[0].path()));
    let reader = gipf_train::dataset::DatasetReader::open(&files[0]).unwrap();
    assert_eq!((&report["games"], &report["rows"]), (&3.into(), &reader.num_rows().into()));
    for rows in reader.games() {
        gipf_train::dataset::replay(&rows.unwrap()).unwrap();
    }
    assert!(reader.provenance().settings.to_string().contains("\"full_simulations\":40"));
    let [lookups, hits] = ["lookups", "hits"].map(|what| report["cache"][what].as_u64().unwrap());
    assert!(hits > 0 && hits < lookups, "{hits} of {lookups}");
    refused(&args, Exit::Failure, &["games-00000.parquet exists", "expected a directory without a dataset"]);
}

#[cfg(feature = "learn")]
#[test]
fn self_play_refuses_what_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let file = write(folder.path(), "file", "");
    let out = folder.path().join("games");
    let out = out.to_str().unwrap();
    let play = |checkpoint: &str, games: &str, out: &str, exit, texts: &[&str]| {
        refused(&["self-play", "--checkpoint", checkpoint, "--games", games, "--out", out], exit, texts);
    };
    play(&network, "0", out, Exit::WrongUse, &["'0'", "--games"]);
    play("none.safetensors", "1", out, Exit::Failure, &["none.safetensors"]);
    play(&file, "1", out, Exit::Failure, &["file"]);
    play(&network, "1", &file, Exit::Failure, &["file", "directory"]);
    play(&network, "1", &format!("{file}/games"), Exit::Failure, &["games", "directory"]);
    assert!(!Path::new(out).exists(), "nothing is begun that cannot be done");
}
