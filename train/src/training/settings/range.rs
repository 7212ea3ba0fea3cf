//! The ranges of the settings.

use std::fmt::Display;
use std::ops::RangeInclusive;

use gipf_env::text::truncate_escaped;
use gipf_models::NetConfig;
use gipf_play::CacheConfig;
use gipf_play::run::MOST_ITERATIONS;

use super::config::{Config, ConfigFault};

impl Config {
    /// Checks every setting at the beginning of a run.
    pub(super) fn check_settings(&self) -> Result<(), ConfigFault> {
        self.search.validate()?;
        self.evaluation.search.validate()?;
        self.game.setup()?;
        let start = self.game.start();
        NetConfig::of(self.network.0.clone(), &start)?;
        in_range("run.iterations", &self.run.iterations, 1..=MOST_ITERATIONS, "1 to 100000")?;
        in_range("run.games", &self.run.games, 1..=10_000_000, "1 to 10000000")?;
        in_range("run.seed", &self.run.seed, 0..=MOST_SEED, "0 to 9223372036854775807")?;
        in_range("run.lag", &self.run.lag, 0..=2, "0 to 2")?;
        if self.run.lag > 0 {
            // The window of that time would be needed again to resume, but is gone by then.
            in_range("self_play.archive_share", &self.self_play.archive_share, 0.0..=0.0, "0 with run.lag")?;
        }
        in_range("game.placement_limit", &self.game.placement_limit, 20..=10_000, "20 to 10000")?;
        in_range("self_play.parallel_games", &self.self_play.parallel_games, 1..=4096, "1 to 4096")?;
        in_range("self_play.full_simulations", &self.self_play.full_simulations, 1..=1_000_000, "1 to 1000000")?;
        in_range("self_play.cheap_simulations", &self.self_play.cheap_simulations, 1..=1_000_000, "1 to 1000000")?;
        in_range("self_play.full_share", &self.self_play.full_share, 0.0..=1.0, "0 to 1")?;
        in_range("self_play.random_plies", &self.self_play.random_plies, 0..=100, "0 to 100")?;
        in_range("self_play.random_share", &self.self_play.random_share, 0.0..=1.0, "0 to 1")?;
        in_range(
            "self_play.cache.megabytes",
            &self.self_play.cache.megabytes,
            0..=CacheConfig::MOST_MEGABYTES,
            "0 to 65536",
        )?;
        in_range("self_play.archive_share", &self.self_play.archive_share, 0.0..=1.0, "0 to 1")?;
        in_range("replay.surprise", &self.replay.surprise, 0.0..=1.0, "0 to 1")?;
        in_range("replay.window", &self.replay.window, 1..=100_000_000, "1 to 100000000")?;
        in_range("replay.exponent", &self.replay.exponent, 0.0..=1.0, "0 to 1")?;
        in_range("replay.slope", &self.replay.slope, 0.0..=1.0, "0 to 1")?;
        in_range("replay.reuse", &self.replay.reuse, 0.0..=100.0, "0 to 100")?;
        in_range("learning.batch_size", &self.learning.batch_size, 1..=65_536, "1 to 65536")?;
        in_range("learning.learning_rate", &self.learning.learning_rate, 0.0..=1.0, "0 to 1")?;
        in_range("learning.final_learning_rate", &self.learning.final_learning_rate, 0.0..=1.0, "0 to 1")?;
        in_range("learning.value_mix", &self.learning.value_mix, 0.0..=1.0, "0 to 1")?;
        in_range("learning.value_lambda", &self.learning.value_lambda, 0.0..=1.0, "0 to 1")?;
        let optimizer = &self.learning.optimizer;
        in_range("learning.optimizer.weight_decay", &optimizer.weight_decay, 0.0..=1.0, "0 to 1")?;
        in_range("learning.optimizer.beta_1", &optimizer.beta_1, 0.0..=0.9999, "0 to 0.9999")?;
        in_range("learning.optimizer.beta_2", &optimizer.beta_2, 0.0..=0.999_999, "0 to 0.999999")?;
        in_range("learning.optimizer.epsilon", &optimizer.epsilon, 1e-12..=1.0, "1e-12 to 1")?;
        in_range("learning.optimizer.clip_norm", &optimizer.clip_norm, 1e-6..=1e6, "0.000001 to 1000000")?;
        in_range("learning.optimizer.value_weight", &optimizer.value_weight, 0.0..=100.0, "0 to 100")?;
        in_range("learning.optimizer.average", &optimizer.average, 0.0..=0.9999, "0 to 0.9999")?;
        in_range("learning.optimizer.gradient_shards", &optimizer.gradient_shards, 1..=64, "1 to 64")?;
        let gating = &self.evaluation.gating;
        in_pairs("evaluation.games", self.evaluation.games)?;
        in_pairs("evaluation.final_games", self.evaluation.final_games)?;
        in_pairs("evaluation.gating.games", gating.games)?;
        in_range("evaluation.gating.elo0", &gating.elo0, -1000.0..=gating.elo1 - 1.0, "less than elo1, by 1")?;
        in_range("evaluation.gating.elo1", &gating.elo1, -1000.0..=1000.0, "-1000 to 1000")?;
        in_range("evaluation.simulations", &self.evaluation.simulations, 1..=1_000_000, "1 to 1000000")?;
        in_one_line("self_play.opponent", &self.self_play.opponent)?;
        self.evaluation.opponents.iter().try_for_each(|name| in_one_line("evaluation.opponents", name))
    }
}

/// The largest seed: TOML's integers are signed.
pub const MOST_SEED: u64 = i64::MAX as u64;

/// Names are printed, and kept in files of lines.
fn in_one_line(name: &'static str, value: &str) -> Result<(), ConfigFault> {
    if !value.contains(char::is_control) {
        return Ok(());
    }
    Err(ConfigFault::Range { name, value: truncate_escaped(value, 80), expected: "a name without control characters" })
}

/// Games are played in pairs.
fn in_pairs(name: &'static str, games: u32) -> Result<(), ConfigFault> {
    in_range(name, &games, 0..=10_000, "an even number from 0 to 10000")?;
    let value = games.to_string();
    if games.is_multiple_of(2) { Ok(()) } else { Err(ConfigFault::Range { name, value, expected: "an even number" }) }
}

fn in_range<T: PartialOrd + Display>(
    name: &'static str,
    value: &T,
    range: RangeInclusive<T>,
    expected: &'static str,
) -> Result<(), ConfigFault> {
    if range.contains(value) { Ok(()) } else { Err(ConfigFault::Range { name, value: value.to_string(), expected }) }
}
