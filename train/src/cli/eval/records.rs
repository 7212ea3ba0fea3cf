//! The file of all games: kept in a second file while they are played, and written whole at the end.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gipf_play::arena::{Journal, Match, MatchConfig, MatchJournal, PairNames, RecordSheet, TimeControl};
use gipf_play::players::{AgentError, AgentSpec};

use super::Args;
use crate::cli::{Console, VERSION};
use crate::output::{OutputError, OutputFile};

/// The games of the matches of a command.
pub(super) struct Records {
    output: OutputFile,
    /// `None` if the output is not a regular file; then the games go there once all are played.
    journal: Option<Journal>,
    sheet: RecordSheet,
    clock: Option<TimeControl>,
}

impl Records {
    /// Opens the file before any game, with the games that the same command played before it was interrupted.
    pub fn open(path: &Path, args: &Args, config: &MatchConfig, console: &mut Console<'_>) -> Result<Self> {
        let partial = partial(path);
        let output = args.force.open(path, console).inspect_err(|error| {
            if matches!(error, OutputError::Exists(_)) {
                Journal::remove_complete(&partial, path);
            }
        })?;
        let journal =
            if output.is_straight() { None } else { Some(Journal::open(&partial, &args.settings(config)?, &today())?) };
        if let Err(error) = output.check_free() {
            // Another program finished the same matches and removed their journal while this one waited for it.
            journal.filter(|journal| journal.known() == 0).map_or(Ok(()), Journal::remove)?;
            return Err(error.into());
        }
        if let Some(known) = journal.as_ref().map(Journal::known).filter(|known| *known > 0) {
            console.note(format_args!("going on with {} games of {}", 2 * known, partial.display()));
        }
        let sheet = RecordSheet::new(journal.as_ref().map_or_else(today, |journal| journal.date().to_owned()));
        Ok(Self { output, journal, sheet, clock: config.clock })
    }

    /// Returns the journal that keeps the games of a match as they end.
    pub fn journal<'a>(&'a self, number: usize, agents: [&'a str; 2]) -> Option<MatchJournal<'a>> {
        let names = PairNames { agents, control: self.clock };
        self.journal.as_ref().map(|journal| journal.of_match(number, names))
    }

    /// Adds the games of a match.
    pub fn add(&mut self, played: &Match) -> Result<()> {
        self.journal.as_ref().map_or(Ok(()), Journal::check)?;
        self.sheet.add(played);
        Ok(())
    }

    /// Writes the games to the file that was asked for.
    pub fn finish(self) -> Result<()> {
        let games = self.sheet.text();
        self.journal.as_ref().map_or(Ok(()), |journal| journal.complete(&games))?;
        self.output.fill(games.as_bytes())?;
        Ok(self.journal.map_or(Ok(()), Journal::remove)?)
    }

    /// Prints where the games are when the matches end early.
    pub fn leave(self, console: &mut Console<'_>) -> Result<()> {
        let path = self.output.path().to_owned();
        if self.journal.is_none() {
            return Ok(self.output.fill(self.sheet.text().as_bytes())?);
        }
        let kept = partial(&path);
        console.note(format_args!(
            "the games are kept in {}; the same command resumes, as long as its players' files stay the same",
            kept.display()
        ));
        Ok(())
    }
}

/// Returns the name of the file in which games are kept until all are played.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

impl Args {
    /// Returns everything that the games depend on, including the content of the agents' files and the program that plays.
    fn settings(&self, config: &MatchConfig) -> Result<String, AgentError> {
        let Self { agent, against, against_command, move_time, book, .. } = self;
        let checksum = |spec: &AgentSpec| spec.file(config.variant).map(|file| blake3::hash(&file).to_string());
        let files = std::iter::once(agent).chain(against).map(checksum).collect::<Result<Vec<_>, _>>()?;
        let program = VERSION.as_str();
        Ok(format!("{program} {agent} {against:?} {against_command:?} {files:?} {move_time:?} {book:?} {config:?}"))
    }
}

/// Returns the day as PGN writes it, in universal time.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}
