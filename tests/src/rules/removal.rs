//! Sentences of the rules about removing rows (sections 3, 4 and 6), one test each.

use gipf_env::{Phase, Player, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::drawn::{board_is, drawn, legal, play, played, question, reserves};
use crate::random::{crowded, playout};

const EMPTY: &str = "4/5/6/7/6/5/4";

/// A forced removal is not asked: the next decision is the opponent's placement.
#[test]
fn a_forced_removal_is_not_asked() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["e1-e2"]);
    assert!(board_is(&position, EMPTY));
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::Black, Phase::Push, [8, 5]));
}

/// Its capture set is the row plus every piece of either colour contiguous with it on that line, up to the first gap on
/// each side.
#[test]
fn pieces_contiguous_with_a_row_go_up_to_the_first_gap() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        s S S S S s S
         · · · · · ·
          s · · · ·
           s S S S",
    );
    let position = played(&setup, []);
    // The row on column e goes with the pieces at both ends; on column h three are not a row, whatever touches them.
    assert!(board_is(&position, "4/5/6/7/6/s4/sSSS"));
    assert_eq!(reserves(&position), [10, 5]);
    let gap = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S · s S
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert!(board_is(&played(&gap, []), "4/5/6/5sS/6/5/4"));
}

/// Rows of the opponent's colour are the opponent's to remove, in their own phase pre.
#[test]
fn rows_of_the_opponent_are_his_to_remove_before_his_move() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        s s · s s · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["e1-e2"]);
    // The pushed piece touched the black row: Black, who removed it, has taken it.
    assert!(board_is(&position, EMPTY));
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::Black, Phase::Push, [4, 9]));
}

/// Whoever made the situation goes first, always.
#[test]
fn the_player_who_made_the_rows_removes_first() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        s s · s s · ·
         S · · · · ·
          S · · · ·
           S · · ·",
    );
    // The push makes the white row e2 f2 g2 h2 and the black row e3 to e6. The piece on e2 touches the black row, but is
    // removed before it.
    let position = played(&setup, ["e1-e2"]);
    assert!(board_is(&position, EMPTY));
    assert_eq!(reserves(&position), [8, 9]);
}

/// Basic pieces always go; a GIPF-piece of either colour goes or stays as the remover decides, piece by piece. Own
/// pieces return to the own reserve (a GIPF as two); the opponent's are lost for good.
#[test]
fn gipf_pieces_of_either_colour_go_or_stay_as_the_remover_decides() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        S S S S g G ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let asked = played(&setup, []);
    assert!(board_is(&asked, "g3/5/6/4gG1/6/5/3G"));
    assert_eq!((reserves(&asked), legal(&asked)), ([9, 5], vec!["keep".to_owned(), "take".to_owned()]));
    for (answers, board, left) in [
        (["keep", "keep"], "g3/5/6/4gG1/6/5/3G", [9, 5]),
        (["keep", "take"], "g3/5/6/4g2/6/5/3G", [11, 5]),
        (["take", "keep"], "g3/5/6/5G1/6/5/3G", [9, 5]),
        (["take", "take"], "g3/5/6/7/6/5/3G", [11, 5]),
    ] {
        let position = played(&setup, answers);
        assert!(board_is(&position, board), "{answers:?}");
        assert_eq!((reserves(&position), position.phase()), (left, Phase::Push), "{answers:?}");
    }
}

/// Each sparable piece of the set is asked about in order along the line from its first dot. Reserves are credited at
/// once, and a taken piece leaves before the next question.
#[test]
fn questions_follow_the_line_from_its_first_dot() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           g · · ·
          · S · · ·
         · · G · · ·
        · · · S · · ·
         · · · G · ·
          · · · S ·
           · · · g",
    );
    let mut position = played(&setup, []);
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("b2"), [8, 5]));
    play(&mut position, ["keep"]);
    assert_eq!(question(&position).as_deref(), Some("d4"));
    play(&mut position, ["take"]);
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("f5"), [10, 5]));
    assert!(board_is(&position, "g3/5/6/7/3G2/5/3g"));
    play(&mut position, ["keep"]);
    assert_eq!(question(&position).as_deref(), Some("h5"));
    play(&mut position, ["take"]);
    assert_eq!((position.phase(), reserves(&position)), (Phase::Push, [10, 5]));
}

/// When capture sets overlap, the owner chooses which row comes first; rows are handled one by one, and a capture set
/// that lost its connection is shorter.
#[test]
fn a_capture_set_that_lost_its_connection_is_shorter() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         S S S S s s
        · · · · S · ·
         · · · S · ·
          · · S · ·
           · S · ·",
    );
    assert_eq!(legal(&played(&setup, [])), ["take row d1-d8", "take row b6-i2"]);
    let column_first = played(&setup, ["take row d1-d8"]);
    assert!(board_is(&column_first, EMPTY));
    let slant_first = played(&setup, ["take row b6-i2"]);
    assert!(board_is(&slant_first, "4/5/5s/7/6/5/4"), "d6 went with the other row, so d7 does not touch the column's");
    assert_eq!([reserves(&column_first), reserves(&slant_first)], [[13, 5]; 2]);
}

