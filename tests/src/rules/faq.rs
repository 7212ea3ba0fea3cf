//! The official FAQ, one test each; entries 5, 7, 11 and 12, which are about people, are in `referee`.
//!
//! Each test draws a position as close as possible to the one that the entry talks about, and shows what may and what
//! may not be done in it.

use gipf_env::rules::OpenedRow;
use gipf_env::{GipfPosition, Outcome, Phase, Player, Position, Reason};

use crate::drawn::{board_is, drawn, legal, play, played, question, reserves};

/// Returns whether a GIPF-piece may be brought in.
fn may_enter_gipf(position: &GipfPosition) -> bool {
    legal(position).iter().any(|name| name.starts_with('G'))
}

/// Plays an action, and returns the rows that were opened by it or after it: their owners, and the parts of the turn.
fn rows_opened(position: &mut GipfPosition, name: &str) -> Vec<(Player, Phase)> {
    let mut opened = Vec::new();
    let action = position.legal_actions().find(|action| action.to_string() == name).unwrap();
    position.play_watched(action, &mut |row: OpenedRow| opened.push((row.player, row.phase)));
    opened
}

/// Who created a row does not matter: its owner removes it and decides about the GIPF-piece in it.
#[test]
fn faq_01_the_remover_decides_about_a_gipf_piece_whoever_made_the_row() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           G · · ·
          · · · · ·
         · · · · · ·
        s g · s s · ·
         · · · · · ·
          · · · · ·
           · · · g",
    );
    let position = played(&setup, ["e1-e2"]);
    assert_eq!((position.to_move(), position.phase()), (Player::Black, Phase::Pre), "Black is asked, not White");
    assert_eq!((question(&position).as_deref(), legal(&position)), (Some("e4"), vec!["keep".into(), "take".into()]));
    assert!(board_is(&position, "G3/5/6/2g4/6/5/3g"), "the basic pieces are gone, White's at the end as well");
    let kept = played(&setup, ["e1-e2", "keep"]);
    assert!(board_is(&kept, "G3/5/6/2g4/6/5/3g") && kept.phase() == Phase::Push);
    assert_eq!((kept.to_move(), reserves(&kept)), (Player::Black, [4, 8]));
    let taken = played(&setup, ["e1-e2", "take"]);
    assert!(board_is(&taken, "G3/5/6/7/6/5/3g"));
    assert_eq!((taken.to_move(), reserves(&taken)), (Player::Black, [4, 10]));
    // In a row of their own, the player who moved decides.
    let own = drawn(
        "standard w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · S S G · · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let position = played(&own, ["d1-e2"]);
    assert_eq!((position.to_move(), position.phase()), (Player::White, Phase::Post));
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("e5"), [7, 5]));
}

/// Taking is compulsory as soon as a row is pointed out, which the environment always does: a row that stood unseen is
/// removed at its owner's next turn, unless it has been broken.
#[test]
fn faq_02_a_row_that_stood_unseen_is_removed_at_its_owners_turn() {
    let mine = drawn(
        "basic w 5 5 - 0 0
           S S S S
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&mine, []);
    assert!(board_is(&position, "4/5/6/7/6/5/4"), "White is not asked");
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::White, Phase::Push, [9, 5]));
    let his = drawn(
        "basic b 5 5 - 0 0
           S S S S
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&his, []);
    assert!(position.board() == &his.board && position.phase() == Phase::Push, "it is not Black's to remove");
    let position = played(&his, ["d1-e2"]);
    assert!(board_is(&position, "4/5/6/s6/6/5/4"));
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::White, Phase::Push, [9, 4]));
    let broken = played(&his, ["a2-b2"]);
    assert!(board_is(&broken, "sSSS/S4/6/7/6/5/4"), "b2 was pushed out of the row");
    assert_eq!((broken.phase(), reserves(&broken)), (Phase::Push, [5, 4]));
}

