//! The networks of a run: as stored, as they learn, and as they play.

use std::path::Path;
use std::sync::Arc;

use gipf_env::Position;
use gipf_models::{Checkpoint, Engine, EngineError, NetConfig};

use super::TrainError;
use crate::training::learning::{Learner, LearnerError};
use crate::training::settings::{Config, misfits};

/// What a run trains: a network, as it learns and as it plays, and its student, if there is one.
pub(super) struct Trained {
    pub learners: Learners,
    pub engine: Arc<Engine>,
}

/// The networks of a run as they learn.
pub(super) struct Learners {
    pub network: Learner,
    /// A smaller network that learns from the same batches.
    pub student: Option<Learner>,
}

impl Trained {
    pub fn new(learners: Learners) -> Result<Self, EngineError> {
        let engine = engine_of(&learners.network)?;
        Ok(Self { learners, engine })
    }
}

impl Learners {
    /// Goes on with other settings, and with a larger network if they describe one: the smaller one then becomes the
    /// student, if they ask for one and there is none yet. Returns whether the network has grown.
    ///
    /// # Errors
    /// If the larger network is impossible, or the device was not built in.
    pub fn configure(&mut self, config: &Config, net: &NetConfig) -> Result<bool, LearnerError> {
        let (optimizer, seed) = (&config.learning.optimizer, config.run.seed);
        let grows = net != self.network.net();
        if grows {
            let weights = (self.network.net(), &self.network.weights());
            let larger = Learner::beginning_with(net, optimizer, weights, seed)?;
            let smaller = std::mem::replace(&mut self.network, larger);
            self.student.get_or_insert(smaller);
        }
        self.student.take_if(|_| !config.learning.student.is_wanted());
        for learner in [Some(&mut self.network), self.student.as_mut()].into_iter().flatten() {
            learner.configure(optimizer.clone());
        }
        Ok(grows)
    }
}

pub(super) fn net_of<P: Position>(config: &Config, start: &P) -> Result<NetConfig, LearnerError> {
    Ok(NetConfig::of(config.network.0.clone(), start)?)
}

/// Returns the learner that begins to train the network of a run.
pub(super) fn new_learners<P: Position>(config: &Config, start: &P) -> Result<Learners, LearnerError> {
    let net = net_of(config, start)?;
    let network = Learner::new(&net, &config.learning.optimizer, config.run.seed)?;
    Ok(Learners { network, student: None })
}

/// Begins with the weights of a network, or as a larger network that it grows to; errors name it by its path.
pub(super) fn learners_with<P: Position>(
    config: &Config,
    start: &P,
    path: &Path,
    network: &Checkpoint,
) -> Result<Learners, TrainError> {
    let net = net_of(config, start)?;
    check_growth(path, &network.config, &net)?;
    let learner = Learner::with_weights(&network.config, &config.learning.optimizer, &network.weights);
    let mut learners = Learners { network: learner?, student: None };
    learners.configure(config, &net)?;
    Ok(learners)
}

/// Checks that a network can begin with another one's weights; errors name the other by its path.
pub(crate) fn check_growth(path: &Path, found: &NetConfig, net: &NetConfig) -> Result<(), TrainError> {
    match misfits(found, net) {
        None => Ok(()),
        Some([found, expected]) => Err(TrainError::Growth { path: path.to_owned(), found, expected }),
    }
}

/// Returns the network as it plays now.
pub(super) fn engine_of(learner: &Learner) -> Result<Arc<Engine>, EngineError> {
    Engine::new(&learner.weights(), learner.net()).map(Arc::new)
}
