//! What a parser expected for a setting, in words.

/// Returns a parser's message in which the program's types are described by what users write for them.
pub(super) fn in_words(message: &str) -> String {
    let Some((found, kind)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    // Bounds are of no use to people who have not written a large number.
    let is_large = found.bytes().filter(u8::is_ascii_digit).count() >= 10;
    let most = |most: i64| if is_large { format!("to {most}") } else { "on".to_owned() };
    let expected = match kind {
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" => format!("a whole number from 0 {}", most(u32::MAX.into())),
        // TOML has no larger integers.
        "u64" | "usize" => format!("a whole number from 0 {}", most(i64::MAX)),
        "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        _ if kind.starts_with("struct ") => "a table".to_owned(),
        _ => kind.to_owned(),
    };
    format!("{}, expected {expected}", without_quotes(found))
}

/// Returns what was found, without the quotes of an integer that is too large for TOML and was read as a text.
fn without_quotes(found: &str) -> String {
    let text = found.strip_prefix("invalid type: string \"").and_then(|text| text.strip_suffix('"'));
    let digits =
        text.filter(|text| text.strip_prefix(['-', '+']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit()));
    match digits.filter(|digits| digits.len() >= 10) {
        Some(digits) => format!("invalid value: integer `{digits}`"),
        None => found.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    #[test]
    fn what_a_setting_has_to_be_is_told_in_words() {
        for (setting, told) in [
            (
                "run.seed=18446744073709551615",
                "integer `18446744073709551615`, expected a whole number from 0 to 9223372036854775807",
            ),
            ("run.seed=-1", "integer `-1`, expected a whole number from 0 on"),
            ("run.seed=1.5", "floating point `1.5`, expected a whole number from 0 on"),
            ("run.iterations=5000000000", "integer `5000000000`, expected a whole number from 0 to 4294967295"),
            ("network.features=abc", "string \"abc\", expected a whole number from 0 on"),
            ("game.potentials=500", "integer `500`, expected a whole number from 0 to 255"),
            ("learning.value_mix=half", "string \"half\", expected a number"),
            ("network.mixing=3", "integer `3`, expected a list"),
            ("game.variant=3", "integer `3`, expected a string"),
        ] {
            let found = Config::default().with(setting).unwrap_err().to_string();
            assert!(found.starts_with("invalid ") && found.ends_with(&format!(": {told}")), "{setting}: {found}");
        }
    }
}
