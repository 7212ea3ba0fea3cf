//! `gipf ladder` and `gipf book`, run as programs.

use std::fs;

use gipf_env::Variant;
use gipf_train::cli::Exit;
use serde_json::Value;

use crate::cli::agents::checkpoint;
use crate::cli::{Answer, a_run, gipf, refused, write};

fn table(answer: &Answer) -> Value {
    assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
    serde_json::from_str(&answer.out).unwrap()
}

fn row<'a>(table: &'a Value, player: &str) -> &'a Value {
    let mut rows = table["players"].as_array().unwrap().iter();
    rows.find(|row| row["player"] == player).unwrap_or_else(|| panic!("no {player} in {table}"))
}

#[test]
fn a_player_joins_without_the_others_playing_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("ladder.jsonl");
    let with =
        |more: &[&str]| gipf(&[&["ladder", "--store", store.to_str().unwrap(), "--variant", "basic"], more].concat());
    let first = table(&with(&["random", "greedy", "alpha-beta:1", "--games", "24", "--json"]));
    assert_eq!((&first["variant"], &first["anchor"]), (&"basic".into(), &"alpha-beta:1=1000".into()));
    assert_eq!(row(&first, "alpha-beta:1")["elo"], 1000.0);
    assert!(row(&first, "random")["elo"].as_f64() < row(&first, "greedy")["elo"].as_f64());
    let games = |row: &Value| row["games"].as_u64().unwrap();
    assert!(games(row(&first, "random")) >= 24, "it plays its neighbour as often as it may");

    let network = checkpoint(folder.path(), Variant::BASIC);
    let name = format!("mcts:{network},sims=4");
    let second = table(&with(&["--add", &name, "--games", "16", "--json"]));
    let played = games(row(&second, &name));
    assert!((16..=64).contains(&played) && row(&second, &name)["timed"] == false, "{second}");
    assert_eq!(games(&second), games(&first) + played, "only the games of the new player");

    let kept = fs::read(&store).unwrap();
    let copy = folder.path().join("copy.safetensors");
    fs::copy(&network, &copy).unwrap();
    let same = format!("mcts:{},sims=4", copy.display());
    let third = table(&with(&["--add", &same, "--games", "16", "--json"]));
    assert_eq!(games(row(&third, &name)), played, "the same network under another name is the same player");
    let shown = with(&["--show"]);
    assert!(shown.out.starts_with("Ladder of basic: ") && shown.out.contains("the anchor"), "{}", shown.out);
    assert_eq!(shown.out.lines().count(), 2 + 4 + 1, "{}", shown.out);
    assert_eq!(fs::read(&store).unwrap(), kept, "nothing was played");
    let anchored = table(&with(&["--show", "--anchor", "alpha-beta:depth=1,captures=0=500", "--json"]));
    assert_eq!(row(&anchored, "alpha-beta:1")["elo"], 500.0, "the anchor is the same player, however it is written");
    let unnamed = gipf(&["ladder", "--games", "16", "--store", store.to_str().unwrap()]);
    assert!(unnamed.out.starts_with("Ladder of basic: "), "the rule set is that of the file: {}", unnamed.err);
}

#[test]
fn a_name_that_the_ladder_could_not_read_again_is_refused_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("d".repeat(200)).join("d".repeat(200)).join("d".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    let name = format!("mcts:{},sims=1", checkpoint(&deep, Variant::BASIC));
    let store = folder.path().join("ladder.jsonl");
    let args = ["ladder", "random", &name, "--store", store.to_str().unwrap(), "--variant", "basic", "--games", "2"];
    refused(&args, Exit::WrongUse, &["name `mcts:", "expected 1 to 500 printable characters"]);
    assert!(!store.exists());
}

#[test]
fn a_ladder_with_a_player_that_cannot_play_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (store, network) = (folder.path().join("new/ladder.jsonl"), checkpoint(folder.path(), Variant::BASIC));
    let args = ["ladder", "--variant", "standard", "--store", store.to_str().unwrap()];
    for (more, exit, told) in [
        (["--anchor", "gamma=1"], Exit::WrongUse, "--anchor gamma=1: expected a player"),
        (["--anchor", "alpha-beta:captures=2=1"], Exit::WrongUse, "would think without end"),
        (["--add", "alpha-beta:captures=2"], Exit::WrongUse, "would think without end"),
        (["--add", &network], Exit::Failure, "basic"),
    ] {
        refused(&[&args[..], &more].concat(), exit, &[told]);
        assert!(!folder.path().join("new").exists(), "{more:?}");
    }
}

