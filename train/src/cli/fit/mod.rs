//! `gipf fit`: a network fitted to datasets.

mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, HexConfig, LineConfig, MlpConfig, NetConfig, NetKind, Precision};
use gipf_play::players::Network;

use super::data::Partial;
use super::network::check_answers;
use super::output::{Force, check_apart, check_apart_from};
use super::suggested;
use super::values::{number, whole};
use super::{Console, Exit, WrongUse, progress};
use crate::dataset::Source;
use crate::training::fit::{FitConfig, FitLength};
use crate::training::trainer::trained::check_growth;
use crate::training::{Config, NetworkConfig, PackedSamples, Split, assigned};
pub(super) use report::{fit_and_tell, tell_last};

/// Fits a network to the games of datasets: the policy to the decisions, the value to the results and to the players'
/// expectations (`learning.value_mix`).
///
/// Learns from the rows whose effort is full, each under one of its symmetries. Some games are held out, the same ones
/// every time, and show how well the network has learned. Ctrl-C ends it early and keeps the network so far; if a file
/// was to be replaced, it is kept beside that file.
///
/// The defaults differ from those of `gipf train`, which are chosen for games that improve as the network learns:
/// `learning.value_mix` is 0.4 from the beginning and `learning.value_lambda` 0; in `learning.optimizer`, `weight_decay`
/// is 0.0001, `beta_2` 0.999 and `clip_norm` 5; and a line network has neither `global_pooling` nor `push_paths` unless
/// they are set.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("length").required(true))]
pub(super) struct Args {
    /// The directory of a dataset; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    partial: Partial,
    /// The file of the network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
    /// The rule set of the games [default: that of the first file]
    #[arg(long, value_name = "NAME")]
    variant: Option<Variant>,
    /// Begin with the network in this file, or with the one that comes with the program, `pretrained`, instead of weights
    /// drawn by the seed. A line network may grow, as in `gipf train --from`
    #[arg(long, value_name = "FILE|pretrained", conflicts_with = "net")]
    from: Option<PathBuf>,
    /// The kind of network: line, hex or mlp [default: line]
    #[arg(long, value_name = "KIND", value_parser = ["line", "hex", "mlp"])]
    net: Option<String>,
    /// Changes one setting of the network, such as `features=16` or `mixing=[16]`, or of learning, such as
    /// `learning.optimizer.average=0`; may be repeated
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    settings: Vec<String>,
    /// Learn for this many seconds; with more threads there are more steps in them
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    #[arg(group = "length")]
    seconds: Option<u64>,
    /// Learn for this many seconds of CPU time, summed over cores: for comparisons on a machine that also does other work
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), group = "length")]
    cpu_seconds: Option<u64>,
    /// Learn for this many steps: the same data, settings and seed then give the same network
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), group = "length")]
    steps: Option<u64>,
    /// Samples per step [default: 256]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=65_536))]
    batch: Option<usize>,
    /// The learning rate after the warm-up [default: 0.002]
    #[arg(long, value_name = "RATE", value_parser = number(0.0..=1.0))]
    learning_rate: Option<f64>,
    /// The learning rate at the end, to which it falls along half a cosine; give the first one again to keep it constant
    /// [default: a tenth of the first one]
    #[arg(long, value_name = "RATE", value_parser = number(0.0..=1.0))]
    final_learning_rate: Option<f64>,
    /// Steps over which the learning rate rises from 0 [default: 200]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    warmup: Option<u64>,
    /// The share of the games that is held out, 0 to 0.9
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = number(0.0..=0.9))]
    hold_out: f64,
    /// Seconds of learning between two reports
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = whole::<u64>(1..))]
    every: u64,
    /// The seed of the first weights, the order of the samples and their symmetries
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Print reports as lines of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  gipf fit --data datasets/baseline --seconds 300 --out baseline.safetensors
  gipf fit --data datasets/a --data datasets/b --steps 2000 \\
      --set features=16 --set 'mixing=[16]' --out small.safetensors
  gipf fit --data datasets/mine --from pretrained --learning-rate 0.0005 \\
      --seconds 300 --out tuned.safetensors
  gipf fit --data datasets/baseline --net mlp --set 'hidden=[128,128]' \\
      --seconds 60 --json --out mlp.safetensors";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let source = Source::open(&args.data, args.partial.accepted(), args.variant)?;
    // Settings and paths that cannot be used are found before anything is learned.
    let from = args.from.as_deref().map(|name| beginning(name, source.variant())).transpose()?;
    let config = args.config(source.variant(), from)?;
    if let (Some(name), Some(network)) = (&args.from, &config.from) {
        let net = NetConfig::of(config.net.clone(), &GipfPosition::start(source.variant()))?;
        check_growth(name, &network.config, &net)?;
    }
    check_apart_from(&args.out, &source)?;
    check_apart(&args.out, args.from.as_deref())?;
    let output = args.force.open(&args.out, console)?;
    let warmup = config.learning.warmup_steps;
    if let FitLength::Steps(steps) = config.length
        && steps <= warmup
    {
        let told = "the learning rate rises to the end: --warmup 0 begins with it";
        console.warn(&format!("--steps {steps} are within the warm-up of {warmup}: {told}"));
    }
    let Some(split) = read(&source, args.hold_out, config.learning.value_lambda, args.json, console)? else {
        return Ok(Exit::Interrupted);
    };
    let fitted = fit_and_tell(&split, &config, args.json, console)?;
    let network = fitted.checkpoint(&source.variant().to_string());
    check_answers(&args.out, &network, &Precision::ALL)?;
    let network = network.to_bytes(&args.out)?;
    if fitted.stopped {
        let path = output.fill_in_part(&network)?;
        tell_last(&fitted, Some(&path), args.json, console);
        let (steps, path) = (fitted.metrics.steps, path.display());
        console.note(format_args!("stopped after {steps} steps: what was learned is in {path}"));
        return Ok(Exit::Interrupted);
    }
    output.fill(&network)?;
    tell_last(&fitted, Some(&args.out), args.json, console);
    if !args.json {
        console.tell(format_args!("done: {}", args.out.display()));
        if let Some(agent) = suggested::agent(&args.out) {
            console.tell(format_args!("measure it: gipf eval {agent}"));
        }
    }
    Ok(Exit::Success)
}

