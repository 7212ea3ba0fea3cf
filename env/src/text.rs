//! Texts as messages show them: what somebody else wrote, cut and made harmless.

/// Returns the beginning of a text, at most so many characters of it, fit for a message of one line: what a terminal
/// would obey is escaped.
///
/// ```
/// assert_eq!(gipf_env::text::excerpt("e1-e4\n", 10), "e1-e4\\n");
/// assert_eq!(gipf_env::text::excerpt("tournament", 4), "tour…");
/// ```
pub fn excerpt(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).flat_map(char::escape_debug).collect();
    if text.chars().nth(most).is_some() { format!("{start}…") } else { start }
}
