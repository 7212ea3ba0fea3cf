//! The networks of a run: as stored, as they learn, and as they play.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Position;
use gipf_models::{Checkpoint, Engine, EngineError, NetConfig, NetKind};
use gipf_play::run::RunError;

use super::TrainError;
use crate::training::learning::{Learner, LearnerError};
use crate::training::run::RunDirectory;
use crate::training::settings::Config;

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
    if found.grows_to(net) {
        return Ok(());
    }
    let [found, expected] = if found.net == net.net {
        [found, net].map(|config| format!("{} planes and {} actions", config.layout.planes(), config.actions.size()))
    } else {
        [settings_beside(&found.net, &net.net), settings_beside(&net.net, &found.net)]
    };
    Err(TrainError::Growth { path: path.to_owned(), found, expected })
}

/// Returns the settings in which a network differs from another: the kind, or its sizes.
fn settings_beside(net: &NetKind, other: &NetKind) -> String {
    if net.kind() != other.kind() {
        return format!("kind={}", net.kind());
    }
    let [own, other] = [net, other].map(|net| match serde_json::to_value(net) {
        Ok(serde_json::Value::Object(settings)) => settings,
        _ => unreachable!("a network has settings by name"),
    });
    let told = own.iter().filter(|(name, value)| other.get(*name) != Some(value));
    told.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// Returns the network as it plays now.
pub(super) fn engine_of(learner: &Learner, net: &NetConfig) -> Result<Arc<Engine>, EngineError> {
    Engine::new(&learner.weights(), net).map(Arc::new)
}

/// Returns the best network of a run, and rewrites its copy: an unfinished iteration may have replaced it.
pub(super) fn restored_best(
    run: &RunDirectory,
    iteration: u32,
    game: &str,
    net: &NetConfig,
) -> Result<Arc<Engine>, TrainError> {
    let path = run.checkpoint(iteration);
    let checkpoint = Checkpoint::load_for(&path, game)?;
    if !checkpoint.config.grows_to(net) {
        return Err(RunError::Damaged(path, "expected a network of the run's settings".to_owned()).into());
    }
    checkpoint.save(&run.best())?;
    Ok(Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?))
}
