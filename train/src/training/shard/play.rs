//! Playing a shard: a pure function.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Learnable;
use gipf_models::{Checkpoint, Engine};
use gipf_play::players::Build;
use gipf_play::{EvaluationCounts, NetEvaluator, Stop};

use super::{ShardError, ShardGames, ShardSpec};
use crate::training::{ITSELF, PlayedGame, play_games_against};

/// What errors call the checkpoint of a shard.
const NAME: &str = "the checkpoint of the shard";

/// Plays the games of a specification on all threads of the current rayon pool: takes a checkpoint and a
/// specification as bytes, and returns games as bytes. The same input gives the same bytes on any number of threads,
/// except for the hits of a cache (`self_play.cache`, off by default), which are counted beside the games and depend
/// on what a thread has seen before.
///
/// # Errors
/// If the bytes are not what they should be, the checkpoint is not the one that the specification names, an opponent
/// plays the other side, which must be done where the run is, or a stop was requested.
pub fn play_shard<P: Learnable>(checkpoint: &[u8], spec: &[u8], stop: &Stop) -> Result<Vec<u8>, ShardError> {
    let spec = ShardSpec::<P>::from_bytes(spec)?;
    if spec.terms.config.opponent != ITSELF {
        return Err(ShardError::Settings(format!("self_play.opponent: expected {ITSELF} in games played elsewhere")));
    }
    let engine = engine(checkpoint, &spec)?;
    Ok(play_here(&spec, &engine, None, &|_| {}, stop).ok_or(ShardError::Stopped)?.to_bytes(&spec))
}

fn engine<P: Learnable>(checkpoint: &[u8], spec: &ShardSpec<P>) -> Result<Arc<Engine>, ShardError> {
    let hash = blake3::hash(checkpoint);
    if spec.network != *hash.as_bytes() {
        let expected = blake3::Hash::from_bytes(spec.network).to_string();
        return Err(ShardError::Network { found: hash.to_string(), expected });
    }
    let checkpoint =
        Checkpoint::from_bytes(Path::new(NAME), checkpoint)?.for_game(Path::new(NAME), &spec.terms.game)?;
    if !checkpoint.config.fits(&spec.terms.start) {
        return Err(ShardError::Settings("the network is for another board: expected that of the game".to_owned()));
    }
    Ok(Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?))
}

/// Plays the games of a specification with a network at hand, against an opponent if there is one; none if a stop was
/// requested. `ended` is called with each game when it ends.
pub fn play_here<P: Learnable>(
    spec: &ShardSpec<P>,
    engine: &Arc<Engine>,
    opponent: Option<&Build<P>>,
    ended: &(impl Fn(&PlayedGame<P>) + Sync),
    stop: &Stop,
) -> Option<ShardGames<P>> {
    let counts = EvaluationCounts::default();
    let cache = spec.terms.config.cache;
    let evaluator = || NetEvaluator::new(Arc::clone(engine)).with_cache(cache).counting(&counts);
    let games = play_games_against(&spec.assignment(), opponent, evaluator, ended, stop);
    let is_whole = games.len() as u64 == spec.games;
    is_whole.then(|| ShardGames { games, asked: counts.asked(), found: counts.found() })
}
