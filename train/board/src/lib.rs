//! The board in the browser: what a page asks about games, and a server that answers it on this machine.
//!
//! The rules, the notations and the players decide; the page only shows. A page knows a game by its start and its
//! actions ([`GameText`]) and sends both with every question, so nothing is remembered here, and a second tab is a
//! second game.
//!
//! * [`Ask`] and [`Answer`] are the language of the page, as JSON.
//! * [`Desk`] answers: it knows which players there are.
//! * [`Shelf`] lists and opens what there is to look at besides games: runs, ladders, datasets.
//! * [`report()`] makes one file of curves and games, which needs no server.
//! * [`Server`] hands out the page and connects it with the desk (feature `server`, on by default). Built for a browser,
//!   the desk answers inside the page, and no server is needed: `scripts/build-web`.
//!
//! ```
//! use gipf_board::{Ask, Desk};
//! use gipf_play::Stop;
//!
//! let ask: Ask = serde_json::from_str(r#"{"look": {"game": {"variant": "basic", "actions": [0]}}}"#)?;
//! let answer = Desk::default().answer(&ask, &Stop::default(), &mut |_| ())?;
//! let answer = serde_json::to_value(answer)?;
//! assert_eq!((&answer["view"]["to_move"], &answer["view"]["turns"][0]["text"]), (&"black".into(), &"a1-c3".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod ask;
mod desk;
mod error;
mod game;
mod geometry;
mod line;
#[cfg(any(feature = "server", target_family = "wasm"))]
mod message;
mod opponents;
mod record;
mod report;
mod shelf;
mod study;
mod thinking;
mod view;

#[cfg(feature = "server")]
mod server;
#[cfg(target_family = "wasm")]
pub mod web;

pub use ask::{Answer, Ask, Review};
pub use desk::Desk;
pub use error::BoardError;
pub use game::GameText;
pub use opponents::{Opponent, Opponents};
pub use record::Said;
pub use report::{Remark, Replay, report};
#[cfg(feature = "server")]
pub use server::{Server, ServerError};
pub use shelf::{Axes, ChartCurves, Curve, FileStamp, Item, ItemKind, RunCurves, Shelf, Shown, StoredGame, file_stamp};
pub use study::{Exercise, Solution};
pub use thinking::{Candidate, Thoughts};
pub use view::{Legal, Piece, View};
