//! Who plays whom, by which rules, and what the results say about strength.

pub mod arena;
mod book;
mod clocked;
mod ladder;
mod players;
pub mod protocol;
mod referee;
mod resumed;
