//! The origin of a dataset, stored in each of its files.

use std::path::Path;

use gipf_env::{GipfPosition, Variant};
use parquet::file::metadata::{FileMetaData, KeyValue};
use serde::{Deserialize, Serialize};

use super::{DatasetError, Row, SCHEMA_VERSION};
use crate::training::PlayedGame;

/// Everything needed to make the same games again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The rule set of all games.
    pub variant: Variant,
    /// The checksum of the checkpoint that played; none if no network did.
    pub checkpoint: Option<String>,
    /// The settings of self-play and search.
    pub settings: serde_json::Value,
    /// The seed of the random generator.
    pub seed: u64,
    /// The program that wrote the games: name, version, and commit if known.
    pub program: String,
    /// The licence of the games, as an SPDX expression.
    pub licence: String,
}

impl Provenance {
    /// Returns the provenance of this program's games that no network played and that need no settings.
    pub fn of(variant: Variant, seed: u64) -> Self {
        let version = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        let commit = crate::COMMIT.map_or_else(String::new, |commit| format!(" ({commit})"));
        let program = format!("{version}{commit}");
        Self {
            variant,
            checkpoint: None,
            settings: serde_json::Value::Null,
            seed,
            program,
            licence: LICENCE.to_owned(),
        }
    }

    /// Returns the rows of a game.
    ///
    /// # Errors
    /// If the game contradicts itself, or is of another rule set.
    pub fn rows_of(&self, game: &PlayedGame<GipfPosition>) -> Result<Vec<Row>, DatasetError> {
        let (found, expected) = (game.start.variant(), self.variant);
        if found != expected {
            return Err(DatasetError::Game { id: game.id, what: format!("it is of {found}: expected {expected}") });
        }
        Row::of_game(game)
    }

    /// Returns the provenance of games from several places, all of one rule set: the checkpoint if all have the same,
    /// the seed of the first, and each provenance in full in the settings, under the name of what was done with them.
    ///
    /// # Panics
    /// If there are no places.
    pub(super) fn of_several(all: &[Self], done: &str) -> Self {
        let first = all.first().expect("there is a place");
        let mut distinct: Vec<&Self> = Vec::new();
        for one in all {
            if !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        let shared = all.iter().all(|one| one.checkpoint == first.checkpoint);
        let mut licences: Vec<_> = distinct.iter().map(|one| one.licence.clone()).collect();
        licences.sort_unstable();
        licences.dedup();
        if licences.len() > 1 {
            // AND binds more tightly than OR.
            let choices = licences.iter_mut().filter(|licence| licence.contains(" OR "));
            choices.for_each(|licence| *licence = format!("({licence})"));
        }
        Self {
            checkpoint: first.checkpoint.clone().filter(|_| shared),
            settings: serde_json::json!({ done: distinct }),
            licence: licences.join(" AND "),
            ..Self::of(first.variant, first.seed)
        }
    }

    /// Returns the checksum of what a split made the games from, if they are a part of a split.
    pub(super) fn split_from(&self) -> Option<String> {
        let whole = self.settings.get(SPLIT)?;
        Some(blake3::hash(whole.to_string().as_bytes()).to_string())
    }

    pub(super) fn to_metadata(&self) -> Vec<KeyValue> {
        let mut pairs = vec![
            (SCHEMA, SCHEMA_VERSION.to_string()),
            (VARIANT, self.variant.to_string()),
            (SETTINGS, self.settings.to_string()),
            (SEED, self.seed.to_string()),
            (PROGRAM, self.program.clone()),
            (LICENCE_KEY, self.licence.clone()),
        ];
        pairs.extend(self.checkpoint.clone().map(|checkpoint| (CHECKPOINT, checkpoint)));
        pairs.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect()
    }

    pub(super) fn from_metadata(path: &Path, metadata: &FileMetaData) -> Result<Self, DatasetError> {
        let pairs = metadata.key_value_metadata().map_or(&[][..], Vec::as_slice);
        let find = |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone());
        let get = |key| find(key).ok_or_else(|| DatasetError::foreign(path, format!("no {key} in its metadata")));
        let version = get(SCHEMA)?;
        if version != SCHEMA_VERSION.to_string() {
            return Err(DatasetError::Version { path: path.to_owned(), found: version });
        }
        let wrong = |key: &str, error: &dyn std::error::Error| DatasetError::foreign(path, format!("{key}: {error}"));
        Ok(Self {
            variant: get(VARIANT)?.parse().map_err(|error| wrong(VARIANT, &error))?,
            checkpoint: find(CHECKPOINT),
            settings: serde_json::from_str(&get(SETTINGS)?).map_err(|error| wrong(SETTINGS, &error))?,
            seed: get(SEED)?.parse().map_err(|error| wrong(SEED, &error))?,
            program: get(PROGRAM)?,
            licence: get(LICENCE_KEY)?,
        })
    }
}

/// The name in the settings for a split of games.
pub(super) const SPLIT: &str = "split";

/// The licence unless another is named: games that a program plays against itself are facts that anybody may use.
pub const LICENCE: &str = "CC0-1.0";

const LICENCE_KEY: &str = "gipf.licence";
const SCHEMA: &str = "gipf.schema";
const VARIANT: &str = "gipf.variant";
const CHECKPOINT: &str = "gipf.checkpoint";
const SETTINGS: &str = "gipf.settings";
const SEED: &str = "gipf.seed";
const PROGRAM: &str = "gipf.program";
