//! Benchmarks only; see `parts.rs`.
