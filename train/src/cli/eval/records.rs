//! The file of all games: kept beside it while they are played, and written whole in the end.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Args;
use crate::arena::{Journal, Match, MatchConfig, MatchJournal, PairNames, RecordSheet, TimeControl};
use crate::cli::Console;
use crate::output::{OutputError, OutputFile};
use crate::players::{AgentSpec, CheckpointSpec, Network};
use anyhow::Result;

/// The games of the matches of a command.
pub(super) struct Records {
    output: OutputFile,
    /// None where the output is no regular file, and games go there when they are all played.
    journal: Option<Journal>,
    sheet: RecordSheet,
    clock: Option<TimeControl>,
}

impl Records {
    /// Opens the file, before any game, with the games that the same command has played before it was broken off.
    pub fn open(path: &Path, args: &Args, config: &MatchConfig, console: &mut Console<'_>) -> Result<Self> {
        let partial = partial(path);
        let output = args.force.open(path).inspect_err(|error| {
            if matches!(error, OutputError::Exists(_)) {
                Journal::remove_complete(&partial);
            }
        })?;
        let journal =
            if output.is_straight() { None } else { Some(Journal::open(&partial, &args.settings(config), &today())?) };
        if let Some(known) = journal.as_ref().map(Journal::known).filter(|known| *known > 0) {
            writeln!(console.err, "going on with {} games of {}", 2 * known, partial.display())?;
        }
        let sheet = RecordSheet::new(journal.as_ref().map_or_else(today, |journal| journal.date().to_owned()));
        Ok(Self { output, journal, sheet, clock: config.clock })
    }

    /// Returns who keeps the games of a match as they end.
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

    /// Writes the games under the name that was asked for.
    pub fn finish(self) -> Result<()> {
        self.journal.as_ref().map_or(Ok(()), Journal::complete)?;
        self.output.fill(self.sheet.text().as_bytes())?;
        Ok(self.journal.map_or(Ok(()), Journal::remove)?)
    }

    /// Says where the games are when the matches end early.
    pub fn leave(self, console: &mut Console<'_>) -> Result<()> {
        let path = self.output.path().to_owned();
        if self.journal.is_none() {
            return Ok(self.output.fill(self.sheet.text().as_bytes())?);
        }
        writeln!(console.err, "the games are kept in {}; the same command goes on", partial(&path).display())?;
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
    /// Returns all that the games depend on.
    fn settings(&self, config: &MatchConfig) -> String {
        let Self { agent, against, against_command, move_time, book, .. } = self;
        let networks: Vec<_> = std::iter::once(agent).chain(against).map(network).collect();
        format!("{agent} {against:?} {against_command:?} {networks:?} {move_time:?} {book:?} {config:?}")
    }
}

/// Returns the checksum of the network that an agent is named by, if that is a file or a run.
fn network(spec: &AgentSpec) -> Option<String> {
    let AgentSpec::Checkpoint(CheckpointSpec { network, .. }) = spec else { return None };
    let Network::File(path) = network.resolved().ok()? else { return None };
    std::fs::read(path).ok().map(|bytes| blake3::hash(&bytes).to_string())
}

/// Returns the day as PGN writes it, in universal time.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    day_text(days)
}

/// Returns the day that so many days have passed since the first of 1970.
fn day_text(days: u64) -> String {
    // Days are counted from the first of March 0, so that the leap day is the last of its year; 400 years have 146097.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}.{month:02}.{day:02}", 400 * era + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days =
            [(0, "1970.01.01"), (58, "1970.02.28"), (59, "1970.03.01"), (789, "1972.02.29"), (790, "1972.03.01")];
        for (number, text) in days.into_iter().chain([(11_016, "2000.02.29"), (20_776, "2026.11.19")]) {
            assert_eq!(day_text(number), text);
        }
    }
}
