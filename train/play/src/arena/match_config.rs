//! The settings of a match, and its openings.

use std::sync::Arc;

use gipf_env::rules::SetupError;
use gipf_env::{GipfPosition, PLACEMENT_LIMIT, Variant};

use crate::GameConfig;
use crate::Stop;

use super::book::{Book, BookError};
use super::openings::{Draw, Opening, OpeningsError, drawn_openings};
use super::sprt::Sprt;
use super::time_control::TimeControl;

/// The settings of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchConfig {
    /// The rule set.
    pub variant: Variant,
    /// The number of pairs of games, each pair from its own opening; with a test, the largest number.
    pub pairs: usize,
    /// Where the openings come from. Default: four turns at random.
    pub openings: OpeningSource,
    /// The placements after which a game is cut off and counts as a draw. Default: 400.
    pub placement_limit: u16,
    /// ZÈRTZ-potentials of each player where the rule set has them, 3 to 6; none for 3.
    pub potentials: Option<u8>,
    /// The seed of openings and agents.
    pub seed: u64,
    /// A test that ends the match when its result is clear, if there is one.
    pub sprt: Option<Sprt>,
    /// The time of each agent, if the games are played by the clock.
    pub clock: Option<TimeControl>,
}

/// The source of the openings of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum OpeningSource {
    /// Random turns.
    Random {
        /// The number of turns.
        turns: usize,
    },
    /// A book of balanced openings.
    Book(Arc<Book>),
}

impl MatchConfig {
    /// Creates a match with the defaults.
    pub const fn new(variant: Variant, pairs: usize) -> Self {
        let openings = OpeningSource::Random { turns: 4 };
        Self {
            variant,
            pairs,
            openings,
            placement_limit: PLACEMENT_LIMIT,
            potentials: None,
            seed: 0,
            sprt: None,
            clock: None,
        }
    }

    /// Returns the openings of the pairs. After a stop, returns those found before it.
    pub(super) fn draw(&self, stop: &Stop) -> Result<Vec<Opening<GipfPosition>>, MatchError> {
        Ok(match &self.openings {
            &OpeningSource::Random { turns } => {
                drawn_openings(&self.start()?, Draw { turns, count: self.pairs, seed: self.seed }, stop)?
            }
            OpeningSource::Book(_) if self.potentials.is_some() => return Err(MatchError::PotentialsOfBook),
            OpeningSource::Book(book) => book.openings(self.pairs, self.placement_limit, self.seed)?,
        })
    }

    /// Returns the position before the opening.
    fn start(&self) -> Result<GipfPosition, SetupError> {
        let Self { variant, placement_limit, potentials, .. } = *self;
        let setup = GameConfig { variant, placement_limit, potentials }.setup()?;
        Ok(GipfPosition::from_setup(&setup).expect("the start of a game is a valid position"))
    }
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// There are no games.
    #[error("no games: expected at least one pair")]
    NoGames,
    /// The rule set does not have a setting.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// There are too few openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The games of a book begin with the usual potentials.
    #[error("potentials with openings from a book, whose games begin with the usual ones: expected one of the two")]
    PotentialsOfBook,
    /// The book has too few openings, or too long ones.
    #[error(transparent)]
    Book(#[from] BookError),
}