/// A store may come from an untrusted source.
#[cfg(unix)]
#[test]
fn a_player_of_a_store_whose_file_may_have_no_end_does_not_play() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("ladder.jsonl");
    let run = |more: &[&str]| gipf(&[&["ladder", "--store", store.to_str().unwrap()], more].concat());
    let network = checkpoint(folder.path(), Variant::STANDARD);
    let name = format!("mcts:{network},sims=1");
    assert_eq!(run(&["greedy", &name, "--anchor", "greedy=0", "--games", "2"]).exit, Exit::Success);
    fs::remove_file(&network).unwrap();
    std::os::unix::net::UnixListener::bind(&network).unwrap();
    let again = run(&["--anchor", "greedy=0", "--games", "2"]);
    assert!(again.err.contains("cannot play here") && again.err.contains("is no regular file"), "{}", again.err);
    let special = ["ladder", "--show", "--store", &network];
    refused(&special, Exit::Failure, &["expected a regular file"]);
}

/// Old results stay when a player is gone or plays differently.
#[test]
fn players_that_are_not_what_they_were_keep_their_results() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let store = path.to_str().unwrap();
    let args = ["ladder", "random", "alpha-beta:1", "greedy", "--games", "8", "--store", store, "--json"];
    let before = table(&gipf(&args));
    let print = row(&before, "greedy")["fingerprint"].as_str().unwrap();
    let other = "0123456789abcdef";
    let text = fs::read_to_string(&path).unwrap().replace(print, other).replace("\"random\"", "\"mcts:gone,sims=4\"");
    fs::write(&path, without_checksums(&text)).unwrap();
    let after = gipf(&["ladder", "--games", "8", "--store", store, "--json"]);
    let told = "greedy #012345 plays otherwise than it did; its results stay\n";
    assert!(after.err.contains(told), "{}", after.err);
    assert!(after.err.contains("mcts:gone,sims=4 cannot play here ("), "{}", after.err);
    let after = table(&after);
    assert_eq!(row(&after, "greedy")["fingerprint"], other);
    assert_eq!(row(&after, "mcts:gone,sims=4")["games"], row(&before, "random")["games"]);
    let both = table(&gipf(&["ladder", "greedy", "--games", "8", "--store", store, "--json"]));
    assert_eq!(row(&both, "greedy #012345")["fingerprint"], other);
    assert_eq!(row(&both, &format!("greedy #{}", &print[..6]))["fingerprint"], print);
}

/// Returns a store in the form that older versions of the program wrote.
fn without_checksums(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("{\"series\"")).map(|line| {
        let (body, _) = line.rsplit_once(",\"check\"").unwrap();
        format!("{body}}}\n").replace("\"version\":2", "\"version\":1")
    });
    lines.collect()
}

#[test]
fn a_ladder_that_is_stopped_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("ladder.jsonl");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let stop = gipf_play::Stop::default();
    stop.request();
    let input = &mut &b""[..];
    let mut console = gipf_train::cli::Console::new(input, &mut out, &mut err).stopped_by(stop);
    let args = ["gipf", "ladder", "random", "--store", store.to_str().unwrap()];
    assert_eq!(gipf_train::cli::run(args, &mut console), Exit::Interrupted);
    assert!(!store.exists(), "nothing was played");
    let told = String::from_utf8(err).unwrap();
    assert!(told.contains("stopped: before there was a result") && !told.contains("kept"), "{told}");
}

#[test]
fn no_ladder_is_kept_in_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = a_run(folder.path());
    for name in ["ladder.jsonl", "to/be/made/ladder.jsonl"] {
        let store = run.join(name);
        let args = ["ladder", "random", "--games", "2", "--store", store.to_str().unwrap()];
        refused(&args, Exit::Failure, &[name, "belongs to the run"]);
    }
    assert_eq!(fs::read_dir(run).unwrap().count(), 2);
}