/// A player who takes a GIPF-piece off the board before their first single may go on bringing in GIPF-pieces.
#[test]
fn faq_03_removing_a_gipf_piece_does_not_end_the_right_to_bring_in_more() {
    let setup = drawn(
        "tournament w 10 16 Gg 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G G G G · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["keep", "take", "keep", "keep"]);
    assert!(board_is(&position, "g3/5/6/1G1GG2/6/5/4"));
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::White, Phase::Push, [12, 16]));
    assert!(position.gipf_right(Player::White) && may_enter_gipf(&position));
    let entered = played(&setup, ["keep", "take", "keep", "keep", "Gd1-e2"]);
    assert!(board_is(&entered, "g3/5/6/GG1GG2/6/5/4") && entered.gipf_right(Player::White));
    assert_eq!(reserves(&entered), [10, 16]);
    // A single ends it, with removals or without.
    let single = drawn(
        "tournament w 9 16 g 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G G G G · ·
         · · · · · ·
          · · · · ·
           S · · ·",
    );
    let position = played(&single, ["keep", "take", "keep", "keep"]);
    assert!(!position.gipf_right(Player::White) && !may_enter_gipf(&position));
}

/// A player who made rows of both colours removes their own first and cannot ask the other to begin; then the other
/// removes theirs, and decides about a GIPF-piece in it that belongs to the one who moved.
#[test]
fn faq_04_who_made_both_rows_goes_first_and_may_lose_a_gipf_piece_to_the_second() {
    let white = drawn(
        "standard w 5 5 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        s s · s s G ·
         S · · · · ·
          S · · · ·
           S · · ·",
    );
    let mut position = played(&white, []);
    assert_eq!(rows_opened(&mut position, "e1-e2"), [(Player::White, Phase::Post), (Player::Black, Phase::Pre)]);
    assert!(board_is(&position, "G2g/5/6/5G1/6/5/4"));
    assert_eq!(reserves(&position), [8, 9], "e2 went with White's row, so Black did not get at it");
    assert_eq!((position.to_move(), question(&position).as_deref()), (Player::Black, Some("e7")));
    let mut kept = position.clone();
    play(&mut kept, ["keep"]);
    assert!(board_is(&kept, "G2g/5/6/5G1/6/5/4"));
    play(&mut position, ["take"]);
    assert!(board_is(&position, "G2g/5/6/7/6/5/4"));
    assert_eq!((reserves(&position), position.outcome()), ([8, 9], None), "the GIPF-piece is lost");
    let black = drawn(
        "standard b 5 5 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        S S · S S g ·
         s · · · · ·
          s · · · ·
           s · · ·",
    );
    let mut position = played(&black, []);
    assert_eq!(rows_opened(&mut position, "e1-e2"), [(Player::Black, Phase::Post), (Player::White, Phase::Pre)]);
    assert_eq!((position.to_move(), reserves(&position)), (Player::White, [9, 8]));
}

