//! Whole games: what is written can be read back in every notation, and errors say where they are and what was expected.

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Family, Notation, Record, SetupFrom, Source, WriteError};
use gipf_env::notation::{Ledger, NoNotation, Unwritable};
use gipf_env::{Action, GipfPosition, Phase, Player, Position, Pushed, Setup, Variant};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::recorded::games;

const ALL: [Notation; 7] = [
    Notation::Sheet(Form::Short),
    Notation::Sheet(Form::Complete),
    Notation::Text(Form::Short),
    Notation::Text(Form::Complete),
    Notation::Lines(Form::Short),
    Notation::Lines(Form::Complete),
    Notation::Julio,
];

const EXAMPLE: &str = include_str!("../../data/official_example.txt");
const LONG: &str = include_str!("../../data/tournament_64.txt");

/// The published example with both misprints corrected.
const JULIO: &str = "\
Tournament White-Black
1. Ge8 Gd8*  2. Ge9 Gf8*  3. Ge9 Gd8*  4. g7* f8*  5. f8 c7*  6. g7* e9  7. b6*X c7*  8. g7* c7*
9. h6* b6*  10. h6*X b3  11. b5 g7*X  12. a5 a2*  13. a5X e2  14. f2 d1*  15. h1* d1*  16. f1 i1
17. g6 g1*Xf6  18. h6* a3*  19. h6*Xc4 e8  20. f1* c6  21. c7  1–0
";

