//! The analysis of a game, turn by turn: values, best turns, mistakes, accuracy, turning points, and the end of the
//! book.
//!
//! [`analyse`] lets an agent think about every position of a record, in parallel on all threads, and [`Analysis::of`]
//! draws the conclusions; [`comments`] keeps the results in the record itself.
//!
//! # Values
//! A value is the result expected for **White**, from -1 (Black wins) to +1 (White wins), in thousandths. The value of
//! a turn is that of the position in which its player first had a choice, if both play their best from there; a
//! position in which nobody has a choice has the value of what follows it. A result that the rules or a search prove is
//! exactly 1, 0 or -1.
//!
//! # Mistakes
//! The loss of a turn is the drop of its player's expected result, from before the turn to after it, where a separate
//! search gives the value. A turn without a choice, and the turn that the search itself would have played, lose
//! nothing. [`Severity`] has the thresholds, [`accuracy`] the formula.
//!
//! ```
//! use gipf_env::notation::record::{self, Source};
//! use gipf_play::Stop;
//! use gipf_play::analysis::{Effort, Work, analyse};
//! use gipf_play::players::AgentSpec;
//!
//! let record = record::read("1.d2/b3 2.c2/b4 1-0", &Source::default())?.record;
//! let analyst = "alpha-beta:2".parse::<AgentSpec>()?.contender(record.variant())?;
//! let work = Work { effort: Effort::default(), progress: &|_| (), stop: &Stop::default() };
//! let analysis = analyse(&record, &analyst, &work)?;
//! assert_eq!(analysis.turns.len(), 4);
//! assert!(analysis.turns.iter().all(|turn| turn.candidates.len() == 3 && turn.loss >= 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyst;
pub mod comments;
mod game;
mod left_book;
mod look;
mod puzzles;
mod search;
mod sets;
mod severity;
mod text;
mod turns;

pub use analyst::{analyst, default_analyst};
pub use game::{AnalysedTurn, Analysis, PlayerSummary, TurningPoint};
pub use look::{Known, Look, LookedAt};
pub use puzzles::{Puzzle, PuzzleConfig, PuzzleError, find_puzzles, spread};
pub use search::{AnalysisError, Effort, Work, analyse};
pub use sets::{puzzle_file, puzzle_set};
pub use severity::{LEAD, Severity, accuracy};
