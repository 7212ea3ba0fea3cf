//! Games with tags before each, as in PGN: lines such as `[Variant "standard"]`, then the turns.

use std::fmt;

use gipf_env::Player;
use gipf_env::text::without_mark;

use crate::checksum::{LineSum, Seal};

/// A game as a text: its tags in order, and the turns.
///
/// When written, its last tag is the checksum of all other lines, so that a reader can detect changes; a comment at the
/// end repeats it, for a game that lost its beginning. Comments, lines that begin with a percent sign, are kept, and
/// the checksum does not cover them: annotating a game does not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedGame {
    tags: Vec<(String, String)>,
    turns: String,
    comments: Vec<String>,
    seal: Seal,
}

/// The tag of the checksum.
const CHECKSUM: &str = "Checksum";
/// The beginning of the comment with the checksum.
const COMMENT: &str = "% Checksum: ";

impl TaggedGame {
    /// Returns the result of a game that is over, as in PGN.
    pub const fn result(winner: Option<Player>) -> &'static str {
        match winner {
            None => "1/2-1/2",
            Some(Player::White) => "1-0",
            Some(Player::Black) => "0-1",
        }
    }

    /// Returns a game with these turns, a line break after each line, and no tags.
    pub const fn new(turns: String) -> Self {
        Self { tags: Vec::new(), turns, comments: Vec::new(), seal: Seal::Absent }
    }

    /// Returns this game with one more tag.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.add(name, value);
        self
    }

    /// Adds a tag after the others.
    pub fn add(&mut self, name: &str, value: impl Into<String>) {
        self.tags.push((name.to_owned(), value.into()));
    }

    /// Removes all tags of these names, ignoring case.
    pub fn remove(&mut self, names: &[&str]) {
        self.tags.retain(|(found, _)| !names.iter().any(|name| found.eq_ignore_ascii_case(name)));
    }

    /// Returns this game with these comments, each of one line, in place of its own. One that reads like the checksum is
    /// left out.
    pub fn with_comments(mut self, comments: impl IntoIterator<Item = String>) -> Self {
        let plain = |comment: String| comment.replace(|character: char| character.is_control(), " ");
        self.comments = comments.into_iter().map(plain).filter(|comment| stated(comment).is_none()).collect();
        self
    }

    /// Returns all games of a text: a tag after the turns of a game begins the next one, and a line that begins with a
    /// percent sign is a comment. There is always at least one game, even if it is empty. A byte-order mark before them
    /// is ignored.
    pub fn all_of(text: &str) -> Vec<Self> {
        let mut games = Vec::new();
        let mut part = Part::default();
        for line in without_mark(text).lines() {
            if let Some(comment) = line.strip_prefix('%') {
                match stated(comment) {
                    Some(sum) => part.stated.push(sum.to_owned()),
                    None => part.comments.push(comment.trim().to_owned()),
                }
                continue;
            }
            let tag = tag(line);
            if tag.is_some() && !part.turns.trim().is_empty() {
                games.push(std::mem::take(&mut part).game());
            }
            part.add(line, tag);
        }
        games.push(part.game());
        games
    }

    /// Returns the tags except the checksum, each with its name and its value.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the value of the first tag of a name, ignoring case.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.tags().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the text of the turns.
    pub fn turns(&self) -> &str {
        &self.turns
    }

    /// Returns the comments in order, without the percent sign and the checksum.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        self.comments.iter().map(String::as_str)
    }

    /// Returns the text without a checksum, for files that have one of their own.
    pub fn unsealed(&self) -> String {
        format!("{}\n{}{}", self.lines_of_tags(), self.turns, self.lines_of_comments())
    }

    /// Returns the text with a checksum if the game that it was made from had one that matched: a text that had none,
    /// or was changed since, is not sealed here.
    pub fn sealed_as(&self, before: Seal) -> String {
        let text = if before == Seal::Intact { self.to_string() } else { self.unsealed() };
        text.trim_start().to_owned()
    }

    fn lines_of_comments(&self) -> String {
        self.comments().map(|comment| ["% ", comment, "\n"].concat()).collect()
    }

    fn lines_of_tags(&self) -> String {
        self.tags().map(|(name, value)| ["[", name, " \"", &escaped(value), "\"]\n"].concat()).collect()
    }

    /// Returns whether the game, as read, is unchanged.
    pub const fn seal(&self) -> Seal {
        self.seal
    }
}

/// Returns the checksum that a comment states, with or without blanks around it.
fn stated(comment: &str) -> Option<&str> {
    let sign = COMMENT.trim_start_matches(['%', ' ']).trim_end();
    comment.trim().strip_prefix(sign).map(str::trim)
}

