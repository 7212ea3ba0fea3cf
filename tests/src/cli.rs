//! The program, run in-process over byte streams.

use std::path::Path;

use gipf_env::Variant;
use gipf_train::Stop;
use gipf_train::cli::{self, Console, Exit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");

/// What a run of the program answered.
struct Answer {
    exit: Exit,
    out: String,
    err: String,
}

fn gipf(args: &[&str]) -> Answer {
    gipf_with_input(args, "")
}

fn gipf_with_input(args: &[&str], input: &str) -> Answer {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console {
        input: &mut input.as_bytes(),
        out: &mut out,
        err: &mut err,
        terminal: false,
        colours: false,
        stop: Stop::default(),
    };
    let exit = cli::run(["gipf"].iter().chain(args), &mut console);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { exit, out: text(out), err: text(err) }
}

/// Runs the program, which must refuse in one line that holds these texts.
fn refused(args: &[&str], exit: Exit, texts: &[&str]) {
    let answer = gipf(args);
    assert_eq!(answer.exit, exit, "{args:?}: {}", answer.err);
    assert!(answer.err.starts_with("error: ") && answer.err.lines().count() == 1, "{args:?}: {}", answer.err);
    for text in texts {
        assert!(answer.err.contains(text), "{args:?}: {} lacks `{text}`", answer.err);
    }
}

fn data(file: &str) -> String {
    format!("{DATA}/{file}")
}

#[test]
fn every_command_teaches_itself_with_an_example() {
    let help = gipf(&["--help"]);
    assert_eq!(help.exit, Exit::Success);
    let commands = help.out.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<_> = names.filter_map(|line| line.split(' ').next()).filter(|&name| name != "help").collect();
    assert!(names.len() >= 2, "{names:?}");
    for name in names {
        let help = gipf(&[name, "--help"]);
        assert_eq!(help.exit, Exit::Success);
        assert!(help.out.contains(&format!("gipf {name} ")) && help.out.contains("Example"), "{name}: {}", help.out);
    }
    assert!(gipf(&["--version"]).out.starts_with("gipf 0"));
    assert_eq!(gipf(&[]).exit, Exit::WrongUse);
}

#[test]
fn perft_prints_a_line_for_each_depth() {
    assert_eq!(gipf(&["perft", "--depth", "3"]).out, "1 30\n2 924\n3 29016\n");
    let args = ["perft", "--variant", "tournament", "--depth", "3", "--distinct"];
    assert_eq!(gipf(&args).out, "1 18\n2 348\n3 14112\n");
    let position = "basic 4/5/6/7/6/5/4 w 1 1 - 0 0";
    let answer = gipf(&["perft", "--depth", "2", "--position", position, "--divide"]);
    assert_eq!(answer.out.lines().count(), 18);
    assert!(answer.out.starts_with("a1-b2 20\n"), "{}", answer.out);
}

#[test]
fn perft_refuses_what_makes_no_sense() {
    refused(&["perft", "--variant", "chess", "--depth", "1"], Exit::WrongUse, &["`chess`", "expected basic"]);
    refused(&["perft"], Exit::WrongUse, &["--depth"]);
    refused(&["perft", "--depth", "0"], Exit::WrongUse, &["'0'", "--depth"]);
    let broken = "standard g2G/5/6/G5x/6/5/g2G w 12 12 - 0 0";
    refused(&["perft", "--depth", "1", "--position", broken], Exit::WrongUse, &["column 20", "`x`"]);
    let basic = "basic 4/5/6/7/6/5/4 w 1 1 - 0 0";
    let other = ["perft", "--depth", "1", "--position", basic, "--variant", "standard"];
    refused(&other, Exit::WrongUse, &["basic", "standard"]);
    refused(&["fly"], Exit::WrongUse, &["'fly'"]);
}

#[test]
fn check_counts_what_it_replayed_and_what_it_skipped() {
    let answer = gipf(&["check", &data("games.ndjson.gz"), &data("positions.ndjson.gz")]);
    assert_eq!(answer.exit, Exit::Success);
    assert_eq!(answer.out, "450 games, 7033 decisions, 0 mismatches, 75 skipped\n");
}

#[test]
fn check_fails_at_a_mismatch_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "planted.ndjson", PLANTED);
    let answer = gipf(&["check", &file]);
    assert_eq!(answer.exit, Exit::Failure);
    let (found, summary) = answer.out.split_once('\n').unwrap();
    assert!(found.starts_with(&format!("{file}: game 1, decision 1: reserve: expected ")), "{found}");
    assert_eq!(summary, "1 games, 1 decisions, 1 mismatches, 0 skipped\n");
    let json = gipf(&["check", "--json", &file]);
    let lines: Vec<serde_json::Value> = json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["subject"], &lines[0]["decision"]), (&"reserve".into(), &1.into()));
    assert_eq!(lines[1]["mismatches"], 1);
}

