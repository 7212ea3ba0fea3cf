//! What those who run the tests ask of them by the environment: longer forms, other seeds, files written anew.

use std::str::FromStr;

/// Returns the number that a variable asks for; none if it is not set.
///
/// # Panics
/// If it is no such number: a slip is not taken for a wish for nothing.
pub fn number<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")))
}

/// Returns whether files that the tests compare with are to be written anew.
pub fn writes() -> bool {
    std::env::var_os("GIPF_WRITE").is_some()
}
