//! Sentences of the rules about winning and losing (section 5), one test each.

use gipf_env::{Outcome, Phase, Player, Reason};

use crate::drawn::{board_is, drawn, legal, play, played, question, reserves};

const WHITE_WINS: Option<Outcome> = Some(Outcome::win(Player::White, Reason::NoGipf));
const BLACK_WINS: Option<Outcome> = Some(Outcome::win(Player::Black, Reason::NoGipf));

/// The opponent's loss is decided at the very removal that takes their last GIPF, and ends the game at once, whatever
/// is still pending.
#[test]
fn taking_the_last_gipf_of_the_opponent_ends_the_game_at_once() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S g G ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["take"]);
    assert_eq!((position.outcome(), question(&position)), (WHITE_WINS, None));
    assert!(board_is(&position, "4/5/6/5G1/6/5/4"), "nobody asks about e7 any more");
    assert_eq!(played(&setup, ["keep"]).outcome(), None);
}

/// The remover's own loss is decided when their removal phase ends.
#[test]
fn taking_ones_own_last_gipf_loses_when_the_phase_ends() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S G g ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["take"]);
    assert_eq!((position.outcome(), question(&position).as_deref()), (None, Some("e7")));
    assert_eq!(played(&setup, ["take", "keep"]).outcome(), BLACK_WINS);
}

/// The same after the move: the phase post ends before the opponent's turn.
#[test]
fn taking_ones_own_last_gipf_loses_after_the_move_as_well() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S G g · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["d1-e2", "take", "keep"]);
    assert_eq!((position.outcome(), position.phase(), position.placements()), (BLACK_WINS, Phase::Post, 1));
}

/// So who removes both last GIPFs wins (FAQ 10).
#[test]
fn who_removes_both_last_gipf_pieces_wins() {
    let own_first = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S G g ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&own_first, ["take", "take"]).outcome(), WHITE_WINS);
    let in_two_rows = drawn(
        "standard w 5 5 - 0 0
           S S S G
          · · · · ·
         · · · · · ·
        S S S S g · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&in_two_rows, ["take", "take"]).outcome(), WHITE_WINS);
}

/// Cannot bring in a piece: decided at the loser's own turn.
#[test]
fn who_cannot_bring_in_a_piece_loses_at_his_own_turn() {
    let setup = drawn(
        "basic w 1 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["d1-e2"]);
    assert_eq!((position.outcome(), reserves(&position)), (None, [0, 5]));
    play(&mut position, ["a4-b5"]);
    assert_eq!(position.outcome(), Some(Outcome::win(Player::Black, Reason::NoMove)));
}

/// After the player's removals before the move, which may refill the reserve.
#[test]
fn a_row_may_refill_the_reserve_before_the_move() {
    let setup = drawn(
        "basic w 0 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S S S · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, []);
    assert_eq!((position.outcome(), reserves(&position), position.phase()), (None, [4, 5], Phase::Push));
    let three = drawn(
        "basic w 0 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S S · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&three, []).outcome(), Some(Outcome::win(Player::Black, Reason::NoMove)));
}

/// A player without a piece in reserve plays on as long as they can jump. With no push and no jump they lose.
#[test]
fn who_can_jump_needs_no_reserve() {
    let setup = drawn(
        "basic+zertz w 0 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z s · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, []);
    assert_eq!((legal(&position), position.outcome()), (vec!["Je2 N".to_owned()], None));
    let stuck = drawn(
        "basic+zertz w 0 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z · s · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&stuck, []).outcome(), Some(Outcome::win(Player::Black, Reason::NoMove)));
}

/// A player without their first GIPF-piece has not lost it.
#[test]
fn who_has_not_entered_yet_has_lost_nothing() {
    let setup = drawn(
        "tournament b 16 18 Gg 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        G · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!((played(&setup, []).outcome(), legal(&played(&setup, [])).len() >= 18), (None, true));
    let lost = drawn(
        "tournament b 16 10 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        G · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&lost, []).outcome(), WHITE_WINS);
}
