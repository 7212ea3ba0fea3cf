//! Tests that need more than one file or package: laws, conformance, sentences of the rules, search, training, tidiness.
//!
//! One binary, so that it links once. Each topic is a module; `tidy` notices a file that is not listed here.

mod allocations;
mod cli;
mod conformance;
mod environment;
mod gpn;
mod perft;
