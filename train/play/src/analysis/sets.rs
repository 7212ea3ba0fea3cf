//! The puzzles that come with the program: `scripts/make-puzzles` finds them in games of the networks.

use gipf_env::Variant;
use gipf_models::{Shipped, shipped};

use super::Puzzle;

/// Returns the puzzles of a rule set, the easiest first; none for those without.
///
/// ```
/// use gipf_env::Variant;
///
/// let puzzles = gipf_play::analysis::puzzle_set(Variant::STANDARD).expect("there are some of each official game");
/// assert_eq!(puzzles[0].difficulty, 1);
/// assert!(gipf_play::analysis::puzzle_set(Variant::PUSH_OFF).is_none());
/// ```
pub fn puzzle_set(variant: Variant) -> Option<Vec<Puzzle>> {
    let text = str::from_utf8(puzzle_file(variant)?.bytes()).expect("the puzzles that come with the program are text");
    Some(text.lines().map(|line| line.parse().expect("the puzzles that come with the program are sound")).collect())
}

/// Returns the file of the puzzles of a rule set; none for those without.
pub fn puzzle_file(variant: Variant) -> Option<Shipped> {
    match &*variant.to_string() {
        "basic" => Some(shipped!("puzzles-basic.txt", "sets/basic.txt")),
        "standard" => Some(shipped!("puzzles-standard.txt", "sets/standard.txt")),
        "tournament" => Some(shipped!("puzzles-tournament.txt", "sets/tournament.txt")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_official_game_has_sound_puzzles_of_all_difficulties() {
        for variant in [Variant::BASIC, Variant::STANDARD, Variant::TOURNAMENT] {
            let puzzles = puzzle_set(variant).unwrap();
            assert_eq!(puzzles.len(), 300, "{variant}");
            let positions: HashSet<_> = puzzles.iter().map(|puzzle| puzzle.setup.to_string()).collect();
            let difficulties: HashSet<_> = puzzles.iter().map(|puzzle| puzzle.difficulty).collect();
            assert_eq!((positions.len(), difficulties.len()), (300, 5), "{variant}");
            for puzzle in &puzzles {
                assert_eq!(puzzle.setup.variant, variant);
                assert!(puzzle.value >= 0.0 && puzzle.next <= puzzle.value - 0.299, "{puzzle}");
                assert_eq!(puzzle.is_solved_by(&puzzle.line[0]), Ok(true), "{puzzle}");
            }
        }
    }
}
