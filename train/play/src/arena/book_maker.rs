//! Making a book: random openings, kept if a search finds them balanced.

use std::collections::HashSet;
use std::fmt::Write as _;

use gipf_env::{GipfPosition, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::book::{key_of_opening, line_of, sealed};
use super::openings::{Opening, played_at_random};
use crate::Stop;
use crate::players::alpha_beta::{AlphaBeta, Limits, Score};

/// How a book is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookConfig {
    /// The rule set.
    pub variant: Variant,
    /// The number of openings.
    pub positions: usize,
    /// The turns of an opening, played at random. Default: 6.
    pub turns: usize,
    /// The positions that the baseline AI visits to evaluate one. Default: 200 000.
    pub nodes: u64,
    /// The largest score of a position, for either player, in hundredths of a captured basic piece. Default: 30.
    pub bound: Score,
    /// The seed of the random turns.
    pub seed: u64,
}

/// Why a book could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeBookError {
    /// Too few candidates were balanced and new.
    #[error(
        "found only {found} balanced positions among {tried}: expected {wanted}; allow larger scores or another number of turns"
    )]
    TooFew {
        /// The positions kept.
        found: usize,
        /// The candidates tried.
        tried: usize,
        /// The positions asked for.
        wanted: usize,
    },
    /// A stop was requested.
    #[error("stopped before the book was complete")]
    Stopped,
}

impl BookConfig {
    /// Returns the defaults: 256 positions.
    pub const fn new(variant: Variant) -> Self {
        Self { variant, positions: 256, turns: 6, nodes: 200_000, bound: 30, seed: 1 }
    }

    /// Returns the command that makes the book.
    fn command(&self) -> String {
        let Self { variant, positions, turns, nodes, bound, seed } = self;
        format!(
            "gipf book --variant {variant} --positions {positions} --turns {turns} --nodes {nodes} --bound {bound} \
             --seed {seed}"
        )
    }
}

/// Candidates that are evaluated in parallel; they are taken in order, so the number of threads changes nothing.
const AT_ONCE: usize = 64;
/// Candidates for each position asked for, after which making the book fails.
const MOST_TRIED: usize = 200;

/// Makes a book, and returns its text. Equal settings give equal books, on any number of threads.
///
/// `kept` is called with the number of positions found so far.
///
/// # Errors
/// If too few positions are balanced, or a stop was requested.
pub fn make_book(config: &BookConfig, kept: &dyn Fn(usize), stop: &Stop) -> Result<String, MakeBookError> {
    let start = GipfPosition::start(config.variant);
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    let (mut keys, mut lines, mut tried) = (HashSet::new(), Vec::new(), 0);
    while lines.len() < config.positions {
        if stop.requested() {
            return Err(MakeBookError::Stopped);
        }
        if tried >= MOST_TRIED * config.positions {
            return Err(MakeBookError::TooFew { found: lines.len(), tried, wanted: config.positions });
        }
        let drawn: Vec<_> = (0..AT_ONCE).map(|_| played_at_random(&start, config.turns, &mut rng)).collect();
        tried += drawn.len();
        let is_new = |opening: &Opening<GipfPosition>| {
            opening.position.outcome().is_none() && keys.insert(key_of_opening(&opening.position.to_setup()))
        };
        let new: Vec<_> = drawn.into_iter().filter(is_new).collect();
        let balanced = new.into_par_iter().filter(|opening| is_balanced(opening, config, stop));
        let found: Vec<_> = balanced.filter_map(|it| line_of(&it)).collect();
        // A search that was stopped gives no judgement.
        if stop.requested() {
            return Err(MakeBookError::Stopped);
        }
        lines.extend(found);
        kept(lines.len().min(config.positions));
    }
    lines.truncate(config.positions);
    Ok(text(config, &lines))
}

/// Evaluates the position as it will be read from the book, without the history of its opening.
fn is_balanced(opening: &Opening<GipfPosition>, config: &BookConfig, stop: &Stop) -> bool {
    let position = GipfPosition::from_setup(&opening.position.to_setup()).expect("an opening is a valid position");
    if position.outcome().is_some() {
        return false;
    }
    let limits = Limits { nodes: Some(config.nodes), ..Limits::NONE };
    let mut judge = AlphaBeta::new(limits, config.variant);
    judge.search_until(&position, stop).score.abs() <= config.bound
}

fn text(config: &BookConfig, lines: &[String]) -> String {
    let BookConfig { variant, turns, nodes, bound, .. } = config;
    let mut text = format!(
        "# Openings of {variant}: {} positions after {turns} random turns, none the image of another under the 12 \
         symmetries and\n# the exchange of colours. After looking at {nodes} positions the baseline AI gives each a score \
         of at most {bound} hundredths of a piece.\n# Made by: {}\n",
        lines.len(),
        config.command()
    );
    for line in lines {
        writeln!(text, "{line}").expect("strings can grow");
    }
    sealed(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Book;

    fn made(config: &BookConfig) -> Result<String, MakeBookError> {
        make_book(config, &|_| (), &Stop::default())
    }

    #[test]
    fn books_can_be_made_again_on_any_number_of_threads() {
        for variant in [Variant::BASIC, Variant::TOURNAMENT.with_zertz(), Variant::PUSH_OFF] {
            let config = BookConfig { positions: 6, nodes: 300, bound: 60, ..BookConfig::new(variant) };
            let [one, three] = [1, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| made(&config).unwrap())
            });
            assert_eq!(one, three);
            assert_eq!(Book::parse("made", &one).unwrap().len(), 6);
            assert_ne!(one, made(&BookConfig { seed: 2, ..config }).unwrap());
        }
    }

    #[test]
    fn a_book_that_cannot_be_filled_is_an_error() {
        let config = BookConfig { positions: 40, turns: 1, nodes: 100, ..BookConfig::new(Variant::STANDARD) };
        assert!(matches!(made(&config), Err(MakeBookError::TooFew { wanted: 40, .. })));
        let stop = Stop::default();
        stop.request();
        assert_eq!(make_book(&config, &|_| (), &stop), Err(MakeBookError::Stopped));
    }
}
