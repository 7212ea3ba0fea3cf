//! Names that arguments had before 0.1.0: they still work, with a line that gives the new name.

use std::ffi::OsString;

/// Renamed options.
const OPTIONS: [(&str, &str); 1] = [("--limit", "--placement-limit")];
/// Renamed values of `precision`.
const PRECISIONS: [(&str, &str); 2] = [("floats", "f32"), ("bytes", "int8")];

/// Returns the warning about an old name; `place` is where it was found.
pub(super) fn told(place: &str, old: &str, new: &str) -> String {
    format!("{place}: `{old}` is called `{new}` now; the old name goes with the next version")
}

/// Returns the warnings about old names in the arguments of the program, one line each.
pub(super) fn notes(args: &[OsString]) -> Vec<String> {
    let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    let before = std::iter::once("").chain(words.iter().map(AsRef::as_ref));
    words.iter().zip(before).flat_map(|(word, before)| notes_of(word, before)).collect()
}

/// Returns the warnings about an argument, given the one before it.
fn notes_of(word: &str, before: &str) -> Vec<String> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let option = OPTIONS.iter().filter(|(old, _)| *old == name).map(|(old, new)| told(word, old, new));
    let setting = match (before, name) {
        ("--set", _) => renamed_setting(name),
        (_, "--set") => renamed_setting(value.split('=').next().unwrap_or_default()),
        _ => None,
    };
    let is_precision = |old: &str| {
        let precision = format!("precision={old}");
        let named = word.split([',', ':']).any(|part| part.trim_start_matches('-') == precision);
        named || (before, word) == ("--precision", old)
    };
    let precision = PRECISIONS.iter().filter(|(old, _)| is_precision(old)).map(|(old, new)| told(word, old, new));
    option.chain(setting).chain(precision).collect()
}

#[cfg(feature = "learn")]
fn renamed_setting(name: &str) -> Option<String> {
    let new = crate::training::new_name(name);
    (new != name).then(|| told("--set", name, &new))
}

#[cfg(not(feature = "learn"))]
fn renamed_setting(_: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(args: &str) -> Vec<String> {
        notes(&args.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn old_names_are_told_with_their_new_ones() {
        for (args, place, old, new) in [
            ("eval --limit 30", "--limit", "--limit", "--placement-limit"),
            ("eval --limit=30", "--limit=30", "--limit", "--placement-limit"),
            ("eval mcts:a,sims=3,precision=floats", "mcts:a,sims=3,precision=floats", "floats", "f32"),
            ("eval pretrained:precision=bytes", "pretrained:precision=bytes", "bytes", "int8"),
            ("bench infer --precision floats", "floats", "floats", "f32"),
        ] {
            assert_eq!(all(args), [told(place, old, new)], "{args}");
        }
    }

    #[cfg(feature = "learn")]
    #[test]
    fn old_names_of_settings_are_told_too() {
        let limit = told("--set", "game.limit", "game.placement_limit");
        assert_eq!(all("train --set game.limit=30"), [limit]);
        assert_eq!(all("train --set=settled.from=0"), [told("--set", "settled.from", "phases")]);
    }

    #[test]
    fn new_names_and_paths_say_nothing() {
        for args in
            ["eval runs/floats --placement-limit 30", "train --set learning.value_mix=0", "bench infer --precision f32"]
        {
            assert!(all(args).is_empty(), "{args}");
        }
    }
}
