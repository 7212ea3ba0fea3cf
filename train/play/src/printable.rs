//! Messages that contain foreign text.

/// The most characters of a message. A longer one keeps its beginning, which names the subject, and its end, which says
/// what was expected.
const MOST: usize = 2000;
const BEGINNING: usize = 1500;
const END: usize = 400;

/// Returns a message fit for a terminal, a log or an exception: control characters are escaped, and the middle of a
/// message of thousands of characters is left out.
///
/// Errors name files, tensors and settings as they found them, and those may come from anybody. For a part of a
/// message, with a length limit of its own, there is [`gipf_env::text::truncate_escaped`].
///
/// ```
/// assert_eq!(gipf_play::printable("unknown agent `\u{1b}[2J`: expected …"), "unknown agent `\\u{1b}[2J`: expected …");
/// assert!(gipf_play::printable(&"x".repeat(1 << 20)).len() < 2500);
/// ```
pub fn printable(text: &str) -> String {
    let characters = text.chars().count();
    if characters <= MOST {
        return text.chars().map(plain).collect();
    }
    let beginning = text.chars().take(BEGINNING).map(plain);
    let end = text.chars().skip(characters - END).map(plain);
    beginning.chain(["…".to_owned()]).chain(end).collect()
}

/// Returns a text of any length and number of lines in the same form: ends of lines stay.
///
/// ```
/// assert_eq!(gipf_play::printable_lines("done: a\u{1b}[2J\nb"), "done: a\\u{1b}[2J\nb");
/// ```
pub fn printable_lines(text: &str) -> String {
    let kept = |character: char| if character == '\n' { "\n".to_owned() } else { plain(character) };
    text.chars().map(kept).collect()
}

fn plain(character: char) -> String {
    if obeyed(character) { character.escape_default().to_string() } else { character.to_string() }
}

/// Returns whether a terminal does more with the character than show it: controls, ends of lines, and characters that
/// change the direction of writing or join words invisibly.
pub fn obeyed(character: char) -> bool {
    let turns =
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    character.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_nothing_and_texts_stay_as_they_are() {
        let plain = "cannot read Zürich/ü \"net\".safetensors: it's 5 % — no such file …";
        assert_eq!(printable(plain), plain);
        let hostile = printable("a\u{1b}]0;title\u{7}b\r\n\u{202e}c\u{9b}31m\u{feff}\u{0}");
        assert_eq!(hostile, "a\\u{1b}]0;title\\u{7}b\\r\\n\\u{202e}c\\u{9b}31m\\u{feff}\\u{0}");
    }

    #[test]
    fn of_a_long_text_the_ends_stay() {
        let text = format!("the file {} was expected to be short", "é".repeat(1 << 20));
        let shown = printable(&text);
        assert!(shown.starts_with("the file éé") && shown.ends_with("éé was expected to be short"), "{shown}");
        assert_eq!(shown.chars().count(), BEGINNING + 1 + END);
        let fits = "é".repeat(MOST);
        assert_eq!(printable(&fits), fits);
    }
}