fn read(text: &str) -> record::Reading {
    record::read(text, &Source::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the decisions of a game, without a last turn that leaves nothing to write.
fn writable(game: &Record) -> Vec<Action> {
    let mut turns = game.turns().to_vec();
    turns.pop_if(|last| last.placement.is_none() && last.before.iter().all(|row| row.removed.is_empty()));
    turns.into_iter().flat_map(|turn| turn.actions).collect()
}

/// Asserts that a game is read back from its text.
fn check(game: &Record, notation: Notation, text: &str) {
    let source = Source { setup: Some(game.setup().clone()), ..Source::default() };
    let read = record::read(text, &source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let actions = if notation == Notation::Julio { game.actions() } else { writable(game) };
    assert_eq!(read.record.actions(), actions, "{text}");
    assert_eq!(read.record.conclusion(), game.conclusion(), "{text}");
    assert_eq!(read.family == Family::Julio, notation == Notation::Julio, "{text}");
}

#[test]
fn every_recorded_game_is_read_back_from_every_notation() {
    let (mut written, mut refused) = (0, [0; 3]);
    for game in games() {
        let resigned = Player::BOTH.map(|player| Some(Conclusion::Won(player)));
        let records = [None].into_iter().chain(resigned).map(|end| Record::new(&game.setup, &game.actions, end));
        // A resignation is only possible where the rules have not ended the game in another way.
        for game in records.flatten().filter(|game| !game.turns().is_empty()) {
            for notation in ALL {
                match record::write(&game, notation) {
                    Ok(text) => check(&game, notation, &text),
                    Err(WriteError::NoNotation(NoNotation::Zertz)) => refused[0] += 1,
                    Err(WriteError::Start(_)) => refused[1] += 1,
                    Err(WriteError::Turn { why: Unwritable::StandingRow(_), .. }) => refused[2] += 1,
                    Err(error) => panic!("{error}"),
                }
                written += 1;
            }
        }
    }
    // Julio974's notation refuses games with potentials, from other starts, and with rows of GIPF-pieces left standing.
    assert_eq!((written, refused), (6713, [494, 375, 6]));
}

/// Returns a random game that stops anywhere, half of them where the opponent has to decide what to remove.
fn cut_game(variant: Variant, rng: &mut ChaCha8Rng) -> Vec<Action> {
    let (mut position, mut actions) = (GipfPosition::start(variant), Vec::new());
    let (most, stops, share) = (rng.random_range(10..150), rng.random_bool(0.5), rng.random_range(0.0..0.9));
    while position.outcome().is_none() && actions.len() < most {
        let legal: Vec<_> = position.legal_actions().collect();
        let keeps = |action: &&Action| matches!(action, Action::Push(Pushed::Gipf, _) | Action::Keep);
        let keeping: Vec<_> = legal.iter().filter(keeps).copied().collect();
        let among = if !keeping.is_empty() && rng.random_bool(share) { keeping } else { legal };
        actions.push(among[rng.random_range(0..among.len())]);
        position.play(actions[actions.len() - 1]).unwrap();
        if stops && actions.len() > 10 && position.phase() == Phase::Pre {
            break;
        }
    }
    actions
}

/// Returns the start of each turn and of the one after the last, and the conclusion.
fn course(game: &Record) -> (Vec<Setup>, Option<Conclusion>) {
    let mut ledger = Ledger::new(game.setup()).unwrap();
    game.actions().into_iter().for_each(|action| ledger.play(action).unwrap());
    let starts = game.turns().iter().map(|turn| turn.setup.clone());
    (starts.chain([ledger.setup()]).collect(), game.conclusion())
}

#[test]
fn games_that_stop_anywhere_are_read_back_from_every_notation() {
    let (mut rng, mut written, mut went_on) = (ChaCha8Rng::seed_from_u64(1), 0, 0);
    let ends = [None, Some(Conclusion::Won(Player::White)), Some(Conclusion::Won(Player::Black))];
    for variant in Variant::ALL.into_iter().filter(|variant| !variant.is_push_off()).cycle().take(600) {
        let (setup, actions) = (Setup::start(variant), cut_game(variant, &mut rng));
        let source = Source { setup: Some(setup.clone()), ..Source::default() };
        for game in ends.into_iter().filter_map(|end| Record::new(&setup, &actions, end).ok()) {
            let is_whole = writable(&game) == game.actions();
            for notation in ALL.into_iter().filter(|&notation| is_whole || notation == Notation::Julio) {
                match record::write(&game, notation) {
                    Ok(text) => {
                        let again = record::read(&text, &source).unwrap_or_else(|error| panic!("{error}\n{text}"));
                        assert_eq!(course(&again.record), course(&game), "{text}");
                        written += 1;
                    }
                    Err(
                        WriteError::NoNotation(NoNotation::Zertz)
                        | WriteError::Turn { why: Unwritable::StandingRow(_), .. },
                    ) => {}
                    // The loser gave up where keeping all GIPF-pieces would have lost as well.
                    Err(error) => {
                        assert!(
                            game.conclusion().is_some() && error.to_string().contains("went on to its end"),
                            "{error}"
                        );
                        went_on += 1;
                    }
                }
            }
        }
    }
    assert!(written > 5000 && went_on < 10, "{written} {went_on}");
}

/// With Black's push from e1 White has a row of GIPF-pieces. If White keeps them all, White cannot bring in a piece.
#[test]
fn no_answer_is_invented_where_a_game_stops() {
    let setup: Setup = "tournament g3/5/6/GG1GG2/6/5/g2g b 0 5 - 0 0".parse().unwrap();
    let source = Source { family: Some(Family::Julio), setup: Some(setup), ..Source::default() };
    let [white, black] = Player::BOTH.map(|player| Some(Conclusion::Won(player)));
    let cases = [
        ("1. e1", 1, None),
        ("1. e1X *", 1, None),
        ("1. e1Xe3", 1, None),
        ("1. e1 ½–½", 1, Some(Conclusion::Void)),
        ("1. e1 0–1", 1, white),
        // Black, who moved first, wins if White keeps all pieces.
        ("1. e1 1–0", 2, black),
    ];
    for (text, turns, conclusion) in cases {
        let game = record::read(text, &source).unwrap().record;
        assert_eq!((game.turns().len(), game.conclusion()), (turns, conclusion), "{text}");
    }
    let stopped = "1.Gh4/Ge2 2.Gc6/Ge8 3.Gh3/Ge1-e3 4.Gd7/Gf7 5.Gg2/Gi3-g5 6.Gc7-c5/Gf1-d2 7.Gb4/Gd8-g6 8.Gf8-b5/c1-f3 \
                   9.Gc7-e7/h2";
    for end in ["", " 1-0", " 1/2-1/2"] {
        let game = read(&format!("{stopped}{end}")).record;
        let again = read(&record::write(&game, Notation::Julio).unwrap()).record;
        assert_eq!((again.turns().len(), &again), (18, &game));
    }
    let error = record::write(&read(&format!("{stopped} 0-1")).record, Notation::Julio).unwrap_err().to_string();
    let why =
        "would not be read as what was played: with this result it means that the game went on to its end by the rules";
    assert!(error.starts_with("move 9, Black: `h2") && error.ends_with(why), "{error}");
}

/// Black's last push makes rows of White that cross, and Black gives up before White says which goes first.
#[test]
fn a_game_may_stop_before_rows_that_cross() {
    let text = "1.a5-c5/b6-b4 2.a4-c6/i4-g6 3.f1-d2/f2 4.b6-d6/f8-d7 5.h6-f6/i2-g2 6.h3/d1-d3 7.c7-e7/b1-b3
        8.c1-e3/d8-d5 9.a1-c3/c1-f3 10.c7-c4/a2-c2 11.a1-d4/i1-g3 12.a4-e4/a2-e6
        13.xd2*,d3,d4,d5,d6,d7*;a1-d4/xb4*,c4,d4,e4,f3,g2;b1-d3 14.c1-c4/f7 15.d1-g2/g1-g4 16.b4/a1-d4 1-0";
    let game = record::read(text, &Source::of_variant(Variant::BASIC)).unwrap().record;
    assert_eq!(read(&record::write(&game, Notation::Julio).unwrap()).record, game);
}

#[test]
fn the_official_example_game_is_the_same_in_every_notation() {
    let game = read(EXAMPLE);
    assert_eq!(game.to_string(), "official notation, tournament, since the first turn brings in a GIPF-piece");
    assert_eq!(game.record.turns().len(), 41);
    let reserves = game.record.turns()[39..].iter().map(|turn| turn.reserve).collect::<Vec<_>>();
    assert_eq!(reserves, [1, 5]);
    assert_eq!(record::write(&game.record, Notation::Lines(Form::Complete)).unwrap(), EXAMPLE);
    let julio = read(JULIO);
    assert_eq!(julio.to_string(), "Julio974's notation, tournament, as the header says");
    assert_eq!(julio.record.actions(), game.record.actions());
    assert_eq!(julio.record.conclusion(), Some(Conclusion::Won(Player::White)));
    assert_eq!(record::write(&julio.record, Notation::Julio).unwrap(), JULIO);
    for notation in ALL {
        check(&julio.record, notation, &record::write(&julio.record, notation).unwrap());
    }
}

#[test]
fn the_misprints_of_the_published_game_are_refused_at_their_move() {
    let error = |from, to| record::read(&JULIO.replace(from, to), &Source::default()).unwrap_err().to_string();
    let first = error("f1 i1", "f1 i1*");
    assert!(
        first.starts_with("move 16, Black, `i1*`: i1 has one direction only: write i1 without a star; "),
        "{first}"
    );
    let second = error("18. h6*", "18. h6");
    let expected =
        "move 18, White, `h6`: h5, next to h6 in this direction, is vacant: write h5, or h6* to push g6 on; ";
    assert!(second.starts_with(expected), "{second}");
    assert!(second.ends_with(" more"), "{second}");
}

#[test]
fn a_longer_tournament_game_is_read_and_converted() {
    let game = read(LONG);
    assert_eq!(game.record.turns().len(), 64);
    for notation in ALL {
        check(&game.record, notation, &record::write(&game.record, notation).unwrap());
    }
}

#[test]
fn a_sheet_has_its_x_in_the_loser_s_column() {
    let cases = [
        ("1. e1-e3 e9-e7\n2. e1-e4 X", Player::White, "  1. e1-e3 (11)  e9-e7 (11)\n  2. e1-e4 (10)  X\n"),
        ("1. e1-e3 e9-e7\n2. X", Player::Black, "  1. e1-e3 (11)  e9-e7 (11)\n  2. X\n"),
        ("1. e1-e3 e9-e7 X", Player::White, "  1. e1-e3 (11)  e9-e7 (11) X\n"),
        ("1.e1-e3/e9-e7 2.e1-e4/X", Player::White, "  1. e1-e3 (11)  e9-e7 (11)\n  2. e1-e4 (10)  X\n"),
        ("1. e1-e3 X", Player::White, "  1. e1-e3 (11)  X\n"),
        ("1. e1-e3X", Player::Black, "  1. e1-e3 (11)\n  2. X\n"),
    ];
    for (text, winner, sheet) in cases {
        let game = read(text).record;
        assert_eq!(game.conclusion(), Some(Conclusion::Won(winner)), "{text}");
        assert_eq!(record::write(&game, Notation::Sheet(Form::Short)).unwrap(), sheet);
    }
}

#[test]
fn the_rule_set_is_inferred_from_the_first_turn_and_by_trial() {
    let cases = [
        ("1.e1-e3/e9-e7", Variant::STANDARD, SetupFrom::FirstTurn),
        ("1.Ge2", Variant::TOURNAMENT, SetupFrom::FirstTurn),
        ("1.Ge2/Ge8 2.Zd2/Zd7", Variant::TOURNAMENT.with_zertz(), SetupFrom::FirstTurn),
        ("1.Zd2/c2 2.b3", Variant::STANDARD.with_zertz(), SetupFrom::FirstTurn),
        ("Basic 1. d2", Variant::BASIC, SetupFrom::Header),
        ("Short-cut\n1. d2", Variant::STANDARD, SetupFrom::Header),
    ];
    for (text, variant, setup_from) in cases {
        let game = read(text);
        assert_eq!((game.record.variant(), game.setup_from), (variant, setup_from), "{text}");
    }
}

#[test]
fn recorded_games_of_basic_that_cannot_be_standard_are_taken_for_basic() {
    let mut by_trial = 0;
    for game in games()
        .into_iter()
        .filter(|game| game.setup == Setup::start(Variant::BASIC).with_placement_limit(game.setup.placement_limit))
    {
        let game = Record::new(&game.setup, &game.actions, None).unwrap();
        let read = read(&record::write(&game, Notation::Lines(Form::Complete)).unwrap());
        assert_eq!(read.setup_from == SetupFrom::Trial, read.record.variant() == Variant::BASIC);
        if read.setup_from == SetupFrom::Trial {
            by_trial += 1;
            assert_eq!(read.to_string(), "official notation, basic, since the game cannot be standard");
            assert_eq!(read.record.actions(), game.actions());
        }
    }
    assert!(by_trial >= 10, "{by_trial}");
}

#[test]
fn the_player_who_moves_first_may_be_black() {
    let game = read("Tournament Black-White\n1. Ge8 Ge2  2. Gd7 Gd2  1-0").record;
    assert_eq!((game.setup().to_move, game.conclusion()), (Player::Black, Some(Conclusion::Won(Player::Black))));
    let text = record::write(&game, Notation::Text(Form::Short)).unwrap();
    assert_eq!(text, "1./Ge8 2.Ge2/Gd7 3.Gd2 0-1\n");
    for notation in ALL {
        check(&game, notation, &record::write(&game, notation).unwrap());
    }
    assert_eq!(read(&text).record, game);
}

#[test]
fn blanks_are_free_and_numbers_are_not_needed() {
    let game = read("1.Ge2/Gd1-f2 2.Gd2/Ge8").record;
    let texts = [
        "1. Ge2 Gd1-f2 2. Gd2 Ge8",
        "1.Ge2 Gd1 - f2\n\n2.Gd2\tGe8",
        " 1 . G e2 / G d1- f2 2. Gd2/ Ge8",
        "1.Ge2 (16) Gd1-f2 (16)2.Gd2(14) Ge8 ( 14 )",
        "1.Ge2/Gd1-f22.Gd2/Ge8",
        "1.Ge2(16)Gd1-f2(16)2.Gd2(14)Ge8(14)",
        "1. G e 2 ( 16 ) G d 1 - f 2 2. Gd 2 G e8",
        "Ge2\nGd1-f2 (16)\n\n Gd2 \r\nGe8",
        "Ge2/Gd1-f2\nGd2/Ge8",
        "Ge2 (16) Gd1-f2 (16)\nGd2 (14) Ge8 (14)",
    ];
    for text in texts {
        assert_eq!(read(text).record, game, "{text}");
    }
    for dash in ['–', '—', '−', '\u{2010}', '\u{2011}'] {
        assert_eq!(read(&"1.Ge2/Gd1-f2 2.Gd2/Ge8".replace('-', &dash.to_string())).record, game, "{dash}");
    }
    assert_eq!(read("1.Ge2/Gd1-f22.Gd2/Ge81-0").record.conclusion(), Some(Conclusion::Won(Player::White)));
    let julio = ["1. Ge2 Gd1* 2. Gd2 Ge8", "1.Ge2! Gd1*?? 2.Gd2 !? Ge8", "Ge2 Gd1* Gd2 Ge8"];
    for text in julio {
        assert_eq!(read(text).record, game, "{text}");
    }
    let with_lists = "1.c1-c3;x c2, d3,e4,f4 , g4* e8 2. e2";
    let error = record::read(with_lists, &Source::default()).unwrap_err().to_string();
    assert!(error.starts_with("move 1, White, `c1-c3;xc2,d3,e4,f4,g4*`: "), "{error}");
}

#[test]
fn a_game_that_nobody_won_may_end_in_halves_and_the_missing_turn_of_white_in_dots() {
    let ends = ["½-½", "½–½", "1/2-1/2", "1/2–1/2"];
    for end in ends {
        for start in ["1.Ge2/Gd1-f2 2.Gd2/Ge8", "1. Ge2 Gd1-f2\n2. Gd2 Ge8", "1. Ge2 Gd1* 2. Gd2 Ge8", "1.Ge2 Gb3"] {
            let text = format!("{start} {end}");
            let game = read(&text).record;
            assert_eq!(game.conclusion(), Some(Conclusion::Void), "{text}");
            for notation in ALL {
                check(&game, notation, &record::write(&game, notation).unwrap());
            }
        }
    }
    for text in ["1...Ge8 2.Ge2 Gd7", "1. ... Ge8 2. Ge2 Gd7"] {
        assert_eq!(read(text).record, read("1./Ge8 2.Ge2/Gd7").record);
    }
}

#[test]
fn a_loser_may_be_marked_behind_the_last_turn() {
    let cases =
        [("1.b3X", Player::Black), ("1. b3 X", Player::White), ("1.b3/X", Player::White), ("1. b3 c6X", Player::White)];
    for (text, winner) in cases {
        let read = read(text);
        assert_eq!(
            (read.family, read.record.conclusion()),
            (Family::Official, Some(Conclusion::Won(winner))),
            "{text}"
        );
    }
    for text in ["1.X/X", "1. b3 X X", "1.b3X/X"] {
        assert!(record::read(text, &Source::default()).is_err(), "{text}");
    }
}

#[test]
fn who_begins_is_said_by_the_text_where_only_the_rule_set_is_known() {
    for (text, variant) in [("1... c6", Variant::STANDARD), ("Basic Black-White\n1. b3 c6 1-0", Variant::BASIC)] {
        let read = record::read(text, &Source::of_variant(variant)).unwrap().record;
        assert_eq!((read.setup().to_move, read.variant()), (Player::Black, variant));
    }
}

/// A star after a list of pieces belongs to the last of them, unless a blank stands between them.
#[test]
fn a_star_in_place_of_the_result_leaves_the_game_open() {
    for end in ["", " *", "\n*\n"] {
        let read = read(&format!("1. Ge2 Gd1-f2{end}"));
        assert_eq!((read.record.turns().len(), read.record.conclusion()), (2, None), "{end}");
    }
    assert_eq!(read("*").record.turns().len(), 0);
    let julio = record::read("Tournament White-Black\n1. Ge2 Gd1*\n*", &Source::default()).unwrap().record;
    assert_eq!((julio.turns().len(), julio.conclusion()), (2, None));
}

#[test]
fn the_result_and_the_x_must_say_the_same() {
    assert_eq!(read("1. e1-e3 e9-e7 X 1-0").record.conclusion(), Some(Conclusion::Won(Player::White)));
    let error = record::read("1. e1-e3 e9-e7 X 0-1", &Source::default()).unwrap_err().to_string();
    assert_eq!(error, "the result says that Black wins, but the column of the X says that White wins");
}

#[test]
fn a_bad_game_is_answered_with_move_player_text_and_what_was_legal() {
    let cases = [
        ("", "the text has no turns"),
        ("\n \n", "the text has no turns"),
        ("1.", "move 1 has 0 turns, expected two: ``"),
        ("hello 1.e2", "number hello where 1 was expected"),
        ("1.d2/d7 3.c2", "number `3.` where 2 was expected"),
        ("1.d2/d7 .c2", "number `.` where 2 was expected"),
        ("1.d2 2.c2", "move 1 has 1 turns, expected two: `d2`"),
        ("1.d2 2./d7 3.c2", "move 2 has 1 turns, expected two: `/d7`"),
        ("1.d2/d7/c2", "move 1 has 3 turns, expected two: `d2/d7/c2`"),
        ("1.d2 d7 c2", "move 1 has 3 turns, expected two: `d2 d7 c2`"),
        ("1.d2 X d7", "move 1 has 3 turns, expected two: `d2 X d7`"),
        ("1.d2 X 2.d7", "`d7` stands after the end of the game"),
        ("1. d2 e1* 2. c2", "move 1, Black, `e1*`: e1 has one direction only: write e1 without a star; legal are "),
        ("1. d2 e1 c2 2. c3", "move 1 has 3 turns, expected two: `d2 e1 c2`"),
        ("1. d2 e1 3. c2 c3", "number 3 where 2 was expected"),
        (
            "20.f1-d2/c6 21.c7-c4 1-0",
            "the first number is 20, expected 1, or the position from which the game starts, as",
        ),
        ("Tournament\n20. f1* c6 21. c7 1–0", "the first number is 20, expected 1, or the position"),
        ("7. X", "the first number is 7, expected 1, or the position"),
        ("1.d2/d2", "move 1, Black, `d2`: d2 is occupied: name the dot to push from, as in c1-d2 or d1-d2; legal are "),
        ("d2\nd2", "move 1, Black, `d2`: d2 is occupied: name the dot to push from, as in c1-d2 or d1-d2; legal are "),
        ("1.d2/d7 2.d1-d3;x", "move 2, White, `d1-d3;x`: no row is left to remove for `x`; legal are d1-d3"),
        (
            "1.d2 (9)",
            "move 1, White, `d2(9)`: the reserve in brackets is 9, but White has 11 left after this turn; legal are d2",
        ),
    ];
    for (text, expected) in cases {
        let error = record::read(text, &Source::default()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
        assert!(!error.contains('\n') && error.len() < 400, "{error}");
    }
}

#[test]
fn a_text_that_contradicts_the_rules_or_the_caller_is_refused() {
    let lost = games().into_iter().find_map(|game| {
        let game = Record::new(&game.setup, &game.actions, None).unwrap();
        (game.conclusion() == Some(Conclusion::Won(Player::White))).then_some(game)
    });
    let lost = lost.unwrap();
    let text = record::write(&lost, Notation::Text(Form::Short)).unwrap();
    let source = |setup: &Setup| Source { setup: Some(setup.clone()), ..Source::default() };
    let error = record::read(&text.replace("1-0", "0-1"), &source(lost.setup())).unwrap_err().to_string();
    assert!(error.starts_with("the text says that Black wins, but by the rules White wins ("), "{error}");
    let limited = source(&Setup::start(Variant::STANDARD).with_placement_limit(Some(2)));
    assert!(record::read("1.b3/c6 1-0", &limited).is_err(), "a game that is cut off has no winner");
    assert_eq!(record::read("1.b3/c6 1/2-1/2", &limited).unwrap().record.turns().len(), 2);
    let more = text.replace("1-0", &format!("{}.e2", lost.turns().len() + 1));
    assert!(record::read(&more, &source(lost.setup())).is_err());
    let standard = source(&Setup::start(Variant::STANDARD));
    let error = record::read("Basic 1. d2", &standard).unwrap_err().to_string();
    assert_eq!(error, "the header says basic, but the game was to be read as standard");
    let error = record::read("Short-cut Black-White 1. d2", &standard).unwrap_err().to_string();
    assert_eq!(error, "the first turn is in Black's column, but White begins");
    // The number of the first turn says nothing where the position is known, and much where only the rule set is.
    assert!(record::read("20.d2/c6", &standard).is_ok());
    assert!(record::read("20.d2/c6", &Source::of_variant(Variant::STANDARD)).is_err());
}

#[test]
fn what_is_longer_than_any_game_is_refused() {
    let error = |text: &str| record::read(text, &Source::default()).unwrap_err().to_string();
    assert_eq!(error(&" ".repeat((1 << 20) + 1)), "the text has 1048577 bytes, expected at most 1048576");
    assert_eq!(error(&"d2\n".repeat(2001)), "the text has more than 2000 turns");
    let many: Vec<_> = (1..=1001).map(|number| format!("{number}.d2/d2")).collect();
    assert_eq!(error(&many.join(" ")), "the text has more than 2000 turns");
    assert_eq!(error(&format!("1.d2{}", ", d2".repeat(100_000))), "move 1 is longer than 8192 bytes");
}