/// A game that stops after White's first move to e2, with a reserve that is not White's.
const PLANTED: &str = concat!(
    r#"{"rules":"basic","potentials":0,"limit":400,"start":"basic 4/5/6/7/6/5/4 w 1 1 - 0 0","steps":[{"#,
    r#""board":"4/5/6/7/6/5/4","side":"w","reserve":[2,1],"#,
    r#""legal":[0,1,3,5,9,10,13,14,17,18,22,24,26,28,30,32,36,38],"action":17}],"#,
    r#""final":"4/5/6/S6/6/5/4","result":"cut"}"#
);

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn check_refuses_files_that_are_no_records() {
    let folder = tempfile::tempdir().unwrap();
    let broken = write(folder.path(), "broken.ndjson", "{\"rules\": \"basic\"\n");
    refused(&["check", "no-such-file"], Exit::Failure, &["no-such-file", "expected a readable file"]);
    refused(&["check", &broken], Exit::Failure, &["broken.ndjson", "line 1"]);
    let cut = folder.path().join("cut.ndjson.gz");
    std::fs::write(&cut, &std::fs::read(data("games.ndjson.gz")).unwrap()[..1000]).unwrap();
    refused(&["check", cut.to_str().unwrap()], Exit::Failure, &["cut.ndjson.gz", "incomplete"]);
    refused(&["check"], Exit::WrongUse, &["<FILE>"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut err = Vec::new();
    let mut console = Console {
        input: &mut &b""[..],
        out: &mut Closed,
        err: &mut err,
        terminal: false,
        colours: false,
        stop: Stop::default(),
    };
    assert_eq!(cli::run(["gipf", "perft", "--depth", "1"], &mut console), Exit::Success);
    assert!(err.is_empty());
}

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
    let mut console =
        Console { input: &mut &b""[..], out: &mut out, err: &mut err, terminal: false, colours: false, stop };
    let args = ["gipf", "eval", "greedy", "--against", "random", "--games", "100000", "--json"];
    assert_eq!(cli::run(args, &mut console), Exit::Interrupted);
    let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(report["games"], 0);
}

#[test]
fn eval_refuses_what_makes_no_sense() {
    refused(&["eval", "gamma"], Exit::WrongUse, &["gamma", "expected", "alpha-beta"]);
    refused(&["eval", "alpha-beta:9"], Exit::WrongUse, &["alpha-beta:9", "expected"]);
    refused(&["eval", "random", "--games", "0"], Exit::WrongUse, &["'0'", "--games"]);
    refused(&["eval", "random", "--games", "3"], Exit::WrongUse, &["--games 3", "expected an even number"]);
    refused(&["eval", "random", "--variant", "chess"], Exit::WrongUse, &["`chess`", "expected basic"]);
    refused(&["eval", "random", "--sprt", "10", "0"], Exit::WrongUse, &["--sprt", "expected two numbers"]);
    refused(&["eval", "random", "--games", "100000", "--opening", "0"], Exit::Failure, &["opening"]);
}

/// Plays against `random`, with these lines typed.
fn play(args: &[&str], lines: &[&str]) -> String {
    let args = [&["play", "random", "--seed", "3"], args].concat();
    let answer = gipf_with_input(&args, &(lines.join("\n") + "\n"));
    assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""), "{}", answer.out);
    answer.out
}

#[test]
fn a_person_plays_by_coordinates_and_numbers() {
    let out = play(&[], &["d1-f2", "3", "", "help", "list", "board"]);
    assert!(out.contains("White: d1-f2\nBlack: ") && out.matches("White: ").count() == 2, "{out}");
    assert!(out.contains("\n  1 a1-") && out.contains("[●]") && out.contains("gipf play --game FILE"), "{out}");
    assert!(!out.contains('\x1b'), "no colours but on a terminal");
    let black = play(&["--colour", "black", "--variant", "tournament"], &["1"]);
    assert!(black.find("White: G") < black.find("Black: G"), "{black}");
    assert_eq!(black.matches("Black: G").count(), 1, "{black}");
}

#[test]
fn a_move_that_is_not_understood_is_explained_and_asked_again() {
    let out = play(&[], &["e2", "castle", "e1-d3", "99", "d1-e2"]);
    let told: Vec<_> =
        ["e2 is occupied: name the dot", "`castle` is no move", "no line leads from e1 to d3", "1 to 30"]
            .into_iter()
            .map(|text| out.find(text).unwrap_or_else(|| panic!("{text}: {out}")))
            .collect();
    assert!(told.is_sorted() && told.last() < out.find("White: d1-").as_ref(), "{out}");
}

