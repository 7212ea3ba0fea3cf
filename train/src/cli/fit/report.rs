//! The report on a fit.

use std::path::Path;

use anyhow::Result;
use gipf_env::GipfPosition;
use indicatif::ProgressBar;

use crate::cli::{Console, progress};
use crate::training::fit::{FitConfig, FitLength, FitMetrics, FitReporter, Fitted, HeldOutMetrics, fit};
use crate::training::{PackedSamples, Split};

/// Fits a network, and reports on it in lines, with a bar in between.
pub(in crate::cli) fn fit_and_tell(
    split: &Split<PackedSamples<GipfPosition>>,
    config: &FitConfig,
    json: bool,
    console: &mut Console<'_>,
) -> Result<Fitted> {
    let steps = if let FitLength::Steps(steps) = config.length { Some(steps) } else { None };
    let bar = progress::bar("learning".to_owned(), "steps", steps.unwrap_or(0));
    let stop = console.stop.clone();
    let mut lines = Lines { console, json, timed: steps.is_none(), bar };
    let fitted = fit(split, config, &mut lines, &stop);
    lines.bar.finish_and_clear();
    Ok(fitted?)
}

/// Reports the final quality of a network, and in JSON its file, if it has one.
pub(in crate::cli) fn tell_last(fitted: &Fitted, path: Option<&Path>, as_json: bool, console: &mut Console<'_>) {
    tell(&fitted.metrics, path, as_json, console);
}

/// Prints a report as a line; in JSON the last one names the file.
fn tell(metrics: &FitMetrics, path: Option<&Path>, as_json: bool, console: &mut Console<'_>) {
    if !as_json {
        return console.tell(text(metrics));
    }
    let mut report = serde_json::to_value(metrics).expect("metrics are plain values");
    if let Some(path) = path {
        report["checkpoint"] = path.display().to_string().into();
    }
    console.tell_json(&report).expect("a value of JSON can be written");
}

struct Lines<'a, 'b> {
    console: &'a mut Console<'b>,
    json: bool,
    /// Whether the number of steps is not known from the beginning.
    timed: bool,
    bar: ProgressBar,
}

impl FitReporter for Lines<'_, '_> {
    fn stepped(&mut self, steps: u64, progress: f64) {
        if self.timed {
            self.bar.set_length((steps as f64 / progress).ceil() as u64);
        }
        self.bar.set_position(steps);
    }

    fn measured(&mut self, metrics: &FitMetrics) {
        self.bar.suspend(|| tell(metrics, None, self.json, self.console));
    }
}

fn text(metrics: &FitMetrics) -> String {
    let learning = metrics.learning.map_or_else(String::new, |learning| {
        format!("  |  policy {:.3}, value {:.3}", learning.policy_loss, learning.value_loss)
    });
    let held_out = metrics.held_out.map_or("nothing held out".to_owned(), |held_out| {
        let value = held_out.value_loss.zip(held_out.value_error);
        let value = value.map_or("no results".to_owned(), |(loss, error)| format!("value {loss:.3}, error {error:.3}"));
        let HeldOutMetrics { policy_loss, policy_accuracy, .. } = held_out;
        format!("held out: policy {policy_loss:.3}, agrees {:.1} %, {value}", 100.0 * policy_accuracy)
    });
    let (cpu, rate) = (metrics.cpu_seconds, metrics.samples_per_cpu_second);
    let (steps, seconds) = (metrics.steps, metrics.seconds);
    format!("step {steps}, {seconds:.0} s, {cpu:.0} s of CPU, {rate:.0} samples/s of CPU{learning}  |  {held_out}")
}
