//! How a text is chosen that is read back as it was meant.

use crate::action::Action;

use super::error::{ReadError, Unwritable};
use super::ledger::{Capture, Ledger};
use super::search::{Reading, result_of};

/// Which rows are named by their line; naming them is rarely needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// None.
    Unnamed,
    /// Those that the player chose before others.
    Chosen,
    /// All.
    Named,
}

impl Lines {
    /// From the text that people would write to the most explicit one.
    const ALL: [Self; 3] = [Self::Unnamed, Self::Chosen, Self::Named];

    /// Returns whether the line of this capture is named.
    pub const fn shows(self, capture: &Capture) -> bool {
        match self {
            Self::Unnamed => false,
            Self::Chosen => capture.chosen,
            Self::Named => true,
        }
    }
}

/// Returns the first text that is read as these decisions, or else the first that leads to the same end.
///
/// The latter happens where the order of removals leaves no trace in the text, because nothing is removed from a row.
pub(super) fn choose(
    text: impl Fn(Lines) -> String,
    read: impl Fn(&str) -> Result<Reading, ReadError>,
    actions: &[Action],
    end: &Ledger,
) -> Result<String, Unwritable> {
    let (mut same_end, mut why) = (None, None);
    for lines in Lines::ALL {
        let text = text(lines);
        match read(&text) {
            Ok(reading) if reading.actions == actions => return Ok(text),
            Ok(reading) if reading.result() == result_of(end) => same_end = same_end.or(Some(text)),
            Ok(reading) if reading.actions.starts_with(actions) => {
                why = Some("with this result it means that the game went on to its end by the rules".to_owned());
            }
            Ok(_) => why = Some("it means another removal".to_owned()),
            Err(error) => why = Some(error.to_string()),
        }
    }
    let why = why.unwrap_or_else(|| "it means another order of removals".to_owned());
    same_end.ok_or_else(|| Unwritable::Unclear { text: text(Lines::Named), why })
}
