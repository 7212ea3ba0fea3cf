//! The phases of a run: which settings change after how many games.
//!
//! Schedules go by the number of games played, not by the share of a run, so that a longer run begins as a shorter one does.

use gipf_models::{NetConfig, NetKind};
use gipf_play::search::SearchConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::config::{Config, ConfigFault};
use super::misfits;
use super::range::MOST_INTEGER;
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
/// The most phases of a run: their settings are looked at whenever a run begins or goes on.
const MOST_PHASES: usize = 300;

/// Settings over which phases are laid, each once.
struct Layers(Table);

impl Layers {
    /// Begins with these settings, without their phases: each result would have a copy of all of them.
    fn of(config: &Config) -> Self {
        let plain = Config { phases: Vec::new(), ..config.clone() };
        Self(Table::try_from(plain).expect("settings are tables of plain values"))
    }

    /// Lays a phase over the settings so far, and returns what then applies.
    fn lay(&mut self, phase: &Phase) -> Result<Config, toml::de::Error> {
        self.0 = laid_over(std::mem::take(&mut self.0), phase.changes.clone());
        self.0.clone().try_into()
    }
}

impl Config {
    /// Returns the settings that apply after this many games of self-play: those of all phases begun by then.
    pub fn at(&self, games: u64) -> Self {
        let table = Table::try_from(self).expect("settings are tables of plain values");
        let begun = self.phases.iter().filter(|phase| phase.after_games <= games);
        let then = begun.fold(table, |table, phase| laid_over(table, phase.changes.clone()));
        then.try_into().expect("the phases were checked")
    }

    /// Returns the settings that apply at the beginning and from each later phase on, with the number of games after
    /// which they do. Phases that begin together are one. The settings returned have no phases themselves.
    pub fn stages(&self) -> Vec<(u64, Self)> {
        let mut layers = Layers::of(self);
        let mut stages = vec![(0, Self { phases: Vec::new(), ..self.clone() })];
        for phase in &self.phases {
            let then = layers.lay(phase).expect("the phases were checked");
            stages.pop_if(|(games, _)| *games == phase.after_games);
            stages.push((phase.after_games, then));
        }
        stages
    }

    /// Returns the student of each [stage](Self::stages) of a run from nothing: the network that there was before it first
    /// grew, as long as the settings want one.
    pub fn students(&self) -> Vec<Option<NetKind>> {
        let (mut before, mut student) = (None, None);
        let of_stage = |(_, settings): (u64, Self)| {
            let network = settings.network.0;
            let smaller = before.replace(network.clone()).filter(|before| *before != network);
            student = student.take().or(smaller).filter(|_| settings.learning.student.is_wanted());
            student.clone()
        };
        self.stages().into_iter().map(of_stage).collect()
    }

    /// Checks that phases are few and come in order, and that the settings are valid from each of them on.
    ///
    /// # Errors
    /// If there are too many, or a phase is wrong, by its number.
    pub(super) fn check_phases(&self) -> Result<(), ConfigFault> {
        if self.phases.len() > MOST_PHASES {
            return Err(ConfigFault::Phases { found: self.phases.len(), most: MOST_PHASES });
        }
        let (mut layers, mut before, mut games) = (Layers::of(self), self.clone(), 0);
        for (number, phase) in (1..).zip(&self.phases) {
            let fault = |reason: String| ConfigFault::Phase { number, reason };
            phase.check(games).map_err(fault)?;
            let config = layers.lay(phase).map_err(|error| fault(error.message().to_owned()))?;
            config.check_settings().map_err(|error| fault(error.to_string()))?;
            if config.learning.optimizer.device != before.learning.optimizer.device {
                return Err(fault(
                    "it sets `learning.optimizer.device`, which is the same throughout a run".to_owned(),
                ));
            }
            let [old, new] =
                [&before, &config].map(|config| NetConfig::of(config.network.0.clone(), &config.game.start()));
            if let Some([expected, found]) = misfits(&old?, &new?) {
                let expected = format!("{expected}, or one that the one before it grows to");
                return Err(fault(format!("its network has {found}: expected {expected}")));
            }
            (before, games) = (config, phase.after_games);
        }
        Ok(())
    }

    /// Makes all phases apply from the beginning, as for a run that begins with a trained network: what depends on the
    /// games before has no meaning then.
    pub fn skip_to_last_phase(&mut self) {
        for phase in &mut self.phases {
            phase.after_games = 0;
            if let Some(learning) = phase.changes.get_mut("learning").and_then(Value::as_table_mut) {
                learning.remove("rate_falls");
            }
        }
        self.learning.value_mix_games = 0;
        self.learning.rate_falls = [0, 0];
    }
}

