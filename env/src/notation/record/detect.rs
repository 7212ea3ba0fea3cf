//! The notation of a text, from its contents.

use crate::geometry::Point;
use crate::text::with_hyphens;

use super::Family;
use super::scan::{julio_header, split_result};

/// Returns the notation that a text looks like.
pub fn family(text: &str) -> Family {
    let text = &with_hyphens(text);
    let (turns, _) = split_result(text);
    let mut words = turns.split_whitespace().map(without_number).filter(|word| !word.is_empty());
    if julio_header(text).is_some() {
        Family::Julio
    } else if turns.contains([';', '/', ',', '(', '-']) {
        Family::Official
    } else if text.contains('½') || words.any(is_of_julio) {
        Family::Julio
    } else {
        Family::Official
    }
}

/// Returns a word without the number of the move before it.
fn without_number(word: &str) -> &str {
    word.trim_start_matches(|character: char| character.is_ascii_digit()).strip_prefix('.').unwrap_or(word)
}

/// Returns whether a word is a dot, or has a mark or a star: the official notation has none of them alone.
fn is_of_julio(word: &str) -> bool {
    let word = word.trim_start_matches('G').trim_end_matches(['!', '?']);
    let (place, marked) = word.split_once('X').map_or((word, false), |(place, _)| (place, true));
    let (name, star) = place.strip_suffix('*').map_or((place, false), |name| (name, true));
    let Ok(point) = name.parse::<Point>() else { return false };
    marked || star || point.dot().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notation_is_known_by_what_only_it_has() {
        for text in
            ["1. e2 e8", "1.Ge2/Gd1-f2", "1. Ge2 Gd1-f2", "e2 (11)\ne8 (11)", "x;e2", "", "1. e2 X", "1. e1-e2 e8 ½-½"]
        {
            assert_eq!(family(text), Family::Official, "{text}");
        }
        for text in
            ["Basic\n1. d2", "1. d2 e1*", "1. d2 e1", "1. d2 e8 ½–½", "1. d2 e1 1/2-1/2", "1.d2 e9Xg4", "12. e2 b6X"]
        {
            assert_eq!(family(text), Family::Julio, "{text}");
        }
    }
}
