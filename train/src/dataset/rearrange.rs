//! Putting datasets together, and parting them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::validate::course;
use super::{DatasetError, DatasetReader, DatasetWriter, Provenance, Row, Summary, card, is_held_out};

/// What becomes of games that are the same as one before: equal start, limit and actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// They are written like any other.
    Keep,
    /// They are left out.
    LeaveOut,
}

/// What was put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// What was written.
    pub summary: Summary,
    /// The games that were left out.
    pub left_out: u64,
}

/// Writes the games of some files to a new dataset, numbered from 0; `advance` is told of rows as they are read.
///
/// # Errors
/// If a file cannot be read, is of another rule set than the first, or writing fails.
///
/// # Panics
/// If there is no file.
pub fn merge(
    files: &[PathBuf],
    out: &Path,
    duplicates: Duplicates,
    advance: &dyn Fn(u64),
) -> Result<Merged, DatasetError> {
    let mut writer = DatasetWriter::create(out, provenance(files, "merged")?)?;
    let (mut seen, mut left_out, mut id) = (HashSet::new(), 0, 0);
    for_each_game(files, advance, &mut |_, mut rows| {
        if duplicates == Duplicates::LeaveOut && !seen.insert(course(&rows)) {
            left_out += 1;
            return Ok(());
        }
        for row in &mut rows {
            row.game_id = id;
        }
        id += 1;
        writer.write_rows(rows)
    })?;
    Ok(Merged { summary: writer.finish()?, left_out })
}

/// Parts the games of some files into two new datasets, `train` and `validation`, the latter with about a share of the games:
/// those that [`is_held_out`] names. The numbers of the games stay. `advance` is told of rows as they are read.
///
/// # Errors
/// As [`merge`].
///
/// # Panics
/// If there is no file.
pub fn split(
    files: &[PathBuf],
    out: &Path,
    validation: f64,
    advance: &dyn Fn(u64),
) -> Result<[Summary; 2], DatasetError> {
    let provenance = provenance(files, "split")?;
    let create = |part| DatasetWriter::create(&out.join(part), provenance.clone());
    let (mut train, mut held_out) = (create("train")?, create("validation")?);
    for_each_game(files, advance, &mut |file, rows| {
        let writer = if is_held_out(file, rows[0].game_id, validation) { &mut held_out } else { &mut train };
        writer.write_rows(rows)
    })?;
    let parts = [train.finish()?, held_out.finish()?];
    let [games, rows] = [|part: &Summary| part.games, |part: &Summary| part.rows].map(|of| parts.iter().map(of).sum());
    let whole = Summary { games, rows, files: parts.iter().flat_map(|part| part.files.clone()).collect() };
    // Readers refuse a part without a file.
    let named: Vec<_> =
        card::HELD_OUT.into_iter().zip(&parts).filter(|(_, part)| part.games > 0).map(|(name, _)| name).collect();
    if !named.is_empty() {
        card::write(out, &provenance, &whole, &named)?;
    }
    Ok(parts)
}

/// Returns the provenance of the games of some files, all of one rule set.
fn provenance(files: &[PathBuf], done: &str) -> Result<Provenance, DatasetError> {
    let mut all: Vec<Provenance> = Vec::new();
    for path in files {
        let reader = DatasetReader::open(path)?;
        let found = reader.provenance().variant;
        let expected = all.first().map_or(found, |first| first.variant);
        if found != expected {
            return Err(DatasetError::Variant { path: path.clone(), found, expected });
        }
        all.push(reader.provenance().clone());
    }
    Ok(Provenance::of_several(&all, done))
}

/// Is told of a game, with the name of its file.
type Tell<'a> = dyn FnMut(&str, Vec<Row>) -> Result<(), DatasetError> + 'a;

/// Tells of each game in order.
fn for_each_game(files: &[PathBuf], advance: &dyn Fn(u64), tell: &mut Tell<'_>) -> Result<(), DatasetError> {
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for rows in DatasetReader::open(path)?.games() {
            let rows = rows?;
            advance(rows.len() as u64);
            tell(&name, rows)?;
        }
    }
    Ok(())
}
