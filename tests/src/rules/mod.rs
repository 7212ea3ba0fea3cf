//! The rules: single sentences of them, laws, recorded games, counted ones.

mod conformance;
mod draws;
mod ends;
mod faq;
mod laws;
pub mod perft;
mod push_off;
mod push_off_rows;
mod removal;
mod sets;
mod turns;
mod zertz;