/// Returns the network that a fit begins with.
fn beginning(name: &Path, variant: Variant) -> Result<Checkpoint> {
    let network = Network::named(name).checkpoint(variant)?;
    // It learns in floats, and will play in integers.
    check_answers(name, &network, &Precision::ALL)?;
    Ok(network)
}

/// Reads the samples of all games; `None`, with a message, if it is stopped.
pub(super) fn read(
    source: &Source,
    hold_out: f64,
    value_lambda: f32,
    json: bool,
    console: &mut Console<'_>,
) -> Result<Option<Split<PackedSamples<GipfPosition>>>> {
    let bar = progress::bar("reading".to_owned(), "decisions", source.num_rows());
    let split = source.split(hold_out, value_lambda, &|rows| bar.inc(rows), &console.stop);
    bar.finish_and_clear();
    let Some(split) = split? else {
        console.note("stopped before anything was learned; nothing is written");
        return Ok(None);
    };
    if !json {
        let [learned, held_out] = [&split.learned, &split.held_out].map(PackedSamples::len);
        let megabytes = (split.learned.size() + split.held_out.size()) as f64 / 1e6;
        let variant = source.variant();
        console
            .tell(format_args!("{variant}: {learned} samples to learn from, {held_out} held out, {megabytes:.0} MB"));
    }
    Ok(Some(split))
}

