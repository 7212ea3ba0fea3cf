//! Datasets as dense arrays for Python, in one file.

use std::io::{self, BufWriter, Write};

use gipf_env::{GipfPosition, Position};
use gipf_play::Stop;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::files::check_each_once;
use super::{DataFile, DatasetError, DatasetReader, Row, replay, survey};
use crate::output::OutputFile;
use crate::training::SearchKind;

/// The summary of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The rows of each array.
    pub rows: u64,
    /// The planes of an observation.
    pub planes: usize,
    /// The actions of a policy.
    pub actions: usize,
}

/// The arrays of an export, which have a row for each of N decisions: name, type, shape and meaning of each.
pub const ARRAYS: [[&str; 4]; 9] = [
    ["observations", "float32", "(N, planes, 7, 7)", "what a network is shown, from the view of the player to move"],
    ["policy", "float32", "(N, actions)", "the probabilities of a search, or an agent's choice; zeros without either"],
    ["legal", "uint8", "(N, actions / 8, rounded up)", "the legal actions, as `numpy.packbits` packs them"],
    ["action", "uint16", "(N)", "the index of the action taken"],
    [
        "result",
        "int8",
        "(N)",
        "how the game ended for the player to move: 1, 0 or -1; the Parquet column of this name has White's view",
    ],
    ["decided", "uint8", "(N)", "0 where a limit cut the game off, so that `result` says nothing; else 1"],
    ["root_value", "float32", "(N)", "the search's value for the player to move; NaN without one"],
    ["full", "uint8", "(N)", "1 where the policy is a target: after a full search or an agent's choice; else 0"],
    ["game_id", "uint64", "(N)", "the number of the game in its dataset"],
];

/// Writes the decisions of some files, all of one rule set, as an archive of arrays (`.npz`), those of [`ARRAYS`].
///
/// `advance` is called with the number of rows; every file is read twice.
///
/// # Errors
/// If a file cannot be read, contradicts the rules, is of another rule set than the first or is given twice; if writing
/// fails, or the output would replace a part of the input; or if a stop was requested.
///
/// # Panics
/// If there is no file.
pub fn export_npz(
    files: &[DataFile],
    out: OutputFile,
    advance: &dyn Fn(u64),
    stop: &Stop,
) -> Result<Exported, DatasetError> {
    let path = out.path().to_owned();
    if files.iter().any(|file| file.shares(&path)) {
        return Err(DatasetError::Same(path));
    }
    check_each_once(files)?;
    let (exported, start) = shape(files)?;
    let failed = || DatasetError::io(&path, "write");
    let mut archive = Archive { zip: ZipWriter::new_stream(Place::of(out)), rows: exported.rows };

    let mut plain = Plain::default();
    let layout = start.observation_layout();
    let mut planes = vec![0.0; layout.size()];
    archive.begin("observations", "<f4", &layout.shape()).map_err(failed())?;
    for_each_row(files, advance, stop, &mut |row, position| {
        plain.add(row, position);
        position.observe(&mut planes);
        archive.floats(&planes).map_err(failed())
    })?;
    archive.begin("policy", "<f4", &[exported.actions]).map_err(failed())?;
    for_each_row(files, advance, stop, &mut |row, position| {
        let mut policy = vec![0.0; position.num_actions()];
        row.probabilities().into_iter().for_each(|(index, share)| policy[index.get()] = share);
        archive.floats(&policy).map_err(failed())
    })?;
    plain.write(&mut archive, exported.actions).map_err(failed())?;
    archive.finish().map_err(failed())?.finish()?;
    Ok(exported)
}

/// Returns the shapes of the arrays, and a position of the rule set.
fn shape(files: &[DataFile]) -> Result<(Exported, GipfPosition), DatasetError> {
    let (variant, rows) = survey(files, None, DatasetReader::num_rows)?;
    let (rows, start) = (rows.iter().sum(), GipfPosition::start(variant));
    Ok((Exported { rows, planes: start.observation_layout().planes(), actions: start.num_actions() }, start))
}

