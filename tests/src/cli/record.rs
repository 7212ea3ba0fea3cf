//! `gipf record`: games that people have written down.

use gipf_env::{GipfPosition, Setup, Variant};
use gipf_train::cli::Exit;

use crate::cli::{gipf, gipf_with_input, refused, write};

/// The official example game, with the misprints of its page corrected.
const JULIO: &str = "\
Tournament White-Black
1. Ge8 Gd8*  2. Ge9 Gf8*  3. Ge9 Gd8*  4. g7* f8*  5. f8 c7*  6. g7* e9  7. b6*X c7*  8. g7* c7*  9. h6* b6*  10. h6*X b3
11. b5 g7*X  12. a5 a2*  13. a5X e2  14. f2 d1*  15. h1* d1*  16. f1 i1  17. g6 g1*Xf6  18. h6* a3*  19. h6*Xc4 e8
20. f1* c6  21. c7 1–0
";

#[test]
fn the_official_example_game_has_41_legal_turns_and_ends_as_its_notes_say() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "game.txt", JULIO);
    let checked = gipf(&["record", "check", &file]);
    let told = "Julio974's notation, tournament, as the header says: 41 turns, White wins, White 5 in reserve, Black 1";
    assert_eq!((checked.exit, checked.out), (Exit::Success, format!("{file}: {told}\n")));

    let shown = gipf(&["record", "show", &file]);
    assert_eq!(shown.out.matches("\nturn ").count(), 41);
    assert_eq!(shown.out.matches(" d1      f1\n").count(), 42, "the start is drawn as well");
    assert!(shown.out.contains("\nturn 33, White: g6 (6)\n") && shown.out.ends_with(&format!("{told}\n")));

    let marked = gipf_with_input(&["record", "check", "-"], &format!("\u{feff}{JULIO}"));
    assert_eq!(marked.out, format!("-: {told}\n"), "{}", marked.err);

    // Names are anybody's: no terminal obeys them, and JSON stays JSON.
    let odd = write(folder.path(), "a\u{1b}[31m\u{7f}.txt", JULIO);
    let told = gipf(&["record", "check", &odd]).out;
    assert!(told.contains("a\\u{1b}[31m\\u{7f}.txt") && !told.trim_end().contains(char::is_control), "{told}");
    let json = gipf(&["record", "check", "--json", &odd]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["game"], odd);

    let json = gipf(&["record", "check", "--json", &file]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["turns"], &json["reserves"]), (&41.into(), &serde_json::json!([5, 1])));
}

#[test]
fn what_the_next_turn_removes_unasked_is_still_shown_and_written_before_it() {
    let position = "standard G3/5/6/s1gss2/6/5/4 w 10 10 - 0 0";
    let told = |command: &[&str]| {
        let answer = gipf_with_input(&[command, &["-", "--position", position]].concat(), "1.e1-e3\n");
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        answer.out
    };
    let positions = told(&["record", "convert", "--to", "gpn"]);
    assert_eq!(positions, format!("{position}\nstandard G3/5/6/Ssgss2/6/5/4 b 9 10 - 0 0\n"));
    let shown = told(&["record", "show"]);
    let [before, after] = shown.split("turn 1, White").map(|part| part.matches('●').count()).collect::<Vec<_>>()[..]
    else {
        panic!("{shown}")
    };
    assert_eq!((before, after), (5, 5), "{shown}");
}

