//! Tests that need more than one file or package: laws, conformance, sentences of the rules, search, training, tidiness.
//!
//! One binary, so that it links once. Each topic is a module; `tidy` notices a file that is not listed here.

mod cli;
mod conformance;
mod gpn;
mod perft;
