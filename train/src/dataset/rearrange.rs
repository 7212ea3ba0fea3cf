//! Merging and splitting datasets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gipf_play::Stop;
use serde::Serialize;

use super::files::check_each_once;
use super::folder::{DatasetFolder, TakenFolder, check_own};
use super::manifest::Manifest;
use super::provenance::SPLIT;
use super::validate::course;
use super::{
    DataFile, DatasetError, DatasetReader, DatasetWriter, Plan, Provenance, Row, Summary, card, is_held_out, survey,
};
use crate::output::Existing;

/// What to do with duplicate games, which have equal start, limit and actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Duplicates {
    /// They are written like any other.
    Keep,
    /// They are left out.
    LeaveOut,
}

/// The summary of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The dataset written.
    pub summary: Summary,
    /// The number of games that were left out.
    pub left_out: u64,
}

/// The folder of a dataset, and what to do with an existing one.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// The directory.
    pub folder: &'a Path,
    /// What to do with an existing dataset.
    pub existing: Existing,
}

/// Writes the games of some files to a new dataset, numbered from 0; `advance` is called with the number of rows read.
///
/// # Errors
/// If a file cannot be read, is of another rule set than the first, or is given twice although duplicates are kept;
/// if writing fails, or a stop was requested.
///
/// # Panics
/// If there is no file.
pub fn merge(
    files: &[DataFile],
    out: Destination<'_>,
    duplicates: Duplicates,
    advance: &dyn Fn(u64),
    stop: &Stop,
) -> Result<Merged, DatasetError> {
    check_apart(files, out.folder)?;
    if duplicates == Duplicates::Keep {
        check_each_once(files)?;
    }
    let plan = plan(files, "merged", &duplicates)?;
    let mut writer = DatasetWriter::create(out.folder, plan, out.existing)?;
    let (mut seen, mut left_out, mut id, done) = (HashSet::new(), 0, 0, writer.games());
    for_each_game(files, advance, stop, &mut |_, mut rows| {
        if duplicates == Duplicates::LeaveOut && !seen.insert(course(&rows)) {
            left_out += 1;
            return Ok(());
        }
        for row in &mut rows {
            row.game_id = id;
        }
        id += 1;
        if id > done { writer.write_rows(rows) } else { Ok(()) }
    })?;
    Ok(Merged { summary: writer.finish()?, left_out })
}

/// Splits the games of some files into two new datasets, `train` and `validation`, the latter with about the given
/// share of the games: those for which [`is_held_out`] is true. Games keep their numbers, unless an earlier game has
/// the same one: then they get the next free one. `advance` is called with the number of rows read.
///
/// # Errors
/// As for [`merge`] when duplicates are kept.
///
/// # Panics
/// If there is no file.
pub fn split(
    files: &[DataFile],
    out: Destination<'_>,
    validation: f64,
    advance: &dyn Fn(u64),
    stop: &Stop,
) -> Result<[Summary; 2], DatasetError> {
    PARTS.iter().try_for_each(|part| check_apart(files, &out.folder.join(part)))?;
    check_each_once(files)?;
    let plan = plan(files, SPLIT, &validation)?;
    let ((whole, mut halves), mut numbers) = (begin_both(&plan, out)?, Numbers::default());
    for_each_game(files, advance, stop, &mut |key, mut rows| {
        let half = &mut halves[usize::from(is_held_out(key, rows[0].game_id, validation))];
        let number = numbers.take(rows[0].game_id);
        for row in &mut rows {
            row.game_id = number;
        }
        half.write(rows)
    })?;
    for half in &mut halves {
        half.writer.flush()?;
    }
    describe(&halves, &plan.provenance, &whole)?;
    let [train, held_out] = halves.map(|half| half.writer.finish());
    Ok([train?, held_out?])
}

/// The numbers that games have taken.
#[derive(Default)]
struct Numbers {
    taken: HashSet<u64>,
    /// No number below it is free.
    free: u64,
}

impl Numbers {
    /// Takes a number, or the next free one in its place.
    fn take(&mut self, number: u64) -> u64 {
        if self.taken.insert(number) {
            return number;
        }
        while !self.taken.insert(self.free) {
            self.free += 1;
        }
        self.free
    }
}

/// The names of the two parts.
pub(super) const PARTS: [&str; 2] = ["train", "validation"];

/// One of the two parts while it is written.
struct Half {
    writer: DatasetWriter,
    /// The number of games still to come that an earlier writer has already written.
    done: u64,
}

impl Half {
    fn write(&mut self, rows: Vec<Row>) -> Result<(), DatasetError> {
        if self.done > 0 {
            self.done -= 1;
            return Ok(());
        }
        self.writer.write_rows(rows)
    }
}

