//! Beginning a run, or continuing one, as `gipf train` does.

use std::path::Path;

use gipf_env::GipfPosition;
use gipf_play::Stop;
use gipf_train::dataset::{Accepted, Source};
use gipf_train::training::fit::{FitConfig, FitMetrics, FitReporter, fit};
use gipf_train::training::trainer::Trainer;
use gipf_train::training::{Baselines, Beginning, Config, NewRun, Opponents, RunDirectory, RunOrder, named_start};
use pyo3::PyResult;
use pyo3::exceptions::PyKeyboardInterrupt;

use crate::error::{OrRaise, TrainingError};
use crate::workers::workers;

/// A run to be opened.
pub struct Opening<'a> {
    /// Its directory.
    pub run: &'a Path,
    /// The order that defines it.
    pub order: &'a RunOrder,
    /// Whether incomplete datasets are read too.
    pub partial: bool,
    /// Whether it may be a run of push-off.
    pub allow_push_off: bool,
}

impl Opening<'_> {
    /// Continues the run in the directory. It keeps its settings; only its length may change.
    pub fn again(&self) -> PyResult<Trainer<GipfPosition>> {
        let is_beginning = RunDirectory::was_begun_by(self.run, &self.order.origin()).or_raise()?;
        if self.order.changes_settings() && !is_beginning {
            let told = "is a run with settings of its own: expected iterations alone, the call that began it, or a new \
                        directory";
            return Err(TrainingError::new_err(format!("{} {told}", self.run.display())));
        }
        let mut trainer = Trainer::resume(self.run, named_start).or_raise()?;
        if let Some(iterations) = self.order.iterations {
            trainer.set_iterations(iterations, is_beginning).or_raise()?;
        }
        check_opponents(trainer.config())?;
        Ok(trainer)
    }

    /// Begins a run in the directory. Everything is checked before anything is written.
    pub fn anew(&self, stop: &Stop) -> PyResult<Trainer<GipfPosition>> {
        self.check()?;
        let order = self.order;
        let accepted = if self.partial { Accepted::Partial } else { Accepted::Complete };
        let source = if order.data.is_empty() {
            None
        } else {
            Some(Source::open(&order.data, accepted, order.variant).or_raise()?)
        };
        let variant = source.as_ref().map(Source::variant).or(order.variant);
        let (mut beginning, config) = order.beginning(variant, &mut |_, _, _| ()).or_raise()?;
        if config.game.variant.is_push_off() && !self.allow_push_off {
            let told = "push-off cannot be learned, since its games reach the limit undecided: expected another rule set, \
                        or allow_push_off";
            return Err(TrainingError::new_err(told));
        }
        Baselines::new(&config).or_raise()?;
        check_opponents(&config)?;
        RunDirectory::check_free(self.run).or_raise()?;
        if let Some(source) = source {
            let network = workers()?.install(|| {
                let split =
                    source.split(FitConfig::HELD_OUT, config.at(0).learning.value_lambda, &|_| (), stop).or_raise()?;
                let Some(split) = split else { return Err(PyKeyboardInterrupt::new_err(())) };
                let config = FitConfig::of_run(&config, split.learned.len());
                Ok(fit(&split, &config, &mut Silent, stop).or_raise()?.checkpoint(&source.variant().to_string()))
            })?;
            if stop.requested() {
                return Err(PyKeyboardInterrupt::new_err(()));
            }
            beginning = Beginning::Network("the fitted network".into(), Box::new(network));
        }
        beginning.begin(&NewRun::new(self.run, &config).begun_by(&order.origin())).or_raise()
    }

    /// Refuses options that contradict one another.
    fn check(&self) -> PyResult<()> {
        let RunOrder { data, from, preset, config, .. } = self.order;
        if !data.is_empty() && from.is_some() || preset.is_some() && config.is_some() {
            let told = "expected one beginning: from or from_data, and a preset or a config";
            return Err(TrainingError::new_err(told));
        }
        if self.partial && data.is_empty() {
            let told = "partial: expected from_data, since it says which datasets are read";
            return Err(TrainingError::new_err(told));
        }
        Ok(())
    }
}

/// Refuses settings with opponents, which cannot be sent with shards.
pub fn check_opponents(config: &Config) -> PyResult<()> {
    if Opponents::of(config).or_raise()?.is_empty() {
        return Ok(());
    }
    let told = "self_play.opponent plays where the run is: expected itself, or `gipf train`";
    Err(TrainingError::new_err(told))
}

/// Reports nothing.
struct Silent;

impl FitReporter for Silent {
    fn stepped(&mut self, _: u64, _: f64) {}

    fn measured(&mut self, _: &FitMetrics) {}
}
