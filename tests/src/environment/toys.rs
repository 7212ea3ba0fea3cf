//! The toy games: the contract of [`Position`](gipf_env::Position), and the values that their docs state.

use gipf_env::toy::{ConnectFour, DoubleStep, SmallGipf, Square, TicTacToe};
use gipf_env::{Learnable, Player};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rules::laws::{check_games, check_one_player_a_turn};
use crate::search::exact::{Exact, after, reachable};

/// An action changes the position, and `map(play(p, a)) = play(map(p), map(a))`.
fn check_actions<P: Learnable>(position: &P) {
    for action in position.legal_actions() {
        let next = after(position, action);
        assert_ne!(next, *position);
        for symmetry in 0..position.symmetries() {
            let mapped = position.transformed_action(symmetry, action);
            assert_eq!(after(&position.transformed(symmetry), mapped), next.transformed(symmetry));
        }
    }
}

fn check_game<P: Learnable>(start: &P) {
    check_games(start, 100, 1000, |last, position| {
        check_one_player_a_turn(last, position);
        check_actions(last);
    });
}

#[test]
fn toy_games_obey_the_contract() {
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
