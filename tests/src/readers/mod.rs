//! Every reader of bytes that anybody may have written, each with its law.
//!
//! A law takes any bytes at all. What is refused is refused in one line, and what is accepted makes sense: it can be played
//! on, and written again it reads the same. The tests hold every law against small changes of good inputs and against all
//! inputs that have ever shown a fault; `scripts/hostile/fuzz.py` searches for inputs that reach new code.

pub mod analyses;
pub mod files;
pub mod games;
pub mod pairs;
pub mod program;
pub mod shards;

/// A reader, by its law.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// What it reads; so its corpus and its target are called.
    pub name: &'static str,
    /// Holds the law against an input, and returns whether the reader accepted it.
    ///
    /// # Panics
    /// If the law is broken.
    pub law: fn(&[u8]) -> bool,
}

/// All readers.
pub const READERS: &[Reader] = &[
    Reader { name: "positions", law: games::positions },
    Reader { name: "official", law: games::official },
    Reader { name: "julio", law: games::julio },
    Reader { name: "records", law: games::records },
    Reader { name: "tags", law: games::tags },
    Reader { name: "analyses", law: analyses::analyses },
    Reader { name: "puzzles", law: analyses::puzzles },
    Reader { name: "decisions", law: games::decisions },
    Reader { name: "protocol", law: program::protocol },
    Reader { name: "engine", law: program::engine },
    Reader { name: "check", law: program::check },
    Reader { name: "settings", law: program::settings },
    Reader { name: "agents", law: program::agents },
    Reader { name: "books", law: program::books },
    Reader { name: "ladders", law: program::ladders },
    Reader { name: "checkpoints", law: files::checkpoints },
    Reader { name: "pairs", law: pairs::pairs },
    Reader { name: "shards", law: shards::shards },
    Reader { name: "specifications", law: shards::specifications },
    #[cfg(feature = "dataset")]
    Reader { name: "datasets", law: files::datasets },
];

/// Returns what was accepted; a refusal has one line that a terminal shows as it is, with only a piece of what was read.
fn accepted<T, E: std::error::Error>(result: Result<T, E>) -> Option<T> {
    result.map_err(|error| assert_is_one_line(&error.to_string())).ok()
}

/// At most 2000 characters are shown of what was read; escaped, each can take ten.
fn assert_is_one_line(message: &str) {
    assert!(!message.contains(char::is_control) && message.chars().count() < 21_000, "{message:?}");
}

fn as_text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}
