//! Every reader of untrusted bytes, each with its law.
//!
//! A law takes any bytes at all. A refusal is one line, and accepted input makes sense: it can be played on, and when
//! written again, it reads the same. The tests check every law on small changes of good inputs and on all inputs that have
//! ever shown a fault; `scripts/hostile/fuzz.py` searches for inputs that reach new code.

pub mod analyses;
pub mod files;
pub mod games;
pub mod pairs;
pub mod program;
pub mod shards;

/// A reader, given by its law.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// What it reads; its corpus and its target have the same name.
    pub name: &'static str,
    /// Checks the law on an input, and returns whether the reader accepted it.
    ///
    /// # Panics
    /// If the input breaks the law.
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

/// Returns what was accepted; a refusal must be one line that a terminal shows as it is, with only a part of the input.
fn accepted<T, E: std::error::Error>(result: Result<T, E>) -> Option<T> {
    result.map_err(|error| assert_is_one_line(&error.to_string())).ok()
}

/// A message shows at most 2000 characters of the input; escaped, each can take ten.
fn assert_is_one_line(message: &str) {
    assert!(!message.contains(char::is_control) && message.chars().count() < 21_000, "{message:?}");
}

fn as_text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}
