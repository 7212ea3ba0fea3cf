//! Games of self-play as Parquet files: one row for each decision, for any program that learns from them.
//!
//! A dataset is a directory of files `games-00000.parquet`, `games-00001.parquet`, … The rows of a game stand together,
//! in the order of play, and are never split over files. Everything else has names that Parquet libraries ignore:
//!
//! ```text
//! DIR/games-00000.parquet
//! DIR/_text/games-00000.txt    the same games in official notation
//! DIR/_README.md               describes them; what a hub wants to be called README.md
//! DIR/_manifest.json           names the files, with their checksums, and states whether any are missing; written last
//! DIR/_lock                    keeps two programs from writing at once
//! ```
//!
//! A writer that was killed, or stopped, leaves a partial dataset. Readers refuse it unless it is
//! [accepted](Accepted); giving the rest of the games to a new writer of the same [`Plan`] results in the same bytes
//! as if nothing had happened.
//!
//! A row is small: 16 bytes with the search's policy. Columns that follow from the start and the actions of a game
//! are left out, or kept to spare readers the rules; [`replay`] compares them all. Policies are rounded to 1/255,
//! values to 1/127.
//!
//! ```
//! use gipf_env::{GipfPosition, Position, Variant};
//! use gipf_train::Existing;
//! use gipf_train::dataset::{DatasetReader, DatasetWriter, Plan, Provenance, parts, replay};
//! use gipf_train::training::{Decision, PlayedGame};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().join("games");
//! let start = GipfPosition::start(Variant::STANDARD);
//! let (mut position, mut decisions) = (start.clone(), Vec::new());
//! while let Some(action) = position.action_set().nth(0) {
//!     decisions.push(Decision::unsearched(&position, action.index()));
//!     position.play(action)?;
//! }
//! let outcome = position.outcome().expect("nobody can act any more");
//! let game = PlayedGame { id: 7, start, decisions, outcome };
//!
//! let plan = Plan::new("example", Provenance::of(Variant::STANDARD, 1));
//! let mut writer = DatasetWriter::create(&folder, plan, Existing::Refused)?;
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

mod batches;
mod board;
mod card;
mod cell;
mod census;
mod column;
mod decisions;
mod error;
mod export;
mod field;
mod files;
mod folder;
mod headers;
mod held_out;
mod licence;
mod manifest;
mod ordered;
mod pages;
mod part;
mod plan;
mod provenance;
mod reader;
mod rearrange;
mod replay;
mod rounding;
mod row;
mod sidecar;
mod source;
mod summary;
mod table;
mod validate;
mod writer;

pub use batches::{BatchPlan, SampleBatches};
pub use census::Census;
pub use error::{DatasetError, ReplayError};
pub use export::{ARRAYS, Exported, export_npz};
pub use files::{Accepted, DataFile, files_of, parts};
pub use held_out::is_held_out;
pub use licence::{NoLicence, UNSTATED, licence};
pub use ordered::OrderedWriter;
pub use plan::Plan;
pub use provenance::{LICENCE, Provenance};
use reader::survey;
pub use reader::{DatasetReader, Games, Rows};
pub use rearrange::{Destination, Duplicates, Merged, merge, split};
pub use replay::{played_game, replay};
pub use row::Row;
pub use source::Source;
pub use summary::Summary;
pub use validate::{Validation, validate};
pub use writer::DatasetWriter;

/// The most rows of one row group of a file.
pub const ROW_GROUP_ROWS: usize = 1 << 16;
/// The version of the columns and of the metadata; it increases with every change.
pub const SCHEMA_VERSION: u32 = 2;
