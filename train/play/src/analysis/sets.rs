//! The puzzles that come with the program: `scripts/make-puzzles` finds them in games of the networks.

use gipf_env::Variant;

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
    let text = match &*variant.to_string() {
        "basic" => include_str!("sets/basic.txt"),
        "standard" => include_str!("sets/standard.txt"),
        "tournament" => include_str!("sets/tournament.txt"),
        _ => return None,
    };
    Some(text.lines().map(|line| line.parse().expect("the puzzles that come with the program are sound")).collect())
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
