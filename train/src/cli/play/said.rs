//! What a game's file says besides the game: names, tags and comments by others, which are kept when the game is resumed.

use gipf_env::Action;
use gipf_play::analysis::comments;
use gipf_play::arena::TERMINATION;
use gipf_play::{TaggedGame, writing};

/// What a file says besides the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    tags: Vec<(String, String)>,
    comments: Vec<String>,
    /// The decisions that it refers to.
    actions: Vec<Action>,
    /// The result that it refers to.
    result: &'static str,
}

impl Said {
    /// Returns what a game's text says besides these decisions and this result.
    pub fn of(game: &TaggedGame, actions: &[Action], result: &'static str) -> Self {
        let comments = game.comments().map(str::to_owned).collect();
        let mut game = game.clone();
        writing::forget_start(&mut game);
        let tags = game.tags().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { tags, comments, actions: actions.to_vec(), result }
    }

    /// Returns the value of the first tag of a name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Returns a game of these decisions and this result with the tags and comments that still hold: the reason why it
    /// ended, and an analysis, are kept only if nothing has changed.
    pub fn add_to(&self, game: TaggedGame, actions: &[Action], result: &str) -> TaggedGame {
        let is_same = (actions, result) == (self.actions.as_slice(), self.result);
        let is_own = |name: &str| game.value(name).is_some() || (!is_same && name.eq_ignore_ascii_case(TERMINATION));
        let tags: Vec<_> = self.tags.iter().filter(|(name, _)| !is_own(name)).cloned().collect();
        let all = self.comments.iter().map(String::as_str);
        let comments = if is_same { all.collect() } else { comments::others(all) };
        let game = game.with_comments(comments.into_iter().map(str::to_owned));
        tags.into_iter().fold(game, |game, (name, value)| game.with(&name, value))
    }
}
