//! The settings of a run: people may change them, and the program changes only their length.

use std::path::{Path, PathBuf};

use gipf_play::run::{CONFIG, LONGEST, Manifest, RunError, read_text};

use super::{Remark, RunDirectory, checksum};
use crate::training::settings::Config;

/// Checks that a directory has settings of a run.
pub(super) fn check(path: &Path) -> Result<(), RunError> {
    let file = path.join(CONFIG);
    let text = read_text(&file, LONGEST)?;
    parse(file, &text).map(drop)
}

fn parse(file: PathBuf, text: &str) -> Result<Config, RunError> {
    Config::parse(text).map_err(|fault| RunError::Config(file, fault.to_string()))
}

impl RunDirectory {
    /// Reads the settings, which people may change.
    pub(super) fn read_config(&mut self, manifest: &mut Manifest) -> Result<Config, RunError> {
        let (path, text) = (self.file(CONFIG), self.read_text(CONFIG)?);
        let found = checksum(&text);
        if text.trim().is_empty() {
            return Err(RunError::Damaged(path, "it is empty: expected the settings of the run".to_owned()));
        }
        if manifest.config.as_ref().is_some_and(|expected| *expected != found) {
            self.remarks.push(Remark::ConfigChanged);
        }
        manifest.config = Some(found);
        parse(path, &text)
    }

    /// Changes the number of iterations of the run: in its settings, without touching anything else there, and in its
    /// manifest.
    ///
    /// # Errors
    /// If the run has more already, or its files cannot be written.
    pub fn set_iterations(
        &self,
        iterations: u32,
        config: &mut Config,
        manifest: &mut Manifest,
    ) -> Result<(), RunError> {
        let mut changed = config.clone();
        changed.run.iterations = iterations;
        // The caller asks for too many: its file of settings is sound.
        changed.validate().map_err(|fault| RunError::Config(self.path.clone(), fault.to_string()))?;
        if iterations < manifest.iterations {
            let told = "the run has more iterations already: expected a larger number";
            return Err(RunError::Foreign(self.path.clone(), told));
        }
        // Comments that people have written beside the settings are kept.
        let edited = with_iterations(&self.read_text(CONFIG)?, iterations);
        let is_edited = Config::parse(&edited).is_ok_and(|found| found == changed);
        let text = if is_edited { edited } else { changed.to_text() };
        // If the program is killed in between, the settings have no known checksum, and are not reported as edited.
        self.commit(&Manifest { config: None, ..manifest.clone() })?;
        self.write(CONFIG, text.as_bytes())?;
        manifest.config = Some(checksum(&text));
        self.commit(manifest)?;
        *config = changed;
        Ok(())
    }
}

/// Returns the text of settings with another number of iterations in its table `run`.
fn with_iterations(text: &str, iterations: u32) -> String {
    let mut is_run = false;
    let mut changed = |line: &str| {
        if line.trim_start().starts_with('[') {
            is_run = line.trim().starts_with("[run]");
        }
        match line.split_once('=') {
            Some((name, value)) if is_run && name.trim() == "iterations" => {
                let comment = value.split_once('#').map_or_else(String::new, |(_, comment)| format!(" #{comment}"));
                format!("{name}= {iterations}{comment}\n")
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(&mut changed).collect()
}
