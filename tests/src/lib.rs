//! What the tests of the workspace (see `main.rs`) share with `fuzz`, a workspace of its own.

pub mod readers;
