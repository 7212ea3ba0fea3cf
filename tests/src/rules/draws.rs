//! Sentences of the rules about repetition and the placement limit (section 5), one test each.

use std::collections::HashSet;

use gipf_env::{GipfPosition, Outcome, Player, Reason, Setup};

use crate::drawn::{drawn, legal, play, played, question, reserves};

const LIMIT: Option<Outcome> = Some(Outcome::draw(Reason::Limit));

/// Plays a cycle of eight turns that returns to where it began: each player builds a row of four on a line of their own.
///
/// The last push of each player completes their row, which goes back to their reserve.
fn play_cycle(position: &mut GipfPosition) {
    play(position, ["d1-e2", "a1-b2"]);
    play(position, ["e1-e2", "b1-b2"]);
    play(position, ["e1-e2", "b1-b2"]);
    play(position, ["e1-e2", "b1-b2"]);
}

/// When the position at the start of phase push occurs for the third time the game is void. The environment reports a
/// draw, with the reason repetition. The count starts with the first phase push of the position set up.
#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let setup = drawn(
        "basic w 12 12 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, []);
    assert_eq!(position.occurrences(), 1);
    play_cycle(&mut position);
    assert_eq!((position.to_gpn(), position.occurrences(), position.outcome()), (setup.to_string(), 2, None));
    play_cycle(&mut position);
    assert_eq!((position.to_gpn(), position.occurrences()), (setup.to_string(), 3));
    assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Repetition)));
    assert!(legal(&position).is_empty());
}

/// The position is board, side to move, reserves, and entry rights.
#[test]
fn a_position_with_other_rights_is_another_position() {
    let gipfs = drawn(
        "tournament w 12 12 Gg 0 0
           · · · ·
          · · · · ·
         · · · · g ·
        · · · · · · ·
         · · · G · ·
          · · · · ·
           · · · ·",
    );
    let potentials = drawn(
        "basic+zertz w 12 12 - 3 3
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    for setup in [gipfs, potentials] {
        let mut position = played(&setup, []);
        play_cycle(&mut position);
        assert_eq!((position.board(), position.occurrences()), (&setup.board, 1), "the first singles ended the rights");
        play_cycle(&mut position);
        assert_eq!((position.occurrences(), position.outcome()), (2, None));
        // The position after both players' first singles is the first to occur with the same rights.
        play(&mut position, ["d1-e2", "a1-b2"]);
        assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Repetition)));
    }
}

/// The position is board, side to move, reserves, and entry rights: where one of them differs it is another.
#[test]
fn a_position_with_another_side_or_reserve_is_another_position() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        G · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let others = ["w 5 5", "b 5 5", "w 4 5", "w 5 4"].map(|rest| format!("standard g3/5/6/G6/6/5/4 {rest} - 0 0"));
    let boards = ["standard G3/5/6/g6/6/5/4 w 5 5 - 0 0", "standard g3/5/6/1G5/6/5/4 w 5 5 - 0 0"].map(str::to_owned);
    let keys = others.iter().chain(&boards).map(|text| played(&text.parse().unwrap(), []).key());
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 6, "{keys:?}");
    assert_eq!(keys[0], played(&setup, []).key());
}

fn limited(setup: Setup, limit: u16) -> Setup {
    setup.with_placement_limit(Some(limit))
}

/// Once the turn of the last placement, with its removals, is over, the game is truncated, reason limit.
#[test]
fn the_limit_cuts_the_game_off_after_the_removals_of_the_last_turn() {
    let setup = limited(
        drawn(
            "standard w 5 5 - 0 0
               g · · ·
              · · · · ·
             · · · · · ·
            · S S G · · ·
             · · · · · ·
              · · · · ·
               · · · G",
        ),
        1,
    );
    let position = played(&setup, ["d1-e2"]);
    assert_eq!((position.outcome(), question(&position).as_deref()), (None, Some("e5")));
    let position = played(&setup, ["d1-e2", "take"]);
    assert_eq!((position.outcome(), reserves(&position)), (LIMIT, [9, 5]));
    assert!(LIMIT.unwrap().truncated() && LIMIT.unwrap().reward(Player::White) == 0.0);
}

/// A result reached in that turn goes first.
#[test]
fn a_result_in_the_last_turn_goes_before_the_limit() {
    let setup = limited(
        drawn(
            "standard w 5 5 - 0 0
               · · · ·
              · · · · ·
             · · · · · ·
            · S S S g · ·
             · · · · · ·
              · · · · ·
               · · · G",
        ),
        1,
    );
    assert_eq!(played(&setup, ["d1-e2", "take"]).outcome(), Some(Outcome::win(Player::White, Reason::NoGipf)));
    assert_eq!(played(&setup, ["d1-e2", "keep"]).outcome(), LIMIT);
    let own = limited(
        drawn(
            "standard w 5 5 - 0 0
               g · · ·
              · · · · ·
             · · · · · ·
            · S S G · · ·
             · · · · · ·
              · · · · ·
               · · · ·",
        ),
        1,
    );
    assert_eq!(played(&own, ["d1-e2", "take"]).outcome(), Some(Outcome::win(Player::Black, Reason::NoGipf)));
}

/// The limit is tested after phase post, before the next player's phase pre.
#[test]
fn the_limit_goes_before_the_next_player_cannot_move() {
    let setup = drawn(
        "basic w 5 0 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&limited(setup.clone(), 1), ["d1-e2"]).outcome(), LIMIT);
    let unlimited = played(&setup, ["d1-e2"]);
    assert_eq!(unlimited.outcome(), Some(Outcome::win(Player::White, Reason::NoMove)));
}

/// Jumps count.
#[test]
fn jumps_count_as_placements() {
    let setup = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z s · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&limited(setup, 1), ["Je2 N"]);
    assert_eq!((position.placements(), position.outcome()), (1, LIMIT));
}
