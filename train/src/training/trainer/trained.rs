//! The networks of a run: as stored, as they learn, and as they play.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Position;
use gipf_models::{Checkpoint, Engine, EngineError, NetConfig};

use super::TrainError;
use crate::training::learning::{Learner, LearnerError};
use crate::training::settings::{Config, misfits};

/// What a new run trains: a network as it is stored, as it learns, and as it plays.
pub(super) struct Trained {
    pub net: NetConfig,
    pub learner: Learner,
    pub engine: Arc<Engine>,
}

impl Trained {
    pub fn new(net: NetConfig, learner: Learner) -> Result<Self, EngineError> {
        let engine = engine_of(&learner, &net)?;
        Ok(Self { net, learner, engine })
    }
}

pub(super) fn net_of<P: Position>(config: &Config, start: &P) -> Result<NetConfig, LearnerError> {
    Ok(NetConfig::of(config.network.0.clone(), start)?)
}

/// Returns the network of a run, and the learner that begins to train it.
pub(super) fn new_learner<P: Position>(config: &Config, start: &P) -> Result<(NetConfig, Learner), LearnerError> {
    let net = net_of(config, start)?;
    let learner = Learner::new(&net, &config.learning.optimizer, config.run.seed)?;
    Ok((net, learner))
}

/// Begins a learner with the weights of a network, or as a larger network that it grows to; errors name it by its path.
pub(super) fn learner_with<P: Position>(
    config: &Config,
    start: &P,
    path: &Path,
    network: &Checkpoint,
) -> Result<(NetConfig, Learner), TrainError> {
    let net = net_of(config, start)?;
    check_growth(path, &network.config, &net)?;
    let (optimizer, found) = (&config.learning.optimizer, (&network.config, &network.weights));
    let learner = Learner::beginning_with(&net, optimizer, found, config.run.seed)?;
    Ok((net, learner))
}

/// Checks that a network can begin with another one's weights; errors name the other by its path.
pub(crate) fn check_growth(path: &Path, found: &NetConfig, net: &NetConfig) -> Result<(), TrainError> {
    match misfits(found, net) {
        None => Ok(()),
        Some([found, expected]) => Err(TrainError::Growth { path: path.to_owned(), found, expected }),
    }
}

/// Returns the network as it plays now.
pub(super) fn engine_of(learner: &Learner, net: &NetConfig) -> Result<Arc<Engine>, EngineError> {
    Engine::new(&learner.weights(), net).map(Arc::new)
}
