//! Tests that need more than one file or package: laws, conformance, sentences of the rules, search, training, tidiness.
//!
//! One binary, so that it links once. Each topic is a module; `tidy` notices a file that is not listed here.

mod allocations;
mod arena;
mod cli;
mod cli_agents;
mod cli_play;
mod conformance;
#[cfg(feature = "learn")]
mod dataset;
mod drawn;
mod environment;
mod exact;
mod gpn;
mod laws;
mod observation;
mod perft;
mod players;
mod random;
mod rules_draws;
mod rules_ends;
mod rules_removal;
mod rules_turns;
mod scrub;
mod search;
mod search_answers;
mod self_play;
mod slow;
mod slow_against_fast;
mod slow_starts;
mod slow_view;
mod tidy;
mod toys;
#[cfg(feature = "learn")]
mod training;