/// A row that has lost one of its four is gone.
#[test]
fn a_row_that_has_lost_one_of_its_four_is_gone() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · S ·
         · · · S · ·
        · S S S S · ·
         · · S · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["take row e1-e9"]);
    assert!(board_is(&position, "4/3S1/3S2/7/2S3/5/4"));
    assert_eq!((position.phase(), reserves(&position)), (Phase::Push, [9, 5]));
}

/// Two rows that cross at a GIPF: take one with that GIPF, and the other may be gone.
#[test]
fn a_crossing_gipf_that_is_taken_ends_the_other_row() {
    let setup = drawn(
        "standard w 2 8 - 0 0
           G · · ·
          · · · S ·
         · · · S · ·
        · S S G S · ·
         · · S · · ·
          · · · · ·
           · · · g",
    );
    let position = played(&setup, ["take row e1-e9", "take"]);
    assert!(board_is(&position, "G3/3S1/3S2/7/2S3/5/3g"));
    assert_eq!((position.phase(), reserves(&position)), (Phase::Push, [7, 8]));
}

/// Two rows that cross at a GIPF: or spare it, and the other must be taken too.
#[test]
fn a_crossing_gipf_that_is_spared_leaves_the_other_row_to_be_taken() {
    let setup = drawn(
        "standard w 2 8 - 0 0
           G · · ·
          · · · S ·
         · · · S · ·
        · S S G S · ·
         · · S · · ·
          · · · · ·
           · · · g",
    );
    let position = played(&setup, ["take row e1-e9", "keep"]);
    assert!(board_is(&position, "G3/5/6/3G3/6/5/3g"));
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("e5"), [8, 8]));
    assert_eq!(played(&setup, ["take row e1-e9", "keep", "keep"]).phase(), Phase::Push);
}

/// A row that consists of GIPF-pieces only may be left standing, and is offered again in each later phase pre and post
/// of its owner as long as it stands. Each line is handled at most once per phase.
#[test]
fn a_row_of_gipf_pieces_left_standing_is_offered_again() {
    let setup = drawn(
        "tournament w 5 8 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G G G G · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["keep", "keep", "keep", "keep"]);
    assert_eq!((position.to_move(), position.phase()), (Player::White, Phase::Push));
    play(&mut position, ["h1-h2"]);
    assert_eq!((position.phase(), question(&position).as_deref()), (Phase::Post, Some("e3")));
    play(&mut position, ["keep", "keep", "keep", "keep"]);
    assert_eq!((position.to_move(), position.phase()), (Player::Black, Phase::Push));
    play(&mut position, ["a4-b5"]);
    assert_eq!((position.to_move(), position.phase()), (Player::White, Phase::Pre));
    play(&mut position, ["take"]);
    assert_eq!(question(&position).as_deref(), Some("e4"), "the row is finished though it is no longer a row");
    play(&mut position, ["keep", "keep", "keep"]);
    assert_eq!(position.phase(), Phase::Push);
}

/// If a basic piece touches it, that piece must go.
#[test]
fn a_basic_piece_that_touches_a_row_of_gipf_pieces_must_go() {
    let setup = drawn(
        "tournament w 5 8 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G G G G · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["keep", "keep", "keep", "keep", "d1-e2"]);
    assert_eq!((position.phase(), question(&position).as_deref()), (Phase::Post, Some("e3")));
    assert!(board_is(&position, "g3/5/6/1GGGG2/6/5/4"));
    assert_eq!(reserves(&position), [5, 8]);
}

/// If some row has a capture set that shares no spot with that of any other, the one of lowest line index is opened
/// without asking.
#[test]
fn rows_apart_are_opened_unasked_the_lowest_line_first() {
    let setup = drawn(
        "standard w 5 8 - 0 0
           S S S G
          · · · · ·
         · · · · · ·
        · · · g · · ·
         · · · · · ·
          · · · · ·
           G S S S",
    );
    let mut position = played(&setup, []);
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("b5"), [8, 8]));
    assert!(board_is(&position, "3G/5/6/3g3/6/5/GSSS"), "the other row waits");
    play(&mut position, ["keep"]);
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("h2"), [11, 8]));
    let plain = drawn(
        "basic w 5 8 - 0 0
           S S S S
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           S S S S",
    );
    let position = played(&plain, []);
    assert_eq!((position.phase(), reserves(&position)), (Phase::Push, [13, 8]));
}

/// So only a placement can have a single legal action.
#[test]
fn only_a_placement_can_have_a_single_legal_action() {
    let mut removals = 0;
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for seed in 0..200 {
            playout(&crowded(variant, &mut rng), seed, 6, |position| {
                if position.phase() != Phase::Push && position.outcome().is_none() {
                    assert!(position.action_set().len() > 1, "{position:?}");
                    removals += 1;
                }
            });
        }
    }
    assert!(removals > 300, "{removals}");
}