#[test]
fn a_game_that_is_cut_off_is_told_so_whatever_result_its_file_states() {
    for result in ["1/2-1/2", "*"] {
        let text = format!("[Variant \"standard\"]\n[PlacementLimit \"2\"]\n\n1.b3/c6 {result}\n");
        let checked = gipf_with_input(&["record", "check", "-"], &text);
        assert!(checked.out.contains("2 turns, cut off by the limit of 2 placements"), "{}", checked.out);
        let json = gipf_with_input(&["record", "check", "--json", "-"], &text).out;
        assert!(json.contains("\"ending\":\"limit\""), "{json}");
    }
    // Push-off always has a limit.
    let (mut position, mut decisions) = (GipfPosition::start(Variant::PUSH_OFF), Vec::new());
    while let Some(action) = position.action_set().nth(0) {
        decisions.push(action.index().to_string());
        position.play(action).unwrap();
    }
    let text = format!("[Variant \"push-off\"]\n[Decisions \"{}\"]\n\n*\n", decisions.join(" "));
    let checked = gipf_with_input(&["record", "check", "-"], &text);
    assert!(checked.out.contains("400 turns, cut off by the limit of 400 placements"), "{}", checked.out);
    let noted = gipf_with_input(&["record", "analyse", "-", "--comments"], &text);
    assert!(noted.err.starts_with("error: -: push-off has no notation for turns"), "{}", noted.err);
}

/// With Black's last push White has a row of GIPF-pieces, and has still to say which of them go.
#[test]
fn a_game_that_stops_before_an_answer_is_converted_as_it_is_or_not_at_all() {
    const STOPPED: &str = "1.Gh4/Ge2 2.Gc6/Ge8 3.Gh3/Ge1-e3 4.Gd7/Gf7 5.Gg2/Gi3-g5 6.Gc7-c5/Gf1-d2 7.Gb4/Gd8-g6\n\
                           8.Gf8-b5/c1-f3 9.Gc7-e7/h2\n";
    let positions = |text: &str| gipf_with_input(&["record", "convert", "-", "--to", "gpn"], text).out;
    for (decisions, result) in [("", "*"), ("", "1-0"), ("[Decisions \"63\"]\n\n", "*")] {
        let text = format!("{decisions}{STOPPED}{result}\n");
        let julio = gipf_with_input(&["record", "convert", "-", "--to", "julio"], &text);
        assert_eq!(julio.exit, Exit::Success, "{}", julio.err);
        assert_eq!(positions(&julio.out), positions(&text), "{}", julio.out);
        let [before, after] =
            [&text, &julio.out].map(|text| gipf_with_input(&["record", "check", "--json", "-"], text));
        assert_eq!((after.exit, after.err), (Exit::Success, before.err));
        assert_eq!(after.out.replace("julio", "official"), before.out);
    }
    // Whoever keeps all of the pieces has lost.
    let given_up = gipf_with_input(&["record", "convert", "-", "--to", "julio"], &format!("{STOPPED}0-1\n"));
    assert!(given_up.exit == Exit::Failure && given_up.err.contains("the game went on to its end"), "{}", given_up.err);
}

/// White keeps all GIPF-pieces of a row and cannot bring in a piece: a turn that has no text.
#[test]
fn a_last_turn_without_a_text_is_not_lost() {
    let start = "[Start \"tournament g3/5/6/GGGG3/6/5/g2g b 0 5 - 0 0\"]\n";
    let positions = |text: &str| gipf_with_input(&["record", "convert", "-", "--to", "gpn"], text).out;
    let text = format!("{start}[Decisions \"1 63 63 63 63\"]\n\n*\n");
    for format in ["complete", "short", "sheet", "lines"] {
        let converted = gipf_with_input(&["record", "convert", "-", "--to", format], &text).out;
        assert!(converted.contains("b3") && converted.contains("[Decisions \"63 63 63 63\"]"), "{converted}");
        assert_eq!((positions(&converted), positions(&text).lines().count()), (positions(&text), 3));
    }
}

