//! The ranges of the settings.

use std::fmt::Display;
use std::ops::RangeInclusive;

use gipf_env::text::truncate_escaped;
use gipf_models::NetConfig;
use gipf_play::CacheConfig;
use gipf_play::run::MOST_ITERATIONS;

use super::config::{Config, ConfigFault};
use super::learning::LearningConfig;

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
        in_range("run.seed", &self.run.seed, 0..=MOST_SEED, ANY)?;
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
        in_range("self_play.noisy_turns", &(self.self_play.noisy_turns as u64), 0..=MOST_INTEGER, ANY)?;
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
        check_learning(&self.learning)?;
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

/// Checks how the network learns.
fn check_learning(learning: &LearningConfig) -> Result<(), ConfigFault> {
    in_range("learning.batch_size", &learning.batch_size, 1..=65_536, "1 to 65536")?;
    in_range("learning.learning_rate", &learning.learning_rate, 0.0..=1.0, "0 to 1")?;
    in_range("learning.final_learning_rate", &learning.final_learning_rate, 0.0..=1.0, "0 to 1")?;
    in_order("learning.rate_falls", learning.rate_falls)?;
    in_range("learning.warmup_steps", &learning.warmup_steps, 0..=MOST_INTEGER, ANY)?;
    in_range("learning.value_mix", &learning.value_mix, 0.0..=1.0, "0 to 1")?;
    in_range("learning.value_mix_games", &learning.value_mix_games, 0..=MOST_INTEGER, ANY)?;
    in_range("learning.value_lambda", &learning.value_lambda, 0.0..=1.0, "0 to 1")?;
    let student = &learning.student;
    in_range("learning.student.learning_rate", &student.learning_rate, 0.0..=1.0, "0 to 1")?;
    in_range("learning.student.final_learning_rate", &student.final_learning_rate, 0.0..=1.0, "0 to 1")?;
    let optimizer = &learning.optimizer;
    in_range("learning.optimizer.weight_decay", &optimizer.weight_decay, 0.0..=1.0, "0 to 1")?;
    in_range("learning.optimizer.beta_1", &optimizer.beta_1, 0.0..=0.9999, "0 to 0.9999")?;
    in_range("learning.optimizer.beta_2", &optimizer.beta_2, 0.0..=0.999_999, "0 to 0.999999")?;
    in_range("learning.optimizer.epsilon", &optimizer.epsilon, 1e-12..=1.0, "1e-12 to 1")?;
    in_range("learning.optimizer.clip_norm", &optimizer.clip_norm, 1e-6..=1e6, "0.000001 to 1000000")?;
    in_range("learning.optimizer.value_weight", &optimizer.value_weight, 0.0..=100.0, "0 to 100")?;
    in_range("learning.optimizer.average", &optimizer.average, 0.0..=0.9999, "0 to 0.9999")?;
    in_range("learning.optimizer.gradient_shards", &optimizer.gradient_shards, 1..=64, "1 to 64")
}

/// The largest integer that settings can be written with: those of TOML are signed.
pub(super) const MOST_INTEGER: u64 = i64::MAX as u64;
/// The largest seed.
pub const MOST_SEED: u64 = MOST_INTEGER;
/// What is expected of a number that may be any that can be written.
const ANY: &str = "0 to 9223372036854775807";

/// Names are printed, and kept in files of lines.
fn in_one_line(name: &'static str, value: &str) -> Result<(), ConfigFault> {
    if !value.contains(char::is_control) {
        return Ok(());
    }
    Err(ConfigFault::Range { name, value: truncate_escaped(value, 80), expected: "a name without control characters" })
}

/// Two numbers of games, or two zeros.
fn in_order(name: &'static str, [first, last]: [u64; 2]) -> Result<(), ConfigFault> {
    in_range(name, &last, 0..=MOST_INTEGER, ANY)?;
    let (value, expected) = (format!("[{first}, {last}]"), "the first to be less than the last, or [0, 0]");
    if first < last || last == 0 && first == 0 { Ok(()) } else { Err(ConfigFault::Range { name, value, expected }) }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A number above it would end the program when the settings are written.
    #[test]
    fn no_number_is_larger_than_toml_can_say() {
        type Change = fn(&mut Config);

        let plain = Config::default();
        let text = |config: &Config| config.validate().map(|()| config.to_text()).map_err(|fault| fault.to_string());
        assert!(text(&plain).is_ok());
        let larger = |change: Change| {
            let mut config = plain.clone();
            change(&mut config);
            assert!(config.with("run.games=9").is_err(), "no settings can be changed that cannot be written");
            text(&config).unwrap_err()
        };
        let cases: [(Change, &str); 4] = [
            (|config| config.run.seed = u64::MAX, "run.seed"),
            (|config| config.self_play.noisy_turns = usize::MAX, "self_play.noisy_turns"),
            (|config| config.learning.warmup_steps = u64::MAX, "learning.warmup_steps"),
            (|config| config.learning.value_mix_games = u64::MAX, "learning.value_mix_games"),
        ];
        for (change, name) in cases {
            let expected = format!("setting {name} is 18446744073709551615: expected {ANY}");
            assert_eq!(larger(change), expected);
        }
        let mut config = plain.clone();
        (config.learning.warmup_steps, config.learning.value_mix_games) = (MOST_INTEGER, MOST_INTEGER);
        assert_eq!(Config::parse(&text(&config).unwrap()).unwrap(), config);
    }
}
