//! Why a question of the page has no answer.

use gipf_env::notation::record::RecordError;
use gipf_env::rules::InvalidPosition;
use gipf_env::{GpnError, IllegalAction};
use gipf_play::analysis::AnalysisError;
use gipf_play::players::AgentError;
use gipf_play::reading::UnreadGame;

/// A question of the page has no answer.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The start of a game is not a position.
    #[error("start: {0}")]
    Start(#[from] GpnError),
    /// The start of a game is an impossible position.
    #[error("start: {0}")]
    Impossible(#[from] InvalidPosition),
    /// There is no such rule set.
    #[error("{0}")]
    Variant(String),
    /// A game has more actions than any that is played.
    #[error("{found} actions: expected at most {most}", most = crate::game::MOST)]
    Long {
        /// Their number.
        found: usize,
    },
    /// A game is too long to be written as a page.
    #[error("{found} actions: expected at most {most} in a page")]
    LongFile {
        /// Their number.
        found: usize,
        /// The most.
        most: usize,
    },
    /// There is no action of this number.
    #[error("action {number}: {action} does not exist")]
    Unknown {
        /// The place of the action in the game, from 1.
        number: usize,
        /// The number of the action.
        action: u16,
    },
    /// An action cannot be played.
    #[error("action {number}: {why}")]
    Illegal {
        /// The place of the action in the game, from 1.
        number: usize,
        /// Why it cannot be played.
        why: IllegalAction,
    },
    /// The game is over.
    #[error("the game is over: nobody can move")]
    Over,
    /// There is no such player.
    #[error("no player of this name: expected one of those offered")]
    Player,
    /// The program was started with nothing to look at.
    #[error("nothing to look at: expected a run, a ladder or a dataset when the program is started")]
    Shelf,
    /// An item that was listed cannot be opened.
    #[error("{0}")]
    Shown(String),
    /// A player cannot play this rule set.
    #[error("{0}")]
    Agent(#[from] AgentError),
    /// A game could not be analysed.
    #[error("{0}")]
    Analysis(#[from] AnalysisError),
    /// A text is not a record.
    #[error("{0}")]
    Unread(#[from] UnreadGame),
    /// A game cannot be expressed in turns.
    #[error("{0}")]
    Record(#[from] RecordError),
}
