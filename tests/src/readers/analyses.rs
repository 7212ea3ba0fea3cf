//! The laws of what was found about games: comments in records, and puzzles.

use gipf_env::notation::ReadError;
use gipf_env::notation::record::{self, Source};
use gipf_play::TaggedGame;
use gipf_play::analysis::Puzzle;
use gipf_play::analysis::comments::{self, CommentError};

use super::{accepted, as_text};

/// A record with an analysis in its comments: when written again, an accepted analysis reads the same.
pub fn analyses(input: &[u8]) -> bool {
    let text = as_text(input);
    let mut is_any = false;
    for game in TaggedGame::all_of(&text).iter().take(3) {
        let Ok(reading) = record::read(game.turns(), &Source::default()) else { continue };
        let Some(Some(analysis)) = accepted(comments::read(&reading.record, game.comments())) else { continue };
        let written = comments::write(&analysis).expect("what was read has a notation");
        match comments::read(&reading.record, written.iter().map(String::as_str)) {
            Ok(again) => assert_eq!(again, Some(analysis), "{written:?}"),
            // A few turns with potentials have no unambiguous text.
            Err(CommentError::Turn { why, .. }) if matches!(*why, ReadError::Ambiguous { .. }) => {}
            Err(error) => panic!("{error}: {written:?}"),
        }
        is_any = true;
    }
    is_any
}

/// One puzzle on each line: when written again, an accepted puzzle reads the same, and its turn solves it.
pub fn puzzles(input: &[u8]) -> bool {
    let text = as_text(input);
    let found: Vec<_> = text.lines().take(20).filter_map(|line| accepted(line.parse::<Puzzle>())).collect();
    for puzzle in &found {
        let again = puzzle.to_string().parse::<Puzzle>();
        let is_clear = !puzzle.setup.variant.has_zertz();
        assert!(again.as_ref() == Ok(puzzle) || !is_clear, "{puzzle}: {again:?}");
        assert!(puzzle.is_solved_by(&puzzle.line[0]) == Ok(true) || !is_clear, "{puzzle}");
    }
    !found.is_empty()
}
