//! A rough reader of Rust, for checks of style: blanks out comments and texts, and finds functions.

/// Returns the code with every character of comments, texts and character literals replaced by a blank; lines stay.
pub fn scrubbed(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(character) = rest.chars().next() {
        let after_name = code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let length = blank_length(rest, after_name);
        let end = if length == 0 { character.len_utf8() } else { length };
        let blank = |character| if character == '\n' { '\n' } else { ' ' };
        match length {
            0 => code.push(character),
            _ => code.extend(rest[..end].chars().map(blank)),
        }
        rest = &rest[end..];
    }
    code
}

/// Returns the length of the comment, text or character literal that begins here, or 0.
fn blank_length(rest: &str, after_name: bool) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return rest.find("*/").map_or(rest.len(), |end| end + 2);
    }
    if rest.starts_with('"') {
        return quoted_length(rest, '"');
    }
    if !after_name && (rest.starts_with("r\"") || rest.starts_with("r#")) {
        return raw_length(rest);
    }
    if rest.starts_with('\'') && is_character(rest) { quoted_length(rest, '\'') } else { 0 }
}

/// Returns whether a quote begins a character rather than a lifetime.
fn is_character(rest: &str) -> bool {
    let mut characters = rest.chars().skip(1);
    let first = characters.next();
    first == Some('\\') || first.is_some() && characters.next() == Some('\'')
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        if !escaped && character == quote {
            return at + 1;
        }
        escaped = !escaped && character == '\\';
    }
    rest.len()
}

/// Returns the length of a raw text such as `r#"…"#`, or 0 for a raw name such as `r#type`.
fn raw_length(rest: &str) -> usize {
    let marks = rest[1..].chars().take_while(|&character| character == '#').count();
    if !rest[1 + marks..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(marks));
    let start = 2 + marks;
    rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len())
}

/// Returns for each function of scrubbed code its first line, counted from 1, its name and its number of lines.
pub fn functions(code: &str) -> Vec<(usize, String, usize)> {
    let starts =
        code.match_indices("fn ").filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    starts
        .filter_map(|(at, _)| {
            let rest = &code[at + 3..];
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let end = body_end(rest)?;
            let line = code[..at].matches('\n').count() + 1;
            (!name.is_empty()).then(|| (line, name, rest[..end].matches('\n').count() + 1))
        })
        .collect()
}

/// Returns where the body that follows ends, or nothing if there is none.
fn body_end(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in rest.char_indices() {
        match character {
            ';' if depth == 0 && !within_brackets(&rest[..at]) => return None,
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns whether a bracket is open, as in the type `[u8; 2]`.
fn within_brackets(signature: &str) -> bool {
    signature.matches('[').count() > signature.matches(']').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_texts_are_blanked_out() {
        let source = "let a = \"x // \\\" {\"; // {\nlet b = '{'; /* { */ let c: &'a str = r#\"\"{\"#; '\\'' }";
        let code = scrubbed(source);
        assert_eq!(code.matches('{').count(), 0, "{code}");
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), "let a = ; let b = ; let c: &'a str = ; }");
        assert_eq!((code.lines().count(), code.chars().count()), (2, source.chars().count()));
    }

    #[test]
    fn functions_are_found_with_their_lengths() {
        let code =
            "trait T {\n fn none(x: [u8; 2]);\n}\nfn one() { }\npub fn four(a: [u8; 2])\n-> u8 {\n if a { }\n}\n";
        let found = functions(code);
        assert_eq!(found, [(4, "one".to_owned(), 1), (5, "four".to_owned(), 4)]);
    }
}
