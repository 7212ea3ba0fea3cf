//! The text of a store: lines of JSON, each with a checksum of all lines up to it.
//!
//! ```text
//! {"format":"gipf-ladder","version":2,"variant":"standard",…,"positions":256,"check":"…"}
//! {"players":[{"name":"greedy","fingerprint":"…"},{"name":"random","fingerprint":"…"}],"openings":[17,3],…,"check":"…"}
//! {"series":1,"check":"…"}
//! ```
//!
//! A line that was changed, left out or inserted does not match its checksum, and the last line shows that none is
//! missing at the end. Version 1 has no checksums and no such line.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::store::{Head, Series};
use crate::checksum::LineSum;

/// The content of a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The common settings of all games.
    pub head: Head,
    /// The series.
    pub series: Vec<Series>,
    /// The flaws that a user should know of.
    pub flaws: Vec<Flaw>,
}

/// Why a readable store may be incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It was written without checksums.
    Unchecked,
    /// The last line, with this number, is torn and left out.
    Torn(usize),
    /// The last line, which states the number of series, is missing.
    Cut,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchecked => f.write_str("an older program wrote it, without checksums"),
            Self::Torn(line) => write!(f, "line {line}, the last one, is torn, and left out"),
            Self::Cut => f.write_str("the line that ends it is missing, and games may be lost with it"),
        }
    }
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    series: usize,
}

/// The text before the checksum of a line.
const CHECK: &str = ",\"check\":\"";

/// Returns the text of a store.
pub(super) fn write(head: &Head, series: &[Series]) -> String {
    let (mut sum, mut text) = (LineSum::default(), String::new());
    let mut add = |body: serde_json::Result<String>| {
        let body = body.expect("a line is plain values");
        sum.add(&body);
        let open = body.strip_suffix('}').expect("a line is an object");
        text.extend([open, CHECK, &sum.digits(), "\"}\n"]);
    };
    add(serde_json::to_string(head));
    for series in series {
        add(serde_json::to_string(series));
    }
    add(serde_json::to_string(&End { series: series.len() }));
    text
}

/// Reads the text of a store; an error names the line.
pub(super) fn read(text: &str) -> Result<Contents, (usize, String)> {
    let mut reader = Reader::new(text.lines().next().unwrap_or_default()).map_err(|why| (1, why))?;
    let last = text.lines().count();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        match reader.read(number, line) {
            Ok(()) => {}
            // It was being written when the machine stopped.
            Err(_) if number == last && !text.ends_with('\n') => {
                reader.contents.flaws.push(Flaw::Torn(number));
                return Ok(reader.contents);
            }
            Err(why) => return Err((number, why)),
        }
    }
    if reader.sum.is_some() && !reader.has_ended {
        reader.contents.flaws.push(Flaw::Cut);
    }
    Ok(reader.contents)
}

/// A store in the process of being read.
struct Reader {
    contents: Contents,
    /// The checksum of the lines so far; none in a store without checksums.
    sum: Option<LineSum>,
    /// The lines in which players met in an opening.
    openings: HashMap<([u64; 2], usize), usize>,
    has_ended: bool,
}

impl Reader {
    /// Reads the first line.
    fn new(line: &str) -> Result<Self, String> {
        if line.is_empty() {
            return Err("nothing: expected the head of a ladder".to_owned());
        }
        let mut sum = split(line).map(|_| LineSum::default());
        let head = Head::read(&checked(line, &mut sum)?, sum.is_some())?;
        let flaws = if sum.is_some() { Vec::new() } else { vec![Flaw::Unchecked] };
        let contents = Contents { head, series: Vec::new(), flaws };
        Ok(Self { contents, sum, openings: HashMap::new(), has_ended: false })
    }

    /// Reads another line.
    fn read(&mut self, number: usize, line: &str) -> Result<(), String> {
        if self.has_ended {
            return Err("a line after the one that ends the ladder".to_owned());
        }
        let body = checked(line, &mut self.sum)?;
        if self.sum.is_some()
            && let Ok(End { series }) = serde_json::from_str(&body)
        {
            self.has_ended = true;
            let found = self.contents.series.len();
            return if series == found { Ok(()) } else { Err(format!("{series} series: expected the {found} above")) };
        }
        let series: Series = serde_json::from_str(&body).map_err(|error| told(&error))?;
        series.check(&self.contents.head)?;
        for &opening in &series.openings {
            if let Some(earlier) = self.openings.insert((series.pairing(), opening), number) {
                return Err(format!("opening {opening} of these players again, after line {earlier}"));
            }
        }
        self.contents.series.push(series);
        Ok(())
    }
}

/// Returns a line without its checksum, which must match, if the store has checksums.
fn checked(line: &str, sum: &mut Option<LineSum>) -> Result<String, String> {
    let Some(sum) = sum else { return Ok(line.to_owned()) };
    let (body, stated) = split(line).ok_or("no checksum: expected one at the end of the line")?;
    sum.add(&body);
    if sum.digits() == stated {
        return Ok(body);
    }
    Err("the checksum differs: the line was changed since it was written, or lines before it are lost".to_owned())
}

/// Splits a line from its checksum.
fn split(line: &str) -> Option<(String, &str)> {
    let (open, check) = line.strip_suffix("\"}")?.rsplit_once(CHECK)?;
    Some((format!("{open}}}"), check))
}

/// The place within the line means nothing next to the line's number in the file.
pub(super) fn told(error: &serde_json::Error) -> String {
    let text = error.to_string().replace('\n', " ");
    let text = text.split(" at line ").next().unwrap_or_default();
    gipf_env::text::truncate_escaped(text, 200)
}
