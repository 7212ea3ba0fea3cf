//! Sentences of the rules about the rule sets (section 2), and those that are tested in every rule set.

use gipf_env::{GipfPosition, Outcome, PLACEMENT_LIMIT, Player, Position, Reason, Setup, Variant};

use crate::drawn::{drawn, legal, play, played, reserves};
use crate::random::{limited, playout};

const WHITE_WINS: Option<Outcome> = Some(Outcome::win(Player::White, Reason::NoGipf));
const LIMIT: Option<Outcome> = Some(Outcome::draw(Reason::Limit));

fn all_but_push_off() -> impl Iterator<Item = Variant> {
    Variant::ALL.into_iter().filter(|variant| !variant.is_push_off())
}

/// Basic: one single on each corner spot, White e2 b5 h5, Black b2 e8 h2, 12 in reserve. White moves first.
#[test]
fn basic_starts_with_singles_on_the_corners() {
    let setup = drawn(
        "basic w 12 12 - 0 0
           s · · S
          · · · · ·
         · · · · · ·
        S · · · · · s
         · · · · · ·
          · · · · ·
           s · · S",
    );
    assert_eq!(setup, Setup::start(Variant::BASIC));
    assert_eq!(setup.board.material(Player::White) + setup.reserves[0], 15);
}

/// Standard: one GIPF on each corner spot, same colours; 12 in reserve; 3 GIPF-pieces, none can be added.
#[test]
fn standard_starts_with_gipf_pieces_on_the_corners_and_none_can_be_added() {
    let setup = drawn(
        "standard w 12 12 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        G · · · · · g
         · · · · · ·
          · · · · ·
           g · · G",
    );
    assert_eq!(setup, Setup::start(Variant::STANDARD));
    assert_eq!(setup.board.material(Player::White) + setup.reserves[0], 18);
    for variant in [Variant::STANDARD, Variant::STANDARD.with_zertz()] {
        for seed in 0..20 {
            playout(&limited(variant, 60), seed, 500, |position| {
                assert!(legal(position).iter().all(|name| !name.starts_with('G')));
            });
        }
    }
}

/// Tournament: empty board, 18 in reserve, GIPF-pieces are brought in by the player.
#[test]
fn tournament_starts_with_an_empty_board() {
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
    assert_eq!(setup, Setup::start(Variant::TOURNAMENT));
    assert_eq!(legal(&played(&setup, [])).len(), 18, "a GIPF-piece onto each spot of the edge");
}

/// `+zertz` is added to any of the three; the default is 3 potentials, at least 3, here at most 6.
#[test]
fn potentials_are_added_to_the_same_starts() {
    for variant in Variant::OFFICIAL {
        let (plain, with) = (Setup::start(variant), Setup::start(variant.with_zertz()));
        assert_eq!((with.potentials, plain.potentials), ([3; 2], [0; 2]));
        assert_eq!(Setup { variant, potentials: [0; 2], ..with.clone() }, plain);
        for potentials in 0..10 {
            let setup = with.clone().with_potentials(potentials);
            assert_eq!(setup.is_ok(), (3..=6).contains(&potentials), "{potentials}");
            assert!(plain.clone().with_potentials(potentials).is_err());
        }
    }
}

/// Option 12..15 per player, a handicap, in basic: material is 15 up to 18.
#[test]
fn only_basic_has_a_handicap() {
    for variant in Variant::ALL {
        let basic = variant == Variant::BASIC || variant == Variant::BASIC.with_zertz();
        for (white, black) in (10..18).flat_map(|white| (10..18).map(move |black| (white, black))) {
            let setup = Setup::start(variant).with_reserves([white, black]);
            let allowed = basic && [white, black].iter().all(|reserve| (12..=15).contains(reserve));
            assert_eq!(setup.is_ok(), allowed, "{variant} {white} {black}");
            let most = setup.map_or(18, |setup| setup.board.material(Player::White) + setup.reserves[0]);
            assert!((15..=18).contains(&most));
        }
    }
}

/// Sizes: basic 63, standard 65, tournament 107, `+zertz` 371, push-off 373; each official set is a prefix of the next.
#[test]
fn the_action_spaces_have_the_sizes_of_the_table() {
    let sizes = Variant::ALL.map(|variant| GipfPosition::start(variant).num_actions());
    assert_eq!(sizes, [63, 65, 107, 371, 371, 371, 373]);
}

