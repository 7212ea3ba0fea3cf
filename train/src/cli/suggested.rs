//! Words of commands that the program suggests.

use std::fmt::Display;

/// Returns a path, or the name of an agent, as one word of a command line, in one line.
pub(super) fn word(text: impl Display) -> String {
    let text = text.to_string();
    let is_plain = |character: char| character.is_alphanumeric() || "-_./~+,:=@%".contains(character);
    let is_word = !text.is_empty() && text.chars().all(is_plain);
    gipf_play::printable(&if is_word { text } else { format!("'{}'", text.replace('\'', r"'\''")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_part_or_obey_is_quoted() {
        for (path, expected) in [
            ("runs/standard-quick", "runs/standard-quick"),
            ("runs/größe", "runs/größe"),
            ("my runs/a", "'my runs/a'"),
            ("it's", r"'it'\''s'"),
            ("a;rm -r b", "'a;rm -r b'"),
            ("", "''"),
        ] {
            assert_eq!(word(path), expected);
        }
        assert_eq!(word("a\nb").lines().count(), 1);
    }
}