#[test]
fn what_other_programs_write_is_read_or_answered_with_what_is_expected() {
    for dash in ["–", "−", "\u{2011}"] {
        let checked = gipf_with_input(&["record", "check", "-"], &format!("1.e1{dash}e3/c2\n"));
        assert!(checked.out.contains(": 2 turns, not concluded"), "{}{}", checked.out, checked.err);
    }
    let braces = "is not understood: a comment is a line that begins with %";
    let cases = [
        ("1.d2 {good} c2\n", format!("`1.d2 {{good}} c2` {braces}")),
        ("{a game}\n1.d2/c2\n", format!("`{{a game}}` {braces}")),
        (
            "[Variant standard]\n1.d2/c2\n",
            "`[Variant standard]` is not a tag: a tag is written [Name \"value\"]".to_owned(),
        ),
        ("20.f1-d2/c6 21.c7-c4 1-0\n", "the first number is 20, expected 1, or the position".to_owned()),
        ("[Variant \"basic\"]\n\n20.f1-f2\n", "the first number is 20, expected 1, or the position".to_owned()),
        (
            "[Start \"basic s2S/5/6/S5s/6/5/s2S w 12 12 - 0 0\"]\n[PlacementLimit \"abc\"]\n\n1.d2\n",
            "tag PlacementLimit: found `abc`, expected a number of placements, 0 to 65535".to_owned(),
        ),
    ];
    for (text, told) in cases {
        let answer = gipf_with_input(&["record", "check", "-"], text);
        assert!(answer.exit == Exit::Failure && answer.err.contains(&told), "{text}: {}", answer.err);
    }
    let together = "[White \"a\"]\n[Black \"b\"]\n\n[White \"c\"]\n[Black \"b\"]\n\n1.d2/c2 1-0\n";
    let answer = gipf_with_input(&["record", "check", "-"], together);
    let told = "warning: -: tag White is `a`, and `c` is ignored: a game without turns ends with *\n";
    assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, told));
}

/// Some editors begin a file with a byte-order mark.
#[test]
fn a_mark_before_a_file_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let marked = |name: &str, text: &str| write(folder.path(), name, &format!("\u{feff}{text}"));
    let start = Setup::start(Variant::BASIC);
    let game = format!(
        "{{\"rules\": \"basic\", \"potentials\": 0, \"limit\": 9, \"steps\": [], \"final\": \"{}\", \"result\": \"cut\"}}\n",
        start.board
    );
    assert_eq!(gipf(&["check", &marked("games.ndjson", &game)]).out, "1 games, 0 decisions, 0 mismatches\n");
    let puzzles = marked("puzzles.txt", &format!("{start} | d2 | 3 +0.5 +0.1\n"));
    let posed = gipf_with_input(&["play", "--puzzles", &puzzles], "quit\n");
    assert_eq!((posed.exit, posed.err.as_str()), (Exit::Success, ""));
}

#[test]
fn games_go_from_any_format_to_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "game.txt", JULIO);
    let convert = |file: &str, format| {
        let answer = gipf(&["record", "convert", file, "--variant", "tournament", "--to", format]);
        assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
        answer.out
    };
    let julio = convert(&file, "julio");
    for format in ["complete", "short", "sheet", "lines", "julio"] {
        let converted = write(folder.path(), format, &convert(&file, format));
        assert_eq!(convert(&converted, "julio"), julio, "{format}");
    }
    let positions = convert(&file, "gpn");
    assert_eq!(positions.lines().count(), 42);
    assert!(positions.starts_with("tournament 4/5/6/7/6/5/4 w 18 18 Gg 0 0\n"), "{positions}");
}

#[test]
fn a_game_without_a_turn_is_read_again_in_any_format() {
    for format in ["short", "complete", "sheet", "lines", "julio"] {
        let text = gipf_with_input(&["record", "convert", "-", "--to", format], "*").out;
        let checked = gipf_with_input(&["record", "check", "-"], &text);
        assert!(checked.out.contains(" standard, ") && checked.out.contains(": 0 turns"), "{text}{}", checked.err);
    }
}

