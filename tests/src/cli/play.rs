//! `gipf play`, with lines from the test instead of a person.

use gipf_env::Variant;
use gipf_train::cli::Exit;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cli::{gipf, gipf_with_input, refused, write};

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
    assert!(out.contains("  remove      the pieces next to the row"), "{out}");
    let told = |line: &str, mark: &str| line.split_once(mark).map(|(_, text)| text.to_owned());
    let told = |mark| out.lines().filter_map(|line| told(line, mark)).collect::<Vec<_>>();
    assert_eq!(told("placements 2, last "), told("Black: ")[..1], "a placement is written in one way");
    assert!(!out.contains('\x1b'), "no colours but on a terminal");
    let black = play(&["--colour", "black", "--variant", "tournament"], &["1"]);
    assert!(black.find("White: G") < black.find("Black: G"), "{black}");
    assert_eq!(black.matches("Black: G").count(), 1, "{black}");
}

#[test]
fn a_move_that_is_not_understood_is_explained_and_asked_again() {
    let out = play(&[], &["e2", "castle", "e1-d3", "99", "d1-e2"]);
    let told: Vec<_> =
        ["e2 is occupied: name the dot", "`castle` is not a move", "no line leads from e1 to d3", "1 to 30"]
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
        "`what` is not an answer: take or leave the piece on e4",
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
    assert!(turns[2].contains("Hint: ") && turns[2].contains("the game may go on: White "), "{out}");
}

#[test]
fn a_game_is_kept_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let file = file.to_str().unwrap();
    let first = play(&["--variant", "tournament"], &["Ge2", &format!("save {file}"), "quit"]);
    assert!(first.contains(&format!("Saved. Go on later with: gipf play --game {file}")), "{first}");
    let second = play(&["--game", file], &["1"]);
    assert!(second.contains("tournament, placements 2, last G") && second.contains("White: "), "{second}");
    let third = play(&["--game", file], &["undo", "resign"]);
    assert!(third.contains("placements 4") && third.ends_with("White resigns: Black wins.\n"), "{third}");
    let other = play(&[], &["save", &format!("save {file}")]);
    assert!(other.contains("Name the file") && other.contains("exists: choose another name"), "{other}");
    let settings = ["play", "--game", file, "--variant", "basic"];
    refused(&settings, Exit::WrongUse, &["--game", "expected none"]);
    write(folder.path(), "game.txt", "{}");
    refused(&["play", "--game", file], Exit::Failure, &["game.txt", "not a saved game"]);
}

/// A copy is what the game was then; the file in which the game is kept still gets every turn.
#[test]
fn a_copy_leaves_the_game_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let [file, copy] = ["game.txt", "copy.txt"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let out = play(&["--game", &file], &["1", &format!("save {copy}"), "1", "quit"]);
    assert!(out.contains(&format!("A copy is in {copy}; the game is still kept in {file}.\n")), "{out}");
    assert!(out.ends_with(&format!("The game is kept. Go on with: gipf play --game {file}\n")), "{out}");
    let turns = |file: &str| gipf(&["record", "show", file]).out.matches("\nturn ").count();
    assert_eq!((turns(&file), turns(&copy)), (4, 2));
}

#[test]
fn a_resignation_is_kept_and_ends_the_game() {
    let folder = tempfile::tempdir().unwrap();
    for variant in ["standard", "push-off"] {
        for (number, lines) in [&["resign"][..], &["1", "resign"]].into_iter().enumerate() {
            let file = folder.path().join(format!("{variant}-{number}.txt"));
            let file = file.to_str().unwrap();
            play(&["--variant", variant, "--game", file], lines);
            let kept = std::fs::read_to_string(file).unwrap();
            assert!(kept.contains("[Result \"0-1\"]") && kept.contains("\n0-1\n"), "{kept}");
            let checked = gipf(&["record", "check", file]);
            assert_eq!((checked.exit, checked.err.as_str()), (Exit::Success, ""), "{kept}");
            assert!(checked.out.contains(" turns, Black wins, "), "{}", checked.out);
            let again = play(&["--game", file], &["1", "hint", "list", "resign"]);
            assert_eq!(again.matches("The game is over.\n").count(), 2, "{again}");
            assert_eq!(again.matches("Black wins: White has resigned.").count(), 2, "{again}");
            assert!(again.contains("The game is over already.") && !again.contains("White: "), "{again}");
            assert_eq!(std::fs::read_to_string(file).unwrap(), kept);
        }
        let undone = play(&["--game", &format!("{}/{variant}-1.txt", folder.path().display())], &["undo", "1"]);
        assert!(undone.contains("Your last turn is taken back.") && undone.contains("White: "), "{undone}");
        let kept = std::fs::read_to_string(folder.path().join(format!("{variant}-1.txt"))).unwrap();
        assert!(kept.contains("[Result \"*\"]"), "what is taken back is not given up: {kept}");
    }
}

/// When it ends, the program says what is on the disk, whatever happened to the file meanwhile.
#[test]
fn a_game_that_is_not_on_the_disk_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("folder/game.txt");
    let file = inside.to_str().unwrap();
    // There is no folder of this name, so nothing can be kept.
    let lines = |last: &str| gipf_with_input(&["play", "random", "--seed", "3", "--game", file], &format!("1\n{last}"));
    for last in ["quit\n", "resign\n", ""] {
        let answer = lines(last);
        assert_eq!(answer.exit, Exit::Failure, "{}", answer.out);
        assert!(answer.out.contains("Not saved: ") && !answer.out.contains("The game is kept"), "{}", answer.out);
        assert!(
            answer.out.lines().last().unwrap().starts_with("The game is not kept as it is now: "),
            "{}",
            answer.out
        );
    }
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let kept = lines("quit\n");
    assert!(kept.exit == Exit::Success && kept.out.contains("The game is kept. Go on with"), "{}", kept.out);
    let elsewhere = |more: &str| gipf_with_input(&["play", "random"], &format!("1\nsave {file}/x\n{more}"));
    assert_eq!(elsewhere("").exit, Exit::Failure, "the person wanted it kept");
    assert_eq!(elsewhere(&format!("save {file}-2\n")).exit, Exit::Success);
}

