//! Networks on disk: weights with all that is needed to use them.

use std::path::{Path, PathBuf};

use gipf_env::text::truncate_escaped;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, NetConfig};
use crate::sealed::Sealed;
use crate::tensor_file::{MOST_OF_NETWORK, TensorFile, TensorFileError, read_file};
use crate::weights::{Weights, WeightsError, check_shapes};

/// The version of the format that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;
/// The number of characters of foreign text that an error quotes.
const SHOWN: usize = 200;

/// A network with its weights, as it is stored in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The network.
    pub config: NetConfig,
    /// Where it comes from.
    pub metadata: Metadata,
    /// Its weights.
    pub weights: Weights,
}

/// Where a checkpoint comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// The game: the name of a rule set, such as `standard`, or of a toy game, such as `tic-tac-toe`.
    pub game: String,
    /// The number of training steps since training began, the network last grew, or it went on from another network.
    pub step: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The commit of the program that trained it, if known.
    pub commit: Option<String>,
}

/// Why a checkpoint cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or written, is cut short, or was altered.
    #[error(transparent)]
    File(#[from] TensorFileError),
    /// The file is of another version of the format.
    #[error("{} has checkpoint format {found}: expected {FORMAT_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The network is for another game.
    #[error("{} is a network for {}: expected {expected}", path.display(), truncate_escaped(found, SHOWN))]
    Game {
        /// The file.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The game that was asked for.
        expected: String,
    },
    /// The header is not that of a checkpoint.
    #[error("{} is not a checkpoint: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The network's settings are impossible.
    #[error("{}: {source}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ConfigError,
    },
    /// The weights are not those of the network.
    #[error("{}: {source}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: WeightsError,
    },
}

/// The body of the file's header. The rest is read only if the version matches.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    config: NetConfig,
    metadata: Metadata,
}