/// Calls back with every row and its position.
fn for_each_row(
    files: &[DataFile],
    advance: &dyn Fn(u64),
    stop: &Stop,
    tell: &mut dyn FnMut(&Row, &GipfPosition) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    for file in files {
        let reader = DatasetReader::open(file)?;
        for rows in reader.games() {
            if stop.requested() {
                return Err(DatasetError::Stopped);
            }
            let rows = rows?;
            let wrong = DatasetError::replay(file.path());
            let positions = replay(&rows).map_err(wrong)?;
            reader.check_variant(&positions[0])?;
            rows.iter().zip(&positions).try_for_each(|(row, position)| tell(row, position))?;
            advance(rows.len() as u64);
        }
    }
    Ok(())
}

/// The arrays with few bytes per row, which are kept until the large ones are written.
#[derive(Default)]
struct Plain {
    legal: Vec<u8>,
    action: Vec<u8>,
    result: Vec<u8>,
    decided: Vec<u8>,
    root_value: Vec<u8>,
    full: Vec<u8>,
    game_id: Vec<u8>,
}

impl Plain {
    fn add(&mut self, row: &Row, position: &GipfPosition) {
        let mut legal = vec![0; position.num_actions().div_ceil(8)];
        position.action_set().indices().for_each(|index| legal[index.get() / 8] |= 0x80 >> (index.get() % 8));
        self.legal.extend(legal);
        self.action.extend(row.action.0.to_le_bytes());
        let own = row.result * position.to_move().sign() as i8;
        self.result.extend(own.to_le_bytes());
        self.decided.push(u8::from(!row.truncated));
        self.root_value.extend(row.value().unwrap_or(f32::NAN).to_le_bytes());
        self.full.push(u8::from(row.effort == SearchKind::Full));
        self.game_id.extend(row.game_id.to_le_bytes());
    }

    fn write(&self, archive: &mut Archive, actions: usize) -> io::Result<()> {
        archive.array("legal", "|u1", &[actions.div_ceil(8)], &self.legal)?;
        archive.array("action", "<u2", &[], &self.action)?;
        archive.array("result", "|i1", &[], &self.result)?;
        archive.array("decided", "|u1", &[], &self.decided)?;
        archive.array("root_value", "<f4", &[], &self.root_value)?;
        archive.array("full", "|u1", &[], &self.full)?;
        archive.array("game_id", "<u8", &[], &self.game_id)
    }
}

/// A file of arrays, each with `rows` rows.
struct Archive {
    zip: ZipWriter<StreamWriter<Place>>,
    rows: u64,
}

impl Archive {
    /// Begins an array whose rows have this shape (the format of `numpy.save`, version 1.0).
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize]) -> io::Result<()> {
        // The older form of archives limits sizes to 4 GiB, compressed or not.
        let bytes = shape.iter().product::<usize>() as u64 * 8 * self.rows;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3))
            .large_file(bytes >= u64::from(u32::MAX));
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&header(kind, self.rows, shape))
    }

    fn floats(&mut self, floats: &[f32]) -> io::Result<()> {
        let bytes: Vec<_> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        self.zip.write_all(&bytes)
    }

    fn array(&mut self, name: &str, kind: &str, shape: &[usize], bytes: &[u8]) -> io::Result<()> {
        self.begin(name, kind, shape)?;
        self.zip.write_all(bytes)
    }

    fn finish(self) -> io::Result<OutputFile> {
        self.zip.finish()?.into_inner().finish()
    }
}

/// The destination of an archive. After its first failure it accepts data and writes nothing: the library finishes an
/// archive that is dropped, and would print why that fails.
struct Place {
    out: BufWriter<OutputFile>,
    has_failed: bool,
}

impl Place {
    fn of(out: OutputFile) -> Self {
        Self { out: BufWriter::new(out), has_failed: false }
    }

    fn finish(self) -> io::Result<OutputFile> {
        if self.has_failed {
            return Err(io::Error::other("a part is missing"));
        }
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_failed {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.has_failed = written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed { Ok(()) } else { self.out.flush() }
    }
}

/// Returns the header of an array; together with the version and its own length it fills a multiple of 64 bytes.
fn header(kind: &str, rows: u64, shape: &[usize]) -> Vec<u8> {
    let shape: Vec<_> = [rows].into_iter().chain(shape.iter().map(|&size| size as u64)).collect();
    // Python's tuple of one number needs a comma at its end; longer tuples may have one.
    let shape = format!("{shape:?}").replace('[', "(").replace(']', ",)");
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let before = 10;
    let padding = (before + text.len() + 1).next_multiple_of(64) - (before + text.len() + 1);
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let length = (text.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, text.as_bytes()].concat()
}
