//! The official notation: what is written can be read back, and published games are understood.

use gipf_env::notation::official::{self, Form};
use gipf_env::notation::{Ledger, ReadError, Unwritable};
use gipf_env::{Action, Outcome, Player, Reason, Setup, Variant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::drawn::drawn;
use crate::recorded::games;

#[test]
fn every_turn_of_every_recorded_game_is_read_back_as_it_was_written() {
    let (mut turns, mut refused) = (0, Vec::new());
    for game in games() {
        for (start, actions) in game.turns() {
            turns += 1;
            for form in [Form::Short, Form::Complete] {
                match official::write_with_reserve(&start, &actions, form) {
                    Ok(text) => assert_eq!(official::read(&start, &text), Ok(actions.clone()), "{text}"),
                    Err(error) => refused.push((error, actions.clone())),
                }
            }
        }
    }
    assert_eq!(turns, 5543);
    // A player without a reserve keeps four GIPF-pieces in a row, and loses by that: the turn leaves nothing to write.
    let kept = (Unwritable::Nothing, vec![Action::Keep; 4]);
    assert_eq!(refused, [kept.clone(), kept]);
}

/// Returns the ledger of a position given as a drawn board.
pub fn ledger(text: &str) -> Ledger {
    Ledger::new(&drawn(text)).unwrap()
}

/// Returns the ledger at the start of a game.
pub fn start(variant: Variant) -> Ledger {
    Ledger::new(&Setup::start(variant)).unwrap()
}

fn play(ledger: &mut Ledger, text: &str) {
    for action in official::read(ledger, text).unwrap_or_else(|error| panic!("{text}: {error}")) {
        ledger.play(action).unwrap();
    }
}

/// Returns the decisions that several texts stand for, which must all mean the same.
fn alike(ledger: &Ledger, texts: &[&str]) -> Vec<Action> {
    let read = |text: &str| official::read(ledger, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let first = read(texts[0]);
    for text in texts {
        assert_eq!(read(text), first, "{text}");
    }
    first
}

fn written(ledger: &Ledger, actions: &[Action]) -> [String; 2] {
    [Form::Short, Form::Complete].map(|form| official::write(ledger, actions, form).unwrap())
}

/// Returns why a text is refused.
pub fn refusal(ledger: &Ledger, text: &str) -> String {
    match official::read(ledger, text) {
        Err(error) => error.to_string(),
        Ok(actions) => panic!("{text} is read as {actions:?}"),
    }
}

#[test]
fn a_push_onto_a_vacant_spot_is_one_move_from_every_dot() {
    let ledger = start(Variant::TOURNAMENT);
    alike(&ledger, &["Ge2", "Gd1-e2", "Ge1-e2", "Gf1-e2", "G e1 - e2 (16)", "Ge1-e8", "Gd1-h2", "Gf1-b2"]);
}

#[test]
fn a_push_along_a_line_may_name_any_spot_of_it() {
    let mut ledger = start(Variant::STANDARD);
    play(&mut ledger, "e1-e2");
    play(&mut ledger, "e9-e8");
    // e2, e3 and e7, e8 are occupied.
    let push = alike(&ledger, &["e1-e4", "e1-e2", "e1-e3", "e1-e8", " e1 -\te4 ( 10 ) "]);
    assert_eq!(written(&ledger, &push), ["e1-e4", "e1-e4"]);
}

#[test]
fn the_published_opening_of_a_tournament_leaves_the_published_reserves() {
    let turns = "Ge2 Gd1-f2 Gd2 Ge8 Gd1-g2 Gg1-e3 c1-f3 Ge1-e4 f7 Gf1-f4 c1-g3 g1-g4";
    let reserves = [16, 16, 14, 14, 12, 12, 11, 10, 10, 8, 9, 7];
    let mut ledger = start(Variant::TOURNAMENT);
    for (turn, reserve) in turns.split(' ').zip(reserves) {
        let wrong = refusal(&ledger, &format!("{turn} ({})", reserve + 1));
        let player = ledger.position().to_move();
        let stated = reserve + 1;
        let expected = format!("the reserve in brackets is {stated}, but {player} has {reserve} left after this turn");
        assert_eq!(wrong, expected);
        if turn == "g1-g4" {
            // The page's table has a different move here, which is also legal.
            assert!(official::read(&ledger, "h2 (7)").is_ok());
        }
        play(&mut ledger, &format!("{turn} ({reserve})"));
    }
}

/// White completes the row c2 d3 e4 f4 with a push from g1; Black's piece on g4 is removed with it.
pub fn page_example() -> Ledger {
    ledger(
        "basic w 8 8 - 0 0
           · · · ·
          S · · · ·
         · s · · · ·
        · S S · · · ·
         s · S · · ·
          · · s · ·
           · · · ·",
    )
}

#[test]
fn the_published_capture_may_be_written_in_many_ways() {
    let ledger = page_example();
    let texts = [
        "g1-c3;xc2,d3,e4,f4,g4*",
        "g1-c3;x",
        "g1-f2;x",
        "g1-f2;xc2,d3,e4,f4,g4",
        "g1-d3;xg4*,f4,e4,d3,c2",
        "g1-b3;x(b1-i4)",
        "g1-b3;x(i4-b1)",
        "g1-c3;c2,d3,e4,f4,g4*x",
        "g1-c3 ; x c2, d3, e4, f4, g4* (11)",
    ];
    let actions = alike(&ledger, &texts);
    assert_eq!(written(&ledger, &actions), ["g1-c3;x", "g1-c3;xc2,d3,e4,f4,g4*"]);
    let with_reserve = official::write_with_reserve(&ledger, &actions, Form::Complete).unwrap();
    assert_eq!(with_reserve, "g1-c3;xc2,d3,e4,f4,g4* (11)");
}

/// With a push from f1 White completes two rows that cross on d3: c2 d3 e4 f4 and c3 d3 e3 f2.
fn crossing_rows() -> Ledger {
    ledger(
        "basic w 8 8 - 0 0
           · · · ·
          S S · · ·
         · S · · · ·
        · S S · · · ·
         s S s · · ·
          · · · · ·
           · · · ·",
    )
}

#[test]
fn of_rows_that_cross_the_line_in_brackets_comes_first() {
    let ledger = crossing_rows();
    let actions = alike(&ledger, &["f1-f5;x(b1-i4)", "f1-f5;x(i4-b1)", "f1-f5;xd3,e4,f4,c2"]);
    assert_eq!(written(&ledger, &actions), ["f1-f5;x(b1-i4)", "f1-f5;xc2,d3,e4,f4"]);
    let other = alike(&ledger, &["f1-f5;x(a3-g1)", "f1-f5;xc3,d3,e3,f2"]);
    assert_ne!(actions, other);
    let error = official::read(&ledger, "f1-f5;x").unwrap_err();
    assert!(matches!(error, ReadError::Ambiguous { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "several readings lead to different positions: f1-f2, take row b1-i4, or f1-f2, take row a3-g1"
    );
    assert_eq!(refusal(&ledger, "f1-f5;x(b1-i4);x"), "no row is left to remove for `x`");
}

/// The same rows with GIPF-pieces on d3, where they cross, and on e4.
fn crossing_rows_with_gipfs() -> Ledger {
    ledger(
        "standard w 8 8 - 0 0
           · · · ·
          S S · · ·
         · G · · · ·
        · S G · · · ·
         s S s · · ·
          · · · · ·
           · · · g",
    )
}

#[test]
fn every_row_needs_its_own_x_also_one_that_goes_because_the_crossing_gipf_was_spared() {
    let ledger = crossing_rows_with_gipfs();
    // The same pieces are removed in either order; the order that comes first by action index is chosen.
    let both = alike(&ledger, &["f1-f5;x(b1-i4);x", "f1-f5;x(b1-i4);x(a3-g1)", "f1-f5;x;x", "f1-f5;xc2,f4;xc3,e3,f2"]);
    assert_eq!(written(&ledger, &both), ["f1-f5;x;x", "f1-f5;xc2,f4;xc3,e3,f2"]);
    let turned = alike(&ledger, &["f1-f5;x(a3-g1);x", "f1-f5;xc3,e3,f2;xc2,f4"]);
    assert_eq!(written(&ledger, &turned)[0], "f1-f5;x(a3-g1);x");
    assert_ne!(both, turned);
    assert_eq!(
        refusal(&ledger, "f1-f5;x"),
        "White's row on a3-g1 must be removed after the placement, but the text omits it: c3,e3,f2"
    );
}

#[test]
fn a_named_gipf_that_lies_on_one_row_only_says_which_comes_first() {
    let ledger = crossing_rows_with_gipfs();
    let first = alike(&ledger, &["f1-f5;xGd3,Ge4", "f1-f5;xe4,d3", "f1-f5;x(b1-i4)d3,e4", "f1-f5;xc2,Gd3,Ge4,f4"]);
    assert_eq!(written(&ledger, &first), ["f1-f5;xGd3,Ge4", "f1-f5;xc2,Gd3,Ge4,f4"]);
    assert!(matches!(official::read(&ledger, "f1-f5;xd3"), Err(ReadError::Ambiguous { .. })));
    let on_one = alike(&ledger, &["f1-f5;x(b1-i4)d3", "f1-f5;xc2,Gd3,f4"]);
    assert_eq!(written(&ledger, &on_one), ["f1-f5;x(b1-i4)Gd3", "f1-f5;xc2,Gd3,f4"]);
    // The row with e4 is removed first and spares d3; then the other row still stands.
    alike(&ledger, &["f1-f5;xe4;x", "f1-f5;x(b1-i4)e4;x"]);
}

/// With a push from f1 White completes two separate rows: c5 d6 e7 f7, all GIPF-pieces except f7, and e4 f4 g4 h4.
fn rows_apart() -> Ledger {
    ledger(
        "standard w 7 8 - 0 0
           · · s ·
          s · · G ·
         · s · · G ·
        · · S · · G ·
         s S s s S ·
          g · S · ·
           · · S ·",
    )
}

#[test]
fn rows_that_do_not_overlap_may_be_noted_in_any_order() {
    let ledger = rows_apart();
    let texts = [
        "f1-f7;xb4*,f7;xc2*,d3*,e4,f4,g4,h4",
        "f1-f7;xc2*,d3*,e4,f4,g4,h4;xb4*,f7",
        "f1-f7;x;x",
        "f1-f7;xb4,f7;x",
        "f1-f7;x(b1-i4);x(a3-g7)",
    ];
    let actions = alike(&ledger, &texts);
    assert_eq!(written(&ledger, &actions), ["f1-f7;x;x", "f1-f7;xb4*,f7;xc2*,d3*,e4,f4,g4,h4"]);
    // A list of only GIPF-pieces is a short form; a list with other pieces must be complete.
    alike(&ledger, &["f1-f7;xd6;x", "f1-f7;xGd6;x(b1-i4)", "f1-f7;xb4*,Gd6,f7;x"]);
    assert_eq!(
        refusal(&ledger, "f1-f7;xb4*,Gd6;x"),
        "`xb4*,Gd6` does not fit White's row on a3-g7: a list that names basic pieces must name all of them, and f7 is missing"
    );
}

/// White's row c2 d3 e4 f4 stands, and is removed before the placement.
#[test]
fn a_removal_before_the_placement_is_noted_before_it() {
    let ledger = ledger(
        "standard w 6 8 - 0 0
           · · · ·
          S · · · ·
         · S · · · ·
        · · G · · · ·
         · · S · · ·
          · · · · ·
           g · · G",
    );
    let texts = ["xc2,d3,f4;e2", "x;e2", "c2,d3,f4x;e2", "x(b1-i4);e2", "c2, d3, f4 x ; e2 (8)"];
    let actions = alike(&ledger, &texts);
    assert_eq!(written(&ledger, &actions), ["x;e2", "xc2,d3,f4;e2"]);
    alike(&ledger, &["xe4;e2", "xGe4;e2", "c2,d3,e4,f4x;e2"]);
}

/// Black's last GIPF-piece stands on e6, at the end of White's row, with a white GIPF-piece behind it.
#[test]
fn gipfs_named_after_the_last_one_of_the_opponent_are_ignored_and_not_written() {
    let ledger = ledger(
        "standard w 6 8 - 0 0
           G · · ·
          · · · · ·
         · · · · · ·
        S S S S g G ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let texts = ["xe2,e3,e4,e5,Ge6*,Ge7", "xe2,e3,e4,e5,e6", "xe6", "xe7,e6", "xGe6*,Ge7 (10)"];
    let actions = alike(&ledger, &texts);
    assert_eq!(actions, [Action::Take]);
    assert_eq!(written(&ledger, &actions), ["xGe6", "xe2,e3,e4,e5,Ge6*"]);
    assert_eq!(refusal(&ledger, "xe6;e2"), "the game ends with the removal, before `e2` can be played");
    assert_eq!(refusal(&ledger, "xe7"), "the piece brought in is missing: the turn goes on after the removal");
    alike(&ledger, &["xe7;e2", "xe2,e3,e4,e5,e7;e2"]);
}

/// White's row of used potentials is removed unasked, and gives nothing back: without a reserve the game is lost.
#[test]
fn a_turn_without_a_decision_is_written_and_read() {
    let ledger = ledger(
        "basic+zertz w 0 8 - 0 0
           · · · ·
          J · · · ·
         · J · · · ·
        · · J · · · ·
         · · J · · ·
          · · · · ·
           · · · s",
    );
    assert_eq!(ledger.position().outcome(), Some(Outcome::win(Player::Black, Reason::NoMove)));
    assert_eq!(alike(&ledger, &["x", "xjc2,jd3,je4,jf4", "xc2,d3,e4,f4 (0)"]), []);
    assert_eq!(written(&ledger, &[]), ["x", "xjc2,jd3,je4,jf4"]);
    assert_eq!(refusal(&ledger, "x;e2"), "the game ends with the removal, before `e2` can be played");
}

/// White has a loaded piece on c3; f2 is the vacant spot behind the pieces next to it.
fn potentials() -> Ledger {
    ledger(
        "standard+zertz w 8 8 - 1 1
           G · · ·
          · Z · · ·
         · j · · · ·
        S S · Z · · ·
         · · · · · ·
          · · · · ·
           · · · g",
    )
}

#[test]
fn loaded_pieces_jumps_and_used_potentials_have_letters_of_their_own() {
    let ledger = potentials();
    let loaded = alike(&ledger, &["Zd1-f2", "Zd1-e2", "Z d1 - h2 (7)"]);
    assert_eq!(written(&ledger, &loaded), ["Zd1-f2", "Zd1-f2"]);
    let jump = alike(&ledger, &["Jc3-f2"]);
    assert_eq!(written(&ledger, &jump), ["Jc3-f2", "Jc3-f2"]);
    assert_eq!(refusal(&ledger, "Jc3-f3"), "no jump from c3 to f3: from there Jc3-f2");
}

#[test]
fn loaded_pieces_are_spared_like_gipfs_and_used_potentials_go() {
    let ledger = ledger(
        "standard+zertz w 8 8 - 1 1
           G · · ·
          · · · · ·
         · · · · · ·
        S S Z J z j ·
         · · · · · ·
          · · · · ·
           · · · g",
    );
    let actions = alike(&ledger, &["xe6;f2", "xZe6*;f2", "xe2,e3,je5,Ze6*,je7*;f2", "xe2,e3,e5,e6,e7;f2"]);
    assert_eq!(written(&ledger, &actions), ["xZe6;f2", "xe2,e3,je5,Ze6*,je7*;f2"]);
    alike(&ledger, &["x;f2", "xe2,e3,je5,je7*;f2"]);
}

#[test]
fn recorded_tournament_games_are_read_and_written_turn_by_turn() {
    let example = (include_str!("../../data/official_example.txt"), 41, [5, 1]);
    let long = (include_str!("../../data/tournament_64.txt"), 64, [2, 4]);
    for (text, turns, reserves) in [example, long] {
        let mut ledger = start(Variant::TOURNAMENT);
        for line in text.lines() {
            let actions = official::read(&ledger, line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let [short, complete] = written(&ledger, &actions);
            assert_eq!(alike(&ledger, &[&short, &complete]), actions);
            play(&mut ledger, line);
        }
        assert_eq!(text.lines().count(), turns);
        assert_eq!(Player::BOTH.map(|player| ledger.position().reserve(player)), reserves);
        assert_eq!(ledger.position().outcome(), None, "the loser resigned, or the result is not known");
    }
}

/// Returns a crowded board with many pieces that may be spared, as a position text with small reserves.
fn crowded(rng: &mut ChaCha8Rng) -> String {
    let columns = [4, 5, 6, 7, 6, 5, 4].map(|spots| {
        let letter = |_| char::from(b"SSSSGGZJssg11111"[rng.random_range(0..16)]);
        (0..spots).map(letter).collect::<String>()
    });
    format!("tournament+zertz {} w 1 1 - 0 0", columns.join("/"))
}

/// Plays the first turn from a crowded board, if its text is valid and the position has a turn to play.
fn random_turn(rng: &mut ChaCha8Rng) -> Option<(Ledger, Vec<Action>)> {
    let start = Ledger::new(&crowded(rng).parse().ok()?).ok()?;
    let mut ledger = start.clone();
    while ledger.finished().is_empty() && ledger.position().outcome().is_none() {
        let set = ledger.position().action_set();
        ledger.play(set.nth(rng.random_range(0..set.len())).unwrap()).unwrap();
    }
    let actions = ledger.finished().first().filter(|turn| !turn.actions.is_empty())?.actions.clone();
    Some((start, actions))
}

fn end(start: &Ledger, actions: &[Action]) -> (Setup, Option<Outcome>) {
    let mut ledger = start.clone();
    for &action in actions {
        ledger.play(action).unwrap();
    }
    (ledger.position().to_setup(), ledger.position().outcome())
}

/// On such boards many rows cross, and many pieces may be spared.
#[test]
fn turns_on_crowded_boards_are_all_written_and_lead_to_the_same_position() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut chosen, mut same, mut other_order) = (0, 0, 0);
    for (start, actions) in (0..60_000).filter_map(|_| random_turn(&mut rng)) {
        chosen += usize::from(actions.iter().any(|action| matches!(action, Action::TakeRow(_))));
        for form in [Form::Short, Form::Complete] {
            let text = official::write(&start, &actions, form).unwrap();
            let read = official::read(&start, &text).unwrap();
            assert_eq!(end(&start, &read), end(&start, &actions), "{text}");
            if read == actions { same += 1 } else { other_order += 1 }
        }
    }
    // The text cannot show which row came first where nothing of one of them is removed.
    assert!(chosen > 1000 && other_order * 1000 < same, "{chosen} {same} {other_order}");
}
