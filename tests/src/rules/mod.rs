//! The rules: their single sentences, laws, recorded games, and counts of games.

mod conformance;
mod draws;
mod ends;
mod faq;
pub mod laws;
pub mod perft;
mod push_off;
mod push_off_rows;
mod removal;
mod sets;
mod turns;
mod zertz;
