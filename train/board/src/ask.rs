//! The language of the page.

use gipf_env::Player;
use gipf_env::notation::record::Conclusion;
use gipf_play::analysis::{Analysis, comments};
use serde::{Deserialize, Serialize};

use crate::game::GameText;
use crate::geometry::BoardLines;
use crate::opponents::Opponent;
use crate::record::Said;
use crate::report::Remark;
use crate::shelf::{Item, Shown};
use crate::study::{Exercise, Solution};
use crate::thinking::Thoughts;
use crate::view::View;

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// What is available: the board, the rule sets, the players.
    Hello {},
    /// How a game stands.
    Look {
        /// The game.
        game: GameText,
    },
    /// What a player does in the turn that is due: all its decisions.
    Move {
        /// The game.
        game: GameText,
        /// The name of the player, one of those offered.
        player: String,
        /// The seed of its choices.
        seed: u32,
    },
    /// What a player thinks of a position; reported again and again until it is stopped, or its time is over.
    Analyse {
        /// The game.
        game: GameText,
        /// The name of the player, one of those offered.
        player: String,
        /// The simulations, or the positions to visit, all at once: then only the seconds depend on the machine.
        #[serde(default)]
        nodes: Option<u32>,
    },
    /// The value of each turn of a game, according to a player.
    Review {
        /// The game.
        game: GameText,
        /// Who resigned, if anybody did.
        #[serde(default)]
        resigned: Option<Player>,
        /// The name of the player, one of those offered.
        player: String,
        /// The positions to visit in each turn.
        nodes: u32,
    },
    /// The game in a record, of either notation, or in a position text.
    Read {
        /// The record.
        text: String,
    },
    /// The record of a game.
    Write {
        /// The game.
        game: GameText,
        /// Who resigned, or was out of time, if anybody did.
        #[serde(default)]
        resigned: Option<Player>,
        /// Whether that player was out of time.
        #[serde(default)]
        out_of_time: bool,
        /// The comments of its review, to be kept in the record.
        #[serde(default)]
        comments: Vec<String>,
        /// What its record said besides the turns, if it was read from one, as long as it is that game or goes on from
        /// its end.
        #[serde(default)]
        said: Said,
    },
    /// The positions of a game in which one turn is good and all others are clearly worse, according to a player.
    Puzzles {
        /// The game.
        game: GameText,
        /// The name of the player, one of those offered.
        player: String,
        /// The positions to visit in the first look at a position.
        nodes: u32,
    },
    /// The puzzles that come with the program.
    Posed {
        /// The name of the rule set.
        variant: String,
    },
    /// Who wins a position, by proof.
    Solve {
        /// The game.
        game: GameText,
    },
    /// A game as a page of its own.
    Page {
        /// The game.
        game: GameText,
        /// What it is called.
        about: String,
        /// The remarks on its positions, the start first.
        #[serde(default)]
        remarks: Vec<Remark>,
    },
    /// The runs, ladders and datasets that there are.
    Shelf {},
    /// What one of them holds.
    Open {
        /// Its name, one of those listed.
        name: String,
        /// The stamp of the version that the page already has; while it is current, nothing is sent again.
        #[serde(default)]
        known: Option<String>,
    },
    /// A game of a dataset.
    Stored {
        /// The name of the dataset, one of those listed.
        name: String,
        /// The number of the game, from 1.
        number: u32,
    },
}

/// What the page gets as an answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// What is available.
    Hello {
        /// The places of the board.
        board: BoardLines,
        /// The rule sets.
        variants: Vec<String>,
        /// The players.
        players: Vec<Opponent>,
    },
    /// How a game stands.
    View(Box<View>),
    /// The decisions of a turn, and the expected result for White, -1 to 1, if the player has an opinion.
    Move {
        /// The numbers of the actions.
        actions: Vec<u16>,
        /// The expected result for White.
        value: Option<f32>,
    },
    /// The players think for other pages: this one waits.
    Waiting {},
    /// What a player thinks of a position.
    Thoughts(Thoughts),
    /// How far a review has got.
    Progress {
        /// The positions that are done.
        done: usize,
        /// All of them, or one less.
        all: usize,
    },
    /// What each turn of a game was worth.
    Review(Review),
    /// The game in a record.
    Game {
        /// The game.
        game: GameText,
        /// How the text was understood.
        understood: String,
        /// Who won, or `void`, if the record says so.
        conclusion: Option<String>,
        /// Whether the loser was out of time (`time`) or has resigned (`resignation`), if the record says so.
        cause: Option<&'static str>,
        /// The review that its comments keep, if they do.
        review: Option<Review>,
        /// What the record says besides the turns.
        said: Box<Said>,
    },
    /// A record.
    Record {
        /// Its text.
        text: String,
    },
    /// Positions in which one turn is good.
    Puzzles {
        /// In the order of the game; those that come with the program by difficulty.
        puzzles: Vec<Exercise>,
    },
    /// What is proven about a position.
    Solved(Solution),
    /// A self-contained page.
    Page {
        /// The page, in HTML.
        html: String,
    },
    /// The runs, ladders and datasets that there are.
    Shelf {
        /// All of them.
        items: Vec<Item>,
    },
    /// What one of them holds.
    Shown {
        /// All of it.
        #[serde(flatten)]
        shown: Shown,
        /// It differs for different content.
        stamp: String,
    },
    /// The content is still what the page knows.
    Same {},
}

impl Answer {
    /// Returns a game about which nothing else is said.
    pub(crate) fn game(game: GameText, understood: String) -> Self {
        Self::Game { game, understood, conclusion: None, cause: None, review: None, said: Box::default() }
    }
}

/// What each turn of a game was worth.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The analysis.
    pub analysis: Analysis,
    /// The same as the comments of a record; none where the rule set has no notation.
    pub comments: Vec<String>,
}

impl Review {
    /// Returns an analysis with its comments. Push-off has none.
    pub(crate) fn of(analysis: Analysis) -> Self {
        let comments = comments::write(&analysis).unwrap_or_default();
        Self { analysis, comments }
    }
}

/// Returns the word for a conclusion.
pub(crate) fn word(conclusion: Conclusion) -> String {
    match conclusion {
        Conclusion::Won(player) => player.to_string().to_lowercase(),
        Conclusion::Void => "void".to_owned(),
    }
}
