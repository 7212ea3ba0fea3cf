//! Sentences of the rules about placements and the order of entry (sections 3 and 7), one test each.

use gipf_env::{Action, GipfPosition, GpnField, Phase, Player, Position, Setup, Variant};

use crate::drawn::{board_is, drawn, legal, play, played, reserves};

/// Returns which kinds of piece may be brought in: S, G, Z; and J if a jump is legal.
fn kinds(position: &GipfPosition) -> String {
    let letter = |name: &str| name.chars().next().filter(|letter| "GZJ".contains(*letter)).unwrap_or('S');
    let letters = legal(position);
    let letters = letters.iter().map(|name| letter(name));
    let mut letters: Vec<_> = letters.collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// If that spot is occupied, its piece moves one step on, and so on up to the first vacant spot; pieces beyond the gap
/// stay.
#[test]
fn a_push_moves_pieces_up_to_the_first_vacant_spot() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        s S · s · S s
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert!(board_is(&played(&setup, ["e1-e2"]), "4/5/6/SsSs1Ss/6/5/4"));
    assert!(board_is(&played(&setup, ["e9-e8"]), "4/5/6/sS1sSsS/6/5/4"));
}

/// A line with every spot occupied cannot be entered.
#[test]
fn a_full_line_cannot_be_entered() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           s S s S
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let legal = legal(&played(&setup, []));
    assert!(!legal.contains(&"b1-b2".to_owned()) && !legal.contains(&"b6-b5".to_owned()), "{legal:?}");
    assert!(legal.contains(&"a1-b2".to_owned()) && legal.contains(&"a2-b2".to_owned()), "{legal:?}");
}

/// Pushing the same kind of piece onto a vacant spot from different dots is the same move: exactly one of those entries
/// is legal, the one with the lowest entry index.
#[test]
fn one_entry_stands_for_all_onto_a_vacant_spot() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           S · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let onto = |spot: &str| {
        let names = legal(&played(&setup, []));
        names.into_iter().filter(|name| name.ends_with(spot)).collect::<Vec<_>>()
    };
    assert_eq!(onto("-b2"), ["a1-b2", "a2-b2", "b1-b2"], "b2 is occupied: three different pushes");
    assert_eq!(onto("-b3"), ["a2-b3"]);
    assert_eq!(onto("-e2"), ["d1-e2"]);
}

/// Other pushes may still lead to equal positions; they stay separate actions.
#[test]
fn other_pushes_to_equal_positions_stay_separate() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           S · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let [pushed, placed] = ["b1-b2", "a2-b3"].map(|name| played(&setup, [name]));
    assert_eq!((pushed.to_gpn(), pushed.key()), (placed.to_gpn(), placed.key()));
    assert!(board_is(&pushed, "SS2/5/6/7/6/5/4"));
}

/// Each player's first piece must be a GIPF-piece; a single is illegal.
#[test]
fn the_first_piece_of_the_tournament_is_a_gipf_piece() {
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
    let position = played(&setup, []);
    assert_eq!((kinds(&position).as_str(), position.action_set().len()), ("G", 18));
    assert_eq!(kinds(&played(&setup, ["Gd1-e2"])), "G");
    assert_eq!(kinds(&played(&setup, ["Gd1-e2", "Ga1-b2"])), "SG");
}

