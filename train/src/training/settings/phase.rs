//! The phases of a run: which settings change after how many games.
//!
//! Schedules go by the number of games played, not by the share of a run, so that a longer run begins as a shorter one does.

use gipf_models::NetConfig;
use gipf_play::search::SearchConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::config::{Config, ConfigFault};
use super::setting::laid_over;

/// A change of settings in the course of a run: any of them except those of the run, of the game, of evaluation and
/// of the device. A network may grow: to wider layers, more mixing steps, global pooling or push paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Phase {
    /// The number of games of self-play after which the change applies, from the next iteration on.
    pub after_games: u64,
    /// The settings that change, as in a file of settings.
    #[serde(flatten)]
    pub changes: Table,
}

/// The settings that no phase changes.
const FIXED: [&str; 4] = ["run", "game", "evaluation", "phases"];

impl Config {
    /// Returns the settings that apply after this many games of self-play: those of all phases begun by then.
    pub fn at(&self, games: u64) -> Self {
        self.through(self.phases.iter().filter(|phase| phase.after_games <= games)).expect("the phases were checked")
    }

    fn through<'a>(&self, phases: impl Iterator<Item = &'a Phase>) -> Result<Self, toml::de::Error> {
        let table = Table::try_from(self).expect("settings are tables of plain values");
        phases.fold(table, |table, phase| laid_over(table, phase.changes.clone())).try_into()
    }

    /// Checks that phases come in order, and that the settings are valid from each of them on.
    ///
    /// # Errors
    /// If a phase is wrong, by its number.
    pub(super) fn check_phases(&self) -> Result<(), ConfigFault> {
        let mut before = self.clone();
        for (number, phase) in (1..).zip(&self.phases) {
            let fault = |reason: String| ConfigFault::Phase { number, reason };
            if let Some(fixed) = FIXED.into_iter().find(|name| phase.changes.contains_key(*name)) {
                return Err(fault(format!("it sets `{fixed}`, which is the same throughout a run")));
            }
            if self.phases[..number].iter().any(|other| other.after_games > phase.after_games) {
                return Err(fault("expected more games than before the phase before it".to_owned()));
            }
            let config =
                self.through(self.phases[..number].iter()).map_err(|error| fault(error.message().to_owned()))?;
            config.check_settings().map_err(|error| fault(error.to_string()))?;
            if config.learning.optimizer.device != before.learning.optimizer.device {
                return Err(fault(
                    "it sets `learning.optimizer.device`, which is the same throughout a run".to_owned(),
                ));
            }
            let [old, new] =
                [&before, &config].map(|config| NetConfig::of(config.network.0.clone(), &config.game.start()));
            if !old?.grows_to(&new?) {
                return Err(fault("its network is not one that the network before it grows to".to_owned()));
            }
            before = config;
        }
        Ok(())
    }

    /// Makes all phases apply from the beginning, as for a run that begins with a trained network.
    pub fn skip_to_last_phase(&mut self) {
        self.phases.iter_mut().for_each(|phase| phase.after_games = 0);
        self.learning.value_mix_games = 0;
    }
}

