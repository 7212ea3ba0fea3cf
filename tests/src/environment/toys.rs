//! The toy games: the laws of [`Position`], and the values that their docs state.

use gipf_env::toy::{ConnectFour, DoubleStep, SmallGipf, Square, TicTacToe};
use gipf_env::{ActionIndex, Learnable, Player, Position};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::search::exact::{Exact, after, random_game, reachable};

/// Checks the promises of the docs of [`Position`] on one position.
fn check_laws<P: Position>(position: &P) {
    let actions: Vec<_> = position.legal_actions().collect();
    let indices: Vec<_> = actions.iter().map(|&action| position.action_index(action)).collect();
    assert_eq!(actions.is_empty(), position.outcome().is_some());
    assert!(indices.is_sorted_by(|a, b| a < b), "{indices:?}");
    for number in 0..position.num_actions() {
        let index = ActionIndex(number as u16);
        let action = position.action_at(index).expect("these games use all their numbers");
        assert_eq!(position.action_index(action), index);
        let mut next = position.clone();
        assert_eq!(next.play(action).is_ok(), indices.contains(&index));
        assert_eq!(next == *position, !indices.contains(&index), "an illegal action changes nothing, a legal one does");
    }
    assert!(position.action_at(ActionIndex(position.num_actions() as u16)).is_none());
    check_observation(position);
}

fn check_observation<P: Position>(position: &P) {
    let layout = position.observation_layout();
    let mut planes = vec![f32::NAN; layout.size()];
    position.observe(&mut planes);
    assert!(planes.iter().all(|value| value.is_finite()), "the observation is overwritten whole");
    for cell in 0..layout.rows * layout.columns {
        let pieces = (0..layout.pieces).filter(|plane| planes[plane * layout.rows * layout.columns + cell] == 1.0);
        assert!(pieces.count() <= 1);
    }
}

/// `map(play(p, a)) = play(map(p), map(a))`, and maps keep side, outcome and legality.
fn check_symmetries<P: Learnable>(position: &P) {
    for symmetry in 0..position.symmetries() {
        let image = position.transformed(symmetry);
        assert_eq!(image.to_move(), position.to_move());
        assert_eq!(image.outcome(), position.outcome());
        for action in position.legal_actions() {
            let mapped = position.transformed_action(symmetry, action);
            assert_eq!(after(&image, mapped), after(position, action).transformed(symmetry));
        }
    }
    assert_eq!(position.transformed(0), *position);
}

fn check_game<P: Learnable>(start: &P) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..200 {
        let decisions = random_game(start, &mut rng);
        assert!(decisions.windows(2).all(|pair| pair[1].turn() - pair[0].turn() <= 1));
        let last = decisions.last().unwrap();
        let end = after(last, last.legal_actions().next().unwrap());
        for position in decisions.iter().chain([&end]) {
            check_laws(position);
            check_symmetries(position);
        }
    }
}

#[test]
fn toy_games_obey_the_laws_of_positions() {
    check_game(&TicTacToe::default());
    check_game(&ConnectFour::default());
    check_game(&SmallGipf::starting_with(7).with_placement_limit(40));
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..5 {
        check_game(&DoubleStep::starting_on(Square(rng.random_range(0..25))));
    }
}

#[test]
fn tic_tac_toe_has_5478_positions_and_is_a_draw() {
    assert_eq!(reachable(TicTacToe::default()).len(), 5478);
    assert_eq!(Exact::new().white_value(&TicTacToe::default()), 0);
}

#[test]
fn connect_four_on_five_by_four_is_a_draw() {
    assert_eq!(Exact::new().white_value(&ConnectFour::default()), 0);
}

#[test]
fn double_step_is_won_by_the_player_who_the_square_favours() {
    for square in 0..25 {
        let start = DoubleStep::starting_on(Square(square));
        let expected = if square % 2 == 1 { Player::White } else { Player::Black };
        assert_eq!(Exact::new().white_value(&start) as f32, expected.sign(), "{}", Square(square));
    }
}
