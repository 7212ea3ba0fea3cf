//! Tests that need more than one file or package: laws, conformance, the rules, search, training, tidiness.
//!
//! There is one binary, so that linking happens once. Each topic is a folder, each question a file in it.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests read their surroundings, make files, and show what they count"
)]

#[expect(unsafe_code, reason = "an allocator")]
mod allocations;
mod cli;
#[cfg(feature = "dataset")]
mod dataset;
mod drawn;
mod environment;
mod fuzz;
mod matches;
mod notation;
mod random;
mod recorded;
mod rules;
mod search;
mod slow;
mod tidy;
mod training;
mod wishes;