/// Writes the game with its checksum.
impl fmt::Display for TaggedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags = self.lines_of_tags();
        let sum = LineSum::of(tags.lines().chain(self.turns.lines())).digits();
        let comments = self.lines_of_comments();
        writeln!(f, "{tags}[{CHECKSUM} \"{sum}\"]\n\n{}{comments}{COMMENT}{sum}", self.turns)
    }
}

/// A game in the process of being read.
#[derive(Default)]
struct Part {
    tags: Vec<(String, String)>,
    turns: String,
    comments: Vec<String>,
    sum: LineSum,
    stated: Vec<String>,
}

impl Part {
    fn add(&mut self, line: &str, tag: Option<(&str, String)>) {
        match tag {
            Some((name, value)) if name.eq_ignore_ascii_case(CHECKSUM) => return self.stated.push(value),
            Some((name, value)) => self.tags.push((name.to_owned(), value)),
            // The blank line after the tags is not part of the turns.
            None if self.turns.is_empty() && line.trim().is_empty() => {}
            // A carriage return at the end would be taken for a part of the line break, once written.
            None => self.turns.extend([line.trim_end(), "\n"]),
        }
        self.sum.add(line);
    }

    fn game(self) -> TaggedGame {
        let found = self.sum.digits();
        let seal = match self.stated.as_slice() {
            [] => Seal::Absent,
            [tag, comment] if *tag == found && *comment == found => Seal::Intact,
            _ => Seal::Broken,
        };
        TaggedGame { tags: self.tags, turns: self.turns, comments: self.comments, seal }
    }
}

/// Returns name and value of a line such as `[Variant "basic"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.trim().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    (!ends_early(value)).then(|| (name, plain(value)))
}

/// Returns whether a value would end, and its tag with it, before the end of the line: what follows is then another tag.
fn ends_early(value: &str) -> bool {
    let mut rest = value.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => drop(rest.next()),
            '"' if rest.as_str().trim_start().starts_with(']') => return true,
            _ => {}
        }
    }
    false
}

/// A value must not end early, nor reach beyond its line.
fn escaped(value: &str) -> String {
    let plain = value.replace(|character: char| character.is_control(), " ");
    plain.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Undoes what [`escaped`] does.
fn plain(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(character) = rest.next() {
        plain.push(if character == '\\' { rest.next().unwrap_or(character) } else { character });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_part_the_games_of_a_text() {
        let text = "[Variant \"basic\"]\n[Start \"x\"]\n\n1.e3/c3\n1-0\n\n[variant\t\"standard\"]\n1.b3\n";
        let found = TaggedGame::all_of(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].tags().collect::<Vec<_>>(), [("Variant", "basic"), ("Start", "x")]);
        assert_eq!((found[1].turns(), found[1].value("Variant")), ("1.b3\n", Some("standard")));
        assert_eq!(TaggedGame::all_of("% one is left out\n1.e3\n% and one more\n")[0].turns(), "1.e3\n");
        assert_eq!(TaggedGame::all_of("").len(), 1);
        assert_eq!(tag("[Variant basic]"), None);
        assert_eq!(tag("[Event \"club\"] [Variant \"basic\"]"), None, "two tags");
        assert_eq!(tag("[Event \"The \"Great\" game\"]"), Some(("Event", "The \"Great\" game".to_owned())));
    }

    #[test]
    fn what_is_written_is_read_and_what_was_changed_is_told() {
        let game = TaggedGame::new("1.e3\n*\n".to_owned()).with("White", "a \"b\" \\c\\").with("Seed", "3");
        let text = game.to_string();
        let [read] = <[_; 1]>::try_from(TaggedGame::all_of(&text)).unwrap();
        assert_eq!(read.value("white"), Some("a \"b\" \\c\\"));
        assert_eq!((read.seal(), read.to_string()), (Seal::Intact, text.clone()));
        let seal = |text: &str| TaggedGame::all_of(text)[0].seal();
        assert_eq!(seal(text.split_once("\n\n").unwrap().1), Seal::Broken, "without its tags");
        assert_eq!(seal(&text.replace('\n', "\r\n\r\n")), Seal::Intact, "lines may end as they like");
        let noted = read.clone().with_comments(["a note\nof mine".to_owned(), "twice".to_owned()]);
        let [again] = <[_; 1]>::try_from(TaggedGame::all_of(&noted.to_string())).unwrap();
        assert_eq!(
            (again.seal(), again.comments().collect::<Vec<_>>()),
            (Seal::Intact, vec!["a note of mine", "twice"])
        );
        assert_eq!(TaggedGame::all_of(&noted.unsealed())[0].comments().count(), 2);
        for (from, to) in [("1.e3", "1.e2"), ("\"3\"", "\"4\""), ("[Seed \"3\"]\n", ""), ("\n*\n", "\n"), ("%", "")] {
            assert_eq!(seal(&text.replace(from, to)), Seal::Broken, "{from}");
        }
    }
}
