//! Environment variables for the tests: they ask for longer forms, other seeds, or rewritten files.

use std::str::FromStr;

/// Returns the number in a variable; none if it is not set.
///
/// # Panics
/// If the variable is not such a number: a typo must not be taken for an unset variable.
pub fn number<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")))
}

/// Returns whether files that the tests compare with are to be rewritten.
pub fn writes() -> bool {
    std::env::var_os("GIPF_WRITE").is_some()
}
