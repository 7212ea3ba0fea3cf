//! Words of commands that the program suggests: a shell passes them on unchanged, and the command reads them as intended.

use std::path::{Path, PathBuf};

use gipf_play::obeyed;
use gipf_play::players::AgentSpec;

/// Returns a path as a word.
pub(super) fn path(path: &Path) -> String {
    let apart = is_misread(path.as_os_str().as_encoded_bytes());
    word((if apart { here(path) } else { path.to_owned() }).as_os_str().as_encoded_bytes())
}

/// Returns the player with the network at a path as a word; `None` if no name can express it, for example because the
/// path has a comma.
pub(super) fn agent(path: &Path) -> Option<String> {
    spelled(path, ToOwned::to_owned)
}

/// Returns the baseline AI with the weights at a path as a word, in the same way.
pub(super) fn baseline(path: &Path) -> Option<String> {
    spelled(path, |path| format!("alpha-beta:4,eval={path}"))
}

/// Returns the name of the agent that is built from the file at a path.
fn spelled(path: &Path, name: impl Fn(&str) -> String) -> Option<String> {
    [path.to_owned(), here(path)].into_iter().find_map(|path| {
        let name = name(path.to_str()?);
        let spec: AgentSpec = name.parse().ok()?;
        (spec.path() == Some(&path) && !is_misread(name.as_bytes())).then(|| word(name.as_bytes()))
    })
}

/// Returns the path relative to the current directory, beginning with `.`.
fn here(path: &Path) -> PathBuf {
    [Path::new("."), path].iter().collect()
}

/// Returns whether a command or a shell would misread a word because of its first character.
fn is_misread(word: &[u8]) -> bool {
    word.first().is_some_and(|first| b"-~=".contains(first))
}

/// Returns a text as one word of a command line, in one line; characters that a terminal would obey are escaped.
fn word(bytes: &[u8]) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./~+,:=@%".contains(character);
    match str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Ok(text) if !text.chars().any(obeyed) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => format!("$'{}'", bytes.iter().map(|&byte| escaped(byte)).collect::<String>()),
    }
}

fn escaped(byte: u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_part_or_obey_is_quoted() {
        for (name, expected) in [
            ("runs/standard-quick", "runs/standard-quick"),
            ("runs/größe", "runs/größe"),
            ("my runs/a", "'my runs/a'"),
            ("it's", r"'it'\''s'"),
            ("a;rm -r b", "'a;rm -r b'"),
            ("", "''"),
            ("-x", "./-x"),
            ("~", "./~"),
            ("/a/-x~", "/a/-x~"),
            ("a\nb\u{1b}'", r"$'a\x0ab\x1b\''"),
        ] {
            assert_eq!(path(Path::new(name)), expected);
        }
    }

    #[test]
    fn what_is_suggested_is_read_as_that_file() {
        for (name, expected) in [
            ("runs/a.safetensors", Some("runs/a.safetensors")),
            ("greedy", Some("./greedy")),
            ("pretrained", Some("./pretrained")),
            ("level:3/a.safetensors", Some("./level:3/a.safetensors")),
            ("-a.safetensors", Some("./-a.safetensors")),
            ("a b.safetensors", Some("'a b.safetensors'")),
            ("a,sims=3.safetensors", None),
        ] {
            assert_eq!(agent(Path::new(name)).as_deref(), expected);
        }
        assert_eq!(baseline(Path::new("terms")).as_deref(), Some("alpha-beta:4,eval=./terms"));
        assert_eq!(baseline(Path::new("a.bin")).as_deref(), Some("alpha-beta:4,eval=a.bin"));
    }
}
