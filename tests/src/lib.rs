//! Tests of the workspace; see `main.rs`.
