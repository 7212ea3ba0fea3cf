//! The contract of every game, and the symmetries of GIPF.

use std::collections::HashSet;

use gipf_env::geometry::{Direction, Line, Spot};
use gipf_env::symmetry::Symmetry;
use gipf_env::{
    Action, ActionIndex, GipfPosition, Learnable, Outcome, Player, Position, Reason, Variant, quiet_successors,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::random::{crowded, limited, playout};

/// Checks everything that the contract of [`Position`] promises about one position.
fn check_contract<P: Learnable>(position: &P) {
    let actions: Vec<_> = position.legal_actions().collect();
    let indices: Vec<_> = actions.iter().map(|&action| position.action_index(action)).collect();
    assert_eq!(actions.is_empty(), position.outcome().is_some(), "{position:?}");
    assert!(indices.is_sorted_by(|a, b| a < b), "{indices:?}");
    assert!(indices.iter().zip(&actions).all(|(&index, &action)| position.action_at(index) == Some(action)));
    check_mask(position, &indices);
    check_refusals(position, &indices);
    check_observation(position);
    check_memory(position);
    check_symmetries(position, &indices);
}

fn check_mask<P: Position>(position: &P, indices: &[ActionIndex]) {
    let mut mask = vec![true; position.num_actions()];
    position.action_mask(&mut mask);
    let legal: Vec<_> = (0..mask.len()).filter(|&index| mask[index]).map(|index| ActionIndex(index as u16)).collect();
    assert_eq!(legal, indices);
}

fn check_refusals<P: Position>(position: &P, legal: &[ActionIndex]) {
    let mut played = position.clone();
    let all = (0..position.num_actions() as u16).map(ActionIndex);
    for action in all.filter(|index| !legal.contains(index)).filter_map(|index| position.action_at(index)) {
        assert!(!position.is_legal(action) && played.play(action).is_err(), "{action}");
    }
    assert!(legal.iter().filter_map(|&index| position.action_at(index)).all(|action| position.is_legal(action)));
    assert_eq!(position.action_at(ActionIndex(position.num_actions() as u16)), None);
    assert_eq!(&played, position);
}

fn check_observation<P: Position>(position: &P) {
    let layout = position.observation_layout();
    let planes = observation(position);
    assert!(planes.iter().all(|value| (-1.0..=1.0).contains(value)), "every value is written, none is large");
    let size = layout.rows * layout.columns;
    for (number, plane) in planes.chunks_exact(size).enumerate() {
        if number < layout.pieces + layout.marks {
            let off_board = |cell: &usize| !layout.cells.contains(cell);
            assert!((0..size).filter(off_board).all(|cell| plane[cell] == 0.0), "plane {number}");
        } else {
            assert!(plane.iter().all(|value| *value == plane[0]), "plane {number}");
        }
    }
    for cell in 0..size {
        let pieces = (0..layout.pieces).filter(|plane| planes[size * plane + cell] != 0.0).count();
        assert!(pieces <= 1, "one piece at most stands on a spot");
    }
}

/// A position that was written and read again is the same, and forgetting the past does not change the legal actions.
fn check_memory<P: Learnable>(position: &P) {
    let text = serde_json::to_string(position).unwrap();
    assert_eq!(&serde_json::from_str::<P>(&text).unwrap(), position);
    let forgetful = position.without_history();
    assert_eq!(forgetful.to_move(), position.to_move());
    assert!(forgetful.legal_actions().eq(position.legal_actions()));
    assert_eq!(forgetful.outcome(), position.outcome());
}

fn check_symmetries<P: Learnable>(position: &P, indices: &[ActionIndex]) {
    assert_eq!(position.transformed(0), position.without_history());
    for symmetry in 0..position.symmetries() {
        let image = position.transformed(symmetry);
        assert_eq!((image.to_move(), image.outcome()), (position.to_move(), position.outcome()));
        let images: HashSet<_> = position
            .legal_actions()
            .map(|action| image.action_index(position.transformed_action(symmetry, action)))
            .collect();
        assert_eq!(images, image.legal_actions().map(|action| image.action_index(action)).collect());
        assert_eq!(images.len(), indices.len());
    }
}

fn observation<P: Position>(position: &P) -> Vec<f32> {
    let mut planes = vec![f32::NAN; position.observation_layout().size()];
    position.observe(&mut planes);
    planes
}

/// Plays random games; checks the contract at each position, that turns make progress, and that games end.
pub fn check_games<P: Learnable>(start: &P, games: u64, plies: usize, visit: impl Fn(&P, &P)) {
    for seed in 0..games {
        let mut last: Option<P> = None;
        playout(start, seed, plies, |position| {
            check_contract(position);
            if let Some(last) = &last {
                let same_turn = position.turn() == last.turn();
                assert!(same_turn || position.turn() == last.turn() + 1);
                visit(last, position);
            }
            last = Some(position.clone());
        });
        assert!(last.unwrap().outcome().is_some(), "a game goes on after {plies} plies");
    }
}

/// Within a turn only one player decides.
pub fn check_one_player_a_turn<P: Position>(last: &P, position: &P) {
    let same_turn = position.turn() == last.turn();
    assert!(!same_turn || position.to_move() == last.to_move() || position.outcome().is_some());
}

#[test]
fn gipf_obeys_the_contract() {
    for variant in Variant::ALL {
        check_games(&limited(variant, 70), 12, 1000, |last, position| {
            assert!(position.turn_of() == position.to_move() || variant.is_push_off());
            if !variant.is_push_off() {
                check_one_player_a_turn(last, position);
            }
        });
    }
}

#[test]
fn positions_stay_valid_and_material_is_never_gained() {
    for (variant, seed) in Variant::ALL.into_iter().flat_map(|variant| (0..60).map(move |seed| (variant, seed))) {
        let mut last: Option<GipfPosition> = None;
        playout(&limited(variant, 200), seed, 5000, |position| {
            assert_eq!(position.validate(), Ok(()));
            // Push-off has its own law about material: nothing but GIPF-pieces is ever lost.
            if let Some(last) = last.as_ref().filter(|_| !variant.is_push_off()) {
                check_material(last, position);
            }
            last = Some(position.clone());
        });
    }
}

/// The player who acts loses nothing by it, unless the turn passed to the opponent, who removed before placing.
fn check_material(before: &GipfPosition, after: &GipfPosition) {
    let material = |position: &GipfPosition, player| position.board().material(player) + position.reserve(player);
    let passed = after.to_move() != before.to_move();
    for player in Player::BOTH {
        let (had, has) = (material(before, player), material(after, player));
        assert!(has <= had, "{player} has gained material");
        assert!(has == had || passed || player != before.to_move(), "{player} has lost material by their own action");
    }
    let potentials = |position: &GipfPosition, player| {
        let own = position.board().pieces_of(player);
        let on_board = (own & (position.board().loaded() | position.board().used())).count();
        u32::from(position.potentials(player)) + on_board
    };
    assert!(Player::BOTH.into_iter().all(|player| potentials(after, player) <= potentials(before, player)));
}

/// Visits positions of random games and of random boards with rows, all without history.
fn each_sample(variant: Variant, mut visit: impl FnMut(&GipfPosition)) {
    for seed in 0..8 {
        playout(&limited(variant, 120), seed, 5000, |position| visit(&position.without_history()));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for seed in 0..400 {
        let start = crowded(variant, &mut rng);
        playout(&start, seed, 4, |position| visit(&position.without_history()));
    }
}

fn after(position: &GipfPosition, action: Action) -> GipfPosition {
    let mut next = position.clone();
    next.play(action).unwrap();
    next.without_history()
}

/// Returns whether the result cannot depend on an order that is not symmetric: that of questions about several pieces
/// of one row, and that of rows opened unasked while one of them raises a question.
fn is_free_of_order(result: &GipfPosition) -> bool {
    if result.variant().is_push_off() {
        let one_question = result.question().is_none() || result.pending().count() == 1;
        return result.pending().is_empty() || rows_evaluated(result) == 1 && one_question;
    }
    let handled: HashSet<Line> = result.handled_lines().collect();
    let standing = result.rows_of(result.to_move()).any(|line| !handled.contains(&line));
    result.question().is_none() || result.pending().count() == 1 && !standing
}

/// Returns the number of rows in an evaluation of push-off. Where it asks anything, their order can affect the result.
fn rows_evaluated(result: &GipfPosition) -> usize {
    result.handled_lines().count() + result.rows_to_evaluate().count()
}

/// Returns what `perft --distinct` distinguishes in a quiet position.
fn quiet(position: &GipfPosition, symmetry: Symmetry) -> (String, Option<Outcome>) {
    let mut setup = symmetry.position(position).to_setup();
    if position.outcome().is_some() {
        setup.to_move = Player::White;
    }
    (setup.to_string(), position.outcome())
}

/// Returns the positions that end the removal in progress, under a symmetry; none if a removal can end the game.
fn quiet_images(position: &GipfPosition, symmetry: Symmetry) -> Option<HashSet<(String, Option<Outcome>)>> {
    if position.variant().is_push_off() && rows_evaluated(position) > 1 {
        return None;
    }
    let ends = quiet_successors(position);
    let by_removal = |end: &GipfPosition| end.outcome().is_some_and(|outcome| outcome.reason == Reason::NoGipf);
    if ends.iter().any(by_removal) { None } else { Some(ends.iter().map(|end| quiet(end, symmetry)).collect()) }
}

/// How many pairs of a position and an action were compared, and how.
#[derive(Debug, Default)]
struct Compared {
    exactly: u32,
    exactly_with_a_question: u32,
    by_quiet_positions: u32,
    skipped: u32,
    /// How many of the actions chose a row.
    rows: u32,
}

impl Compared {
    /// The image of the result is the result of the image.
    fn compare(&mut self, position: &GipfPosition, action: Action, symmetry: Symmetry) {
        self.rows += u32::from(matches!(action, Action::TakeRow(_)));
        let result = after(position, action);
        let of_image = after(&symmetry.position(position), symmetry.action(position, action));
        if is_free_of_order(&result) && is_free_of_order(&of_image) {
            assert_eq!(symmetry.position(&result), of_image, "{symmetry:?} of {position:?} by {action}");
            let question = !result.pending().is_empty();
            *(if question { &mut self.exactly_with_a_question } else { &mut self.exactly }) += 1;
            return;
        }
        let ends = quiet_images(&result, symmetry).zip(quiet_images(&of_image, Symmetry::IDENTITY));
        if let Some((images, ends)) = ends {
            assert_eq!(images, ends, "{symmetry:?} of {position:?} by {action}");
            self.by_quiet_positions += 1;
        } else {
            self.skipped += 1;
        }
    }
}

/// `map(play(p, a)) = play(map(p), map(a))`, exactly or, where the order of questions and of rows opened unasked matters,
/// for the positions that the removal can end in. Skipped where the game can end in the middle of a removal.
#[test]
fn symmetries_commute_with_play() {
    for variant in Variant::ALL {
        let mut compared = Compared::default();
        each_sample(variant, |position| {
            for action in position.legal_actions() {
                for symmetry in Symmetry::all().skip(1) {
                    compared.compare(position, action, symmetry);
                }
            }
        });
        assert!(compared.exactly > 200_000, "{variant}: {compared:?}");
        assert!(compared.rows > 500 || variant.is_push_off(), "{variant}: {compared:?}");
        if variant.has_spared_pieces() {
            assert!(compared.exactly_with_a_question > 2_000, "{variant}: {compared:?}");
            assert!(compared.by_quiet_positions > 500, "{variant}: {compared:?}");
        } else {
            assert_eq!(compared.by_quiet_positions + compared.skipped, 0);
        }
    }
}

#[test]
fn exchanging_the_players_commutes_with_play() {
    for variant in Variant::ALL {
        each_sample(variant, |position| {
            let exchanged = position.with_players_exchanged();
            assert_eq!(&exchanged.with_players_exchanged(), position);
            assert_eq!(exchanged.action_set(), position.action_set());
            for action in position.legal_actions() {
                let result = after(position, action);
                assert_eq!(after(&exchanged, action), result.with_players_exchanged(), "{position:?} by {action}");
            }
        });
    }
}

#[test]
fn symmetries_are_undone_by_their_inverses_and_commute_with_exchanging_the_players() {
    for variant in Variant::ALL {
        each_sample(variant, |position| {
            for symmetry in Symmetry::all() {
                let image = symmetry.position(position);
                assert_eq!(&symmetry.inverse().position(&image), position);
                assert_eq!(image.with_players_exchanged(), symmetry.position(&position.with_players_exchanged()));
                for action in position.legal_actions() {
                    let there = symmetry.action(position, action);
                    assert_eq!(symmetry.inverse().action(&image, there), action);
                }
            }
        });
    }
}

#[test]
fn the_six_symmetries_that_exchange_the_starting_colours_fix_the_start() {
    for variant in Variant::ALL {
        let start = GipfPosition::start(variant).without_history();
        let exchanged = start.with_players_exchanged();
        for symmetry in Symmetry::all() {
            let image = symmetry.position(&start);
            let fixed = if symmetry.exchanges_colours() { exchanged.board() } else { start.board() };
            assert_eq!(image.board(), fixed);
        }
    }
}

/// The plane that shows lines holds a sum of 1, 2, 4 for N, NE, SE, negative for rows of the opponent; a symmetry takes
/// one axis to another.
fn axes(value: f32) -> [i8; 3] {
    let bits = (7.0 * value.abs()).round() as u8;
    assert!((7.0 * value.abs() - f32::from(bits)).abs() < 1e-5 && bits < 8, "{value}");
    [0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { value.signum() as i8 } else { 0 })
}

fn check_observed_image(position: &GipfPosition, symmetry: Symmetry) {
    let layout = position.observation_layout();
    let (here, there) = (observation(position), observation(&symmetry.position(position)));
    let size = layout.rows * layout.columns;
    for (number, (plane, image)) in here.chunks_exact(size).zip(there.chunks_exact(size)).enumerate() {
        for spot in Spot::all() {
            let (value, mapped) = (plane[spot.cell()], image[symmetry.spot(spot).cell()]);
            if number != layout.pieces {
                assert_eq!(value, mapped, "plane {number}, {spot}");
                continue;
            }
            for (axis, handled) in axes(value).into_iter().enumerate() {
                let direction = symmetry.direction(Direction::from_index(axis));
                assert_eq!(axes(mapped)[direction.index() % 3], handled, "lines through {spot}");
            }
        }
    }
}

#[test]
fn observations_go_with_symmetries_and_do_not_show_who_is_white() {
    let mut handled = 0;
    for variant in Variant::ALL {
        each_sample(variant, |position| {
            assert_eq!(observation(&position.with_players_exchanged()), observation(position));
            Symmetry::all().for_each(|symmetry| check_observed_image(position, symmetry));
            handled += usize::from(position.handled_lines().next().is_some());
        });
    }
    assert!(handled > 300, "{handled} positions in the midst of a removal");
}