#[test]
fn a_converted_game_keeps_its_tags_and_comments() {
    let folder = tempfile::tempdir().unwrap();
    let start = Setup::start(Variant::BASIC);
    let named = format!("[White \"A\"]\n[Black \"B \\\"b\\\"\"]\n[Date \"2020.01.02\"]\n[FEN \"{start}\"]\n");
    let text = format!("{named}\n1.d2/b3 2.c2\n% a fine game\n% Turn 1 was our pet opening\n");
    for format in ["complete", "short", "sheet", "lines", "julio"] {
        let answer = gipf_with_input(&["record", "convert", "-", "--to", format], &text);
        assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""), "{format}");
        let converted = answer.out;
        for kept in [
            "[White \"A\"]\n",
            "[Black \"B \\\"b\\\"\"]\n",
            "[Date \"2020.01.02\"]\n",
            "\n% a fine game\n",
            "\n% Turn 1 was our pet opening\n",
        ] {
            assert!(converted.contains(kept), "{format}: {converted} lacks {kept}");
        }
        assert_eq!(converted.matches("[Start ").count() + converted.matches("[FEN ").count(), 1, "{converted}");
        let again = gipf_with_input(&["record", "convert", "-", "--to", format], &converted);
        assert_eq!(again.out, converted, "{format}: {}", again.err);
    }
    // A sealed record is sealed again, and one game of several does not claim to be all of them.
    let file = folder.path().join("match.txt");
    let file = file.to_str().unwrap();
    let played = gipf(&["eval", "greedy", "--against", "random", "--games", "2", "--records", file]);
    assert_eq!(played.exit, Exit::Success, "{}", played.err);
    let one = gipf(&["record", "convert", file, "--game", "2", "--to", "short"]).out;
    assert!(one.contains("[White \"random\"]\n") && one.contains("\n[Checksum "), "{one}");
    let checked = gipf_with_input(&["record", "check", "-"], &one);
    assert_eq!((checked.exit, checked.err.as_str()), (Exit::Success, ""), "{one}");
    assert!(checked.out.contains("standard, as its tags say: "), "{}", checked.out);
}

#[test]
fn a_game_is_not_replaced_by_what_does_not_tell_it() {
    let folder = tempfile::tempdir().unwrap();
    let game = write(folder.path(), "game.txt", "1.d2/c6\n");
    let over = ["--out", &game, "--force"];
    for command in [&["convert", &game, "--to", "gpn"][..], &["analyse", &game, "--sims", "8"], &["puzzles", &game]] {
        let args = [&["record"][..], command, &over].concat();
        refused(&args, Exit::WrongUse, &["is read: expected another file to write"]);
    }
    assert_eq!(std::fs::read_to_string(&game).unwrap(), "1.d2/c6\n");
    // A single game loses the others, also with its analysis in comments.
    let args = [&["record", "analyse", &game, "--game", "1", "--comments", "--sims", "8"][..], &over].concat();
    refused(&args, Exit::WrongUse, &["is read: expected another file to write"]);
    let lines = gipf(&[&["record", "convert", &game, "--to", "lines"][..], &over].concat());
    assert_eq!(lines.exit, Exit::Success, "the same game, in another notation: {}", lines.err);
}

#[test]
fn a_dataset_is_made_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "game.txt", JULIO);
    let out = folder.path().join("data");
    let to_dataset = |file: &str| gipf(&["record", "convert", file, "--to", "dataset", "--out", out.to_str().unwrap()]);
    let made = to_dataset(&file);
    if cfg!(feature = "dataset") {
        assert!(made.out.starts_with("1 games, 52 decisions in "), "{}{}", made.out, made.err);
        let open = write(folder.path(), "open.txt", &JULIO.replace("1–0", ""));
        assert!(to_dataset(&open).err.ends_with("open.txt: the game has no result\n"));
        let drawn = write(folder.path(), "drawn.txt", &JULIO.replace("1–0", "1/2-1/2"));
        assert!(to_dataset(&drawn).err.contains("drawn.txt: nobody won, and by the rules the game had not ended"));
        let timed = write(folder.path(), "timed.txt", &format!("[Termination \"time\"]\n\n{JULIO}"));
        let told = to_dataset(&timed).err;
        assert!(told.contains("timed.txt: left out") && told.contains("no game is left"), "{told}");
        // Games that cannot be converted replace nothing, even with `--force`.
        let card = out.join("_README.md");
        let before = std::fs::read_to_string(&card).unwrap();
        assert!(before.contains("license: unknown") && before.contains("NOASSERTION"), "{before}");
        let mixed = write(folder.path(), "mixed.txt", &format!("{JULIO}\n[Variant \"basic\"]\n\n1.d2 1-0\n"));
        let empty = write(folder.path(), "empty.txt", "[Variant \"standard\"]\n\n1-0\n");
        for (file, told) in [(&mixed, "mixed.txt, game 2: it is of basic: expected"), (&empty, "no turn was played")] {
            let args = ["record", "convert", file, "--to", "dataset", "--force", "--out", out.to_str().unwrap()];
            refused(&args, Exit::Failure, &[told]);
        }
        assert_eq!(std::fs::read_to_string(&card).unwrap(), before);
    } else {
        assert!(made.err.contains("built without datasets"), "{}", made.err);
    }
}

