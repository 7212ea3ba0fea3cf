//! Toy games with known answers, for testing code written against [`Position`](crate::position::Position).
//!
//! * [`TicTacToe`]: small enough for exact values of every position; eight symmetries.
//! * [`DoubleStep`]: one player decides twice in a row, so that a value negated at each ply is wrong.
//! * [`ConnectFour`] on 5 × 4: deep enough to tell a strong search from a weak one, and still solved in a second.
//! * [`SmallGipf`]: basic GIPF on 19 spots with rows of three, small enough to be solved by a table.
//!
//! The first three are solved by playing every action to the end, here for tic-tac-toe:
//!
//! ```
//! use gipf_env::position::{Player, Position};
//! use gipf_env::toy::TicTacToe;
//!
//! fn white_value(position: &TicTacToe) -> f32 {
//!     if let Some(outcome) = position.outcome() {
//!         return outcome.reward(Player::White);
//!     }
//!     let sign = position.to_move().sign();
//!     let values = position.legal_actions().map(|action| {
//!         let mut next = position.clone();
//!         next.play_unchecked(action);
//!         sign * white_value(&next)
//!     });
//!     sign * values.fold(-1.0, f32::max)
//! }
//! assert_eq!(white_value(&TicTacToe::default()), 0.0);
//! ```

mod connect_four;
mod double_step;
mod small_gipf;
mod square;
mod tic_tac_toe;

pub use connect_four::{Column, ConnectFour};
pub use double_step::{DoubleStep, Square};
pub use small_gipf::{InvalidSmallGipf, SmallAction, SmallGipf};
pub use tic_tac_toe::{Cell, TicTacToe};
