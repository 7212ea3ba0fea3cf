//! Sentences of the rules about the evaluation of rows in push-off (section 7), one test each.

use gipf_env::{Action, GipfPosition, Phase, Player, Position, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::drawn::{board_is, drawn, legal, play, played, question, reserves};
use crate::random::{crowded, playout};

/// Returns which player is asked, in whose turn, and about which piece.
fn asked(position: &GipfPosition) -> (Player, Player, Option<String>) {
    (position.to_move(), position.turn_of(), question(position))
}

/// After the push all rows standing on the board are evaluated, the mover's colour first, each colour by line index.
#[test]
fn rows_are_evaluated_movers_colour_first_then_by_line() {
    let white = drawn(
        "push-off w 12 15 - 0 0
           S S S G
          · · · · ·
         · s g s s ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           S S S G",
    );
    let mut position = played(&white, ["e1-e2"]);
    assert_eq!(asked(&position), (Player::White, Player::White, Some("b5".into())));
    let left: Vec<_> = position.rows_to_evaluate().map(|(owner, line, _)| (owner, line.to_string())).collect();
    assert_eq!(left, [(Player::White, "h1-h6".to_owned()), (Player::Black, "d1-d8".to_owned())]);
    play(&mut position, ["keep"]);
    assert_eq!(asked(&position), (Player::White, Player::White, Some("h5".into())));
    assert!(board_is(&position, "3G/5/1sgss1/S6/6/5/3G"), "Black's row waits");
    play(&mut position, ["keep"]);
    assert_eq!(asked(&position), (Player::Black, Player::White, Some("d4".into())), "Black decides in White's turn");
    assert!(board_is(&position, "3G/5/2g3/S6/6/5/3G"));
    play(&mut position, ["keep"]);
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::Black, Phase::Push, [17, 18]));
    let black = drawn(
        "push-off b 12 15 - 0 0
           S S S G
          · · · · ·
         · s g s s ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           S S S G",
    );
    let mut position = played(&black, ["e1-e2"]);
    assert_eq!(asked(&position), (Player::Black, Player::Black, Some("d4".into())));
    play(&mut position, ["keep"]);
    assert_eq!(asked(&position), (Player::White, Player::Black, Some("b5".into())));
    play(&mut position, ["keep"]);
    assert_eq!(asked(&position), (Player::White, Player::Black, Some("h5".into())));
}

