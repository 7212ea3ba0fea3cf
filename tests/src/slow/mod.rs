//! A second implementation of the rules, slow and plain, written from the text of the rules alone.
//!
//! It shares no code with the rules that it is compared with, and none of their ideas: points have names, lines are
//! walked step by step, rows are looked for on every line, and nothing is stored that can be recomputed. Where both
//! implementations agree, a mistake would have to be made twice.

mod actions;
mod against_fast;
pub mod geometry;
mod perft;
mod piece;
mod position;
mod push_off;
mod removal;
mod rule_set;
mod starts;
mod text;
mod turn;
mod view;

pub use actions::{JUMP, KEEP, LEAVE, LINE, PUSH_GIPF, PUSH_LOADED, REMOVE, TAKE};
pub use piece::Colour;
pub use position::{Phase, SlowPosition};
pub use rule_set::{Game, RuleSet, Settings};
