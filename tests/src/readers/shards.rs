//! The law of results that workers send.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Checkpoint, LineConfig, Metadata, NetConfig, NetKind, Weights};
use gipf_play::search::SearchConfig;
use gipf_train::training::SelfPlayConfig;
use gipf_train::training::shard::{ShardGames, ShardSpec, Terms};

use super::accepted;

static SPEC: LazyLock<ShardSpec<GipfPosition>> = LazyLock::new(|| spec(&checkpoint()));

/// Returns a small network that has learned nothing.
///
/// # Panics
/// Never.
pub fn checkpoint() -> Vec<u8> {
    let start = GipfPosition::start(Variant::STANDARD);
    let small = LineConfig { features: 8, hidden: 16, mixing: vec![8], value_hidden: 8, ..LineConfig::default() };
    let config = NetConfig::of(NetKind::Line(small), &start).expect("it is sound");
    let metadata = Metadata { game: Variant::STANDARD.to_string(), step: 0, seed: 1, commit: None };
    let weights = Weights::initial(&config, 1);
    Checkpoint { config, metadata, weights }.to_bytes(Path::new("small")).expect("it is sound")
}

/// Returns a shard of three games that this network plays.
pub fn spec(checkpoint: &[u8]) -> ShardSpec<GipfPosition> {
    let config = SelfPlayConfig { parallel_games: 2, full_simulations: 8, cheap_simulations: 4, ..Default::default() };
    let terms = Terms {
        game: Variant::STANDARD.to_string(),
        start: GipfPosition::start(Variant::STANDARD),
        archive: Vec::new(),
        seed: 3,
        config,
        search: SearchConfig::self_play(),
    };
    let network = blake3::hash(checkpoint).into();
    ShardSpec { iteration: 2, first: 7, games: 3, network, terms: Arc::new(terms) }
}

/// Returns the decisions in the result of a shard.
pub fn decisions_of(result: &[u8]) -> &[u8] {
    let none = ShardGames { games: Vec::new(), asked: 0, found: 0 }.to_bytes(&SPEC);
    let head = none.len() - blake3::OUT_LEN;
    &result[head..result.len() - blake3::OUT_LEN]
}

/// Decisions of games: when written again, they read the same. They get the head and the seal of a result, since their
/// author could add both.
pub fn shards(input: &[u8]) -> bool {
    let none = ShardGames { games: Vec::new(), asked: 9, found: 0 }.to_bytes(&SPEC);
    let mut bytes = none[..none.len() - blake3::OUT_LEN].to_vec();
    bytes.extend(input);
    let seal = blake3::hash(&bytes);
    bytes.extend(seal.as_bytes());
    let Some(games) = accepted(ShardGames::from_bytes(&bytes, &SPEC)) else { return false };
    let written = games.to_bytes(&SPEC);
    assert_eq!(ShardGames::from_bytes(&written, &SPEC).expect("what was written is read"), games);
    true
}

/// The bytes of a specification before its checksum.
///
/// # Panics
/// Never.
pub fn specification() -> Vec<u8> {
    let mut spec = spec(&checkpoint());
    let terms = Arc::get_mut(&mut spec.terms).expect("nobody else has it");
    let mut position = terms.start.clone();
    for _ in 0..30 {
        let first = position.legal_actions().next().expect("the game is not over");
        position.play(first).expect("it is legal");
        terms.archive.push(position.without_history());
    }
    let mut bytes = spec.to_bytes();
    bytes.truncate(bytes.len() - blake3::OUT_LEN);
    bytes
}

/// Specifications: when written again, they read the same, and they can be played. They get a seal, since their author
/// could add one.
///
/// # Panics
/// If the law is broken.
pub fn specifications(input: &[u8]) -> bool {
    let mut bytes = input.to_vec();
    bytes.extend(blake3::hash(input).as_bytes());
    let Some(spec) = accepted(ShardSpec::<GipfPosition>::from_bytes(&bytes)) else { return false };
    assert_eq!(ShardSpec::from_bytes(&spec.to_bytes()).expect("what was written is read"), spec);
    for position in std::iter::once(&spec.terms.start).chain(&spec.terms.archive) {
        assert!(position.validate().is_ok() && !position.action_set().is_empty());
    }
    true
}
