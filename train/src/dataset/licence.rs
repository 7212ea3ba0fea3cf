//! Licences as people name them.

/// The text is not a licence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a licence: expected an SPDX expression, such as CC0-1.0 or `MIT OR Apache-2.0`")]
pub struct NoLicence(String);

/// The longest expression accepted.
const MOST_BYTES: usize = 200;

/// Returns the text if it may be an SPDX expression: identifiers of letters, digits and `-._+:`, with blanks and
/// parentheses between them.
///
/// ```
/// use gipf_train::dataset::licence;
///
/// assert_eq!(licence("MIT OR Apache-2.0")?, "MIT OR Apache-2.0");
/// assert!(licence("*evil").is_err());
/// # Ok::<(), gipf_train::dataset::NoLicence>(())
/// ```
///
/// # Errors
/// If it is not.
pub fn licence(text: &str) -> Result<String, NoLicence> {
    let of_identifiers = |byte: u8| byte.is_ascii_alphanumeric() || b"-._+:".contains(&byte);
    let begins = text.trim_start_matches('(').starts_with(|first: char| first.is_ascii_alphanumeric());
    let holds = text.bytes().all(|byte| of_identifiers(byte) || b" ()".contains(&byte));
    let is_licence = begins && holds && !text.ends_with(' ') && text.len() <= MOST_BYTES;
    if is_licence { Ok(text.to_owned()) } else { Err(NoLicence(text.to_owned())) }
}

/// The words that YAML takes for something else than text.
const OTHER_THAN_TEXT: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// What stands for a licence that nobody has stated (SPDX).
pub const UNSTATED: &str = "NOASSERTION";

/// Returns the licence as hubs name it: in lower case, `unknown` where none is stated, and `other` where they have no name for
/// it, as for several joined. It is plain text in YAML, in any case.
pub(super) fn hub_name(licence: &str) -> String {
    if licence == UNSTATED {
        return "unknown".to_owned();
    }
    let name = licence.to_lowercase();
    let of_names = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.+".contains(&byte);
    let is_text = name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(of_names);
    if is_text && !OTHER_THAN_TEXT.contains(&name.as_str()) { name } else { "other".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_licences_and_nothing_else_is() {
        let long = "a".repeat(201);
        for good in [
            "CC0-1.0",
            "MIT OR Apache-2.0",
            "(MIT OR GPL-2.0+) AND CC-BY-4.0",
            "LicenseRef-own_1",
            "DocumentRef-a:LicenseRef-b",
        ] {
            assert_eq!(licence(good).unwrap(), good);
        }
        for bad in ["", " ", "*evil", "MIT\nx: y", "<script>", "a|b", "- x", "MIT ", "{a}", "a`b", "é", "&a", &long] {
            assert!(licence(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_name_for_hubs_is_plain_text() {
        assert_eq!([hub_name("CC-BY-4.0"), hub_name(UNSTATED)], ["cc-by-4.0", "unknown"]);
        for other in ["MIT OR Apache-2.0", "*evil", "true", "No", "1.0", "", "a\nb: c", "a: b", "~", "a #b", "a:"] {
            assert_eq!(hub_name(other), "other", "{other}");
        }
    }
}
