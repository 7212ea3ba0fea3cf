//! Sentences of the rules about push-off (section 7): setup, pushes, passing and the end, one test each.

use gipf_env::geometry::Spot;
use gipf_env::notation::Ledger;
use gipf_env::rules::Kind;
use gipf_env::{Action, GipfPosition, Outcome, Phase, Player, Position, Reason, Setup, Variant};
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::drawn::{board_is, drawn, legal, play, played, question, reserves};
use crate::random::{crowded, playout};

const LIMIT: Option<Outcome> = Some(Outcome::draw(Reason::Limit));

/// Returns the legal pushes onto a spot.
fn onto(setup: &Setup, spot: &str) -> Vec<String> {
    legal(&played(setup, [])).into_iter().filter(|name| name.ends_with(spot)).collect()
}

/// Each player has 18 basic pieces in reserve and three GIPF-pieces on the corner spots as in standard. White begins.
#[test]
fn push_off_starts_as_standard_with_18_pieces_in_reserve() {
    let setup = drawn(
        "push-off w 18 18 - 0 0
           g · · G
          · · · · ·
         · · · · · ·
        G · · · · · g
         · · · · · ·
          · · · · ·
           g · · G",
    );
    assert_eq!(setup, Setup::start(Variant::PUSH_OFF));
    let start = GipfPosition::start(Variant::PUSH_OFF);
    assert_eq!(start.board(), GipfPosition::start(Variant::STANDARD).board());
    assert_eq!((start.to_move(), start.phase(), start.action_set().len()), (Player::White, Phase::Push, 12));
}

