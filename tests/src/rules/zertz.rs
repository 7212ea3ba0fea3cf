//! Sentences of the rules about ZÈRTZ-potentials (section 7) beside those about turns, one test each.

use gipf_env::Player;

use crate::drawn::{board_is, drawn, legal, play, played, reserves};

/// A potential enters only on top of a basic piece: a loaded piece, brought in by an ordinary push, one a turn.
#[test]
fn a_loaded_piece_is_brought_in_by_an_ordinary_push() {
    let setup = drawn(
        "basic+zertz w 5 5 - 3 3
           · · · ·
          · · · · ·
         · · · · · ·
        s S · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["Ze1-e2"]);
    assert!(board_is(&position, "4/5/6/ZsS4/6/5/4"));
    assert_eq!((reserves(&position), position.potentials(Player::White)), ([4, 5], 2));
    assert_eq!(position.to_move(), Player::Black);
}

/// A loaded piece is pushed like any piece, its potential with it.
#[test]
fn a_loaded_piece_is_pushed_with_its_potential() {
    let setup = drawn(
        "basic+zertz b 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z s J z · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["e1-e2"]);
    assert!(board_is(&position, "4/5/6/sZsJz2/6/5/4"));
    // And captured like any piece: asked about, or lost as a whole.
    let captured = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S z · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let lost = played(&captured, ["take"]);
    assert!(board_is(&lost, "4/5/6/7/6/5/4"));
    assert_eq!((reserves(&lost), lost.potentials(Player::Black)), ([9, 5], 0));
    assert!(board_is(&played(&captured, ["keep"]), "4/5/6/4z2/6/5/4"));
}

/// Each player jumps with their own loaded pieces only.
#[test]
fn nobody_jumps_with_a_piece_of_the_other_player() {
    let setup = drawn(
        "basic+zertz b 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · Z s S z · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let jumps = |names: Vec<String>| names.into_iter().filter(|name| name.starts_with('J')).collect::<Vec<_>>();
    assert_eq!(jumps(legal(&played(&setup, []))), ["Je6 S"], "Z on e3 is White's");
    let mut position = played(&setup, ["Je6 S"]);
    assert!(board_is(&position, "4/5/6/jZsSs2/6/5/4"), "over all three onto e2");
    assert_eq!(jumps(legal(&position)), ["Je3 N"]);
    play(&mut position, ["Je3 N"]);
    assert!(board_is(&position, "4/5/6/jSsSsJ1/6/5/4"));
}

/// A used potential lies on the board as a piece of its colour without powers.
#[test]
fn a_used_potential_does_not_jump_again() {
    let setup = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · J s · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert!(legal(&played(&setup, [])).iter().all(|name| !name.starts_with('J')));
    let loaded = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · Z s · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert!(legal(&played(&loaded, [])).contains(&"Je3 N".to_owned()));
}

/// Rows are handled after a jump as after a placement: those of the player first, then the opponent's.
#[test]
fn rows_are_handled_after_a_jump() {
    let own = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z s S S S · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&own, ["Je2 N"]);
    assert!(board_is(&position, "4/5/6/7/6/5/4"), "the jump onto e7 completes a row; all that touches it goes");
    assert_eq!((position.to_move(), reserves(&position)), (Player::Black, [9, 5]));
}

/// For a row every kind of piece counts as one.
#[test]
fn every_kind_of_piece_counts_for_a_row() {
    let setup = drawn(
        "standard+zertz w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G Z J · · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let position = played(&setup, ["d1-e2", "keep", "keep"]);
    assert!(board_is(&position, "g3/5/6/1GZ4/6/5/3G"), "the single and the used potential go");
    assert_eq!(reserves(&position), [5, 5]);
    let broken = drawn(
        "standard+zertz w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        · G z J · · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    assert!(board_is(&played(&broken, ["d1-e2"]), "g3/5/6/SGzJ3/6/5/3G"), "of one colour");
}
