//! How a fit is told.

use std::path::Path;

use anyhow::Result;
use indicatif::ProgressBar;

use crate::cli::{Console, progress};
use crate::fit::{FitMetrics, FitReporter, Fitted};

/// Tells of the fit in lines, with a bar in between.
pub(in crate::cli) struct Lines<'a, 'b> {
    console: &'a mut Console<'b>,
    json: bool,
    /// Whether the number of steps is not known from the beginning.
    timed: bool,
    bar: ProgressBar,
}

impl<'a, 'b> Lines<'a, 'b> {
    /// Begins to tell of a fit of so many steps, if that is known.
    pub fn new(console: &'a mut Console<'b>, json: bool, steps: Option<u64>) -> Self {
        let bar = progress::bar("learning".to_owned(), "steps", steps.unwrap_or(0));
        Self { console, json, timed: steps.is_none(), bar }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Tells how good the network is in the end, and where it is.
    pub fn done(&mut self, fitted: &Fitted, path: &Path) -> Result<()> {
        if self.json {
            writeln!(self.console.out, "{}", json(&fitted.metrics, Some(path)))?;
        } else {
            writeln!(self.console.out, "{}\ndone: {}", text(&fitted.metrics), path.display())?;
        }
        Ok(())
    }
}

impl FitReporter for Lines<'_, '_> {
    fn stepped(&mut self, steps: u64, progress: f64) {
        if self.timed {
            self.bar.set_length((steps as f64 / progress).ceil() as u64);
        }
        self.bar.set_position(steps);
    }

    fn measured(&mut self, metrics: &FitMetrics) {
        let line = if self.json { json(metrics, None) } else { text(metrics) };
        let tell = || writeln!(self.console.out, "{line}").and_then(|()| self.console.out.flush());
        // A closed pipe ends the telling, not the learning.
        let _ = self.bar.suspend(tell);
    }
}

/// Returns a report as JSON; the last one names the file.
fn json(metrics: &FitMetrics, path: Option<&Path>) -> String {
    let mut report = serde_json::to_value(metrics).expect("metrics are plain values");
    if let Some(path) = path {
        report["checkpoint"] = path.display().to_string().into();
    }
    report.to_string()
}

fn text(metrics: &FitMetrics) -> String {
    let learning = &metrics.learning;
    let held_out = metrics.held_out.map_or("nothing held out".to_owned(), |held_out| {
        format!(
            "held out: policy {:.3}, agrees {:.1} %, value {:.3}, error {:.3}",
            held_out.policy_loss,
            100.0 * held_out.policy_accuracy,
            held_out.value_loss,
            held_out.value_error
        )
    });
    let (cpu, rate) = (metrics.cpu_seconds, metrics.samples_per_cpu_second);
    format!(
        "step {}, {:.0} s, {cpu:.0} s of CPU, {rate:.0} samples/s of CPU  |  policy {:.3}, value {:.3}  |  {held_out}",
        metrics.steps, metrics.seconds, learning.policy_loss, learning.value_loss
    )
}