impl Phase {
    /// Checks what a phase says of itself; the phase before it begins after this many games. An error says what is wrong.
    fn check(&self, before: u64) -> Result<(), String> {
        if let Some(fixed) = FIXED.into_iter().find(|name| self.changes.contains_key(*name)) {
            return Err(format!("it sets `{fixed}`, which is the same throughout a run"));
        }
        if self.after_games < before {
            return Err("expected more games than before the phase before it".to_owned());
        }
        if self.after_games > MOST_INTEGER {
            return Err(format!("it begins after {} games: expected at most {MOST_INTEGER}", self.after_games));
        }
        Ok(())
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
    let share = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    let from = late.get("from").and_then(share).unwrap_or(0.25);
    let usual = Table::try_from(SearchConfig::self_play()).expect("settings are tables of plain values");
    let named = late.get("search").and_then(Value::as_table).cloned().unwrap_or_default();
    let search = Value::Table(laid_over(usual, named));
    // Numbers of games and iterations are checked later, with all settings: until then they can be any.
    let played = |iterations: u64| iterations.saturating_mul(games).min(MOST_INTEGER);
    // An iteration belonged to the late phase if the share of the run before it was at least `from`.
    let after_games = played((from * iterations as f64).ceil() as u64);
    let changes = Table::from_iter([("search".to_owned(), search)]);
    let phases = if from < 1.0 { vec![Phase { after_games, changes }] } else { Vec::new() };
    let phases = Value::try_from(phases).expect("settings are tables of plain values");
    own.entry("phases").or_insert(phases);
    let rising = if from > 0.0 { played(iterations) / 3 } else { 0 };
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
        let mut falling = config.with("learning.rate_falls=[300, 700]").unwrap();
        falling.skip_to_last_phase();
        assert_eq!(falling.at(0).learning.rate_falls, [0, 0]);
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
            (
                "[[phases]]\nnetwork.features = 12\n",
                "phase 1: its network has features=12: expected features=16, or one",
            ),
            // A network whose kind is named begins with the defaults of that kind.
            (
                "[[phases]]\nnetwork = { kind = \"line\", features = 32 }\n",
                "has global_pooling=false, push_paths=false: expected global_pooling=true, push_paths=true, or one",
            ),
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
        for never in ["1.0", "1"] {
            assert!(config(&format!("[late_phase]\nfrom = {never}\n")).unwrap().phases.is_empty());
        }
        let always = config("[late_phase]\nfrom = 0.0\n").unwrap();
        assert_eq!((always.at(0).search, always.learning.value_mix_games), (SearchConfig::self_play(), 0));
    }

    #[test]
    fn a_late_phase_of_a_run_without_end_is_refused_like_the_run() {
        for (run, told) in [
            ("iterations = 10\ngames = 4000000000000000000", "setting run.games is 4000000000000000000: expected 1 to"),
            ("games = 9223372036854775807", "setting run.games is 9223372036854775807: expected 1 to 10000000"),
            ("iterations = 9223372036854775807", "integer `9223372036854775807`, expected a whole number from 0 to"),
        ] {
            let found = config(&format!("[run]\n{run}\n[late_phase]\nfrom = 0.25\n")).unwrap_err();
            assert!(found.contains(told) && !found.contains('\n'), "{run}: {found}");
        }
    }

    #[test]
    fn a_phase_after_more_games_than_toml_can_say_is_refused() {
        let after = |after_games| Phase { after_games, ..Phase::default() };
        let config = |phases| Config { phases, ..Config::default() };
        assert!(config(vec![after(MOST_INTEGER)]).validate().is_ok());
        let told = config(vec![after(0), after(u64::MAX)]).validate().unwrap_err().to_string();
        assert_eq!(told, "phase 2: it begins after 18446744073709551615 games: expected at most 9223372036854775807");
    }

    #[test]
    fn a_run_has_some_hundred_phases_and_not_more() {
        let phases = |number: usize| {
            let phase = |place: usize| format!("[[phases]]\nafter_games = {place}\nreplay.window = {}\n", place + 1);
            (0..number).map(phase).collect::<String>()
        };
        let most = config(&phases(MOST_PHASES)).unwrap();
        assert_eq!([0, 7, 10_000].map(|games| most.at(games).replay.window), [1, 8, MOST_PHASES]);
        let told = config(&phases(MOST_PHASES + 1)).unwrap_err();
        assert_eq!(told, "301 phases: expected at most 300");
        let told = config(&"[[phases]]\n".repeat(20_000)).unwrap_err();
        assert_eq!(told, "20000 phases: expected at most 300");
    }

    #[test]
    fn the_student_is_the_network_before_the_first_growth_that_wants_one() {
        let grows = |games: u64, steps: usize, rate: &str| {
            let mixing = vec!["16"; steps].join(", ");
            let student = format!("[phases.learning.student]\nlearning_rate = {rate}\n");
            format!("[[phases]]\nafter_games = {games}\n[phases.network]\nmixing = [{mixing}]\n{student}")
        };
        let students = |text: &str| {
            let mixing = |student: NetKind| match student {
                NetKind::Line(line) => line.mixing.len(),
                _ => panic!("a line network"),
            };
            config(text).unwrap().students().into_iter().map(|student| student.map(mixing)).collect::<Vec<_>>()
        };
        assert_eq!(students(&(grows(5, 2, "0.1") + &grows(9, 3, "0.1"))), [None, Some(1), Some(1)]);
        assert_eq!(students(&(grows(5, 2, "0.0") + &grows(9, 3, "0.1"))), [None, None, Some(2)]);
        assert_eq!(
            students(&(grows(5, 2, "0.1") + &grows(9, 2, "0.0") + &grows(12, 2, "0.1"))),
            [None, Some(1), None, None]
        );
        assert_eq!(students(&grows(0, 2, "0.1")), [None], "nothing was learned before");
    }

    #[test]
    fn stages_are_what_applies_from_each_phase_on() {
        let config = config(
            "[[phases]]\nreplay.window = 7\n[[phases]]\nafter_games = 5\nself_play.opponent = \"random\"\n\
             [[phases]]\nafter_games = 5\nself_play.opponent = \"greedy\"\n\
             [[phases]]\nafter_games = 9\nreplay.window = 8\n",
        )
        .unwrap();
        let stages = config.stages();
        assert_eq!(stages.iter().map(|(games, _)| *games).collect::<Vec<_>>(), [0, 5, 9]);
        for (games, stage) in stages {
            assert_eq!(stage, Config { phases: Vec::new(), ..config.at(games) }, "after {games} games");
        }
        let plain = Config { phases: Vec::new(), ..Config::default() };
        assert_eq!(plain.stages(), [(0, plain.clone())]);
    }
}
