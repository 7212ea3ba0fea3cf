//! Julio974's notation: what is written can be read back, and published games are understood.

use gipf_env::notation::{Ledger, NoNotation, Unwritable, julio, official};
use gipf_env::{Action, Player, Variant};

use crate::notation::official::{ledger as drawn_ledger, page_example, start};
use crate::recorded::games;

#[test]
fn every_move_of_every_recorded_game_is_read_back_as_it_was_written() {
    let (mut moves, mut with_potentials, mut taken_later) = (0, 0, 0);
    for game in games() {
        for (start, actions) in game.spans() {
            moves += 1;
            match julio::write(&start, &actions) {
                Ok(text) => assert_eq!(julio::read(&start, &text), Ok(actions), "{text}"),
                Err(Unwritable::NoNotation(NoNotation::Zertz)) => with_potentials += 1,
                Err(Unwritable::StandingRow(_)) => taken_later += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    // Nothing else is refused.
    assert_eq!((moves, with_potentials, taken_later), (5492, 2978, 5));
}

const EXAMPLE: &str = "
    Ge8 Gd8*  Ge9 Gf8*  Ge9 Gd8*  g7* f8*  f8 c7*  g7* e9  b6*X c7*  g7* c7*  h6* b6*  h6*X b3
    b5 g7*X  a5 a2*  a5X e2  f2 d1*  h1* d1*  f1 i1  g6 g1*Xf6  h6* a3*  h6*Xc4 e8  f1* c6  c7";

#[test]
fn the_published_game_corrected_is_the_official_example_game() {
    let (mut ledger, mut actions) = (start(Variant::TOURNAMENT), Vec::new());
    for text in EXAMPLE.split_whitespace() {
        let read = julio::read(&ledger, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(julio::write(&ledger, &read).unwrap(), text);
        play(&mut ledger, &read);
        actions.extend(read);
    }
    let mut official_ledger = start(Variant::TOURNAMENT);
    let mut official_actions = Vec::new();
    for text in include_str!("../../data/official_example.txt").lines() {
        let read = official::read(&official_ledger, text).unwrap();
        play(&mut official_ledger, &read);
        official_actions.extend(read);
    }
    assert_eq!(actions, official_actions);
    assert_eq!(Player::BOTH.map(|player| ledger.position().reserve(player)), [5, 1]);
}

fn play(ledger: &mut Ledger, actions: &[Action]) {
    for &action in actions {
        ledger.play(action).unwrap();
    }
}

fn refusal(ledger: &Ledger, text: &str) -> String {
    match julio::read(ledger, text) {
        Err(error) => error.to_string(),
        Ok(actions) => panic!("{text} is read as {actions:?}"),
    }
}

fn read(ledger: &Ledger, text: &str) -> Vec<Action> {
    julio::read(ledger, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the ledger after the first `moves` moves of the example.
fn after(moves: usize) -> Ledger {
    let mut ledger = start(Variant::TOURNAMENT);
    for text in EXAMPLE.split_whitespace().take(moves) {
        let actions = read(&ledger, text);
        play(&mut ledger, &actions);
    }
    ledger
}

#[test]
fn both_misprints_of_the_published_game_are_refused_with_what_they_must_be() {
    assert_eq!(refusal(&after(31), "i1*"), "i1 has one direction only: write i1 without a star");
    let hint = "h5, next to h6 in this direction, is vacant: write h5, or h6* to push g6 on";
    assert_eq!(refusal(&after(34), "h6"), hint);
}

#[test]
fn the_rows_of_the_opponent_are_marked_with_the_move_that_forms_them() {
    let ledger = drawn_ledger(
        "standard w 8 8 - 0 0
           · · · ·
          s · · · ·
         · g · · · ·
        S s · · · · ·
         · · s · · ·
          · · · · ·
           g · · G",
    );
    let kept = read(&ledger, "e1X");
    assert_eq!(kept[1..], [Action::Keep]);
    assert_eq!(read(&ledger, "e1"), kept);
    assert_eq!(read(&ledger, "e1Xb*"), kept);
    assert_eq!(read(&ledger, "e1Xd3?!")[1..], [Action::Take]);
    assert_eq!(julio::write(&ledger, &kept).unwrap(), "e1X");
    // A game may stop before Black decides.
    assert!(matches!(julio::write(&ledger, &kept[..1]), Err(Unwritable::NotATurn(_))));
    let last = |text: &str| julio::read_last(&ledger, text, |_| false).unwrap();
    assert_eq!(julio::write_last(&ledger, &kept[..1], |_| false).unwrap(), "e1X");
    assert_eq!((last("e1X"), last("e1"), last("e1Xb*")), (kept[..1].to_vec(), kept[..1].to_vec(), kept[..1].to_vec()));
    assert_eq!(last("e1Xd3"), read(&ledger, "e1Xd3"));
}

/// With a push from e1 White forms the white row d2 e3 f3 g3, with a GIPF-piece on f3, and the black row c2 d3 e4 f4.
fn rows_of_both() -> Ledger {
    drawn_ledger(
        "standard w 6 8 - 0 0
           · · · ·
          s · · · ·
         S g · · · ·
        S s · · · · ·
         · G s · · ·
          · S · · ·
           g · · G",
    )
}

#[test]
fn marks_of_the_mover_come_before_those_of_his_opponent() {
    let ledger = rows_of_both();
    let both = read(&ledger, "e1Xf3Xd3");
    assert_eq!(both[1..], [Action::Take; 2]);
    assert_eq!(julio::write(&ledger, &both).unwrap(), "e1Xf3Xd3");
    assert_eq!(read(&ledger, "e1XXd3")[1..], [Action::Keep, Action::Take]);
    assert_eq!(read(&ledger, "e1Xd3")[1..], [Action::Keep, Action::Take]);
    assert_eq!(read(&ledger, "e1Xc*f3")[1..], [Action::Take, Action::Keep]);
    assert_eq!(read(&ledger, "e1")[1..], [Action::Keep; 2]);
    assert_eq!(refusal(&ledger, "e1Xd3Xf3"), "no row is left to remove for `Xd3`");
}

/// With a push from f1 White completes two rows that cross on d3, where a GIPF-piece stands.
#[test]
fn of_rows_that_cross_the_first_one_is_named() {
    let ledger = drawn_ledger(
        "standard w 8 8 - 0 0
           · · · ·
          S S · · ·
         · G · · · ·
        · S G · · · ·
         s S s · · ·
          · · · · ·
           · · · g",
    );
    let first = read(&ledger, "f1Xb*d3");
    assert_eq!(julio::write(&ledger, &first).unwrap(), "f1Xb*d3");
    assert_eq!(read(&ledger, "f1X3d3"), official::read(&ledger, "f1-f5;x(a3-g1)d3").unwrap());
    assert_eq!(read(&ledger, "f1Xb*X"), official::read(&ledger, "f1-f5;x(b1-i4);x").unwrap());
    assert!(refusal(&ledger, "f1Xd3").starts_with("several readings lead to different positions: "));
    assert_eq!(refusal(&ledger, "f1Xe4Xg4"), "no row is left to remove for `Xg4`");
}

#[test]
fn what_goes_later_from_a_standing_row_has_no_mark() {
    let mut ledger = drawn_ledger(
        "tournament w 5 8 - 0 0
           · · · ·
          G · · · ·
         · G · · · ·
        · · G · · · ·
         · · G · · ·
          · · · · ·
           g · · ·",
    );
    assert_eq!(refusal(&ledger, "e2"), "a text is read from a placement on, not in the middle of a turn");
    for _ in 0..4 {
        ledger.play(Action::Keep).unwrap();
    }
    let kept = read(&ledger, "e2");
    assert_eq!(kept[1..], [Action::Keep; 4]);
    assert_eq!(julio::write(&ledger, &kept).unwrap(), "e2");
    assert_eq!(
        refusal(&ledger, "e2Xc2"),
        "`Xc2` does not fit White's row on b1-i4: it stood before, and there is no mark to take pieces from it later"
    );
    let taken = [kept[0], Action::Take, Action::Keep, Action::Keep, Action::Keep];
    assert!(matches!(julio::write(&ledger, &taken), Err(Unwritable::StandingRow(_))));
}

#[test]
fn a_bad_move_is_answered_with_what_is_wrong() {
    let move_expected = "a move is a spot such as e2, or a dot such as e1 or c1*, with a G before it for a GIPF-piece";
    let mark_expected = "an X is followed by a line, such as 5 or c or a*, and the spots of the GIPF-pieces removed";
    let line_expected = "lines are b to h, 2 to 8, and a* to d* or 1* to 4*";
    let cases = [
        ("", format!("`` is not understood: {move_expected}")),
        ("x", format!("`x` is not understood: {move_expected}")),
        ("e1-e2", format!("`e1-e2` is not understood: {move_expected}")),
        ("g1**", format!("`g1**` is not understood: {move_expected}")),
        ("f2", "f2 is occupied: write the dot from which it is pushed, f1 or g1*".to_owned()),
        ("b2*", "b2 is a spot, which has no star".to_owned()),
        ("a1*", "a1 has one direction only: write a1 without a star".to_owned()),
        ("e1", "e2, next to e1 in this direction, is vacant: write e2".to_owned()),
        ("g1", "g2, next to g1 in this direction, is vacant: write g2, or g1* to push f2 on".to_owned()),
        (
            "d5",
            "d5 is not on the edge, where pieces enter: name one of the outermost spots, or dot and spot".to_owned(),
        ),
        ("Gb2", "White cannot bring that in: no GIPF-pieces may be brought in any more".to_owned()),
        ("g1*X9", format!("`X9` is not understood: {line_expected}")),
        ("g1*Xi", format!("`Xi` is not understood: {line_expected}")),
        ("g1*Xb1", "b1 is a dot, in `Xb1`: pieces stand on spots and can be removed only from there".to_owned()),
        ("g1*Xb2b2", "b2 is named twice in `Xb2b2`".to_owned()),
        ("g1*X5xy", format!("`X5xy` is not understood: {mark_expected}")),
        (
            "g1*Xc2",
            "`Xc2` does not fit White's row on b1-i4: only removed GIPF-pieces are named, and there is none on c2"
                .to_owned(),
        ),
        ("g1*X5", "no row is left to remove for `X5`".to_owned()),
        ("g1*XX", "no row is left to remove for `X`".to_owned()),
        ("b2X", "no row is left to remove for `X`".to_owned()),
    ];
    let ledger = page_example();
    for (text, expected) in cases {
        assert_eq!(refusal(&ledger, text), expected, "{text}");
    }
    assert_eq!(refusal(&ledger, &format!("e2{}", "X".repeat(43))), "the turn is longer than 42 marks");
    assert_eq!(refusal(&ledger, &"X".repeat(2000)), "the turn is longer than 1024 bytes");
    assert_eq!(refusal(&start(Variant::PUSH_OFF), "e2"), "push-off has no published notation");
    assert_eq!(refusal(&start(Variant::STANDARD.with_zertz()), "d2"), "Julio974's notation has no ZÈRTZ-potentials");
}
