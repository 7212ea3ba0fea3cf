//! Text for people: foreign text in one-line messages, and words wrapped into lines.

use std::fmt::Display;

/// Returns the beginning of a text, fit for a one-line message: cut after this many characters, then escaped.
///
/// As in Rust's strings, non-printing characters, quotation marks and backslashes are escaped; each then takes up to
/// ten characters, so the result may be longer.
///
/// ```
/// assert_eq!(gipf_env::text::truncate_escaped("e1-e4\n", 10), "e1-e4\\n");
/// assert_eq!(gipf_env::text::truncate_escaped("it's", 3), r"it\'…");
/// assert_eq!(gipf_env::text::truncate_escaped("tournament", 4), "tour…");
/// ```
pub fn truncate_escaped(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).flat_map(char::escape_debug).collect();
    if text.chars().nth(most).is_some() { format!("{start}…") } else { start }
}

/// Wraps words into lines of at most `width` characters, with the text `between` between the words of a line.
///
/// ```
/// assert_eq!(gipf_env::text::wrapped(["1.e1-e4", "d1-d3", "2.c1-c3"], " ", 14), ["1.e1-e4 d1-d3", "2.c1-c3"]);
/// ```
pub fn wrapped<S: AsRef<str>>(words: impl IntoIterator<Item = S>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = word.as_ref();
        match lines.last_mut() {
            Some(line) if line.chars().count() + between.chars().count() + word.chars().count() <= width => {
                line.extend([between, word]);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The character with which some editors begin a file.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the text of a file without a byte-order mark before it.
///
/// ```
/// assert_eq!(gipf_env::text::without_mark("\u{feff}e2"), "e2");
/// ```
pub fn without_mark(text: &str) -> &str {
    text.trim_start_matches(BYTE_ORDER_MARK)
}

/// Returns a text with hyphens in place of what word processors make of them: a dash of any length, a minus sign,
/// or a hyphen of its own, also one at which no line is broken.
pub(crate) fn with_hyphens(text: &str) -> String {
    text.replace(['–', '—', '−', '\u{2010}', '\u{2011}', '\u{2012}'], "-")
}

/// Returns the beginning of a foreign text for a message, without quotation marks around it.
pub(crate) fn excerpt(text: &str) -> String {
    truncate_escaped(text, 60)
}

/// Returns the first items of a list of `count`, and how many more there are; without a count it is too long to be counted.
pub(crate) fn listed(items: impl IntoIterator<Item = impl Display>, count: impl Into<Option<usize>>) -> String {
    let mut list: Vec<_> = items.into_iter().take(MOST_LISTED).map(|item| item.to_string()).collect();
    match count.into().map(|count| count.saturating_sub(list.len())) {
        Some(0) => {}
        Some(more) => list.push(format!("and {more} more")),
        None => list.push("and many more".to_owned()),
    }
    list.join(", ")
}

/// The most items that a list shows.
const MOST_LISTED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_lists_are_cut() {
        assert_eq!(excerpt("e2\n"), "e2\\n");
        assert_eq!(excerpt(&"x".repeat(100)).chars().count(), 61);
        assert_eq!(listed(0..30, 30), "0, 1, 2, 3, 4, 5, 6, 7, and 22 more");
        assert_eq!(listed(["e2"], 1), "e2");
        assert_eq!(listed(["e2"], None), "e2, and many more");
    }
}
