//! Games of self-play as Parquet files: one row for each decision, for any program that learns from them.
//!
//! A dataset is a directory of files `games-00000.parquet`, `games-00001.parquet`, … and a `README.md` that describes
//! them. The rows of a game stand together, in the order of play, and are never split over files. A file appears under
//! its name only when it is complete, and after `games-00000.txt`, which has the same games in official notation.
//!
//! A row is small: 16 bytes with the search's policy. What follows from the start and the actions of a game is left out, or
//! kept to spare readers the rules; [`replay`] compares all of it. Policies are rounded to 1/255, values to 1/127.
//!
//! ```
//! use gipf_env::{GipfPosition, Position, Variant};
//! use gipf_train::dataset::{DatasetReader, DatasetWriter, Provenance, parts, replay};
//! use gipf_train::{Decision, Effort, PlayedGame};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().join("games");
//! let start = GipfPosition::start(Variant::STANDARD);
//! let (mut position, mut decisions) = (start.clone(), Vec::new());
//! while let Some(action) = position.action_set().nth(0) {
//!     decisions.push(Decision {
//!         position: position.without_history(),
//!         action: action.index(),
//!         policy: vec![],
//!         root_value: None,
//!         network_value: None,
//!         effort: Effort::None,
//!         surprise: 0.0,
//!     });
//!     position.play(action)?;
//! }
//! let outcome = position.outcome().expect("nobody can act any more");
//! let game = PlayedGame { id: 7, start, decisions, outcome };
//!
//! let mut writer = DatasetWriter::create(&folder, Provenance::of(Variant::STANDARD, 1))?;
//! writer.write_game(&game)?;
//! assert_eq!(writer.finish()?.games, 1);
//!
//! let reader = DatasetReader::open(&parts(&folder)?[0])?;
//! for rows in reader.games() {
//!     let positions = replay(&rows?)?;
//!     assert_eq!(positions.len(), game.decisions.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod board;
mod card;
mod cell;
mod census;
mod column;
mod error;
mod export;
mod field;
mod held_out;
mod provenance;
mod reader;
mod rearrange;
mod replay;
mod rounding;
mod row;
mod sidecar;
#[cfg(feature = "learn")]
mod source;
mod table;
mod validate;
mod writer;

pub use census::Census;
pub use error::DatasetError;
pub use export::{Exported, export_npz};
pub use held_out::is_held_out;
pub use provenance::{LICENCE, Provenance};
pub use reader::{DatasetReader, Games, Rows, files_of, parts};
pub use rearrange::{Duplicates, Merged, merge, split};
pub use replay::{ReplayError, played_game, replay};
pub use row::Row;
#[cfg(feature = "learn")]
pub use source::Source;
pub use validate::{Validation, validate};
pub use writer::{DatasetWriter, Summary};

/// The most rows of one row group of a file.
pub const ROW_GROUP_ROWS: usize = 1 << 16;
/// The version of the columns and of the metadata; it grows with every change.
pub const SCHEMA_VERSION: u32 = 2;
