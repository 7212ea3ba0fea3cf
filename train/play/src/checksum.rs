//! Checksums of texts that people may read and edit, which show whether a line is as a program wrote it; hashes as numbers.

/// A checksum of lines, one after the other. Blanks at the ends of lines and empty lines do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineSum(blake3::Hasher);

/// Whether a text matches the checksum in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// It has none, like a text written by hand.
    Absent,
    /// The text is as a program wrote it.
    Intact,
    /// The text was changed since, or a part of it is lost.
    Broken,
}

/// The hexadecimal digits of a checksum: enough that no accidental change matches.
const DIGITS: usize = 16;

impl LineSum {
    /// Returns the checksum of these lines.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sum = Self::default();
        lines.into_iter().for_each(|line| sum.add(line));
        sum
    }

    /// Adds a line.
    pub fn add(&mut self, line: &str) {
        let line = line.trim();
        if !line.is_empty() {
            self.0.update(line.as_bytes()).update(b"\n");
        }
    }

    /// Returns the checksum of all lines so far.
    pub fn digits(&self) -> String {
        self.0.finalize().to_hex()[..DIGITS].to_owned()
    }
}

/// Returns a hash as a number, the same on every machine.
pub(crate) fn number_of(hasher: &blake3::Hasher) -> u64 {
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_and_blanks_around_them_do_not() {
        let digits = |text: &str| LineSum::of(text.lines()).digits();
        assert_eq!(digits("one\r\n\n  two "), digits("one\ntwo\n"));
        let others = ["one two", "two\none", "one\ntwo\ntwo", "one\ntw", "onetwo", ""].map(digits);
        assert!(!others.contains(&digits("one\ntwo")) && others[0].len() == DIGITS);
    }
}