/// Turns the settings of `late_phase`, which earlier programs had, into a phase; returns whether there were any.
/// `base` holds the values of settings that the text does not name.
pub(super) fn turn_late_phase(own: &mut Table, base: &Table) -> bool {
    if !own.get("late_phase").is_some_and(Value::is_table) {
        return false;
    }
    let late = own.remove("late_phase").expect("it is there");
    let number = |name: &str| {
        let named = |table: &Table| table.get("run")?.get(name)?.as_integer();
        named(own).or_else(|| named(base)).and_then(|number| u64::try_from(number).ok()).unwrap_or(1)
    };
    let (iterations, games) = (number("iterations"), number("games"));
    let from = late.get("from").and_then(Value::as_float).unwrap_or(0.25);
    let usual = Table::try_from(SearchConfig::self_play()).expect("settings are tables of plain values");
    let named = late.get("search").and_then(Value::as_table).cloned().unwrap_or_default();
    let search = Value::Table(laid_over(usual, named));
    // An iteration belonged to the late phase if the share of the run before it was at least `from`.
    let after_games = (from * iterations as f64).ceil() as u64 * games;
    let changes = Table::from_iter([("search".to_owned(), search)]);
    let phases = if from < 1.0 { vec![Phase { after_games, changes }] } else { Vec::new() };
    let phases = Value::try_from(phases).expect("settings are tables of plain values");
    own.entry("phases").or_insert(phases);
    let rising = if from > 0.0 { iterations * games / 3 } else { 0 };
    let learning = own.entry("learning").or_insert_with(|| Table::new().into());
    if let Some(learning) = learning.as_table_mut() {
        learning.entry("value_mix_games").or_insert(Value::Integer(rising as i64));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, String> {
        Config::parse(text).map_err(|fault| fault.to_string())
    }

    #[test]
    fn settings_change_after_so_many_games() {
        let config = config(
            "[[phases]]\nafter_games = 500\nself_play.full_simulations = 100\n\
             [[phases]]\nafter_games = 900\n[phases.network]\nmixing = [16, 16]\n[phases.search]\nsolver = false\n",
        )
        .unwrap();
        let found = [0, 499, 500, 899, 900, 10_000].map(|games| config.at(games));
        assert_eq!(found.each_ref().map(|config| config.self_play.full_simulations), [64, 64, 100, 100, 100, 100]);
        assert_eq!(found.each_ref().map(|config| config.search.solver), [true, true, true, true, false, false]);
        assert!(found[3].network == config.network && found[4].network != config.network);
        assert_eq!(Config::parse(&config.to_text()).unwrap(), config);
        let one = config.with("phases=[{after_games=7,replay={window=9}}]").unwrap();
        assert_eq!([6, 7].map(|games| one.at(games).replay.window), [50_000, 9]);
        let mut last = config.clone();
        last.skip_to_last_phase();
        assert_eq!(
            last.at(0),
            Config { phases: last.phases.clone(), learning: last.learning.clone(), ..found[5].clone() }
        );
    }

    #[test]
    fn a_phase_that_fits_no_run_is_named() {
        for (text, expected) in [
            ("[[phases]]\nrun.seed = 3\n", "phase 1: it sets `run`"),
            ("[[phases]]\nevaluation.simulations = 400\n", "phase 1: it sets `evaluation`"),
            ("[[phases]]\nafter_games = 9\n[[phases]]\nafter_games = 8\n", "phase 2: expected more games"),
            ("[[phases]]\nself_play.full_share = 2.0\n", "phase 1: setting self_play.full_share is 2"),
            ("[[phases]]\nself_play.half_share = 2.0\n", "phase 1: unknown field `half_share`"),
            ("[[phases]]\nnetwork.features = 12\n", "phase 1: its network is not one"),
            ("[[phases]]\nafter_games = -1\n", "line 2: "),
        ] {
            let told = config(text).unwrap_err();
            assert!(told.contains(expected), "{text}: {told}");
        }
    }

    #[test]
    fn a_late_phase_of_an_earlier_program_is_a_phase() {
        let old =
            "[run]\niterations = 30\ngames = 100\n[late_phase]\nfrom = 0.25\n[late_phase.search]\nsolver = false\n";
        let found = config(old).unwrap();
        // The eighth iteration, with 7 of 30 before it, was not in the late phase.
        assert_eq!([799, 800].map(|games| found.at(games).search.solver), [true, false]);
        assert_eq!(found.learning.value_mix_games, 1000);
        let never = config("[late_phase]\nfrom = 1.0\n").unwrap();
        assert!(never.phases.is_empty());
        let always = config("[late_phase]\nfrom = 0.0\n").unwrap();
        assert_eq!((always.at(0).search, always.learning.value_mix_games), (SearchConfig::self_play(), 0));
    }
}