#[test]
fn a_ladder_goes_on_with_its_own_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let ladder = |more: &[&str]| {
        let of = ["ladder", "--variant", "basic", "--games", "2", "--store", path.to_str().unwrap()];
        gipf(&[&of[..], more].concat())
    };
    let begun = ladder(&["random", "--seed", "5"]);
    assert_eq!(begun.exit, Exit::Success, "{}", begun.err);
    let joined = ladder(&["--add", "greedy"]);
    assert_eq!(joined.exit, Exit::Success, "{}", joined.err);
    assert!(fs::read_to_string(&path).unwrap().lines().next().unwrap().contains("\"seed\":5"));
    let other = ladder(&["--add", "greedy", "--seed", "0"]).err;
    assert!(other.contains("ladder.jsonl was played with the seed 5: expected the seed 5, or another file"), "{other}");
}

#[test]
fn ladder_refuses_what_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.jsonl");
    let store = path.to_str().unwrap();
    refused(&["ladder", "gamma"], Exit::WrongUse, &["gamma", "expected"]);
    refused(&["ladder", "--games", "3"], Exit::WrongUse, &["--games 3: expected an even number"]);
    refused(&["ladder", "--margin", "0"], Exit::WrongUse, &["--margin", "expected a number from 1 to 10000"]);
    refused(&["ladder", "--anchor", "random"], Exit::WrongUse, &["`random`", "alpha-beta:1=1000"]);
    refused(&["ladder", "--anchor", "gamma=3", "--store", store], Exit::WrongUse, &["--anchor gamma=3"]);
    refused(&["ladder", "--show", "--store", "no/such"], Exit::Failure, &["no/such", "cannot be read"]);
    refused(
        &["ladder", "--show", "--variant", "basic+zertz"],
        Exit::WrongUse,
        &["basic+zertz.jsonl", "expected games"],
    );
    refused(
        &["ladder", "none.safetensors", "--variant", "basic", "--store", store],
        Exit::Failure,
        &["none.safetensors"],
    );
    refused(&["ladder", "--book", "no-book", "--store", store], Exit::Failure, &["no-book", "cannot read"]);
    let book = write(folder.path(), "book.txt", "basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0\n");
    refused(&["ladder", "--book", &book, "--store", store], Exit::Failure, &["book.txt is a book of basic"]);
    fs::write(&path, "a letter to a friend\n").unwrap();
    refused(&["ladder", "random", "--store", store], Exit::Failure, &["ladder.jsonl, line 1: "]);
    refused(&["ladder", "--show", "--store", store], Exit::Failure, &["ladder.jsonl, line 1: "]);
    fs::remove_file(&path).unwrap();
    let played = gipf(&["ladder", "random", "--games", "2", "--store", store]);
    assert_eq!(played.exit, Exit::Success, "{}", played.err);
    assert!(played.err.contains(" games, "), "a line a round: {}", played.err);
    let seeded = ["ladder", "random", "--seed", "2", "--store", store];
    refused(&seeded, Exit::Failure, &["was played with the seed 0: expected the seed 0"]);
    let of_basic = ["ladder", "random", "--variant", "basic", "--store", store];
    refused(&of_basic, Exit::Failure, &["is a ladder of standard: expected the rule set standard"]);
    refused(&["ladder", "--show", "--seed", "2", "--store", store], Exit::WrongUse, &["--seed", "--show"]);
    let other = ["ladder", "--show", "--variant", "basic", "--store", store];
    refused(&other, Exit::Failure, &["is a ladder of standard: expected the rule set standard"]);
    let show = ["ladder", "--show", "--anchor", "greedy=0", "--store", store];
    refused(&show, Exit::WrongUse, &["--anchor greedy=0: expected a player that the ladder has games of"]);
}

#[test]
fn book_refuses_what_makes_no_sense() {
    let few = ["book", "--positions", "1000", "--turns", "1", "--nodes", "10"];
    refused(&few, Exit::Failure, &["found only", "expected 1000"]);
    refused(&["book", "--positions", "0"], Exit::WrongUse, &["--positions"]);
    refused(&["book", "--positions", "1", "--out", "no/such/file"], Exit::Failure, &["no/such/file", "cannot write"]);
}

#[test]
fn a_ladder_has_two_rungs_and_no_setting_without_effect() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("ladder.jsonl");
    let alone = ["ladder", "random", "random", "--anchor", "random=0", "--games", "4"];
    let told = ["expected two different players or more"];
    refused(&[&alone[..], &["--store", store.to_str().unwrap()]].concat(), Exit::WrongUse, &told);
    assert!(!store.exists());
    for setting in [["--games", "2"], ["--margin", "80"]] {
        refused(&[&["ladder", "--show"][..], &setting].concat(), Exit::WrongUse, &[setting[0], "--show"]);
    }
}
