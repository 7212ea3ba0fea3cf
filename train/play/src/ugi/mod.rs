//! UGI, the Universal Game Interface: the line protocol of match runners and engines of board games.
//!
//! UGI is the UCI of chess without the names of chess, and with `query`, with which a runner that does not know the
//! game asks who is to move and how the game ended. This follows the description by the match runner cutegames
//! (<https://github.com/kz04px/cutegames>, `ugi.md`).
//!
//! * [`Command`] is a parsed line to an engine; the limits of its `go` are a
//!   [`TurnBudget`](crate::players::TurnBudget), what else it asks for is in [`Go`].
//! * [`UgiGame`] is a game as sent. A move is one word without blanks: a whole turn in official complete notation
//!   without the reserve; where that has no text, [`KEEPS_ALL`].
//! * [`score_of_value`] is the score reported for an expected result.
//! * [`Client`] drives an engine in another process; [`end_engines`] ends all of them.
//! * [`read_line`] reads a line of bounded length from bytes of any kind.

mod client;
mod command;
mod command_line;
mod game;
mod go;
mod line;
mod program;
mod score;

pub use client::{Client, ClientError, Patience, Report};
pub use command::{Beginning, Command, CommandError, Query, SHOWN, shortened};

pub use command_line::{CommandLine, CommandLineError};
pub use game::UgiGame;
pub(crate) use game::{read_turn, written_turn};
pub use go::{Go, go_line};
pub use line::{LONGEST_LINE, Line, read_line};
pub use program::end_engines;
pub use score::{CERTAIN, score_of_value, value_of_score};

/// The text for a move where none can be played.
pub const NO_MOVE: &str = "0000";
/// The text for a turn in which a player keeps all pieces of their rows and has none to bring in, which loses the game:
/// the notation has no text for it, and records leave it out.
pub const KEEPS_ALL: &str = "-";
