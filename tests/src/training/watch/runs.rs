//! Runs of the trainer with a fault in its inputs.

use std::path::Path;

use gipf_env::{GipfPosition, Learnable, Setup, Variant};
use gipf_models::{Checkpoint, LayerName, Metadata, NetConfig, TensorFile, TensorName, Weights};
use gipf_play::Stop;
use gipf_train::training::metrics::IterationMetrics;
use gipf_train::training::trainer::{Advance, NamedStart, Reporter, Stage, Trainer};
use gipf_train::training::watch::{Fault, Finding};
use gipf_train::training::{Config, NewRun};

use super::wrong_game::{MASK, NEXT, SYMMETRY, Wrong};
use crate::training::trainer::NoEval;

/// Keeps the findings, and stops the run when one names the fault.
#[derive(Default)]
pub struct Heard {
    pub said: Vec<Finding>,
    pub metrics: Vec<IterationMetrics>,
    until: Option<(Fault, Stop)>,
}

impl Heard {
    fn until(fault: Fault, stop: &Stop) -> Self {
        Self { until: Some((fault, stop.clone())), ..Self::default() }
    }
}

impl Reporter for Heard {
    fn begin(&mut self, _: u32, _: Stage, _: u64) -> Advance {
        Box::new(|_| {})
    }

    fn complete(&mut self, metrics: &IterationMetrics) {
        self.said.extend(metrics.findings.iter().cloned());
        self.metrics.push(metrics.clone());
        if let Some((fault, stop)) = &self.until
            && self.said.iter().any(|finding| finding.fault == *fault)
        {
            stop.request();
        }
    }
}

pub fn config() -> Config {
    let mut config = Config::preset("smoke").unwrap();
    (config.run.iterations, config.learning.batch_size) = (40, 16);
    config
}

fn train<P: Learnable>(config: &Config, start: P, fault: Fault) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let trainer = Trainer::create(&NewRun::new(&path, config), NamedStart::new("a game", start)).unwrap();
    hear(trainer, fault)
}

fn hear<P: Learnable>(mut trainer: Trainer<P>, fault: Fault) -> Vec<Finding> {
    let stop = Stop::default();
    let mut heard = Heard::until(fault, &stop);
    // A run that diverges has already reported why.
    let _ = trainer.train(&NoEval, &mut heard, &stop);
    heard.said
}

fn standard() -> GipfPosition {
    GipfPosition::start(Variant::STANDARD)
}

pub fn wrong_symmetry(fault: Fault) -> Vec<Finding> {
    train(&config(), Wrong::<SYMMETRY>(standard()), fault)
}

pub fn wrong_next(fault: Fault) -> Vec<Finding> {
    train(&config(), Wrong::<NEXT>(standard()), fault)
}

pub fn wrong_mask(fault: Fault) -> Vec<Finding> {
    train(&config(), Wrong::<MASK>(standard()), fault)
}

pub fn cut_off(fault: Fault) -> Vec<Finding> {
    let setup = Setup::start(Variant::STANDARD).with_placement_limit(Some(20));
    train(&config(), GipfPosition::from_setup(&setup).unwrap(), fault)
}

pub fn large_steps(fault: Fault) -> Vec<Finding> {
    let config = config().with("learning.learning_rate=1.0").unwrap().with("learning.warmup_steps=1").unwrap();
    train(&config, standard(), fault)
}

pub fn dead_layer(fault: Fault) -> Vec<Finding> {
    with_dead_units(1.0, fault)
}

pub fn dead_units(fault: Fault) -> Vec<Finding> {
    with_dead_units(0.95, fault)
}

/// Begins with a network in which a share of the value head's units cannot fire.
fn with_dead_units(share: f64, fault: Fault) -> Vec<Finding> {
    let (folder, config) = (tempfile::tempdir().unwrap(), config());
    let net = NetConfig::of(config.network.0.clone(), &standard()).unwrap();
    let mut weights = Weights::initial(&net, 1);
    let bias = &mut weights.0.get_mut(&TensorName::Bias(LayerName::ValueHidden).to_string()).unwrap().values;
    let dead = (share * bias.len() as f64) as usize;
    bias[..dead].fill(-1000.0);
    let metadata = Metadata { game: "a game".to_owned(), step: 0, seed: 1, commit: None };
    let checkpoint = Checkpoint { config: net, metadata, weights };
    let path = folder.path().join("run");
    let start = NamedStart::new("a game", standard());
    let file = Path::new("dead.safetensors");
    hear(Trainer::create_with(&NewRun::new(&path, &config), start, file, &checkpoint).unwrap(), fault)
}

pub fn no_moments(fault: Fault) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut config = config();
    config.run.iterations = 1;
    let start = || NamedStart::new("a game", standard());
    let mut trainer = Trainer::create(&NewRun::new(&path, &config), start()).unwrap();
    trainer.train(&NoEval, &mut Heard::default(), &Stop::default()).unwrap();
    let state = trainer.run().learner_state(1);
    drop(trainer);
    forget_moments(&state);
    let mut trainer = Trainer::resume(&path, |_| start()).unwrap();
    trainer.set_iterations(2, false).unwrap();
    hear(trainer, fault)
}

fn forget_moments(path: &Path) {
    let mut file = TensorFile::<serde_json::Value>::load(path).unwrap();
    for (name, array) in &mut file.tensors {
        if name.starts_with("moment") {
            array.values.fill(0.0);
        }
    }
    file.save(path).unwrap();
}