impl Checkpoint {
    /// Writes the checkpoint completely or not at all. A file already there is replaced only by a complete one.
    ///
    /// # Errors
    /// If the weights do not fit the network, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        Ok(self.to_file(path)?.save(path)?)
    }

    /// Returns the content of the checkpoint's file; errors name it by its path.
    ///
    /// # Errors
    /// If the weights do not fit the network.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, CheckpointError> {
        Ok(self.to_file(path)?.to_bytes(path)?)
    }

    fn to_file(&self, path: &Path) -> Result<TensorFile<Header>, CheckpointError> {
        self.check(path)?;
        let contents = Contents { config: self.config.clone(), metadata: self.metadata.clone() };
        let rest = serde_json::to_value(contents).and_then(serde_json::from_value).expect("settings are plain values");
        let body = Header { format: FORMAT_VERSION, rest };
        Ok(TensorFile { body, tensors: self.weights.0.clone() })
    }

    /// Reads a checkpoint of any game.
    ///
    /// # Errors
    /// If the file is missing, too large, cut short, altered, of another version, or if its weights are not those of
    /// its network.
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        Self::from_bytes(path, &read_file(path, MOST_OF_NETWORK)?)
    }

    /// Returns the content of a file, if it is not larger than a checkpoint can be.
    ///
    /// # Errors
    /// If the file is missing or too large.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, CheckpointError> {
        Ok(read_file(path, MOST_OF_NETWORK)?)
    }

    /// Reads a checkpoint of any game from the content of a file; errors name the file by its path.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let file = Sealed::open(path, bytes)?;
        let header: Header = file.body()?;
        if header.format != FORMAT_VERSION {
            return Err(CheckpointError::Version { path: path.to_owned(), found: header.format });
        }
        let Contents { config, metadata } = serde_json::from_value(header.rest.into()).map_err(|error| {
            CheckpointError::Header { path: path.to_owned(), reason: truncate_escaped(&error.to_string(), SHOWN) }
        })?;
        config.validate().map_err(|source| CheckpointError::Config { path: path.to_owned(), source })?;
        let weights = |source| CheckpointError::Weights { path: path.to_owned(), source };
        // Numbers are copied only if their count matches the network.
        check_shapes(&config, file.shapes()).map_err(weights)?;
        let checkpoint = Self { config, metadata, weights: Weights(file.into_tensors()) };
        checkpoint.weights.check_values().map_err(weights)?;
        Ok(checkpoint)
    }

    /// Reads a checkpoint of one game.
    ///
    /// # Errors
    /// As for [`Self::load`], and if the network is for another game.
    pub fn load_for(path: &Path, game: &str) -> Result<Self, CheckpointError> {
        Self::load(path)?.for_game(path, game)
    }

    /// Returns the checkpoint if it is for this game.
    ///
    /// # Errors
    /// If it is for another; the error names the file by its path.
    pub fn for_game(self, path: &Path, game: &str) -> Result<Self, CheckpointError> {
        if self.metadata.game == game {
            return Ok(self);
        }
        let (path, found, expected) = (path.to_owned(), self.metadata.game, game.to_owned());
        Err(CheckpointError::Game { path, found, expected })
    }

    fn check(&self, path: &Path) -> Result<(), CheckpointError> {
        let config = |source| CheckpointError::Config { path: path.to_owned(), source };
        self.config.validate().map_err(config)?;
        let weights = |source| CheckpointError::Weights { path: path.to_owned(), source };
        self.weights.check(&self.config).map_err(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::small_configs;
    use crate::weights::Array;

    fn checkpoint(config: NetConfig) -> Checkpoint {
        let weights = Weights::initial(&config, 3);
        let metadata = Metadata { game: "standard".to_owned(), step: 12, seed: 3, commit: Some("abc".to_owned()) };
        Checkpoint { config, metadata, weights }
    }

    fn saved(folder: &Path) -> (PathBuf, Checkpoint) {
        let (path, checkpoint) = (folder.join("net.safetensors"), checkpoint(small_configs().swap_remove(1)));
        checkpoint.save(&path).unwrap();
        (path, checkpoint)
    }

    /// Writes a file that is sound but for one change, and returns why it is refused.
    fn refused(change: impl FnOnce(&mut TensorFile<Header>)) -> CheckpointError {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = saved(folder.path());
        let mut file = TensorFile::load(&path).unwrap();
        change(&mut file);
        file.save(&path).unwrap();
        let error = Checkpoint::load(&path).unwrap_err();
        assert!(error.to_string().contains("net.safetensors"), "{error}");
        error
    }

    #[test]
    fn a_loaded_checkpoint_is_the_saved_one() {
        let folder = tempfile::tempdir().unwrap();
        for config in small_configs() {
            let (path, checkpoint) = (folder.path().join("net"), checkpoint(config));
            checkpoint.save(&path).unwrap();
            assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint);
            assert_eq!(Checkpoint::load_for(&path, "standard").unwrap(), checkpoint);
            assert_eq!(checkpoint.to_bytes(&path).unwrap(), std::fs::read(&path).unwrap());
        }
    }

    #[test]
    fn a_network_for_another_game_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Checkpoint::load_for(&saved(folder.path()).0, "basic").unwrap_err();
        assert!(matches!(&error, CheckpointError::Game { .. }), "{error}");
        assert!(error.to_string().ends_with("a network for standard: expected basic"), "{error}");
    }

    #[test]
    fn truncated_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = saved(folder.path());
        let bytes = std::fs::read(&path).unwrap();
        for length in (0..bytes.len()).step_by(bytes.len() / 150).chain([bytes.len() - 1]) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let error = Checkpoint::load(&path).unwrap_err();
            assert!(matches!(error, CheckpointError::File(TensorFileError::Malformed { .. })), "{length}: {error}");
        }
    }

    #[test]
    fn altered_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = saved(folder.path());
        let bytes = std::fs::read(&path).unwrap();
        for place in (0..bytes.len()).step_by(97 * (1 + bytes.len() / 30_000)) {
            let mut altered = bytes.clone();
            altered[place] ^= 0x20;
            std::fs::write(&path, &altered).unwrap();
            assert!(Checkpoint::load(&path).is_err(), "byte {place}");
        }
    }

    #[test]
    fn other_versions_are_refused_before_anything_else() {
        let error = refused(|file| {
            file.body.format += 1;
            file.body.rest.clear();
        });
        assert!(matches!(error, CheckpointError::Version { found: 2, .. }), "{error}");
    }

    #[test]
    fn unknown_settings_and_impossible_networks_are_refused() {
        let error = refused(|file| drop(file.body.rest.insert("more".to_owned(), 1.into())));
        assert!(matches!(error, CheckpointError::Header { .. }), "{error}");
        let error = refused(|file| file.body.rest["config"]["num_actions"] = 64.into());
        assert!(matches!(error, CheckpointError::Config { .. }), "{error}");
    }

    #[test]
    fn weights_of_another_network_are_refused() {
        let weights = |change: fn(&mut TensorFile<Header>)| match refused(change) {
            CheckpointError::Weights { source, .. } => source,
            other => panic!("{other}"),
        };
        let bias = "value.0.bias";
        let shape = weights(|file| file.tensors.get_mut("value.0.bias").unwrap().shape.insert(0, 1));
        assert!(matches!(shape, WeightsError::Shape { name, .. } if name == bias));
        let missing = weights(|file| drop(file.tensors.remove("value.0.bias")));
        assert_eq!(missing, WeightsError::Missing(bias.to_owned()));
        let odd = weights(|file| {
            let nothing = Array { shape: vec![0], values: Vec::new() };
            file.tensors.insert("\u{1b}[31m".repeat(50_000), nothing);
        });
        let told = odd.to_string();
        assert!(told.starts_with("tensor `\\u{1b}[31m") && told.len() < 300, "{told}");
        let infinite = weights(|file| file.tensors.get_mut("value.0.bias").unwrap().values[0] = f32::INFINITY);
        assert_eq!(infinite, WeightsError::NotFinite(bias.to_owned()));
    }

    #[test]
    fn a_failing_save_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, checkpoint) = saved(folder.path());
        let mut broken = checkpoint.clone();
        broken.weights.0.pop_first();
        assert!(matches!(broken.save(&path), Err(CheckpointError::Weights { .. })));
        assert_eq!(Checkpoint::load(&path).unwrap(), checkpoint);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Checkpoint::load(Path::new("no-such-file")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read no-such-file"), "{error}");
    }
}