/// The number of GIPF-pieces that a player may bring in has no limit, since those removed give two pieces back.
#[test]
fn faq_06_more_than_nine_gipf_pieces_can_be_brought_in() {
    let setup = drawn(
        "tournament w 18 18 Gg 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["Gd1-e2", "Ga1-b2"]);
    play(&mut position, ["Ge1-e2", "b1-b2", "Ge1-e2", "b1-b2"]);
    play(&mut position, ["Ge1-e2", "take", "take", "take", "keep", "b1-b2", "keep"]);
    let one_each = "3g/5/6/3G3/6/5/4";
    assert!(board_is(&position, one_each), "four were brought in, three of them came back");
    assert_eq!((reserves(&position), position.gipf_right(Player::White)), ([16, 16], true));
    play(&mut position, ["Gd1-e2", "a1-b2", "Ge1-e2", "b1-b2"]);
    play(&mut position, ["Ge1-e2", "take", "take", "take", "keep", "b1-b2", "keep"]);
    assert!(board_is(&position, one_each), "seven");
    play(&mut position, ["Gd1-e2", "a1-b2", "Ge1-e2", "b1-b2"]);
    play(&mut position, ["Ge1-e2", "take", "take", "keep", "keep", "b1-b2", "keep"]);
    assert!(board_is(&position, "3g/5/6/2GG3/6/5/4"), "ten");
    assert!(position.gipf_right(Player::White) && may_enter_gipf(&position));
    play(&mut position, ["d1-e2"]);
    assert!(!position.gipf_right(Player::White), "a single ends it");
    play(&mut position, ["a1-b2"]);
    assert!(!may_enter_gipf(&position));
}

/// A row of four GIPF-pieces that was left standing may be shortened at any later turn, before the move or after it, as
/// long as it is intact.
#[test]
fn faq_08_a_row_of_gipf_pieces_may_be_shortened_later_while_it_stands() {
    let setup = drawn(
        "tournament w 12 16 Gg 0 0
           · G G G
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · g",
    );
    let left = played(&setup, ["Ga1-b2", "keep", "keep", "keep", "keep"]);
    assert!(board_is(&left, "GGGG/5/6/7/6/5/3g"));
    assert_eq!((left.to_move(), left.phase()), (Player::Black, Phase::Push));
    let mut before = left.clone();
    play(&mut before, ["Gd1-e2"]);
    assert_eq!(
        (before.to_move(), before.phase(), question(&before).as_deref()),
        (Player::White, Phase::Pre, Some("b2"))
    );
    let mut after = before.clone();
    play(&mut before, ["keep", "keep", "keep", "take"]);
    assert!(board_is(&before, "GGG1/5/6/g6/6/5/3g"));
    assert_eq!((before.phase(), reserves(&before)), (Phase::Push, [12, 14]));
    play(&mut after, ["keep", "keep", "keep", "keep", "Gd8-e8"]);
    assert_eq!((after.to_move(), after.phase(), question(&after).as_deref()), (Player::White, Phase::Post, Some("b2")));
    play(&mut after, ["take", "keep", "keep", "take"]);
    assert!(board_is(&after, "1GG1/5/6/g5G/6/5/3g"));
    assert_eq!((after.to_move(), reserves(&after)), (Player::Black, [12, 14]));
    // If the opponent breaks the row, there is nothing to ask about.
    let mut broken = left;
    play(&mut broken, ["a2-b2"]);
    assert!(board_is(&broken, "sGGG/G4/6/7/6/5/3g"));
    assert_eq!((broken.to_move(), broken.phase(), reserves(&broken)), (Player::White, Phase::Push, [10, 15]));
}

/// Rows are dealt with one by one: a GIPF-piece that was left on the board with the first row cannot be taken any more
/// once the second, which does not meet it, is in hand.
#[test]
fn faq_09_a_gipf_piece_of_a_finished_row_cannot_be_taken_any_more() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · g
          S S S G ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · G S S S
           · · · ·",
    );
    let first = played(&setup, []);
    assert_eq!((question(&first).as_deref(), reserves(&first)), (Some("c5"), [8, 5]));
    assert!(board_is(&first, "3g/3G1/6/7/6/1GSSS/4"), "the second row waits");
    let second = played(&setup, ["keep"]);
    assert_eq!((question(&second).as_deref(), second.pending().count(), reserves(&second)), (Some("g3"), 1, [11, 5]));
    for (answer, board, left) in [("keep", "3g/3G1/6/7/6/1G3/4", [11, 5]), ("take", "3g/3G1/6/7/6/5/4", [13, 5])] {
        let end = played(&setup, ["keep", answer]);
        assert!(board_is(&end, board), "{answer} is about g3, c5 stays");
        assert_eq!((end.phase(), reserves(&end)), (Phase::Push, left));
    }
    // While its own row is in hand, it can be taken.
    assert!(board_is(&played(&setup, ["take", "keep"]), "3g/5/6/7/6/1G3/4"));
}

/// A player who takes their own last GIPF-piece and the opponent's with it has won.
#[test]
fn faq_10_who_takes_both_last_gipf_pieces_wins() {
    let own_first = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S G g · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let his_first = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        g S S S G · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let white = Some(Outcome::win(Player::White, Reason::NoGipf));
    let black = Some(Outcome::win(Player::Black, Reason::NoGipf));
    let after = |answers: [&str; 2]| played(&own_first, ["d1-e2", answers[0], answers[1]]).outcome();
    assert_eq!(played(&own_first, ["d1-e2", "take"]).outcome(), None, "not before the row is finished");
    assert_eq!((after(["take", "take"]), after(["take", "keep"])), (white, black));
    assert_eq!((after(["keep", "take"]), after(["keep", "keep"])), (white, None));
    let position = played(&his_first, ["take"]);
    assert_eq!(
        (position.outcome(), question(&position)),
        (white, None),
        "Black's goes first, so White's is not asked about"
    );
    assert_eq!(played(&his_first, ["keep", "take"]).outcome(), black);
}