#[test]
fn captures_are_asked_about_in_words() {
    let gipfs = "standard g3/5/6/SGSg3/6/5/3G w 9 12 - 0 0";
    let out = play(&["--position", gipfs], &["e1-e2", "what", "leave", "take"]);
    let texts = [
        "3 pieces of White taken back: reserve 11",
        "GIPF-piece on e4 (yours): take it or leave it?",
        "`what` is no answer: take or leave the piece on e4",
        "White: leave",
        "GIPF-piece on e6 (your opponent's): take it or leave it?",
        "1 piece of Black captured, a GIPF-piece among them",
    ];
    let places: Vec<_> = texts.iter().map(|text| out.find(text).unwrap_or_else(|| panic!("{text}: {out}"))).collect();
    assert!(places.is_sorted(), "{out}");
    let crossing = play(&["--position", "basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0"], &["e1-e2", "list", "i5-a1"]);
    assert!(
        crossing.contains("The rows e1-e9 and a1-i5 touch: which first?\n  1 e1-e9    2 a1-i5\nWhite: a1-i5\n"),
        "{crossing}"
    );
}

#[test]
fn undo_takes_the_whole_turn_back_and_hint_helps() {
    let out = play(&[], &["undo", "d1-f2", "undo", "d1-f2", "hint"]);
    assert!(out.contains("There is no turn of yours to take back."), "{out}");
    let turns: Vec<_> = out.split("White: d1-f2\n").collect();
    assert_eq!(turns.len(), 3);
    assert!(turns[1].contains("Your last turn is taken back.") && turns[1].contains("placements 0"), "{out}");
    assert!(turns[2].contains("Hint: ") && turns[2].contains("then perhaps: White "), "{out}");
}

#[test]
fn a_game_is_kept_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let file = file.to_str().unwrap();
    let first = play(&["--variant", "tournament"], &["Ge2", &format!("save {file}"), "quit"]);
    assert!(first.contains(&format!("Saved. Go on later with: gipf play --game {file}")), "{first}");
    let second = play(&["--game", file], &["1"]);
    assert!(second.contains("tournament, placements 2, last G") && second.contains("White: "), "{second}");
    let third = play(&["--game", file], &["undo", "resign"]);
    assert!(third.contains("placements 4") && third.ends_with("White resigns: Black wins.\n"), "{third}");
    let other = play(&[], &["save", &format!("save {file}"), &format!("save {file}/x")]);
    assert!(other.contains("Name the file") && other.contains("exists: choose another name"), "{other}");
    assert!(other.contains("Not saved: "), "{other}");
    let settings = ["play", "--game", file, "--variant", "basic"];
    refused(&settings, Exit::WrongUse, &["--game", "expected none"]);
    write(folder.path(), "game.json", "{}");
    refused(&["play", "--game", file], Exit::Failure, &["game.json", "not a saved game"]);
}

#[test]
fn a_game_is_played_to_its_end_and_can_be_taken_up_again() {
    let lines = ["1"; 200];
    let out = play(&["--variant", "basic"], &lines);
    let endings = out.matches(" Type undo, save FILE or quit.").count();
    assert_eq!(endings, 1, "{out}");
    assert!(out.contains("White wins: Black cannot bring in a piece.") || out.contains("Black wins: White cannot"));
    let again = play(&["--variant", "basic"], &[&lines[..], &["undo", "hint"]].concat());
    assert!(again.contains("Your last turn is taken back.") && again.contains("Hint: "), "{again}");
}

#[test]
fn whatever_is_typed_the_dialogue_goes_on() {
    let words = [
        "1", "7", "take", "leave", "undo", "hint", "list", "e2", "Ge2", "b1-b5", "Zc1-c2", "c3-f3", "é\u{7f}", "",
        "save",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for variant in Variant::ALL.map(|variant| variant.to_string()) {
        let long = "e1-".repeat(3000);
        let mut lines: Vec<_> = (0..150).map(|_| words[rng.random_range(0..words.len())]).collect();
        lines.extend([&long, "board"]);
        let out = play(&["--variant", &variant], &lines);
        assert!(out.matches("White: ").count() > 10, "{out}");
    }
}

#[test]
fn play_refuses_what_makes_no_sense() {
    refused(&["play", "gamma"], Exit::WrongUse, &["gamma", "expected"]);
    refused(&["play", "--colour", "red"], Exit::WrongUse, &["red", "expected white or black"]);
    refused(&["play", "--position", "standard"], Exit::WrongUse, &["column 9", "board"]);
    refused(&["play", "--variant", "chess"], Exit::WrongUse, &["`chess`", "expected basic"]);
}