/// A turn has one placement, and passing does not exist: the players alternate.
#[test]
fn every_turn_has_one_placement_and_nobody_passes() {
    for (variant, seed) in all_but_push_off().flat_map(|variant| (0..40).map(move |seed| (variant, seed))) {
        playout(&limited(variant, 120), seed, 5000, |position| {
            let player = Player::BOTH[position.turn() % 2];
            assert!(position.to_move() == player || position.outcome().is_some(), "{position:?}");
            assert_eq!(position.turn_of(), position.to_move());
        });
    }
}

/// Entry e stands for 65 + e and 107 + e likewise.
#[test]
fn the_same_entries_are_legal_for_every_kind_of_piece() {
    let mut compared = 0;
    for seed in 0..40 {
        playout(&limited(Variant::TOURNAMENT.with_zertz(), 30), seed, 100, |position| {
            let names = legal(position);
            let of = |letter| names.iter().filter_map(move |name| name.strip_prefix(letter)).collect::<Vec<_>>();
            let singles: Vec<_> =
                names.iter().filter(|name| name.starts_with(|first: char| first.is_lowercase())).collect();
            let [gipfs, loaded] = ["G", "Z"].map(of);
            if names.contains(&"keep".to_owned()) || singles.is_empty() {
                return;
            }
            for others in [gipfs, loaded].into_iter().filter(|others| !others.is_empty()) {
                assert_eq!(singles, others);
                compared += 1;
            }
        });
    }
    assert!(compared > 50, "{compared}");
}

/// When the position occurs for the third time the game is void, in every rule set but push-off.
#[test]
fn the_third_occurrence_voids_the_game_in_every_rule_set() {
    let plain = drawn(
        "basic w 12 12 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let gipfs = drawn(
        "standard w 12 12 - 0 0
           · · · ·
          · · · · ·
         · · · · g ·
        · · · · · · ·
         · · G · · ·
          · · · · ·
           · · · ·",
    );
    for variant in all_but_push_off() {
        let setup = if variant.has_gipfs() { gipfs.clone() } else { plain.clone() };
        let mut position = played(&Setup { variant, ..setup }, []);
        for occurrences in 1..=2 {
            assert_eq!((position.occurrences(), position.outcome()), (occurrences, None), "{variant}");
            play(&mut position, ["d1-e2", "a1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2"]);
        }
        assert_eq!(position.outcome(), Some(Outcome::draw(Reason::Repetition)), "{variant}");
    }
}

/// The turn of the last placement is played with its removals before the limit cuts the game off.
#[test]
fn the_limit_waits_for_the_removals_in_every_rule_set() {
    let plain = drawn(
        "basic w 5 5 - 0 0
           s · · S
          · · · · ·
         · · · · · ·
        · S S S · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    let gipfs = drawn(
        "standard w 5 5 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        · S S S · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    for variant in all_but_push_off() {
        let setup = if variant.has_gipfs() { gipfs.clone() } else { plain.clone() };
        let setup = Setup { variant, ..setup }.with_placement_limit(Some(1));
        let position = played(&setup, ["d1-e2"]);
        assert_eq!((position.outcome(), reserves(&position)), (LIMIT, [8, 5]), "{variant}");
        assert_eq!(played(&setup.with_placement_limit(Some(2)), ["d1-e2"]).outcome(), None, "{variant}");
    }
}

/// No GIPF left loses in standard and tournament, with potentials as well, and goes before the limit.
#[test]
fn no_gipf_piece_left_loses_in_every_rule_set_that_has_them() {
    let setup = drawn(
        "standard w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S S g · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    for variant in all_but_push_off().filter(|variant| variant.has_gipfs()) {
        let setup = Setup { variant, ..setup.clone() }.with_placement_limit(Some(1));
        assert_eq!(played(&setup, ["d1-e2", "take"]).outcome(), WHITE_WINS, "{variant}");
        assert_eq!(played(&setup, ["d1-e2", "keep"]).outcome(), LIMIT, "{variant}");
    }
    let without = drawn(
        "basic+zertz w 5 5 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · S S S z · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&without, ["d1-e2", "take"]).outcome(), None, "basic knows no such loss");
}

/// Placement limit: none by default in play, 400 placements in training.
#[test]
fn only_training_and_push_off_have_a_limit_by_default() {
    assert_eq!(PLACEMENT_LIMIT, 400);
    for variant in Variant::ALL {
        let expected = if variant.is_push_off() { Some(400) } else { None };
        assert_eq!(GipfPosition::start(variant).placement_limit(), expected, "{variant}");
    }
}
