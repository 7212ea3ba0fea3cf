//! Licences as people name them.

/// The text is not a licence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a licence: expected an SPDX expression, such as CC0-1.0 or `MIT OR Apache-2.0`")]
pub struct NoLicence(String);

/// The longest expression accepted.
const MOST_BYTES: usize = 200;

/// Returns the text if it has the form of an SPDX expression: identifiers of letters, digits, `-` and `.`, joined by
/// `AND`, `OR` and `WITH`, with or without parentheses. Whether such licences exist is not checked.
///
/// ```
/// use gipf_train::dataset::licence;
///
/// assert_eq!(licence("MIT OR Apache-2.0")?, "MIT OR Apache-2.0");
/// assert!(licence("MIT Apache-2.0").is_err());
/// # Ok::<(), gipf_train::dataset::NoLicence>(())
/// ```
///
/// # Errors
/// If it does not have that form.
pub fn licence(text: &str) -> Result<String, NoLicence> {
    let is_licence = text.len() <= MOST_BYTES && text.trim() == text && is_expression(text);
    if is_licence { Ok(text.to_owned()) } else { Err(NoLicence(text.to_owned())) }
}

/// What may come next in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A licence, or `(`.
    Licence,
    /// An exception, after `WITH`.
    Exception,
    /// An operator, including `WITH`, or `)`.
    AnyOperator,
    /// `AND`, `OR` or `)`.
    Operator,
}

fn is_expression(text: &str) -> bool {
    let apart = text.replace('(', " ( ").replace(')', " ) ");
    let (mut next, mut depth) = (Next::Licence, 0_u32);
    for word in apart.split(' ').filter(|word| !word.is_empty()) {
        let is_behind = matches!(next, Next::AnyOperator | Next::Operator);
        next = match word {
            "(" if next == Next::Licence => Next::Licence,
            ")" if is_behind && depth > 0 => Next::Operator,
            "AND" | "OR" if is_behind => Next::Licence,
            "WITH" if next == Next::AnyOperator => Next::Exception,
            name if next == Next::Licence && is_identifier(name.strip_suffix('+').unwrap_or(name)) => Next::AnyOperator,
            name if next == Next::Exception && is_identifier(name) => Next::Operator,
            _ => return false,
        };
        depth = match word {
            "(" => depth + 1,
            ")" => depth - 1,
            _ => depth,
        };
    }
    depth == 0 && matches!(next, Next::AnyOperator | Next::Operator)
}

fn is_identifier(word: &str) -> bool {
    // In names of one's own licences, `_` is common.
    let more: &[u8] = if word.starts_with("LicenseRef-") || word.starts_with("DocumentRef-") { b"_:" } else { b"" };
    let of_identifiers = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte) || more.contains(&byte);
    let begins = word.starts_with(|first: char| first.is_ascii_alphanumeric());
    begins && word.bytes().all(of_identifiers) && !["AND", "OR", "WITH"].contains(&word)
}

/// The words that YAML takes for something other than text.
const OTHER_THAN_TEXT: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// The word for a licence that nobody has stated (SPDX).
pub const UNSTATED: &str = "NOASSERTION";

/// Returns the licence as hubs name it: in lower case, `unknown` if none is stated, and `other` if they have no name
/// for it, as for several joined ones. The result is always plain text in YAML.
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
            "GPL-2.0-only WITH Classpath-exception-2.0 OR MIT",
            "((MIT))",
            UNSTATED,
        ] {
            assert_eq!(licence(good).unwrap(), good);
        }
        for bad in ["", " ", "*evil", "MIT\nx: y", "<script>", "a|b", "- x", "MIT ", "{a}", "a`b", "é", "&a", &long] {
            assert!(licence(bad).is_err(), "{bad}");
        }
        for bad in
            ["bad one", "MIT or X", "MIT OR", "AND MIT", "(MIT", "MIT)", "()", "MIT AND OR X", "MIT (X)", "a+b", "a_b"]
        {
            assert!(licence(bad).is_err(), "{bad}");
        }
        for bad in ["(MIT) WITH x", "MIT WITH a WITH b", "MIT WITH", "MIT WITH a+", "+", "MIT\tOR X"] {
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
