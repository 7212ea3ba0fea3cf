//! UGI, the Universal Game Interface: how match runners and engines of board games talk, a line at a time.
//!
//! UGI is UCI of chess with the names of chess left out, and with `query`, by which a runner that does not know the game
//! asks who is to move and how the game ended. The description that is followed here is that of the match runner cutegames
//! (<https://github.com/kz04px/cutegames>, `ugi.md`).
//!
//! * [`Command`] is a line to an engine, read; what its `go` allows a turn is a [`TurnBudget`](crate::players::TurnBudget).
//! * [`UgiGame`] is a game as it is told. A move is one word without blanks: a whole turn in official complete notation
//!   without the reserve.
//! * [`score_of_value`] is what an expected result is told as.
//! * [`Client`] drives an engine that is a program of its own.
//! * [`read_line`] reads a line of bounded length from bytes of any kind.

mod client;
mod command;
mod command_line;
mod game;
mod go;
mod line;
mod score;

pub use client::{Client, ClientError, Patience, Report};
pub use command::{Beginning, Command, CommandError, Query, SHOWN, shortened};

pub use command_line::{CommandLine, CommandLineError};
pub use game::UgiGame;
pub use go::go_line;
pub use line::{LONGEST_LINE, Line, read_line};
pub use score::{CERTAIN, score_of_value, value_of_score};

/// What stands for a move where none can be played.
pub const NO_MOVE: &str = "0000";