#[test]
fn many_games_with_tags_are_read_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.txt");
    let file = file.to_str().unwrap();
    let played = gipf(&["eval", "greedy", "--against", "random", "--games", "4", "--records", file]);
    assert_eq!(played.exit, Exit::Success, "{}", played.err);
    let checked = gipf(&["record", "check", file]);
    assert_eq!((checked.exit, checked.out.lines().count()), (Exit::Success, 4), "{}", checked.err);
    let third = gipf(&["record", "show", file, "--game", "3"]).out;
    assert!(third.lines().last().unwrap().starts_with("official notation, standard, "), "{third}");

    let text = std::fs::read_to_string(file).unwrap().replacen("[Variant", "[Start \"x\"]\n[Variant", 1);
    let broken = gipf_with_input(&["record", "check", "-"], &text);
    assert_eq!((broken.exit, broken.out.lines().count()), (Exit::Failure, 3), "the others are read all the same");
    let told: Vec<_> = broken.err.lines().collect();
    assert_eq!(told[0], "warning: -, game 1: not as it was written: its checksum differs");
    assert!(told[1].starts_with("warning: -, game 1: tag Start is `x`, and `standard "), "{}", told[1]);
    assert!(told[2].starts_with("error: -, game 1: tag Start: position text, column 1"), "{}", told[2]);
}

