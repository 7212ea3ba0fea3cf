//! Files of games: one in a notation, or many with tags before each, as in PGN.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gipf_env::Setup;
use gipf_env::notation::record::{self, Reading, RecordError, Source};

use super::Known;
use crate::cli::Console;

/// A game of a file.
pub(super) struct Game {
    /// The file, and the number of the game in it if it has several.
    pub name: String,
    pub reading: Result<Reading, Unread>,
}

/// A game cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {why}")]
pub(super) struct Unread {
    name: String,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("tag {tag}: {why}")]
    Tag { tag: &'static str, why: String },
}

/// Larger than any collection of games that people have made.
const LARGEST: u64 = 64 << 20;

/// Reads all games of a file; - is standard input.
pub(super) fn games(path: &Path, known: &Known, console: &mut Console<'_>) -> Result<Vec<Game>> {
    let text = text_of(path, console)?;
    // Some editors begin a file with the mark of its byte order.
    let parts = parts(text.trim_start_matches('\u{feff}'));
    let count = parts.len();
    let game = |(place, part): (usize, Part<'_>)| {
        let file = path.display();
        let name = if count == 1 { file.to_string() } else { format!("{file}, game {}", place + 1) };
        let reading = part.read(known).map_err(|why| Unread { name: name.clone(), why });
        Game { name, reading }
    };
    Ok(parts.into_iter().enumerate().map(game).collect())
}

fn text_of(path: &Path, console: &mut Console<'_>) -> Result<String> {
    let named = || format!("{}: expected a readable file of games", path.display());
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        console.input.take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    if read.with_context(named)? as u64 > LARGEST {
        bail!("{} is longer than {LARGEST} bytes, expected a file of games", path.display());
    }
    String::from_utf8(bytes).ok().with_context(|| format!("{}: not text in UTF-8, expected games", path.display()))
}

/// The text of one game, and the tags before it.
#[derive(Debug, Default)]
struct Part<'a> {
    tags: Vec<(&'a str, &'a str)>,
    lines: Vec<&'a str>,
}

/// A tag after the text of a game begins the next one.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default()];
    // As in PGN, a line that begins with a percent sign is a comment.
    for line in text.lines().filter(|line| !line.starts_with('%')) {
        let tag = tag(line);
        let begins_anew = tag.is_some() && parts.last().is_some_and(|part| !part.is_bare());
        if begins_anew {
            parts.push(Part::default());
        }
        let part = parts.last_mut().expect("there is always a part");
        match tag {
            Some(tag) => part.tags.push(tag),
            None => part.lines.push(line),
        }
    }
    parts
}

/// Returns name and value of a line such as `[Variant "basic"]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once(' ')?;
    Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?))
}

impl Part<'_> {
    fn is_bare(&self) -> bool {
        self.lines.iter().all(|line| line.trim().is_empty())
    }

    fn read(&self, known: &Known) -> Result<Reading, Why> {
        let source = Source { family: known.notation, setup: self.setup(known)? };
        Ok(record::read(&self.lines.join("\n"), &source)?)
    }

    /// Returns where the game starts, if the caller or a tag says so.
    fn setup(&self, known: &Known) -> Result<Option<Setup>, Why> {
        let given = known.position.clone().or_else(|| known.variant.map(Setup::start));
        let setup = match (given, self.value("Start"), self.value("Variant")) {
            (Some(setup), ..) => Some(setup),
            (None, Some(start), _) => Some(start.parse().map_err(wrong("Start"))?),
            (None, None, Some(variant)) => Some(Setup::start(variant.parse().map_err(wrong("Variant"))?)),
            (None, None, None) => None,
        };
        let limit = self.value("PlyLimit").map(|limit| limit.parse().map_err(wrong("PlyLimit"))).transpose()?;
        Ok(setup.map(|setup| setup.with_limit(limit)))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1)
    }
}

fn wrong<E: std::fmt::Display>(tag: &'static str) -> impl Fn(E) -> Why {
    move |why| Why::Tag { tag, why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_part_the_games_of_a_file() {
        let text = "[Variant \"basic\"]\n[Start \"x\"]\n\n1.e3/c3\n1-0\n\n[Variant \"standard\"]\n1.b3\n";
        let found = parts(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].tags, [("Variant", "basic"), ("Start", "x")]);
        assert_eq!(found[1].lines, ["1.b3"]);
        assert_eq!(parts("% one is left out\n1.e3\n% and one more\n")[0].lines, ["1.e3"]);
        assert_eq!(parts("").len(), 1);
        assert_eq!(tag("[Variant basic]"), None);
    }
}
