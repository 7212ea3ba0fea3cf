//! What the tests of this workspace (see `main.rs`) share with `fuzz`, which is a separate workspace.

pub mod readers;