/// With few placements the limit cuts off many random games, and in basic the turns do not show where the game starts.
#[test]
fn games_of_a_match_go_through_every_notation_and_back() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, formats) in [("basic", &["complete", "sheet", "lines", "julio"][..]), ("standard+zertz", &["short"])]
    {
        let file = folder.path().join(variant);
        let file = file.to_str().unwrap();
        let limits = ["--variant", variant, "--games", "6", "--placement-limit", "26", "--records", file];
        let played = gipf(&[&["eval", "random", "--against", "random"][..], &limits].concat());
        assert_eq!(played.exit, Exit::Success, "{}", played.err);
        assert!(std::fs::read_to_string(file).unwrap().contains("\n1/2-1/2\n"));
        let positions = |file: &str, game: &str| {
            let answer = gipf(&["record", "convert", file, "--game", game, "--to", "gpn"]);
            assert_eq!(answer.exit, Exit::Success, "{}", answer.err);
            answer.out
        };
        for format in formats {
            let together = write(folder.path(), "all", &gipf(&["record", "convert", file, "--to", format]).out);
            for game in ["1", "2", "3", "4", "5", "6"] {
                let alone = gipf(&["record", "convert", file, "--game", game, "--to", format]).out;
                let alone = write(folder.path(), "one", &alone);
                assert_eq!(positions(&alone, "1"), positions(file, game), "{format}");
                assert_eq!(positions(&together, game), positions(file, game), "{format}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let misprint = write(folder.path(), "misprint.txt", &JULIO.replace("f1 i1 ", "f1 i1*"));
    let check = |file: &str, texts: &[&str]| refused(&["record", "check", file], Exit::Failure, texts);
    check(&misprint, &["misprint.txt: move 16, Black, `i1*`", "one direction", "legal are"]);
    check(&write(folder.path(), "empty.txt", ""), &["the text has no turns"]);
    check("nowhere.txt", &["nowhere.txt", "expected a readable file of games"]);
    let file = write(folder.path(), "game.txt", JULIO);
    let both = gipf(&["record", "check", "--json", "nowhere.txt", &file]);
    assert_eq!((both.exit, both.out.lines().count(), both.err.as_str()), (Exit::Failure, 2, ""), "the other is read");
    refused(&["record", "show", &file, "--game", "0"], Exit::WrongUse, &["--game 0: expected 1 to 1"]);
    refused(&["record", "convert", &file, "--to", "chess"], Exit::WrongUse, &["chess", "expected complete, short"]);
    refused(&["record", "convert", &file, "--to", "dataset"], Exit::WrongUse, &["expected --out"]);
    if cfg!(feature = "dataset") {
        let args = ["record", "convert", &file, "--to", "julio", "--licence", "MIT"];
        refused(&args, Exit::WrongUse, &["--licence: expected --to dataset"]);
    }
    std::fs::write(&file, b"1.e3 \xff\xfe").unwrap();
    check(&file, &["not text in UTF-8"]);
}

/// Match runners write the start as `FEN`; this position is not the usual start of the rule set.
#[test]
fn a_game_starts_where_its_tags_say() {
    let folder = tempfile::tempdir().unwrap();
    let fen = "standard g2G/5/6/G5g/6/5/g2G b 9 10 - 0 0";
    let turns = "1...b3 2.b4\n*\n";
    let check = |tags: &[&str]| {
        let file = write(folder.path(), "game.txt", &format!("{}\n\n{turns}", tags.join("\n")));
        gipf(&["record", "convert", &file, "--to", "gpn"])
    };
    let (with_start, with_fen) = (format!("[Start \"{fen}\"]"), format!("[FEN \"{fen}\"]"));
    for tags in [&[&*with_start][..], &[&*with_fen], &["[SetUp \"1\"]", &with_fen], &[&*with_fen, &*with_start]] {
        let answer = check(tags);
        assert_eq!((answer.exit, answer.err.as_str()), (Exit::Success, ""), "{tags:?}");
        assert!(answer.out.starts_with(&format!("{fen}\n")) && answer.out.lines().count() == 3, "{}", answer.out);
    }
    let refusals: [(&[&str], &str); 5] = [
        (&[&with_fen, "[Start \"standard g2G/5/6/G5g/6/5/g2G b 9 9 - 0 0\"]"], "the tags FEN and Start disagree"),
        (&[&with_fen, "[Variant \"basic\"]"], "the tags FEN and Variant disagree"),
        (&["[RuleSet \"go\"]"], "tag RuleSet: unknown variant `go`"),
        (&["[SetUp \"1\"]"], "tag SetUp: a start of its own"),
        (&["[FEN \"8/8/8\"]"], "tag FEN: position text"),
    ];
    for (tags, told) in refusals {
        let answer = check(tags);
        assert!(answer.exit == Exit::Failure && answer.err.contains(told), "{tags:?}: {}", answer.err);
    }
    let warnings: [(&[&str], &str); 3] = [
        (&[&with_fen, "[Rules \"9 men\"]"], "tag Rules is not understood: found `9 men`, expected a rule set"),
        (&[&with_fen, "[SetUp \"yes\"]"], "tag SetUp is not understood: found `yes`, expected 0 or 1"),
        (&[&with_fen, "[Result \"1-0\"]"], "the tag Result says 1-0, but by the turns nobody has won"),
    ];
    for (tags, told) in warnings {
        let answer = check(tags);
        assert!(answer.exit == Exit::Success && answer.err.starts_with("warning: "), "{tags:?}: {}", answer.err);
        assert!(answer.err.contains(told) && answer.err.lines().count() == 1, "{}", answer.err);
    }
    let file = write(folder.path(), "game.txt", &format!("{with_fen}\n{turns}"));
    let json = gipf(&["record", "check", "--json", "--position", &fen.replace(" 9 ", " 8 "), &file]);
    assert!(json.out.contains("\"warnings\":[\"tag FEN is ignored: the game is read as asked\"]"), "{}", json.out);
}