/// The person has not yet chosen between two rows that cross.
#[test]
fn a_turn_that_was_only_begun_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    let file = file.to_str().unwrap();
    let crossing = "basic 4/1S3/2S3/SSS4/3S2/5/4 w 9 12 - 0 0";
    play(&["--position", crossing, "--game", file], &["e1-e2"]);
    let on = play(&["--game", file], &["i5-a1"]);
    assert!(on.contains("which first?") && on.contains("White: a1-i5"), "{on}");
    let undone = play(&["--game", file], &["undo", "e1-e2", "quit"]);
    assert!(undone.contains("Your last turn is taken back."), "{undone}");
    let checked = gipf(&["record", "check", file]);
    assert!(checked.err.ends_with("the last turn is not finished\n") && checked.exit == Exit::Success);
    let decisions = |text: &str| text.lines().find(|line| line.starts_with("[Decisions ")).map(str::to_owned);
    let begun = decisions(&std::fs::read_to_string(file).unwrap());
    for notation in ["complete", "short", "sheet", "lines"] {
        let other = gipf(&["record", "convert", file, "--to", notation]);
        assert!(begun.is_some() && decisions(&other.out) == begun, "{notation}: {}", other.out);
        let again = gipf_with_input(&["record", "check", "-"], &other.out);
        assert_eq!(again.err, "warning: -: the last turn is not finished\n", "{notation}");
    }
}

#[test]
fn a_kept_game_is_a_record() {
    let folder = tempfile::tempdir().unwrap();
    for variant in Variant::ALL.map(|variant| variant.to_string()) {
        let file = folder.path().join(&variant);
        let file = file.to_str().unwrap();
        play(&["--variant", &variant, "--game", file], &["1", "2", "1", "quit"]);
        let checked = gipf(&["record", "check", file]);
        assert_eq!((checked.exit, checked.err.as_str()), (Exit::Success, ""), "{variant}");
        assert!(checked.out.contains(&format!(", {variant}, ")) && checked.out.contains(": 6 turns, not concluded"));
        let shown = gipf(&["record", "show", file]);
        assert_eq!(shown.out.matches("\nturn ").count(), 6, "{}", shown.out);
        let edited = std::fs::read_to_string(file).unwrap().replace("[White \"you\"]", "[White \"me\"]");
        std::fs::write(file, edited).unwrap();
        for command in [&["record", "check", file][..], &["play", "--game", file]] {
            let told = gipf_with_input(command, "").err;
            assert!(told.starts_with("warning: ") && told.ends_with("not as it was written: its checksum differs\n"));
        }
    }
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
    refused(&["play", "--game", "-"], Exit::Failure, &["- names no file here", "./-"]);
    let names = ["basik: expected basic, standard, tournament or a file of puzzles"];
    refused(&["play", "--puzzles", "basik"], Exit::Failure, &names);
}

#[test]
fn a_puzzle_knows_the_words_of_a_game_and_gives_no_turn_away() {
    for (line, told) in [("Quit", "Solved at"), ("q", "Solved at"), ("EXIT", "Solved at"), ("?", "Type a whole turn")] {
        let answer = gipf_with_input(&["play", "--puzzles"], &format!("{line}\n"));
        assert!(answer.out.contains(told) && !answer.out.contains("Not a turn"), "{line}: {}", answer.out);
    }
    let shown = gipf_with_input(&["play", "--puzzles"], &"HINT\nshow\n".repeat(300)).out;
    let lines: Vec<_> = shown.lines().collect();
    let mut kinds = [0; 2];
    for (hint, solution) in
        lines.windows(2).filter_map(|two| Some((two[0].strip_prefix("The turn begins with ")?, two[1])))
    {
        let turn = solution.split([':', ' ']).next().unwrap();
        assert_ne!(hint.trim_end_matches('.'), turn);
        kinds[usize::from(hint == "a piece onto a vacant spot.")] += 1;
    }
    assert!(kinds.iter().sum::<i32>() == 300 && kinds[1] >= 24, "{kinds:?}");
}

/// A file or a line that is not read to its end would be taken for a complete one.
#[test]
fn puzzles_beyond_a_limit_are_refused_and_a_long_line_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let long = write(folder.path(), "long.txt", &"# a remark\n".repeat((16 << 20) / 11 + 1));
    refused(&["play", "--puzzles", &long], Exit::Failure, &["long.txt: expected", "longer than 16777216 bytes"]);
    refused(&["play", "--puzzles", "--potentials", "4"], Exit::WrongUse, &["--puzzles", "--potentials"]);
    let typed = format!("{}help\nquit\n", " ".repeat(4096));
    let shown = gipf_with_input(&["play", "--puzzles"], &typed);
    assert_eq!(shown.exit, Exit::Success, "{}", shown.err);
    let once = gipf_with_input(&["play", "--puzzles"], &format!("{}\nquit\n", " ".repeat(4096)));
    assert_eq!(shown.out, once.out, "the rest of the line is no other line");
}