/// The rows and their spots are fixed when evaluation begins; of a row that crosses one already taken, what is left is
/// evaluated.
#[test]
fn of_a_row_that_crosses_a_taken_one_what_is_left_is_evaluated() {
    let setup = drawn(
        "push-off w 11 18 - 0 0
           G · · g
          · · · S ·
         · · · S · ·
        · S S S S · ·
         · · S · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    assert!(board_is(&position, "G2g/5/6/7/6/5/S3"), "c5, d5 and f4 go although e5 went before");
    assert_eq!((position.to_move(), reserves(&position)), (Player::Black, [17, 18]));
    // Three pieces in a line next to a taken row are not a row.
    let three = drawn(
        "push-off w 12 18 - 0 0
           G · · g
          · · · · ·
         · · · S · ·
        · S S S S · ·
         · · S · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&three, ["h1-h2"]);
    assert!(board_is(&position, "G2g/5/3S2/7/2S3/5/S3"));
}

/// For each row: its basic pieces go, each to its owner's reserve. There is no capture set: pieces that touch a row
/// stay unless the mover removes them.
#[test]
fn the_basic_pieces_of_a_row_return_to_their_owner() {
    let setup = drawn(
        "push-off w 18 14 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        · s s s s · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    assert!(board_is(&position, "G2g/5/6/7/6/5/S3"), "Black's row is evaluated after White's push");
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::Black, Phase::Push, [17, 18]));
    let touched = drawn(
        "push-off w 18 14 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        · s s s s G ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&touched, ["h1-h2"]);
    assert!(board_is(&position, "G2g/5/6/5G1/6/5/S3"), "nobody is asked about a GIPF-piece beside the row");
}

/// If basic pieces of the other colour stand next to either end spot of the row, the mover decides once for all of them
/// on both sides, from each end outward up to the first spot that is vacant.
#[test]
fn the_mover_decides_once_about_the_opposing_pieces_at_both_ends() {
    let setup = drawn(
        "push-off w 14 15 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        s s S S S S s
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    assert_eq!(asked(&position), (Player::White, Player::White, None));
    assert_eq!((legal(&position), position.phase()), (vec!["leave".to_owned(), "remove".to_owned()], Phase::Post));
    assert!(board_is(&position, "G2g/5/6/ss4s/6/5/S3"));
    assert_eq!(position.pending().count(), 3);
    let left = played(&setup, ["h1-h2", "leave"]);
    assert!(board_is(&left, "G2g/5/6/ss4s/6/5/S3"));
    assert_eq!((left.to_move(), left.phase(), reserves(&left)), (Player::Black, Phase::Push, [17, 15]));
    let removed = played(&setup, ["h1-h2", "remove"]);
    assert!(board_is(&removed, "G2g/5/6/7/6/5/S3"));
    assert_eq!((removed.to_move(), reserves(&removed)), (Player::Black, [17, 18]), "they return to Black");
    // A gap ends the count.
    let gap = drawn(
        "push-off w 14 16 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        s · S S S S s
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert!(board_is(&played(&gap, ["h1-h2", "remove"]), "G2g/5/6/s6/6/5/S3"));
    let none = drawn(
        "push-off w 14 17 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        s · S S S S ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&none, ["h1-h2"]).to_move(), Player::Black, "nothing stands next to the row: nobody is asked");
}

/// The mover decides about them beside a row of the other player as well: they are the mover's own then.
#[test]
fn the_mover_decides_about_his_own_pieces_beside_a_row_of_the_other_player() {
    let setup = drawn(
        "push-off w 16 14 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        · s s s s S S
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    assert_eq!((asked(&position), reserves(&position)), ((Player::White, Player::White, None), [15, 18]));
    assert_eq!(reserves(&played(&setup, ["h1-h2", "remove"])), [17, 18]);
    assert_eq!(reserves(&played(&setup, ["h1-h2", "leave"])), [15, 18]);
}

/// Up to the first spot that holds anything but such a piece (a GIPF-piece stops the count).
#[test]
fn a_gipf_piece_stops_the_count_of_pieces_at_an_end() {
    let setup = drawn(
        "push-off w 14 16 - 0 0
           G · · ·
          · · · · ·
         · · · · · ·
        s g S S S S s
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    assert_eq!(position.pending().into_iter().map(|spot| spot.to_string()).collect::<Vec<_>>(), ["e8"]);
    assert!(board_is(&played(&setup, ["h1-h2", "remove"]), "G3/5/6/sg5/6/5/S3"), "e2 lies behind the GIPF-piece");
    let behind_own = drawn(
        "push-off w 13 17 - 0 0
           G · · g
          · · · · ·
         · · · · · ·
        S S S S · S s
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&behind_own, ["h1-h2"]);
    assert_eq!(
        (position.to_move(), position.phase()),
        (Player::Black, Phase::Push),
        "e8 lies behind a gap and a piece"
    );
}

/// Next to either end spot of the row as it was fixed: it does not matter that the end spot was taken with another row.
#[test]
fn the_ends_are_those_of_the_row_as_it_was_fixed() {
    let setup = drawn(
        "push-off w 11 17 - 0 0
           S · G g
          · S · · ·
         · · S · · ·
        S S S S · · ·
         · · · s · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["h1-h2"]);
    // Column e went first, with e5; f5 stands next to e5, the end of the row b2 c3 d4 e5.
    assert!(board_is(&position, "2Gg/5/6/7/3s2/5/S3"));
    assert_eq!(legal(&position), ["leave", "remove"]);
    assert_eq!(position.pending().into_iter().map(|spot| spot.to_string()).collect::<Vec<_>>(), ["f5"]);
}

/// Then the row's owner decides on each of its GIPF-pieces still standing, from the line's first dot: keep or take. A
/// taken GIPF is out of the game.
#[test]
fn the_owner_decides_about_the_gipf_pieces_of_his_row_in_order() {
    let setup = drawn(
        "push-off w 16 17 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        · G S S G s ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["h1-h2"]);
    assert_eq!(legal(&position), ["leave", "remove"], "the mover's decision about the ends comes first");
    play(&mut position, ["leave"]);
    assert_eq!(asked(&position), (Player::White, Player::White, Some("e3".into())));
    assert_eq!(legal(&position), ["keep", "take"]);
    play(&mut position, ["take"]);
    assert_eq!((question(&position).as_deref(), reserves(&position)), (Some("e6"), [17, 17]));
    assert!(board_is(&position, "g2G/5/6/4Gs1/6/5/S3"));
    play(&mut position, ["take"]);
    assert!(board_is(&position, "g2G/5/6/5s1/6/5/S3"));
    assert_eq!((position.to_move(), reserves(&position)), (Player::Black, [17, 17]), "a GIPF-piece gives nothing back");
}

/// In a row of the other player, that player decides, within the mover's turn, after the mover has decided about the
/// ends.
#[test]
fn the_other_player_decides_about_his_gipf_pieces_within_the_movers_turn() {
    let setup = drawn(
        "push-off w 17 15 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        · g s s s S ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["h1-h2"]);
    assert_eq!(asked(&position), (Player::White, Player::White, None));
    let turn = position.turn();
    play(&mut position, ["remove"]);
    assert_eq!((asked(&position), position.turn()), ((Player::Black, Player::White, Some("e3".into())), turn));
    play(&mut position, ["take"]);
    assert!(board_is(&position, "g2G/5/6/7/6/5/S3"));
    assert_eq!((asked(&position), position.turn()), ((Player::Black, Player::Black, None), turn + 1));
    assert_eq!((position.phase(), reserves(&position)), (Phase::Push, [17, 18]));
}

/// One kept in an earlier row is asked about again.
#[test]
fn a_gipf_piece_kept_in_one_row_is_asked_about_again_in_the_next() {
    let setup = drawn(
        "push-off w 12 18 - 0 0
           G · · g
          · · · S ·
         · · · S · ·
        · S S G S · ·
         · · S · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["h1-h2"]);
    assert_eq!(asked(&position), (Player::White, Player::White, Some("e5".into())));
    assert!(board_is(&position, "G2g/3S1/3S2/3G3/2S3/5/S3"));
    let mut taken = position.clone();
    play(&mut position, ["keep"]);
    assert_eq!(question(&position).as_deref(), Some("e5"));
    assert!(board_is(&position, "G2g/5/6/3G3/6/5/S3"), "the second row is in hand");
    play(&mut position, ["take"]);
    assert!(board_is(&position, "G2g/5/6/7/6/5/S3"));
    // Taken with the first row it is not there to be asked about, and what is left of the second row goes.
    play(&mut taken, ["take"]);
    assert!(board_is(&taken, "G2g/5/6/7/6/5/S3"));
    assert_eq!((asked(&taken), reserves(&taken)), ((Player::Black, Player::Black, None), [17, 18]));
}

/// The player to move makes every decision; only push-off's 63 and 64 belong to the row's owner.
#[test]
fn only_keep_and_take_can_belong_to_the_other_player() {
    let mut others = 0;
    for variant in Variant::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(29);
        for seed in 0..300 {
            playout(&crowded(variant, &mut rng), seed, 12, |position| {
                let other = position.to_move() != position.turn_of();
                others += u32::from(other);
                assert!(!other || variant.is_push_off());
                if other && position.outcome().is_none() {
                    assert!(position.legal_actions().eq([Action::Keep, Action::Take]));
                }
                if let Some(spot) = position.question().filter(|_| variant.is_push_off()) {
                    assert!(position.board().pieces_of(position.to_move()).contains(spot), "the owner decides");
                }
            });
        }
    }
    assert!(others > 100, "{others}");
}
