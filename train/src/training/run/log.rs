//! The lines of metrics, and which of them belong to complete iterations.

use std::io;
use std::path::Path;

use gipf_play::run::{LONGEST, Manifest, RunError, read_text};
use serde::Deserialize;

use super::Remark;

/// The metrics left by a stopped program.
pub(super) struct Log {
    /// The lines of the complete iterations.
    pub kept: String,
    /// What has changed since it was written.
    pub remark: Option<Remark>,
}

#[derive(Deserialize)]
struct Line {
    iteration: u32,
}

impl Log {
    /// Returns the text of the metrics; a lost file counts as empty: missing lines are reported later.
    pub fn text_of(path: &Path) -> Result<String, RunError> {
        match read_text(path, LONGEST) {
            Err(RunError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        }
    }

    /// Removes the lines of unfinished iterations from the end; errors name the file by its path.
    ///
    /// # Errors
    /// If a line of a complete iteration is damaged, or is missing before other lines.
    pub fn read(path: &Path, text: &str, manifest: &Manifest) -> Result<Self, RunError> {
        if let Some(kept) = manifest.metrics.as_ref().and_then(|seal| seal.prefix(text)) {
            return Ok(Self { kept: kept.to_owned(), remark: None });
        }
        let damaged = |number: usize, why: String| RunError::Damaged(path.to_owned(), format!("line {number}: {why}"));
        // If the file was lost, which was reported then, the lines since begin later.
        let first = text.lines().next().and_then(|line| serde_json::from_str::<Line>(line).ok());
        let first = first.map_or(1, |line| line.iteration.max(1));
        let is_late = (2..=manifest.iterations).contains(&first);
        let (mut kept, mut next) = (String::new(), if is_late { first } else { 1 });
        let lines = text.lines().count();
        for (number, line) in (1..).zip(text.lines()) {
            if next > manifest.iterations {
                break;
            }
            match serde_json::from_str::<Line>(line) {
                Ok(line) if line.iteration == next => {}
                // The lines before it were lost, which was reported then; this one is newer, and its iteration was
                // not completed.
                Ok(line) if line.iteration > manifest.iterations => break,
                Ok(line) => return Err(damaged(number, format!("iteration {}, expected {next}", line.iteration))),
                // Only the last line can be torn.
                Err(_) if number == lines && !text.ends_with('\n') => break,
                Err(error) => return Err(damaged(number, error.to_string())),
            }
            kept.extend([line, "\n"]);
            next += 1;
        }
        let is_whole = next > manifest.iterations;
        if is_late && !is_whole {
            return Err(damaged(1, format!("iteration {first}, expected 1")));
        }
        let remark = match () {
            () if is_late => Some(Remark::MetricsLost { from: 1, to: first - 1 }),
            () if is_whole => manifest.metrics.as_ref().map(|_| Remark::MetricsChanged),
            () => Some(Remark::MetricsLost { from: next, to: manifest.iterations }),
        };
        Ok(Self { kept, remark })
    }
}

#[cfg(test)]
mod tests {
    use gipf_play::run::LogSeal;

    use super::*;

    const TEXT: &str = "{\"iteration\":1}\n{\"iteration\":2}\n";

    fn read(text: &str, seal: Option<&str>) -> Result<Log, String> {
        let manifest = Manifest { iterations: 2, metrics: seal.map(LogSeal::of), ..Manifest::default() };
        Log::read(Path::new("metrics.jsonl"), text, &manifest).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_after_the_complete_iterations_go_whatever_they_are() {
        for seal in [None, Some(TEXT)] {
            for tail in ["", "{\"iteration\":3}\n", "{\"itera", "{}\n{}\n"] {
                let log = read(&format!("{TEXT}{tail}"), seal).unwrap();
                assert!(log.kept == TEXT && log.remark.is_none(), "{tail}");
            }
        }
    }

    #[test]
    fn a_damaged_line_is_refused_by_its_number_and_a_lost_end_told() {
        for seal in [None, Some(TEXT)] {
            let error = read("{\"iteration\":1\n{\"iteration\":2}\n", seal).err().unwrap();
            assert!(error.contains("line 1"), "{error}");
            let error = read("{\"iteration\":1}\n{\"iteration\":1}\n", seal).err().unwrap();
            assert!(error.contains("line 2: iteration 1, expected 2"), "{error}");
            for torn in ["{\"iteration\":1}\n", "{\"iteration\":1}\n{\"itera"] {
                let log = read(torn, seal).unwrap();
                assert_eq!(
                    (&*log.kept, log.remark),
                    ("{\"iteration\":1}\n", Some(Remark::MetricsLost { from: 2, to: 2 }))
                );
            }
        }
    }

    #[test]
    fn a_lost_file_is_told_even_if_a_later_iteration_has_begun_another() {
        let log = read("{\"iteration\":3}\n", Some(TEXT)).unwrap();
        assert_eq!((&*log.kept, log.remark), ("", Some(Remark::MetricsLost { from: 1, to: 2 })));
    }

    #[test]
    fn lines_that_begin_later_are_taken_if_none_is_missing_after_them() {
        for seal in [None, Some(TEXT)] {
            let log = read("{\"iteration\":2}\n", seal).unwrap();
            assert_eq!((&*log.kept, log.remark), ("{\"iteration\":2}\n", Some(Remark::MetricsLost { from: 1, to: 1 })));
        }
        let manifest = Manifest { iterations: 3, ..Manifest::default() };
        let error = Log::read(Path::new("metrics.jsonl"), "{\"iteration\":2}\n", &manifest).err().unwrap().to_string();
        assert!(error.contains("line 1: iteration 2, expected 1"), "{error}");
    }

    #[test]
    fn another_number_in_a_line_is_told() {
        let changed = TEXT.replace("}\n{", ",\"x\":1}\n{");
        assert_eq!(read(&changed, Some(TEXT)).unwrap().remark, Some(Remark::MetricsChanged));
    }
}