impl Args {
    fn config(&self, variant: Variant, from: Option<Checkpoint>) -> Result<FitConfig, WrongUse> {
        let mut config = Config::default();
        config.game.variant = variant;
        config.network = NetworkConfig(match (&from, self.net.as_deref()) {
            (Some(from), _) => from.config.net.clone(),
            (None, Some("hex")) => NetKind::Hex(HexConfig::default()),
            (None, Some("mlp")) => NetKind::Mlp(MlpConfig::default()),
            (None, _) => NetKind::Line(LineConfig::default()),
        });
        self.check_each_once()?;
        config.learning.batch_size = self.batch.unwrap_or(256);
        config.learning.learning_rate = self.learning_rate.unwrap_or(2e-3);
        config.learning.warmup_steps = self.warmup.unwrap_or(200);
        for setting in &self.settings {
            config = changed(&config, setting)?;
        }
        if !self.settings.iter().any(|setting| assigned(setting) == "learning.final_learning_rate") {
            let usual = 0.1 * config.learning.learning_rate;
            config.learning.final_learning_rate = self.final_learning_rate.unwrap_or(usual);
        }
        config.validate().map_err(|fault| WrongUse(fault.to_string()))?;
        Ok(FitConfig {
            net: config.network.0,
            from,
            learning: config.learning,
            length: match (self.seconds, self.cpu_seconds) {
                (Some(seconds), _) => FitLength::Time(Duration::from_secs(seconds)),
                (None, Some(seconds)) => FitLength::CoreTime(Duration::from_secs(seconds)),
                (None, None) => FitLength::Steps(self.steps.expect("one of the three is given")),
            },
            report_every: Duration::from_secs(self.every),
            seed: self.seed,
        })
    }

    /// Refuses a setting if the option for the same value is given too: one of the two would have no effect.
    fn check_each_once(&self) -> Result<(), WrongUse> {
        let options = [
            ("kind", "--net", self.net.is_some()),
            ("learning.batch_size", "--batch", self.batch.is_some()),
            ("learning.learning_rate", "--learning-rate", self.learning_rate.is_some()),
            ("learning.final_learning_rate", "--final-learning-rate", self.final_learning_rate.is_some()),
            ("learning.warmup_steps", "--warmup", self.warmup.is_some()),
        ];
        for (name, option, _) in options.into_iter().filter(|(.., given)| *given) {
            if let Some(setting) = self.settings.iter().find(|setting| assigned(setting) == name) {
                return Err(WrongUse(format!("--set {setting} and {option}: expected one of the two")));
            }
        }
        Ok(())
    }
}

/// Returns the settings with one changed: a name without a group is a setting of the network.
fn changed(config: &Config, setting: &str) -> Result<Config, WrongUse> {
    let wrong = |why: &str| WrongUse(format!("--set {setting}: {why}"));
    let changed = match setting.split_once('=') {
        Some((name, _)) if name.trim() == "learning.value_mix_games" => {
            return Err(wrong("has no effect here, where no games are played: expected learning.value_mix"));
        }
        Some((name, _)) if ["learning.rate_falls", "learning.student"].iter().any(|of| name.trim().starts_with(of)) => {
            return Err(wrong("has no effect here, where no games are played: expected a setting of gipf fit"));
        }
        Some((name, _)) if name.trim().starts_with("learning.") => config.with(setting),
        Some((name, _)) if !name.contains('.') => config.with(&format!("network.{}", setting.trim())),
        _ => return Err(wrong(NO_SETTING)),
    };
    changed.map_err(|fault| wrong(&fault.to_string()))
}

const NO_SETTING: &str =
    "expected a setting of the network, such as features=16, or of learning, such as learning.optimizer.average=0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refused_setting_is_told_to_be_like_is_accepted() {
        let config = Config::default();
        for wrong in ["self_play.full_simulations=128", "features", "network.features=8", "learning", "=3"] {
            let WrongUse(told) = changed(&config, wrong).unwrap_err();
            assert!(told.contains(wrong), "{told}");
        }
        let WrongUse(told) = changed(&config, "run.seed=3").unwrap_err();
        let examples: Vec<_> = told.split([' ', ',']).filter(|word| word.contains('=')).skip(1).collect();
        assert_eq!(examples.len(), 2, "{told}");
        assert!(examples.iter().all(|example| changed(&config, example).is_ok()), "{told}");
        for vain in ["learning.value_mix_games=3", "learning.rate_falls=[0,9]", "learning.student.learning_rate=0.1"] {
            let WrongUse(told) = changed(&config, vain).unwrap_err();
            assert!(told.contains(vain) && told.contains("has no effect here"), "{told}");
        }
        // The settings were not read from a text, so errors must not name a line of one.
        for wrong in ["nonsense=3", "learning.nonsense=3"] {
            let WrongUse(told) = changed(&config, wrong).unwrap_err();
            assert!(
                told.contains(wrong) && told.contains("unknown field `nonsense`") && !told.contains("line "),
                "{told}"
            );
        }
    }
}
