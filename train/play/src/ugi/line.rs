//! Lines of bounded length, for any bytes.

use std::io::{self, BufRead, Read};

/// The length of the longest line that is read, in bytes without its end: 64 KiB.
pub const LONGEST_LINE: usize = 1 << 16;

/// The result of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its end; bytes that are not UTF-8 are replaced.
    Text(String),
    /// The first word of a line longer than [`LONGEST_LINE`], which was skipped.
    TooLong(String),
    /// The end of the input.
    End,
}

/// Reads the next line. A last line without an end is a line as well.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line(input: &mut dyn BufRead) -> io::Result<Line> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(Line::End);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > LONGEST_LINE {
        input.skip_until(b'\n')?;
        let word = bytes.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
        return Ok(Line::TooLong(String::from_utf8_lossy(word).into_owned()));
    }
    Ok(Line::Text(String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while lines.last() != Some(&Line::End) {
            lines.push(read_line(&mut input).unwrap());
        }
        lines
    }

    #[test]
    fn lines_end_at_either_kind_of_end_and_at_the_last_byte() {
        let text = |text: &str| Line::Text(text.to_owned());
        assert_eq!(lines(b"a b\r\n\nc"), [text("a b"), text(""), text("c"), Line::End]);
        assert_eq!(lines(b"\xff\xfe\n"), [text("\u{fffd}\u{fffd}"), Line::End]);
        assert_eq!(lines(b""), [Line::End]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let fits = "x".repeat(LONGEST_LINE);
        let too_long = |word: &str| Line::TooLong(word.to_owned());
        let input = format!("{fits}\n position {fits}y\nquit\n{fits}z");
        let expected =
            [Line::Text(fits.clone()), too_long("position"), Line::Text("quit".to_owned()), too_long(&(fits + "z"))];
        let expected = expected.into_iter().chain([Line::End]).collect::<Vec<_>>();
        assert!(lines(input.as_bytes()) == expected);
    }
}
