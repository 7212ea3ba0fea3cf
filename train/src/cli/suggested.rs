//! Words of commands that the program suggests.

use std::borrow::Cow;
use std::path::Path;

/// Returns a path as one word of a command line, in one line.
pub(super) fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |character: char| character.is_alphanumeric() || "-_./~+,:=@%".contains(character);
    let text = if !text.is_empty() && text.chars().all(is_plain) {
        Cow::from(text)
    } else {
        format!("'{}'", text.replace('\'', r"'\''")).into()
    };
    gipf_play::printable(&text)
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
            assert_eq!(word(Path::new(path)), expected);
        }
        assert_eq!(word(Path::new("a\nb")).lines().count(), 1);
    }
}
