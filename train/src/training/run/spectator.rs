//! A run as seen by programs that only look: without its lock, beside the program that writes to it.

use std::path::{Path, PathBuf};

use gipf_play::run::{CONFIG, LONGEST, MANIFEST, METRICS, Manifest, RunError, files_in, read_text};

use crate::training::metrics::IterationMetrics;
use crate::training::settings::Config;

/// A run in its current state.
#[derive(Clone, Debug)]
pub struct RunView {
    /// Its settings.
    pub config: Config,
    /// Its complete iterations.
    pub metrics: Vec<IterationMetrics>,
    /// The iterations whose networks exist, in order.
    pub checkpoints: Vec<u32>,
}

impl RunView {
    /// Returns the files that [`RunView::of`] reads, as far as they exist.
    pub fn files(run: &Path) -> Vec<PathBuf> {
        [CONFIG, METRICS, MANIFEST].map(|name| run.join(name)).into_iter().filter(|file| file.exists()).collect()
    }

    /// Reads a run that may be growing. Nothing in it is locked or changed.
    ///
    /// # Errors
    /// If there are no settings, or a file is damaged, too large, or not a file.
    pub fn of(run: &Path) -> Result<Self, RunError> {
        let path = run.join(CONFIG);
        let config =
            Config::parse(&read_text(&path, LONGEST)?).map_err(|fault| RunError::Config(path, fault.to_string()))?;
        let path = run.join(METRICS);
        // The settings exist before the first line of metrics.
        let text = if path.exists() { read_text(&path, LONGEST)? } else { String::new() };
        let complete = Manifest::read(run)?.map_or(u32::MAX, |manifest| manifest.iterations);
        let metrics = lines(&path, &text, complete)?;
        let of_name = |path: PathBuf| path.file_stem()?.to_str()?.parse().ok();
        let mut checkpoints: Vec<_> = files_in(&run.join("checkpoints")).into_iter().filter_map(of_name).collect();
        checkpoints.sort_unstable();
        checkpoints.retain(|&iteration: &u32| iteration <= complete);
        Ok(Self { config, metrics, checkpoints })
    }
}

/// Returns the lines of complete iterations. A line that is being written has no end yet.
fn lines(path: &Path, text: &str, complete: u32) -> Result<Vec<IterationMetrics>, RunError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut metrics: Vec<IterationMetrics> = Vec::new();
    for (number, line) in (1..).zip(whole.lines()) {
        let damaged = |why: String| RunError::Damaged(path.to_owned(), format!("line {number}: {why}"));
        let line: IterationMetrics = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if metrics.last().is_some_and(|last| last.iteration >= line.iteration) {
            return Err(damaged(format!("iteration {} once more", line.iteration)));
        }
        metrics.push(line);
    }
    metrics.retain(|line| line.iteration <= complete);
    Ok(metrics)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::training::{NewRun, RunDirectory};

    #[test]
    fn a_run_is_read_while_another_program_writes_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let config = Config::preset("smoke").unwrap();
        let new = NewRun::new(&path, &config);
        let run = RunDirectory::create(&new).unwrap();
        let manifest = run.write_config(&new, Manifest::default()).unwrap();
        assert!(RunView::of(&path).unwrap().metrics.is_empty());
        let line = |iteration| IterationMetrics { iteration, ..IterationMetrics::default() };
        run.append_metrics(&line(1)).unwrap();
        assert!(RunView::of(&path).unwrap().metrics.is_empty(), "the iteration is not complete");
        run.commit(&Manifest { iterations: 1, ..manifest }).unwrap();
        run.append_metrics(&line(2)).unwrap();
        let torn = fs::read_to_string(path.join(METRICS)).unwrap() + "{\"iteration\":3,";
        fs::write(path.join(METRICS), torn).unwrap();
        let found = RunView::of(&path).unwrap();
        assert_eq!(found.metrics.iter().map(|line| line.iteration).collect::<Vec<_>>(), [1]);
        assert_eq!(found.config, config);
    }

    #[test]
    fn damaged_lines_and_other_things_than_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join(CONFIG), Config::default().to_text()).unwrap();
        for text in ["{}\n", "1\n2\n", "\n", "[[[[\n"] {
            fs::write(path.join(METRICS), text).unwrap();
            let error = RunView::of(path).unwrap_err().to_string();
            assert!(error.contains("line 1"), "{text}: {error}");
        }
        fs::remove_file(path.join(METRICS)).unwrap();
        fs::create_dir(path.join(METRICS)).unwrap();
        assert!(RunView::of(path).unwrap_err().to_string().contains("expected a regular file"));
        fs::remove_file(path.join(CONFIG)).unwrap();
        assert!(RunView::of(path).is_err());
    }
}
