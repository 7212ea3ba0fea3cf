//! What the games of a shard depend on.

use std::sync::Arc;

use gipf_env::Learnable;
use gipf_play::search::SearchConfig;
use serde::{Deserialize, Serialize};

use super::ShardError;
use crate::training::{Assignment, Config, SelfPlayConfig, can_be_played};

/// The version of the bytes of a specification.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"gipfspec";
/// The checksum at the end.
const SEAL: usize = blake3::OUT_LEN;

/// What all games of an iteration depend on, besides the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms<P> {
    /// The name of the game, as in checkpoints.
    pub game: String,
    /// The position in which games begin.
    pub start: P,
    /// Positions of earlier games, for [`SelfPlayConfig::archive_share`].
    pub archive: Vec<P>,
    /// The seed of the run.
    pub seed: u64,
    /// The settings of play.
    pub config: SelfPlayConfig,
    /// The settings of the search.
    pub search: SearchConfig,
}

impl<P> Terms<P> {
    /// Returns some of the games as an assignment.
    pub fn assignment(&self, first_id: u64, games: u64) -> Assignment<'_, P> {
        let Self { start, archive, seed, config, search, .. } = self;
        Assignment { start, archive, first_id, games, seed: *seed, config, search }
    }
}

/// The specification of a shard: some consecutive games of an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSpec<P> {
    /// The iteration, from 1.
    pub iteration: u32,
    /// The number of the first game in the run.
    pub first: u64,
    /// The number of games.
    pub games: u64,
    /// The blake3 of the checkpoint that plays.
    pub network: [u8; blake3::OUT_LEN],
    /// What is the same for all games of the iteration.
    pub terms: Arc<Terms<P>>,
}

#[derive(Serialize, Deserialize)]
struct Wire<P> {
    version: u32,
    iteration: u32,
    first: u64,
    games: u64,
    network: [u8; blake3::OUT_LEN],
    game: String,
    seed: u64,
    /// TOML, which keeps every number to its last bit and is checked like the settings of a run.
    settings: String,
    start: P,
    archive: Vec<P>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    self_play: SelfPlayConfig,
    search: SearchConfig,
}

impl<P: Learnable> ShardSpec<P> {
    /// Returns the specification as bytes: equal specifications give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let terms = &*self.terms;
        let settings = Settings { self_play: terms.config.clone(), search: terms.search };
        let wire = Wire {
            version: VERSION,
            iteration: self.iteration,
            first: self.first,
            games: self.games,
            network: self.network,
            game: terms.game.clone(),
            seed: terms.seed,
            settings: toml::to_string(&settings).expect("settings are plain values"),
            start: terms.start.clone(),
            archive: terms.archive.clone(),
        };
        let bytes = postcard::to_extend(&wire, MAGIC.to_vec()).expect("a specification is plain values");
        sealed(bytes)
    }

    /// Reads a specification.
    ///
    /// # Errors
    /// If the bytes are not a specification, were damaged, or contain settings out of range or positions that cannot
    /// be played.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShardError> {
        let foreign = || ShardError::Foreign { expected: "specification of a shard" };
        let body = unsealed(bytes)?.strip_prefix(&MAGIC).ok_or_else(foreign)?;
        let (version, _) = postcard::take_from_bytes::<u32>(body).map_err(|_| foreign())?;
        if version != VERSION {
            return Err(foreign());
        }
        let wire: Wire<P> = postcard::from_bytes(body).map_err(|_| foreign())?;
        let fault = |error: String| ShardError::Settings(gipf_play::printable(&error));
        let Settings { self_play, search } =
            toml::from_str(&wire.settings).map_err(|error: toml::de::Error| fault(error.message().to_owned()))?;
        let config = Config { search, self_play, ..Config::default() };
        config.validate().map_err(|error| fault(error.to_string()))?;
        if wire.games == 0 || wire.first.checked_add(wire.games).is_none() {
            return Err(fault(format!("{} games from number {} on: expected some", wire.games, wire.first)));
        }
        let (config, search) = (config.self_play, config.search);
        let Wire { iteration, first, games, network, game, seed, start, archive, .. } = wire;
        if !std::iter::once(&start).chain(&archive).all(|position| can_be_played(position, &start)) {
            return Err(fault("a game would begin where none can, where it is over, or on another board".to_owned()));
        }
        let terms = Arc::new(Terms { game, start, archive, seed, config, search });
        Ok(Self { iteration, first, games, network, terms })
    }

    /// Returns the hash by which results name the specification.
    pub fn hash(&self) -> [u8; blake3::OUT_LEN] {
        blake3::hash(&self.to_bytes()).into()
    }

    /// Returns the games as an assignment.
    pub fn assignment(&self) -> Assignment<'_, P> {
        self.terms.assignment(self.first, self.games)
    }
}

/// Returns bytes with their checksum behind them.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let seal = blake3::hash(&bytes);
    bytes.extend(seal.as_bytes());
    bytes
}

/// Returns the bytes before their checksum.
pub(super) fn unsealed(bytes: &[u8]) -> Result<&[u8], ShardError> {
    let length = || ShardError::Length { found: bytes.len(), expected: format!("{SEAL} or more") };
    let (body, seal) = bytes.split_last_chunk::<SEAL>().ok_or_else(length)?;
    if *blake3::hash(body).as_bytes() == *seal { Ok(body) } else { Err(ShardError::Damaged) }
}
