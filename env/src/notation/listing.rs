//! Somebody's text, and lists of what would have been right, in messages of one line.

use crate::text::excerpt;

/// Returns a piece of somebody's text for a message.
pub(super) fn quoted(text: &str) -> String {
    excerpt(text, 60)
}

/// Returns the first texts of a list of `count`, and how many more there are.
pub(super) fn listed(texts: impl IntoIterator<Item = String>, count: usize) -> String {
    let mut list: Vec<_> = texts.into_iter().take(MOST_LISTED).collect();
    let more = count.saturating_sub(list.len());
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

/// As many as a person reads.
const MOST_LISTED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_lists_are_cut() {
        assert_eq!(quoted("e2\n"), "e2\\n");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 61);
        let numbers = (0..30).map(|number| number.to_string());
        assert_eq!(listed(numbers, 30), "0, 1, 2, 3, 4, 5, 6, 7, and 22 more");
        assert_eq!(listed(["e2".to_owned()], 1), "e2");
    }
}