/// A player may go on bringing in GIPFs, one a turn, until they have brought in their first single; then never again.
#[test]
fn gipf_pieces_are_brought_in_until_the_first_single() {
    let setup = drawn(
        "tournament w 16 16 Gg 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        G · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, ["e1-e2"]);
    assert_eq!((position.gipf_right(Player::White), position.gipf_right(Player::Black)), (false, true));
    assert_eq!(kinds(&position), "SG");
    play(&mut position, ["Ga1-b2"]);
    assert_eq!(kinds(&position), "S");
    play(&mut position, ["e1-e2"]);
    assert!(position.gipf_right(Player::Black));
    assert_eq!(kinds(&position), "SG");
}

/// Removing GIPFs does not change that, and there is no upper limit.
#[test]
fn the_right_to_bring_in_gipf_pieces_has_no_upper_limit_and_survives_their_removal() {
    let setup = drawn(
        "tournament w 2 8 G 0 0
           g · · ·
          G · · · ·
         · · · · · ·
        · G G G G · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(kinds(&played(&setup, ["keep", "keep", "keep", "keep"])), "SG");
    let position = played(&setup, ["take", "take", "take", "keep"]);
    assert_eq!((kinds(&position).as_str(), reserves(&position)), ("SG", [8, 8]));
}

/// A GIPF needs two pieces in reserve. Who may bring one in has only brought in GIPF-pieces, so there is never one left.
#[test]
fn a_gipf_piece_needs_two_pieces_in_reserve() {
    let one = "tournament 4/5/6/G6/6/5/g3 w 1 16 G 0 0".parse::<Setup>().unwrap_err();
    assert_eq!(one.field, GpnField::GipfRights);
    let two = drawn(
        "tournament w 2 16 G 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        G · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(kinds(&played(&two, [])), "SG");
    assert_eq!(reserves(&played(&two, ["Ga4-b5"])), [0, 16]);
}

/// Order: GIPF-pieces first, then loaded pieces, then basic pieces. The first loaded piece ends the right to bring in
/// GIPFs; the first basic piece loses the potentials still in hand.
#[test]
fn loaded_pieces_come_after_gipf_pieces_and_before_singles() {
    let setup = drawn(
        "tournament+zertz w 18 18 Gg 3 3
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    // The compulsory first GIPF of the tournament game stays compulsory.
    assert_eq!(kinds(&played(&setup, [])), "G");
    let mut position = played(&setup, ["Gd1-e2", "Ga1-b2"]);
    assert_eq!(kinds(&position), "SGZ");
    play(&mut position, ["Za4-b5", "Zh1-h2"]);
    assert_eq!((kinds(&position).as_str(), position.potentials(Player::White)), ("SZ", 2));
    play(&mut position, ["h6-h5"]);
    assert_eq!(position.potentials(Player::White), 0);
    play(&mut position, ["Zc7-d7"]);
    assert_eq!((kinds(&position).as_str(), position.potentials(Player::Black)), ("S", 1));
}

/// Only pieces pushed count for this order, not those of the start.
#[test]
fn pieces_of_the_start_do_not_end_a_right() {
    for variant in [Variant::BASIC, Variant::STANDARD] {
        let position = GipfPosition::start(variant.with_zertz());
        assert_eq!((kinds(&position).as_str(), position.action_set().len()), ("SZ", 60));
    }
}

/// A potential in hand needs a basic piece in reserve.
#[test]
fn a_potential_in_hand_needs_a_piece_in_reserve() {
    let setup = drawn(
        "basic+zertz w 0 5 - 2 0
           · · · ·
          · · · · ·
         · · · · · ·
        Z S · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(legal(&played(&setup, [])), ["Je2 N"]);
}

/// The player takes the potential off one of their loaded pieces (the basic piece stays) and jumps over one or more
/// contiguous pieces, of any colour and kind, starting on the adjacent spot, onto the first vacant spot behind them. It
/// must be a spot, not a dot. Jumped pieces stay.
#[test]
fn a_jump_goes_over_contiguous_pieces_onto_the_first_vacant_spot() {
    let setup = drawn(
        "standard+zertz w 5 5 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        G s Z G s · S
         · · s · · ·
          · · · · ·
           · · · ·",
    );
    let names = legal(&played(&setup, []));
    let jumps: Vec<_> = names.iter().filter(|name| name.starts_with('J')).collect();
    // N over e5 and e6 onto e7; NE over f4 onto g4; S would end on the dot e1; SE, SW, NW have nothing to jump over.
    assert_eq!(jumps, ["Je4 N", "Je4 NE"]);
    let position = played(&setup, ["Je4 N"]);
    assert!(board_is(&position, "g3/5/6/GsSGsJS/2s3/5/4"));
}

/// A jump takes no piece from the reserve and changes no rights.
#[test]
fn a_jump_costs_nothing() {
    let setup = drawn(
        "standard+zertz w 5 5 - 2 3
           g · · ·
          · · · · ·
         · · · · · ·
        G s · Z s · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let position = played(&setup, ["Je5 N"]);
    assert_eq!((reserves(&position), position.potentials(Player::White)), ([5, 5], 2));
    assert_eq!((position.to_move(), position.phase(), position.placements()), (Player::Black, Phase::Push, 1));
}

/// A used potential counts for rows, must go when captured, and leaves the game whoever takes it.
#[test]
fn a_used_potential_counts_for_rows_and_goes_out_of_the_game() {
    let setup = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · S ·
         · · · S · ·
        · Z s · · · ·
         · · S · · ·
          · · j · ·
           · · · ·",
    );
    // The jump onto e5 completes the row c5 d5 e5 f4; the black potential on g4 is not on that line.
    let position = played(&setup, ["Je3 N"]);
    assert!(board_is(&position, "4/5/6/1Ss4/6/2j2/4"));
    assert_eq!(reserves(&position), [8, 5], "three singles come back, the potential does not");
    // On g3 it is on that line, next to the row, and is captured; no player gets it back.
    let touching = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · S ·
         · · · S · ·
        · Z s · · · ·
         · · S · · ·
          · j · · ·
           · · · ·",
    );
    let position = played(&touching, ["Je3 N"]);
    assert!(board_is(&position, "4/5/6/1Ss4/6/5/4"));
    assert_eq!(reserves(&position), [8, 5]);
}

/// A loaded piece may be spared in a capture set, like a GIPF, by the remover; if taken, it goes as a whole: the basic
/// piece to its owner's reserve or lost, the potential out of the game.
#[test]
fn a_loaded_piece_may_be_spared_or_goes_as_a_whole() {
    let setup = drawn(
        "basic+zertz w 5 5 - 1 1
           · · · ·
          · · · · ·
         · · · · · ·
        S S S S Z z ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    for (answers, board, left) in [
        (["keep", "keep"], "4/5/6/4Zz1/6/5/4", [9, 5]),
        (["keep", "take"], "4/5/6/4Z2/6/5/4", [9, 5]),
        (["take", "keep"], "4/5/6/5z1/6/5/4", [10, 5]),
        (["take", "take"], "4/5/6/7/6/5/4", [10, 5]),
    ] {
        let position = played(&setup, answers);
        assert!(board_is(&position, board), "{answers:?}");
        assert_eq!((reserves(&position), Player::BOTH.map(|player| position.potentials(player))), (left, [1, 1]));
    }
}

/// It is known which entries complete a row before they are played.
#[test]
fn entries_that_complete_a_row_are_known() {
    let setup = drawn(
        "basic w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        S S S · · · ·
         · · · · · ·
          · · · · ·
           s s s ·",
    );
    let position = GipfPosition::from_setup(&setup).unwrap();
    let completes = |action: &Action| matches!(action, Action::Push(_, entry) if position.completes_row(*entry));
    let names: Vec<_> = position.legal_actions().filter(completes).map(|action| action.to_string()).collect();
    assert_eq!(names, ["e1-e2"]);
}
