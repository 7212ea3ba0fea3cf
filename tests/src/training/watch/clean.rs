//! Runs without faults.

use std::path::Path;
use std::time::Instant;

use gipf_env::toy::ConnectFour;
use gipf_env::{GipfPosition, Learnable, Variant};
use gipf_play::Stop;
use gipf_train::training::metrics::Seconds;
use gipf_train::training::trainer::{NamedStart, Trainer};
use gipf_train::training::watch::Fault;
use gipf_train::training::{Config, NewRun};

use super::parts::{self, Parts};
use super::runs::{Heard, config};
use super::wrong_parts::connect_four;
use crate::training::trainer::NoEval;

/// Trains, and prints the numbers that the bounds are about.
fn train<P: Learnable>(config: &Config, name: &str, start: P) -> Heard {
    let (folder, began, mut heard) = (tempfile::tempdir().unwrap(), Instant::now(), Heard::default());
    let path: &Path = &folder.path().join("run");
    let mut trainer = Trainer::create(&NewRun::new(path, config), NamedStart::new(name, start)).unwrap();
    trainer.train(&NoEval, &mut heard, &Stop::default()).unwrap();
    let last = heard.metrics.last().unwrap();
    let (games, learned) = (&last.self_play, last.learning.unwrap());
    let least = heard.metrics.iter().map(|line| line.self_play.surprise).fold(f64::MAX, f64::min);
    let all = |part: fn(&Seconds) -> f64| heard.metrics.iter().map(|line| part(&line.seconds)).sum::<f64>();
    let watched = 100.0 * all(|of| of.watch) / all(|of| of.self_play + of.learning);
    println!(
        "{name:<18} seed {} {:>5.1} s, watch {watched:.2} %: {} steps, correlation {:.2} (White {:+.2}, Black {:+.2}), \
         surprise ≥ {least:.3}, policy {:.2} of {:.2} to {:.2}, value {:.2}, gradient {:.1}, White {:+.2}",
        config.run.seed,
        began.elapsed().as_secs_f64(),
        last.step,
        games.network_correlation,
        games.colour_correlation[0],
        games.colour_correlation[1],
        learned.policy_loss,
        learned.uniform_loss,
        learned.target_entropy,
        learned.value_loss,
        learned.gradient_norm,
        games.white_result,
    );
    assert!(heard.said.is_empty(), "{name}: {:?}", heard.said);
    heard
}

fn train_variant(config: &Config, variant: Variant) {
    train(config, &variant.to_string(), GipfPosition::start(variant));
}

#[test]
fn clean_runs_say_nothing() {
    struct Right;
    impl Parts<ConnectFour> for Right {}
    let mut config = config();
    // The rate of the presets is meant for batches of 512. With such small ones it kills units, which is rightly reported.
    config.learning.learning_rate = 0.003;
    let variants: Vec<_> = Variant::ALL.into_iter().filter(|variant| !variant.is_push_off()).collect();
    if std::env::var_os("GIPF_WATCH").is_none() {
        config.run.iterations = 4;
        for variant in variants {
            train_variant(&config, variant);
        }
        let config = Config { run: Config::preset("smoke").unwrap().run, ..connect_four() };
        assert_eq!(parts::train(&ConnectFour::default(), &config, &Right, Fault::Mask), []);
        return;
    }
    (config.run.iterations, config.run.games, config.learning.batch_size) = (12, 100, 32);
    for variant in variants {
        train_variant(&config, variant);
    }
    for seed in [2, 3, 4] {
        config.run.seed = seed;
        train_variant(&config, Variant::OFFICIAL[seed as usize % 3]);
    }
    // With the random openings of the presets, games of such a small game repeat, which is rightly reported.
    let mut config = connect_four();
    (config.self_play.random_plies, config.learning.learning_rate) = (12, 0.003);
    train(&config, "connect-four", ConnectFour::default());
}
