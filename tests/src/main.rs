//! Tests that need more than one file or package: laws, conformance, the rules, search, training, tidiness.
//!
//! One binary, so that it links once. Each topic is a module; `tidy` notices a file that is not listed here.

mod agent_games;
mod allocations;
mod alpha_beta;
mod altered;
mod arena;
mod book;
mod cache;
mod canonical;
mod cli;
mod cli_agents;
mod cli_ladder;
#[cfg(feature = "learn")]
mod cli_outputs;
mod cli_play;
mod cli_record;
mod cli_solve;
mod cli_threads;
#[cfg(feature = "learn")]
mod cli_train;
mod clocked;
mod conformance;
#[cfg(feature = "learn")]
mod dataset;
#[cfg(feature = "learn")]
mod dataset_care;
#[cfg(feature = "learn")]
mod dataset_killed;
#[cfg(feature = "learn")]
mod dataset_manifest;
mod drawn;
mod engine;
mod engine_answers;
mod environment;
mod exact;
mod external;
mod faq;
#[cfg(feature = "learn")]
mod fit;
mod fuzz;
mod gpn;
mod ladder;
mod laws;
mod notation_julio;
mod notation_official;
mod notation_record;
mod notation_refused;
mod observation;
mod perft;
mod players;
#[cfg(feature = "learn")]
mod promotion;
mod protocol;
mod random;
mod recorded;
mod referee;
mod rules_draws;
mod rules_ends;
mod rules_push_off;
mod rules_push_off_rows;
mod rules_removal;
mod rules_sets;
mod rules_turns;
mod rules_zertz;
#[cfg(feature = "learn")]
mod runs_begun;
mod scrub;
mod search;
mod search_answers;
mod self_play;
mod slow;
mod slow_against_fast;
mod slow_starts;
mod slow_view;
mod small_gipf;
mod solved;
#[cfg(feature = "learn")]
mod solved_network;
mod tidy;
mod toys;
#[cfg(feature = "learn")]
mod training;