/// A turn is one push of a basic piece. Every piece on the line moves one step, gaps or not.
#[test]
fn every_piece_on_the_line_moves_one_step() {
    let setup = drawn(
        "push-off w 16 16 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        s S · s · S ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let from_below = played(&setup, ["e1-e2"]);
    assert!(board_is(&from_below, "g3/5/6/SsS1s1S/6/5/3G"));
    assert_eq!((from_below.to_move(), reserves(&from_below)), (Player::Black, [15, 16]));
    let from_above = played(&setup, ["e9-e8"]);
    assert!(board_is(&from_above, "g3/5/6/S1s1S1S/6/5/3G"), "the gaps move as well");
    assert!(legal(&played(&setup, [])).iter().all(|name| !name.starts_with('G')));
}

/// A piece on the far spot leaves the board; a basic piece returns to its owner's reserve.
#[test]
fn a_basic_piece_on_the_far_spot_returns_to_its_owner() {
    let setup = drawn(
        "push-off w 17 17 - 0 0
           g · · ·
          · · · · ·
         · · · · · ·
        s · · · · · S
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let his = played(&setup, ["e9-e8"]);
    assert!(board_is(&his, "g3/5/6/5SS/6/5/3G"));
    assert_eq!(reserves(&his), [16, 18], "the black piece fell off");
    let own = played(&setup, ["e1-e2"]);
    assert!(board_is(&own, "g3/5/6/Ss5/6/5/3G"));
    assert_eq!(reserves(&own), [17, 17], "one came back for the one that went in");
    // So even a full line can be entered.
    let full = drawn(
        "push-off w 16 17 - 0 0
           s S g S
          · · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let entered = played(&full, ["b1-b2"]);
    assert!(board_is(&entered, "SsSg/5/6/7/6/5/3G"));
    assert_eq!(reserves(&entered), [16, 17]);
}

/// If it is a GIPF-piece the push is illegal, whosesoever it is.
#[test]
fn no_gipf_piece_is_pushed_off() {
    let setup = drawn(
        "push-off w 18 18 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · · · · g
         G · · · · ·
          · · · · ·
           · · · ·",
    );
    let names = legal(&played(&setup, []));
    assert!(!names.contains(&"e1-e2".to_owned()), "e8 is the far spot of the push from e1");
    assert!(!names.contains(&"f8-f7".to_owned()), "f2 is that of the push from f8, and White's own");
    assert!(names.contains(&"e9-e8".to_owned()) && names.contains(&"f1-f2".to_owned()));
    let moved = played(&setup, ["e9-e8", "f1-f2"]);
    assert!(board_is(&moved, "4/5/6/5gS/sG4/5/4"));
    let names = legal(&moved);
    assert!(
        names.contains(&"e1-e2".to_owned()) && names.contains(&"f8-f7".to_owned()),
        "one step from it is far enough"
    );
}

/// Entries onto the same vacant spot are the same move only if the whole of both lines is vacant; the lowest index
/// stands for them.
#[test]
fn entries_onto_a_vacant_spot_are_the_same_move_only_on_vacant_lines() {
    let vacant = drawn(
        "push-off w 18 18 - 0 0
           · · · ·
          · · · · ·
         · · · g · ·
        · · · · · · ·
         · · · · G ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(onto(&vacant, "-b2"), ["a1-b2"], "the lines of a1, a2 and b1 are vacant");
    let occupied = drawn(
        "push-off w 18 17 - 0 0
           · · s ·
          · · · · ·
         · · · g · ·
        · · · · · · ·
         · · · · G ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(onto(&occupied, "-b2"), ["a1-b2", "b1-b2"], "b4 lies on the line of b1; those of a1 and a2 are vacant");
    let lowest = drawn(
        "push-off w 18 17 - 0 0
           · · · ·
          · · · · ·
         · · s g · ·
        · · · · · · ·
         · · · · G ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(onto(&lowest, "-b2"), ["a1-b2", "a2-b2"], "d4 lies on the line of a1; a2 stands for b1");
    let filled = "push-off s3/5/3g2/7/4G1/5/4 w 18 17 - 0 0".parse().unwrap();
    assert_eq!(onto(&filled, "-b2"), ["a1-b2", "a2-b2", "b1-b2"], "b2 lies on all three");
}

/// A player with an empty reserve passes without being asked. Passes do not count as placements.
#[test]
fn who_has_no_piece_in_reserve_passes_unasked() {
    let setup = drawn(
        "push-off w 0 18 - 0 0
           · · S S
          S · S S S
         S S S · · S
        S · g · G · ·
         S S · · S S
          S S · · S
           · · · ·",
    );
    let mut position = played(&setup, []);
    assert_eq!((position.to_move(), position.turn_of(), position.phase()), (Player::Black, Player::Black, Phase::Push));
    assert_eq!((position.placements(), position.outcome()), (0, None));
    play(&mut position, ["h1-h2"]);
    assert_eq!((position.to_move(), position.placements(), reserves(&position)), (Player::Black, 1, [0, 17]));
    play(&mut position, ["b1-b2"]);
    assert_eq!((position.to_move(), reserves(&position)), (Player::White, [1, 16]), "a piece fell off: no pass");
    let limited = played(&setup.with_placement_limit(Some(2)), ["h1-h2"]);
    assert_eq!(limited.outcome(), None, "White's two passes are not placements");
}

/// Or without a legal push: it never happens. No six GIPF-pieces block all far spots, so a player with a piece has a
/// push.
#[test]
fn whoever_has_a_piece_has_a_push() {
    let edge: Vec<_> = Spot::all().filter(|spot| spot.point().radius() == 3).collect();
    let mut choices = 0;
    for chosen in (0_u32..1 << edge.len()).filter(|chosen| chosen.count_ones() == 6) {
        let gipfs: Vec<_> = (0..edge.len()).filter(|&spot| chosen >> spot & 1 == 1).map(|spot| edge[spot]).collect();
        let letter = |spot: Spot| match gipfs.iter().position(|&gipf| gipf == spot) {
            Some(number) => ['G', 'g'][number % 2],
            None => '1',
        };
        let columns = [0..4, 4..9, 9..15, 15..22, 22..28, 28..33, 33..37];
        let columns = columns.map(|spots| spots.map(|spot| letter(Spot::from_index(spot))).collect::<String>());
        let setup: Setup = format!("push-off {} w 18 18 - 0 0", columns.join("/")).parse().unwrap();
        assert!(!played(&setup, []).action_set().is_empty(), "{setup}");
        choices += 1;
    }
    assert_eq!(choices, 18_564, "6 of the 18 spots of the edge");
}

/// There is no phase pre: rows that stand are evaluated after the next push.
#[test]
fn there_is_no_phase_pre() {
    let setup = drawn(
        "push-off w 14 18 - 0 0
           S S S S
          g · · · ·
         · · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · G",
    );
    let position = played(&setup, []);
    assert_eq!((position.phase(), position.board(), reserves(&position)), (Phase::Push, &setup.board, [14, 18]));
    let position = played(&setup, ["e9-e8"]);
    assert!(board_is(&position, "4/g4/6/6S/6/5/3G"));
    assert_eq!((position.to_move(), position.phase(), reserves(&position)), (Player::Black, Phase::Push, [17, 18]));
}

/// There is no repetition.
#[test]
fn a_position_may_recur_for_ever() {
    let setup = drawn(
        "push-off w 18 18 - 0 0
           · · · ·
          · · · · ·
         · · · · g ·
        · · · · · · ·
         · · G · · ·
          · · · · ·
           · · · ·",
    );
    let mut position = played(&setup, []);
    for _ in 0..5 {
        assert_eq!((position.to_gpn(), position.outcome()), (setup.to_string(), None));
        play(&mut position, ["d1-e2", "a1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2", "e1-e2", "b1-b2"]);
    }
    assert_eq!(position.placements(), 40);
}

/// Taking one's last GIPF ends the game at that decision, whatever is still to be evaluated.
#[test]
fn taking_ones_last_gipf_piece_ends_the_game_at_that_decision() {
    let setup = drawn(
        "push-off w 11 18 - 0 0
           S S S G
          · · · · ·
         g · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           S S S S",
    );
    let asked = played(&setup, ["e1-e2"]);
    assert_eq!((asked.to_move(), question(&asked).as_deref()), (Player::White, Some("b5")));
    let taken = played(&setup, ["e1-e2", "take"]);
    assert_eq!(taken.outcome(), Some(Outcome::win(Player::Black, Reason::NoGipf)));
    assert!(board_is(&taken, "4/5/g5/S6/6/5/SSSS"), "the row on column h is left as it was");
    let kept = played(&setup, ["e1-e2", "keep"]);
    assert!(board_is(&kept, "3G/5/g5/S6/6/5/4") && kept.outcome().is_none());
}

/// A player without a GIPF-piece on the board loses at once.
#[test]
fn who_has_no_gipf_piece_has_lost() {
    let setup = drawn(
        "push-off w 18 18 - 0 0
           · · · ·
          · · · · ·
         · · · · · ·
        · · · G · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    );
    assert_eq!(played(&setup, []).outcome(), Some(Outcome::win(Player::White, Reason::NoGipf)));
}

/// Nothing else ends the game, so a placement limit always applies: 400 placements by default; reason limit, value 0,
/// truncated.
#[test]
fn a_ply_limit_always_applies() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let mut ends = [0; 2];
    for seed in 0..60 {
        let start = GipfPosition::start(Variant::PUSH_OFF);
        let mut last = if seed % 2 == 0 { start } else { crowded(Variant::PUSH_OFF, &mut rng) };
        assert_eq!(last.placement_limit(), Some(400));
        playout(&last.clone(), seed, 5000, |position| last.clone_from(position));
        let outcome = last.outcome().unwrap();
        ends[usize::from(outcome.truncated())] += 1;
        assert!(outcome.reason == Reason::NoGipf || last.outcome() == LIMIT && last.placements() == 400);
        let rewards = Player::BOTH.map(|player| outcome.reward(player));
        assert_eq!(outcome.truncated(), rewards == [0.0; 2]);
    }
    assert!(ends[0] > 5 && ends[1] > 5, "{ends:?}");
}

/// No player can be forced to lose: a player who never takes an own GIPF-piece off the board plays on to the limit.
#[test]
fn who_keeps_his_gipf_pieces_does_not_lose() {
    let mut rng = ChaCha8Rng::seed_from_u64(18);
    let mut kept = 0;
    for _ in 0..100 {
        let mut position = crowded(Variant::PUSH_OFF, &mut rng);
        while position.outcome().is_none() {
            let actions = position.legal_actions().filter(|&action| action != Action::Take);
            let action = actions.choose(&mut rng).unwrap();
            kept += usize::from(action == Action::Keep);
            position.play(action).unwrap();
        }
        assert_eq!(position.outcome(), LIMIT);
    }
    assert!(kept > 100, "{kept}");
}

/// The limit cuts the game off after the evaluation of the last turn, and a result of that turn goes first.
#[test]
fn the_limit_comes_after_the_evaluation() {
    let setup = drawn(
        "push-off w 15 18 - 0 0
           S S S G
          · · · · ·
         g · · · · ·
        · · · · · · ·
         · · · · · ·
          · · · · ·
           · · · ·",
    )
    .with_placement_limit(Some(1));
    let asked = played(&setup, ["h1-h2"]);
    assert_eq!((asked.outcome(), question(&asked).as_deref()), (None, Some("b5")));
    let kept = played(&setup, ["h1-h2", "keep"]);
    assert_eq!((kept.outcome(), reserves(&kept)), (LIMIT, [17, 18]));
    let taken = played(&setup, ["h1-h2", "take"]);
    assert_eq!(taken.outcome(), Some(Outcome::win(Player::Black, Reason::NoGipf)));
}

/// In push-off reserve and singles are 18, GIPF-pieces apart, and nothing is lost. It uses the actions 0..41, 63, 64,
/// 371 and 372 only.
#[test]
fn nothing_is_lost_and_few_actions_are_used() {
    let mut used = [0; 373];
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    for seed in 0..300 {
        let mut gipfs = 6;
        playout(&crowded(Variant::PUSH_OFF, &mut rng), seed, 100, |position| {
            let singles = position.board().of_kind(Kind::Single);
            for player in Player::BOTH {
                let own = (singles & position.board().pieces_of(player)).count();
                assert_eq!(own + u32::from(position.reserve(player)), 18);
            }
            let left = position.board().gipfs().count();
            assert!(left <= gipfs, "GIPF-pieces do not come back");
            gipfs = left;
            position.action_set().indices().for_each(|index| used[index.get()] += 1);
        });
    }
    let in_use = |index: &usize| matches!(index, 0..42 | 63 | 64 | 371 | 372);
    assert!((0..373).all(|index| in_use(&index) == (used[index] > 20)), "{used:?}");
}

/// White cannot push, so the first recorded turn is Black's.
#[test]
fn a_game_that_begins_with_a_pass_begins_with_a_turn_of_the_other() {
    let setup: Setup = "push-off SSSS/SS2G/SSSSSS/SSSSSS1/2g3/5/4 w 0 18 - 0 0".parse().unwrap();
    let position = GipfPosition::from_setup(&setup).unwrap();
    assert_eq!(position.to_move(), Player::Black);
    assert_eq!(Ledger::new(&setup).unwrap().turn().player, Player::Black);
}
