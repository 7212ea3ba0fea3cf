//! Material to learn from: puzzles of a game, proofs of positions, games as files of their own.

use std::time::Duration;

use gipf_env::notation::record::Record;
use gipf_env::{Action, GipfPosition};
use gipf_play::Stop;
use gipf_play::analysis::{Puzzle, PuzzleConfig, find_puzzles, puzzle_set};
use gipf_play::exact::proof::{Decision, Game, Proof, ProofLimits, prove};
use gipf_play::players::Contender;
use serde::Serialize;

use crate::error::BoardError;
use crate::line::told;

/// The limits of a proof while somebody waits.
const LIMITS: ProofLimits = ProofLimits { time: Some(Duration::from_mins(1)), nodes: None, memory: 200_000_000 };
/// The most nodes of the first look at a position for puzzles.
const NODES: u64 = 2000;

/// A position with one good turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exercise {
    /// Position text.
    pub start: String,
    /// The turn to be found, in complete notation.
    pub turn: String,
    /// The turns that are expected after it.
    pub then: String,
    /// How hard it is to find, 1 to 5.
    pub difficulty: u8,
}

/// What is proven about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// `white`, `black` or `draw`; none if it is not decided.
    pub result: Option<&'static str>,
    /// Whether White and Black can force a win; none where it is not known.
    pub wins: [Option<bool>; 2],
    /// The turns of the win, if no win is faster and no defence longer.
    pub fastest: Option<usize>,
    /// Best play, as far as it is known.
    pub line: Vec<u16>,
    /// The same in words.
    pub line_text: String,
    /// The positions visited.
    pub nodes: u64,
    /// The time taken (seconds).
    pub seconds: f64,
}

impl Solution {
    /// Proves who wins a position, within a minute.
    pub(crate) fn of(position: &GipfPosition, stop: &Stop) -> Self {
        Self::new(position, &prove(&Game::gipf(), position, LIMITS, stop))
    }

    fn new(position: &GipfPosition, proof: &Proof<Action>) -> Self {
        let word = |decision| match decision {
            Decision::Wins(gipf_env::Player::White) => "white",
            Decision::Wins(gipf_env::Player::Black) => "black",
            Decision::Draw => "draw",
        };
        Self {
            result: proof.decision().map(word),
            wins: proof.wins,
            fastest: proof.fastest,
            line: proof.line.iter().map(|action| action.index().0).collect(),
            line_text: told(position, &proof.line),
            nodes: proof.nodes,
            seconds: proof.seconds,
        }
    }
}

/// Finds the puzzles of a game.
pub(crate) fn exercises(
    record: &Record,
    analyst: &Contender<GipfPosition>,
    nodes: u32,
    stop: &Stop,
) -> Result<Vec<Exercise>, BoardError> {
    let config = PuzzleConfig { nodes: u64::from(nodes).clamp(8, NODES), ..PuzzleConfig::default() };
    Ok(find_puzzles(record, analyst, &config, stop)?.iter().map(exercise).collect())
}

/// Returns the puzzles that come with the program for a rule set, the easiest first; none if there are none.
pub(crate) fn posed(variant: &str) -> Vec<Exercise> {
    variant.parse().ok().and_then(puzzle_set).unwrap_or_default().iter().map(exercise).collect()
}

fn exercise(puzzle: &Puzzle) -> Exercise {
    let (turn, then) = puzzle.line.split_first().map_or_else(Default::default, |(turn, then)| (turn.clone(), then));
    let start = puzzle.setup.to_string();
    Exercise { start, turn, then: then.join(" "), difficulty: puzzle.difficulty }
}
