//! The errors of datasets.

use std::io;
use std::path::{Path, PathBuf};

use gipf_env::{GpnError, Variant};
use gipf_play::printable;
use parquet::errors::ParquetError;

/// The rows of a game contradict the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There are no rows.
    #[error("no rows: expected those of one game")]
    Empty,
    /// The start is not a position.
    #[error("game {game}: {source}")]
    Start {
        /// The number of the game.
        game: u64,
        /// The fault of its start.
        source: GpnError,
    },
    /// Rows of the game stand in two places.
    #[error("game {game}: its rows do not stand together")]
    Apart {
        /// The number of the game.
        game: u64,
    },
    /// A row does not follow from those before it.
    #[error("game {game}, decision {ply}: {what} contradicts the rows before it")]
    Row {
        /// The number of the game.
        game: u64,
        /// The number of the decision.
        ply: u32,
        /// The column that contradicts.
        what: &'static str,
    },
}

/// Why a dataset could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file or directory could not be used.
    #[error("{path}: cannot {action}: {source}", path = .path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// There is a dataset already, and it is not overwritten.
    #[error("{path} exists: expected a directory without a dataset, or --force to replace a complete one", path = .0.display())]
    Exists(PathBuf),
    /// A file of a dataset was given twice, so that its games would count twice.
    #[error("{} is given twice: expected each dataset once", .0.display())]
    Twice(PathBuf),
    /// There is something that is not a dataset of this program, or must not be replaced by this one.
    #[error("{} exists, and is not replaced: expected a directory without a dataset", .0.display())]
    Taken(PathBuf),
    /// There is an unfinished dataset with other settings.
    #[error("{} holds a partial dataset of other settings: expected those, another directory, or --force", .0.display())]
    OtherSettings(PathBuf),
    /// There is an unfinished dataset of another network, or of other games.
    #[error("{} holds a partial dataset made by another network, or of other games: expected the same, another directory, or --force",
        .0.display())]
    OtherParents(PathBuf),
    /// There is an unfinished dataset of another program, or of another version of this one.
    #[error("{path} holds a partial dataset begun by {program}, which alone can go on with it: \
        expected that program, another directory, or --force", path = path.display(), program = printable(program))]
    OtherProgram {
        /// The directory.
        path: PathBuf,
        /// The program that began the dataset: name, version, and commit if known.
        program: String,
    },
    /// The output would replace its own sources.
    #[error("{} is an input: expected another place for the output", .0.display())]
    Same(PathBuf),
    /// Another program writes to the dataset.
    #[error("{} is being written by another program: expected to be the only one", .0.display())]
    InUse(PathBuf),
    /// The directory was moved, deleted or replaced while the dataset was written.
    #[error("{} was moved or replaced while it was in use: expected it to stay where it was", .0.display())]
    Gone(PathBuf),
    /// The dataset would lie in the directory of a run.
    #[error("{} belongs to the run {}: expected a directory outside of it", path.display(), run.display())]
    InRun {
        /// The directory.
        path: PathBuf,
        /// The run.
        run: PathBuf,
    },
    /// The dataset is being written, or its writing was interrupted.
    #[error("{}: the dataset is not complete: expected the command that writes it to be run to its end, or --partial",
        .0.display())]
    Incomplete(PathBuf),
    /// The dataset has no manifest.
    #[error("{}: no _manifest.json beside the Parquet files: expected a complete dataset, or --partial", .0.display())]
    NoManifest(PathBuf),
    /// A file from elsewhere is in the folder of the dataset.
    #[error("{}: the manifest beside it does not name it: expected the files of one dataset only", .0.display())]
    Unnamed(PathBuf),
    /// The manifest is damaged, or is something else.
    #[error("{}: not the manifest of a dataset: {what}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The fault.
        what: String,
    },
    /// A file has changed since it was written.
    #[error("{}: damaged: expected the checksum in the manifest beside it", .0.display())]
    Damaged(PathBuf),
    /// The file is not Parquet, is cut short or is damaged.
    #[error("{path}: not a complete Parquet file: {what}", path = .path.display(), what = printable(&.source.to_string()))]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: ParquetError,
    },
    /// The file holds something else.
    #[error("{path}: not a dataset of GIPF games: {what}", path = .path.display(), what = printable(what))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found or is missing.
        what: String,
    },
    /// The file is of another version of this program.
    #[error(
        "{path}: schema version {found}, expected {expected}",
        path = .path.display(),
        found = printable(found),
        expected = super::SCHEMA_VERSION,
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// A value in the file does not belong in its column.
    #[error("{path}: row {row}, column {column}: {found} is not a value of this column", path = .path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The row in the file, from 1.
        row: u64,
        /// The name of the column.
        column: &'static str,
        /// The value.
        found: String,
    },
    /// A stop was requested.
    #[error("stopped")]
    Stopped,
    /// There is no dataset in the directory.
    #[error("{}: no files games-*.parquet: expected the directory of a dataset", .0.display())]
    Empty(PathBuf),
    /// The dataset exists, but has no games.
    #[error("{}: a dataset without games: expected some", .0.display())]
    NoGames(PathBuf),
    /// The games are of another rule set.
    #[error("{}: games of {found}: expected {expected}", path.display())]
    Variant {
        /// The file.
        path: PathBuf,
        /// Its rule set.
        found: Variant,
        /// The rule set asked for, or that of the first file.
        expected: Variant,
    },
    /// The rows contradict the rules.
    #[error("{}: {source}", path.display())]
    Replay {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: ReplayError,
    },
    /// The output file cannot take its name.
    #[error(transparent)]
    Output(#[from] crate::output::OutputError),
    /// A game cannot be written, because it contradicts itself.
    #[error("game {id}: {what}")]
    Game {
        /// The number of the game.
        id: u64,
        /// The fault.
        what: String,
    },
}

impl DatasetError {
    /// Returns a function that adds the path to an error of input or output.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    /// Returns a function that turns an error of writing a file, such as a full disk, into an error of output.
    pub(super) fn writing(path: &Path) -> impl FnOnce(ParquetError) -> Self {
        move |error| {
            let source = match error {
                ParquetError::External(cause) => cause.downcast().map_or_else(io::Error::other, |cause| *cause),
                other => io::Error::other(other),
            };
            Self::Io { path: path.to_owned(), action: "write", source }
        }
    }

    /// Returns a function that adds the path to an error of the file format.
    pub(super) fn parquet(path: &Path) -> impl FnOnce(ParquetError) -> Self {
        move |source| Self::Parquet { path: path.to_owned(), source }
    }

    /// Returns a function that adds the path to a contradiction of the rules.
    pub(super) fn replay(path: &Path) -> impl Fn(ReplayError) -> Self {
        move |source| Self::Replay { path: path.to_owned(), source }
    }

    /// Checks that a file, or a game in it, is of a rule set.
    pub(super) fn check_variant(path: &Path, found: Variant, expected: Variant) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Variant { path: path.to_owned(), found, expected }) }
    }

    /// Returns the error for a file that holds something else.
    pub(super) fn foreign(path: &Path, what: impl Into<String>) -> Self {
        Self::Foreign { path: path.to_owned(), what: what.into() }
    }
}