/// Begins or resumes both parts, and takes the folder around them, which gets the description of both. If one part is
/// refused, the other stays as it was.
fn begin_both(plan: &Plan, out: Destination<'_>) -> Result<(TakenFolder, [Half; 2]), DatasetError> {
    let folders = PARTS.map(|part| out.folder.join(part));
    let plans = PARTS.map(|part| Plan { choices: serde_json::json!([part, plan.choices]), ..plan.clone() });
    // A request that is refused leaves no trace.
    complete_already(&folders, &plans, out)?;
    let whole = TakenFolder::take(out.folder)?;
    let taken = [TakenFolder::take(&folders[0])?, TakenFolder::take(&folders[1])?];
    // Another program may have completed both before the folders were taken.
    let complete = complete_already(&folders, &plans, out)?;
    let begin = |(taken, plan, is_complete): (TakenFolder, Plan, bool)| {
        let folder = if is_complete { taken.open_again(&plan)? } else { taken.open(&plan, out.existing)? };
        let writer = DatasetWriter::of(folder, plan);
        Ok::<_, DatasetError>(Half { done: writer.games(), writer })
    };
    let ([train, held_out], [first, second]) = (plans, taken);
    Ok((whole, [begin((first, train, complete[0]))?, begin((second, held_out, complete[1]))?]))
}

/// Checks that both parts can be begun or resumed, and returns which of them is already complete: a program that was
/// killed while it finished the two may have completed one.
fn complete_already(
    folders: &[PathBuf; 2],
    plans: &[Plan; 2],
    out: Destination<'_>,
) -> Result<[bool; 2], DatasetError> {
    let found = [Manifest::read(&folders[0])?, Manifest::read(&folders[1])?];
    check_beside(out.folder, found.iter().all(Option::is_none))?;
    let complete = [0, 1].map(|half| found[half].as_ref().is_some_and(|found| found.completes(&plans[half])));
    let again = complete.map(|is_complete| is_complete && complete != [true; 2]);
    for half in [0, 1] {
        match &found[half] {
            Some(manifest) if again[half] => check_own(&folders[half], manifest)?,
            _ => DatasetFolder::check(&folders[half], &plans[half], out.existing)?,
        }
    }
    Ok(again)
}

/// Refuses to describe two parts in a folder with another dataset, or with a description that is not theirs.
fn check_beside(folder: &Path, neither_is_there: bool) -> Result<(), DatasetError> {
    let card = folder.join(card::CARD);
    if Manifest::read(folder)?.is_some() || (neither_is_there && card.exists()) {
        return Err(DatasetError::Taken(card));
    }
    Ok(())
}

/// Writes the description of both parts together.
fn describe(halves: &[Half; 2], provenance: &Provenance, folder: &TakenFolder) -> Result<(), DatasetError> {
    let parts = halves.each_ref().map(|half| half.writer.summary());
    let [games, rows] = [|part: &Summary| part.games, |part: &Summary| part.rows].map(|of| parts.iter().map(of).sum());
    let both = Summary { games, rows, files: parts.iter().flat_map(|part| part.files.clone()).collect() };
    // Readers refuse a part without a file.
    let named: Vec<_> =
        card::HELD_OUT.iter().zip(&parts).filter(|(_, part)| part.games > 0).map(|(part, _)| *part).collect();
    if named.is_empty() { Ok(()) } else { card::write(folder, provenance, &both, &named) }
}

/// Refuses to write a dataset where it would replace its own sources.
fn check_apart(files: &[DataFile], folder: &Path) -> Result<(), DatasetError> {
    let Ok(folder) = folder.canonicalize() else { return Ok(()) };
    let lies_there = |file: &&DataFile| file.path().canonicalize().is_ok_and(|path| path.parent() == Some(&folder));
    match files.iter().find(lies_there) {
        Some(file) => Err(DatasetError::Same(file.path().to_owned())),
        None => Ok(()),
    }
}

/// Returns the plan of a dataset made from the games of some files, all of one rule set, and one more choice.
fn plan(files: &[DataFile], done: &'static str, choice: &impl Serialize) -> Result<Plan, DatasetError> {
    let (mut parents, mut sums) = (Vec::new(), Vec::new());
    for file in files {
        sums.push((file.name(), file.checksum()?));
        parents.push(file.parent()?);
    }
    parents.dedup();
    let choices = serde_json::json!({ "choice": choice, "files": sums });
    Ok(Plan { parents, choices, ..Plan::new(done, provenance(files, done)?) })
}

/// Returns the provenance of the games of some files, all of one rule set.
fn provenance(files: &[DataFile], done: &str) -> Result<Provenance, DatasetError> {
    let (_, all) = survey(files, None, |reader| reader.provenance().clone())?;
    Ok(Provenance::of_several(&all, done))
}

/// Called with the key of a file and one of its games.
type Tell<'a> = dyn FnMut(&str, Vec<Row>) -> Result<(), DatasetError> + 'a;

/// Calls back with each game in order.
fn for_each_game(
    files: &[DataFile],
    advance: &dyn Fn(u64),
    stop: &Stop,
    tell: &mut Tell<'_>,
) -> Result<(), DatasetError> {
    for file in files {
        let reader = DatasetReader::open(file)?;
        let key = reader.key();
        for rows in reader.games() {
            if stop.requested() {
                return Err(DatasetError::Stopped);
            }
            let rows = rows?;
            advance(rows.len() as u64);
            tell(&key, rows)?;
        }
    }
    Ok(())
}
